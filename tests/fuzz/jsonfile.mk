# one more target; see local.mk
check_PROGRAMS += tests/fuzz/fuzz-jsonfile
if !FUZZING
TESTS += tests/fuzz/fuzz-jsonfile
endif
tests_fuzz_fuzz_jsonfile_SOURCES = tests/fuzz/fuzz-jsonfile.c $(FUZZ_MAIN)
tests_fuzz_fuzz_jsonfile_CPPFLAGS = $(FUZZ_CPPFLAGS) $(CJSON_CFLAGS) -DFUZZ_SEEDS='"jsonfile"'
tests_fuzz_fuzz_jsonfile_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LINK)
tests_fuzz_fuzz_jsonfile_LDADD = libtap.a libcore.a libbase.a $(CJSON_LIBS) -lm
