# unit tests of the science of figures in src/core: link core and base only
check_PROGRAMS += tests/unit/test-histogram tests/unit/test-sampler tests/unit/test-watch tests/unit/test-sweep
TESTS += tests/unit/test-histogram tests/unit/test-sampler tests/unit/test-watch tests/unit/test-sweep
tests_unit_test_histogram_SOURCES = tests/unit/test-histogram.c
tests_unit_test_histogram_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_histogram_LDADD = libtap.a libcore.a libbase.a -lm
tests_unit_test_sampler_SOURCES = tests/unit/test-sampler.c
tests_unit_test_sampler_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_sampler_LDADD = libtap.a libcore.a libbase.a -lm
tests_unit_test_watch_SOURCES = tests/unit/test-watch.c tests/unit/fake-report.c tests/unit/fake-report.h
tests_unit_test_watch_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_watch_LDADD = libtap.a libcore.a libbase.a -lm
tests_unit_test_sweep_SOURCES = tests/unit/test-sweep.c
tests_unit_test_sweep_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_sweep_LDADD = libtap.a libcore.a libbase.a -lm
