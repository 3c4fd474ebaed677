# screen tests: the ui's pictures, without a terminal
SCREEN_LIBS = libtap.a libui.a libfio.a libcore.a libbase.a $(NCURSESW_LIBS) $(CJSON_LIBS) -lm
SCREEN_CPPFLAGS = $(TEST_CPPFLAGS) $(NCURSESW_CFLAGS) -I$(top_srcdir)/src/ui

# not a test: the real ui over a made-up run, to look at
check_PROGRAMS += tests/screen/demo
tests_screen_demo_SOURCES = tests/screen/demo.c tests/screen/fake.c tests/screen/fake.h
tests_screen_demo_CPPFLAGS = $(SCREEN_CPPFLAGS)
tests_screen_demo_LDADD = $(SCREEN_LIBS)
