# one more target; see local.mk
check_PROGRAMS += tests/fuzz/fuzz-mountinfo
if !FUZZING
TESTS += tests/fuzz/fuzz-mountinfo
endif
tests_fuzz_fuzz_mountinfo_SOURCES = tests/fuzz/fuzz-mountinfo.c $(FUZZ_MAIN)
tests_fuzz_fuzz_mountinfo_CPPFLAGS = $(FUZZ_CPPFLAGS) -I$(top_srcdir)/src \
	-DFUZZ_SEEDS='"mountinfo"'
tests_fuzz_fuzz_mountinfo_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LINK)
tests_fuzz_fuzz_mountinfo_LDADD = libtap.a libhost.a libcore.a libbase.a $(CJSON_LIBS) -lm
