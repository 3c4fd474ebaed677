# unit tests of src/report
check_PROGRAMS += tests/unit/test-table
TESTS += tests/unit/test-table
tests_unit_test_table_SOURCES = tests/unit/test-table.c tests/unit/fake-report.c \
	tests/unit/fake-report.h
tests_unit_test_table_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_table_LDADD = libtap.a libreport.a libcore.a libbase.a -lm
EXTRA_DIST += tests/fixtures/tables
