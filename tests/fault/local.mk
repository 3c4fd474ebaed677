# fault tests
FAULT_TESTS = tests/fault/test-fio-faults
check_PROGRAMS += $(FAULT_TESTS)
TESTS += $(FAULT_TESTS)

tests_fault_test_fio_faults_SOURCES = tests/fault/test-fio-faults.c
tests_fault_test_fio_faults_CPPFLAGS = $(TEST_CPPFLAGS)
tests_fault_test_fio_faults_LDADD = $(ENGINE_LDADD)
