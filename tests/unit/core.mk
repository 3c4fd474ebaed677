# unit tests of src/core: profiles, settings, plans, the run, configuration files
core_tests = tests/unit/test-course tests/unit/test-book tests/unit/test-jobs tests/unit/test-bonnie tests/unit/test-align tests/unit/test-pings tests/unit/test-jsonfile tests/unit/test-plan tests/unit/test-plan-shapes \
	tests/unit/test-profile tests/unit/test-run tests/unit/test-run-loops \
	tests/unit/test-settings
check_PROGRAMS += $(core_tests)
TESTS += $(core_tests)
tests_unit_test_jsonfile_SOURCES = tests/unit/test-jsonfile.c
tests_unit_test_jsonfile_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_jsonfile_LDADD = libtap.a libcore.a libbase.a $(CJSON_LIBS) -lm
tests_unit_test_plan_SOURCES = tests/unit/test-plan.c
tests_unit_test_plan_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_plan_LDADD = libtap.a libcore.a libbase.a -lm
tests_unit_test_profile_SOURCES = tests/unit/test-profile.c
tests_unit_test_profile_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_profile_LDADD = libtap.a libcore.a libbase.a -lm
tests_unit_test_run_SOURCES = tests/unit/test-run.c tests/unit/fake-report.c \
	tests/unit/fake-report.h
tests_unit_test_run_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_run_LDADD = libtap.a libcore.a libbase.a -lm
tests_unit_test_settings_SOURCES = tests/unit/test-settings.c
tests_unit_test_settings_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_settings_LDADD = libtap.a libcore.a libbase.a -lm
tests_unit_test_plan_shapes_SOURCES = tests/unit/test-plan-shapes.c
tests_unit_test_plan_shapes_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_plan_shapes_LDADD = libtap.a libcore.a libbase.a -lm
tests_unit_test_run_loops_SOURCES = tests/unit/test-run-loops.c tests/unit/fake-report.c \
	tests/unit/fake-report.h
tests_unit_test_run_loops_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_run_loops_LDADD = libtap.a libcore.a libbase.a -lm
tests_unit_test_book_SOURCES = tests/unit/test-book.c
tests_unit_test_book_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_book_LDADD = libtap.a libcore.a libbase.a $(CJSON_LIBS) -lm
tests_unit_test_pings_SOURCES = tests/unit/test-pings.c
tests_unit_test_pings_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_pings_LDADD = libtap.a libcore.a libbase.a -lm
tests_unit_test_align_SOURCES = tests/unit/test-align.c
tests_unit_test_align_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_align_LDADD = libtap.a libcore.a libbase.a -lm
tests_unit_test_bonnie_SOURCES = tests/unit/test-bonnie.c
tests_unit_test_bonnie_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_bonnie_LDADD = libtap.a libcore.a libbase.a -lm
tests_unit_test_jobs_SOURCES = tests/unit/test-jobs.c
tests_unit_test_jobs_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_jobs_LDADD = libtap.a libcore.a libbase.a -lm
tests_unit_test_course_SOURCES = tests/unit/test-course.c
tests_unit_test_course_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_course_LDADD = libtap.a libcore.a libbase.a -lm
