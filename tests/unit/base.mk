# unit tests of src/base: link base only
check_PROGRAMS += tests/unit/test-buf
TESTS += tests/unit/test-buf
tests_unit_test_buf_SOURCES = tests/unit/test-buf.c
tests_unit_test_buf_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_buf_LDADD = libtap.a libbase.a -lm
