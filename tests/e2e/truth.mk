# Truth tests: the real fio under core and fio alone. They are skipped where there is no fio.
TRUTH_SOURCES = tests/e2e/truth.c tests/e2e/truth.h
TRUTH_TESTS = tests/e2e/truth-figures tests/e2e/truth-commands
check_PROGRAMS += $(TRUTH_TESTS)
TESTS += $(TRUTH_TESTS)
tests_e2e_truth_figures_SOURCES = tests/e2e/truth-figures.c $(TRUTH_SOURCES)
tests_e2e_truth_figures_CPPFLAGS = $(TEST_CPPFLAGS)
tests_e2e_truth_figures_LDADD = $(FIO_TEST_LDADD)
tests_e2e_truth_commands_SOURCES = tests/e2e/truth-commands.c $(TRUTH_SOURCES)
tests_e2e_truth_commands_CPPFLAGS = $(TEST_CPPFLAGS)
tests_e2e_truth_commands_LDADD = $(FIO_TEST_LDADD)
