# screen tests: the ui's pictures, without a terminal
SCREEN_LIBS = libtap.a libui.a libfio.a libcore.a libbase.a $(NCURSESW_LIBS) $(CJSON_LIBS) -lm
SCREEN_CPPFLAGS = $(TEST_CPPFLAGS) $(NCURSESW_CFLAGS) -I$(top_srcdir)/src/ui

# not a test: the real ui over a made-up run, to look at
check_PROGRAMS += tests/screen/demo
tests_screen_demo_SOURCES = tests/screen/demo.c tests/screen/fake.c tests/screen/fake.h
tests_screen_demo_CPPFLAGS = $(SCREEN_CPPFLAGS)
tests_screen_demo_LDADD = $(SCREEN_LIBS)

check_PROGRAMS += tests/screen/test-screens
TESTS += tests/screen/test-screens
tests_screen_test_screens_SOURCES = tests/screen/test-screens.c \
	tests/screen/fake.c tests/screen/fake.h tests/screen/picture.c tests/screen/picture.h
tests_screen_test_screens_CPPFLAGS = $(SCREEN_CPPFLAGS)
tests_screen_test_screens_LDADD = $(SCREEN_LIBS)

check_PROGRAMS += tests/screen/test-terminal
TESTS += tests/screen/test-terminal
tests_screen_test_terminal_SOURCES = tests/screen/test-terminal.c tests/screen/fake.c tests/screen/fake.h
tests_screen_test_terminal_CPPFLAGS = $(SCREEN_CPPFLAGS)
tests_screen_test_terminal_LDADD = $(SCREEN_LIBS)

check_PROGRAMS += tests/screen/test-layout
TESTS += tests/screen/test-layout
tests_screen_test_layout_SOURCES = tests/screen/test-layout.c
tests_screen_test_layout_CPPFLAGS = $(SCREEN_CPPFLAGS)
tests_screen_test_layout_LDADD = $(SCREEN_LIBS)

check_PROGRAMS += tests/screen/test-theme
TESTS += tests/screen/test-theme
tests_screen_test_theme_SOURCES = tests/screen/test-theme.c
tests_screen_test_theme_CPPFLAGS = $(SCREEN_CPPFLAGS)
tests_screen_test_theme_LDADD = $(SCREEN_LIBS)

check_PROGRAMS += tests/screen/test-input
TESTS += tests/screen/test-input
tests_screen_test_input_SOURCES = tests/screen/test-input.c tests/screen/fake.c tests/screen/fake.h
tests_screen_test_input_CPPFLAGS = $(SCREEN_CPPFLAGS)
tests_screen_test_input_LDADD = $(SCREEN_LIBS)

EXTRA_DIST += tests/fixtures/screens
