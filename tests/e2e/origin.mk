if HAVE_VTERM
check_PROGRAMS += tests/e2e/test-origin
TESTS += tests/e2e/test-origin
tests_e2e_test_origin_SOURCES = tests/e2e/test-origin.c $(E2E_SOURCES)
tests_e2e_test_origin_CPPFLAGS = $(TEST_CPPFLAGS)
tests_e2e_test_origin_LDADD = $(HARNESS_LIBS) libcore.a libbase.a $(CJSON_LIBS) -lm
endif
