# The whole program, run as a person runs it; and the rules of the house.
TESTS += tests/e2e/rules.sh tests/e2e/bootstrap.sh
EXTRA_DIST += tests/e2e/rules.sh tests/e2e/bootstrap.sh
if HAVE_VTERM
check_PROGRAMS += tests/e2e/test-harness
TESTS += tests/e2e/test-harness
tests_e2e_test_harness_SOURCES = tests/e2e/test-harness.c
tests_e2e_test_harness_CPPFLAGS = $(TEST_CPPFLAGS)
tests_e2e_test_harness_LDADD = $(HARNESS_LIBS)
endif
