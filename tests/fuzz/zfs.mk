# one more target; see local.mk
check_PROGRAMS += tests/fuzz/fuzz-zfs
if !FUZZING
TESTS += tests/fuzz/fuzz-zfs
endif
tests_fuzz_fuzz_zfs_SOURCES = tests/fuzz/fuzz-zfs.c $(FUZZ_MAIN)
tests_fuzz_fuzz_zfs_CPPFLAGS = $(FUZZ_CPPFLAGS) -DFUZZ_SEEDS='"zfs"'
tests_fuzz_fuzz_zfs_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LINK)
tests_fuzz_fuzz_zfs_LDADD = libtap.a libcore.a libbase.a $(CJSON_LIBS) -lm
