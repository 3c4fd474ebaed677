# unit tests of src/app
check_PROGRAMS += tests/unit/test-options
TESTS += tests/unit/test-options
tests_unit_test_options_SOURCES = tests/unit/test-options.c
tests_unit_test_options_CPPFLAGS = $(TEST_CPPFLAGS) -I$(top_srcdir)/src
tests_unit_test_options_LDADD = libtap.a libapp.a libcore.a libbase.a $(CJSON_LIBS) -lm
