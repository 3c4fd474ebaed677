noinst_LIBRARIES += libapp.a
libapp_a_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_builddir)
libapp_a_SOURCES = src/app/answer.c src/app/options.c src/app/options.h
libapp_a_SOURCES += \
	src/app/evidence.c src/app/evidence.h src/app/fatal.c src/app/fatal.h src/app/output.c src/app/output.h src/app/progress.c \
	src/app/progress.h src/app/session.c src/app/session.h src/app/sink.c src/app/sink.h \
	src/app/text.c src/app/text.h src/app/tui.c src/app/tui.h src/app/survey.c src/app/survey.h src/app/world.c src/app/world.h
libapp_a_SOURCES += src/app/probe_face.c src/app/probe_face.h src/app/sudo.c src/app/sudo.h src/app/sweeper.c src/app/sweeper.h
libapp_a_SOURCES += src/app/facts.c src/app/facts.h src/app/job_file.c src/app/job_file.h src/app/iostat.c src/app/iostat.h
libapp_a_SOURCES += src/app/book_files.c src/app/book_files.h

libapp_a_SOURCES += src/app/repair.c src/app/repair.h src/app/tuning.c src/app/tuning.h

bin_PROGRAMS += speedtest-hd
speedtest_hd_SOURCES = src/main.c
speedtest_hd_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/src -DTHEME_DIR='"$(pkgdatadir)/themes"'
speedtest_hd_LDFLAGS = $(AM_LDFLAGS) $(PROGRAM_LDFLAGS)
speedtest_hd_LDADD = libapp.a libui.a libreport.a libhost.a libengine.a libfio.a libcore.a \
	libbase.a $(NCURSESW_LIBS) $(PIPELINE_LIBS) $(CJSON_LIBS) -lm
