# The whole program over a fio that misbehaves.
if HAVE_VTERM
check_PROGRAMS += tests/fault/test-faces-faults
TESTS += tests/fault/test-faces-faults
tests_fault_test_faces_faults_SOURCES = tests/fault/test-faces-faults.c
tests_fault_test_faces_faults_CPPFLAGS = $(TEST_CPPFLAGS)
tests_fault_test_faces_faults_LDADD = $(HARNESS_LIBS)
endif
