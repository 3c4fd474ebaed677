# what is under a target: core/stack, core/devstat, host/stack, host/block, host/devstat
EXTRA_DIST += tests/fixtures/stack
check_PROGRAMS += tests/unit/test-stack tests/unit/test-devstat
TESTS += tests/unit/test-stack tests/unit/test-devstat
tests_unit_test_stack_SOURCES = tests/unit/test-stack.c tests/unit/tree.c tests/unit/tree.h
tests_unit_test_stack_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_stack_LDADD = libtap.a libhost.a libcore.a libbase.a $(CJSON_LIBS) -lm
tests_unit_test_devstat_SOURCES = tests/unit/test-devstat.c
tests_unit_test_devstat_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_devstat_LDADD = libtap.a libcore.a libbase.a -lm
EXTRA_DIST += tests/fixtures/zfs
check_PROGRAMS += tests/unit/test-zfs
TESTS += tests/unit/test-zfs
tests_unit_test_zfs_SOURCES = tests/unit/test-zfs.c tests/unit/tree.c tests/unit/tree.h
tests_unit_test_zfs_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_zfs_LDADD = libtap.a libhost.a libcore.a libbase.a $(CJSON_LIBS) -lm
