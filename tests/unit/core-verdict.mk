check_PROGRAMS += tests/unit/test-waterfall
TESTS += tests/unit/test-waterfall
tests_unit_test_waterfall_SOURCES = tests/unit/test-waterfall.c
tests_unit_test_waterfall_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_waterfall_LDADD = libtap.a libcore.a libbase.a -lm
