# unit tests of src/base: link base only
check_PROGRAMS += tests/unit/test-buf tests/unit/test-lines tests/unit/test-text \
	tests/unit/test-units
TESTS += tests/unit/test-buf tests/unit/test-lines tests/unit/test-text tests/unit/test-units
tests_unit_test_buf_SOURCES = tests/unit/test-buf.c
tests_unit_test_buf_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_buf_LDADD = libtap.a libbase.a -lm
tests_unit_test_lines_SOURCES = tests/unit/test-lines.c
tests_unit_test_lines_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_lines_LDADD = libtap.a libbase.a -lm
tests_unit_test_text_SOURCES = tests/unit/test-text.c
tests_unit_test_text_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_text_LDADD = libtap.a libbase.a -lm
tests_unit_test_units_SOURCES = tests/unit/test-units.c
tests_unit_test_units_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_units_LDADD = libtap.a libbase.a -lm
