# unit tests of what the two faces are made of
check_PROGRAMS += tests/unit/test-sink
TESTS += tests/unit/test-sink
tests_unit_test_sink_SOURCES = tests/unit/test-sink.c
tests_unit_test_sink_CPPFLAGS = $(TEST_CPPFLAGS) -I$(top_srcdir)/src
tests_unit_test_sink_LDADD = libtap.a libapp.a libengine.a libbase.a -lm
