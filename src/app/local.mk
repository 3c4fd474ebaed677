noinst_LIBRARIES += libapp.a
libapp_a_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_builddir)
libapp_a_SOURCES = src/app/answer.c src/app/options.c src/app/options.h

bin_PROGRAMS += speedtest-hd
speedtest_hd_SOURCES = src/main.c
speedtest_hd_LDFLAGS = $(AM_LDFLAGS) $(PROGRAM_LDFLAGS)
speedtest_hd_LDADD = libapp.a libui.a libreport.a libhost.a libengine.a libfio.a libcore.a libbase.a \
	$(NCURSESW_LIBS) $(PIPELINE_LIBS) $(CJSON_LIBS) -lm
