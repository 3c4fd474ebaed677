# The whole program, run as a person runs it; and the rules of the house.
TESTS += tests/e2e/rules.sh tests/e2e/bootstrap.sh tests/e2e/profiles.sh tests/e2e/job.sh tests/e2e/device.sh
EXTRA_DIST += tests/e2e/rules.sh tests/e2e/profiles.sh tests/e2e/job.sh tests/e2e/device.sh tests/e2e/bootstrap.sh tests/e2e/tmux.sh
CLEANFILES += e2e.lock

if HAVE_VTERM
E2E_SOURCES = tests/e2e/e2e.c tests/e2e/e2e.h

check_PROGRAMS += tests/e2e/test-harness
TESTS += tests/e2e/test-harness
tests_e2e_test_harness_SOURCES = tests/e2e/test-harness.c
tests_e2e_test_harness_CPPFLAGS = $(TEST_CPPFLAGS)
tests_e2e_test_harness_LDADD = $(HARNESS_LIBS)

E2E_TESTS = tests/e2e/test-errors tests/e2e/test-text tests/e2e/test-screen tests/e2e/test-stall \
	tests/e2e/test-evidence tests/e2e/test-zfs \
	tests/e2e/test-formats tests/e2e/test-knobs tests/e2e/test-original
check_PROGRAMS += $(E2E_TESTS)
TESTS += $(E2E_TESTS) tests/e2e/tmux.sh

tests_e2e_test_errors_SOURCES = tests/e2e/test-errors.c $(E2E_SOURCES)
tests_e2e_test_errors_CPPFLAGS = $(TEST_CPPFLAGS)
tests_e2e_test_errors_LDADD = $(HARNESS_LIBS)
tests_e2e_test_knobs_SOURCES = tests/e2e/test-knobs.c $(E2E_SOURCES)
tests_e2e_test_knobs_CPPFLAGS = $(TEST_CPPFLAGS)
tests_e2e_test_knobs_LDADD = $(HARNESS_LIBS)
tests_e2e_test_text_SOURCES = tests/e2e/test-text.c $(E2E_SOURCES)
tests_e2e_test_text_CPPFLAGS = $(TEST_CPPFLAGS)
tests_e2e_test_text_LDADD = $(HARNESS_LIBS)
tests_e2e_test_screen_SOURCES = tests/e2e/test-screen.c $(E2E_SOURCES)
tests_e2e_test_screen_CPPFLAGS = $(TEST_CPPFLAGS)
tests_e2e_test_screen_LDADD = $(HARNESS_LIBS)
tests_e2e_test_zfs_SOURCES = tests/e2e/test-zfs.c tests/unit/tree.c tests/unit/tree.h $(E2E_SOURCES)
tests_e2e_test_zfs_CPPFLAGS = $(TEST_CPPFLAGS) -I$(top_srcdir)/tests/unit
tests_e2e_test_zfs_LDADD = $(HARNESS_LIBS)
tests_e2e_test_evidence_SOURCES = tests/e2e/test-evidence.c $(E2E_SOURCES)
tests_e2e_test_evidence_CPPFLAGS = $(TEST_CPPFLAGS)
tests_e2e_test_evidence_LDADD = $(HARNESS_LIBS)
tests_e2e_test_stall_SOURCES = tests/e2e/test-stall.c $(E2E_SOURCES)
tests_e2e_test_stall_CPPFLAGS = $(TEST_CPPFLAGS)
tests_e2e_test_stall_LDADD = $(HARNESS_LIBS)
tests_e2e_test_original_SOURCES = tests/e2e/test-original.c $(E2E_SOURCES)
tests_e2e_test_original_CPPFLAGS = $(TEST_CPPFLAGS)
tests_e2e_test_original_LDADD = $(HARNESS_LIBS)
tests_e2e_test_formats_SOURCES = tests/e2e/test-formats.c $(E2E_SOURCES)
tests_e2e_test_formats_CPPFLAGS = $(TEST_CPPFLAGS)
tests_e2e_test_formats_LDADD = $(HARNESS_LIBS)
endif
