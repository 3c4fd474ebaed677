noinst_LIBRARIES += libui.a
libui_a_CPPFLAGS = $(AM_CPPFLAGS) $(NCURSESW_CFLAGS)
libui_a_SOURCES = include/sthd/ui.h
