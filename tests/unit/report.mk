# unit tests of src/report
SCENES = tests/unit/scenes.c tests/unit/scenes.h tests/unit/fake-report.c tests/unit/fake-report.h

check_PROGRAMS += tests/unit/test-table tests/unit/test-result
TESTS += tests/unit/test-table tests/unit/test-result
tests_unit_test_table_SOURCES = tests/unit/test-table.c $(SCENES)
tests_unit_test_table_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_table_LDADD = libtap.a libreport.a libcore.a libbase.a -lm
tests_unit_test_result_SOURCES = tests/unit/test-result.c $(SCENES)
tests_unit_test_result_CPPFLAGS = $(TEST_CPPFLAGS) -I$(top_srcdir)/src
tests_unit_test_result_LDADD = libtap.a libreport.a libcore.a libbase.a $(CJSON_LIBS) -lm
EXTRA_DIST += tests/fixtures/tables tests/fixtures/results
