check_PROGRAMS += tests/unit/test-trust
TESTS += tests/unit/test-trust
tests_unit_test_trust_SOURCES = tests/unit/test-trust.c
tests_unit_test_trust_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_trust_LDADD = libtap.a libcore.a libbase.a -lm
