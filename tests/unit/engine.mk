# unit tests of src/engine: link engine, fio, core and base
ENGINE_TESTS = tests/unit/test-loop tests/unit/test-child tests/unit/test-fio-run \
	tests/unit/test-probe tests/unit/test-bench-file tests/unit/test-dd-run
check_PROGRAMS += $(ENGINE_TESTS) tests/lib/fake-fio
TESTS += $(ENGINE_TESTS)
ENGINE_LDADD = libtap.a libengine.a libfio.a libcore.a libbase.a $(PIPELINE_LIBS) $(CJSON_LIBS) -lm

tests_lib_fake_fio_SOURCES = tests/lib/fake-fio.c

tests_unit_test_loop_SOURCES = tests/unit/test-loop.c
tests_unit_test_loop_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_loop_LDADD = $(ENGINE_LDADD)

tests_unit_test_child_SOURCES = tests/unit/test-child.c
tests_unit_test_child_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_child_LDADD = $(ENGINE_LDADD)

tests_unit_test_fio_run_SOURCES = tests/unit/test-fio-run.c
tests_unit_test_fio_run_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_fio_run_LDADD = $(ENGINE_LDADD)

tests_unit_test_probe_SOURCES = tests/unit/test-probe.c
tests_unit_test_probe_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_probe_LDADD = $(ENGINE_LDADD)

tests_unit_test_bench_file_SOURCES = tests/unit/test-bench-file.c
tests_unit_test_bench_file_CPPFLAGS = $(TEST_CPPFLAGS) -I$(top_srcdir)/src/engine
tests_unit_test_bench_file_LDADD = $(ENGINE_LDADD)

tests_unit_test_dd_run_SOURCES = tests/unit/test-dd-run.c
tests_unit_test_dd_run_CPPFLAGS = $(TEST_CPPFLAGS) -I$(top_srcdir)/src
tests_unit_test_dd_run_LDADD = $(ENGINE_LDADD)

check_PROGRAMS += tests/unit/test-knobs
TESTS += tests/unit/test-knobs
tests_unit_test_knobs_SOURCES = tests/unit/test-knobs.c
tests_unit_test_knobs_CPPFLAGS = $(TEST_CPPFLAGS) -I$(top_srcdir)/src/engine
tests_unit_test_knobs_LDADD = $(ENGINE_LDADD)
