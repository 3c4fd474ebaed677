# unit tests of src/fio: link fio, core and base only
fio_tests = tests/unit/test-framer tests/unit/test-fio-report tests/unit/test-fio-command \
	tests/unit/test-fio-corpus
check_PROGRAMS += $(fio_tests)
TESTS += $(fio_tests)
EXTRA_DIST += tests/fixtures/fio
FIO_TEST_LDADD = libtap.a libfio.a libcore.a libbase.a $(CJSON_LIBS) -lm

tests_unit_test_framer_SOURCES = tests/unit/test-framer.c
tests_unit_test_framer_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_framer_LDADD = $(FIO_TEST_LDADD)
tests_unit_test_fio_report_SOURCES = tests/unit/test-fio-report.c
tests_unit_test_fio_report_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_fio_report_LDADD = $(FIO_TEST_LDADD)
tests_unit_test_fio_command_SOURCES = tests/unit/test-fio-command.c
tests_unit_test_fio_command_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_fio_command_LDADD = $(FIO_TEST_LDADD)
tests_unit_test_fio_corpus_SOURCES = tests/unit/test-fio-corpus.c
tests_unit_test_fio_corpus_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_fio_corpus_LDADD = $(FIO_TEST_LDADD)
