# unit tests of src/host
EXTRA_DIST += tests/fixtures/host
check_PROGRAMS += tests/unit/test-host
TESTS += tests/unit/test-host
tests_unit_test_host_SOURCES = tests/unit/test-host.c
tests_unit_test_host_CPPFLAGS = $(TEST_CPPFLAGS) -I$(top_srcdir)/src
tests_unit_test_host_LDADD = libtap.a libhost.a libcore.a libbase.a $(CJSON_LIBS) -lm

check_PROGRAMS += tests/unit/test-cpu
TESTS += tests/unit/test-cpu
tests_unit_test_cpu_SOURCES = tests/unit/test-cpu.c
tests_unit_test_cpu_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_cpu_LDADD = libtap.a libhost.a libcore.a libbase.a $(CJSON_LIBS) -lm
