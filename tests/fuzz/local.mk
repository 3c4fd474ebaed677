# Fuzz targets. Configured with --enable-fuzzing they are libFuzzer programs, to be run by hand:
#   tests/fuzz/fuzz-framer CORPUS-DIRECTORY $(srcdir)/tests/fuzz/seeds/framer
# Else they are tests that replay their seeds. A target is named fuzz-X and has its seeds in seeds/X.
EXTRA_DIST += tests/fuzz/seeds
FUZZ_TARGETS = tests/fuzz/fuzz-framer tests/fuzz/fuzz-report
FUZZ_CPPFLAGS = $(TEST_CPPFLAGS) -I$(top_srcdir)/tests/fuzz

check_PROGRAMS += $(FUZZ_TARGETS)
if FUZZING
FUZZ_MAIN = tests/fuzz/fuzz.h
FUZZ_LINK = $(FUZZ_LDFLAGS)
else
FUZZ_MAIN = tests/fuzz/replay-main.c tests/fuzz/fuzz.h
FUZZ_LINK =
TESTS += $(FUZZ_TARGETS)
endif

tests_fuzz_fuzz_framer_SOURCES = tests/fuzz/fuzz-framer.c $(FUZZ_MAIN)
tests_fuzz_fuzz_framer_CPPFLAGS = $(FUZZ_CPPFLAGS) -DFUZZ_SEEDS='"framer"'
tests_fuzz_fuzz_framer_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LINK)
tests_fuzz_fuzz_framer_LDADD = $(FIO_TEST_LDADD)
tests_fuzz_fuzz_report_SOURCES = tests/fuzz/fuzz-report.c $(FUZZ_MAIN)
tests_fuzz_fuzz_report_CPPFLAGS = $(FUZZ_CPPFLAGS) -DFUZZ_SEEDS='"report"'
tests_fuzz_fuzz_report_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LINK)
tests_fuzz_fuzz_report_LDADD = $(FIO_TEST_LDADD)
