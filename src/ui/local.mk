noinst_LIBRARIES += libui.a
libui_a_CPPFLAGS = $(AM_CPPFLAGS) $(NCURSESW_CFLAGS) -I$(top_srcdir)/src/ui
libui_a_SOURCES = include/sthd/ui.h \
	src/ui/canvas.c src/ui/canvas.h \
	src/ui/input.c src/ui/input.h \
	src/ui/keys.c src/ui/keys.h \
	src/ui/layout.c src/ui/layout.h \
	src/ui/menu.c src/ui/menu.h \
	src/ui/scale.c src/ui/scale.h \
	src/ui/scene.h \
	src/ui/screen.c src/ui/screen.h \
	src/ui/terminal.c src/ui/terminal.h \
	src/ui/theme.c src/ui/theme.h src/ui/theme-default.h \
	src/ui/ui.c \
	src/ui/overlays/overlays.c src/ui/overlays/overlays.h \
	src/ui/views/align.c src/ui/views/course.c src/ui/views/pings.c src/ui/views/cdm.c src/ui/views/curve.c src/ui/views/mix.c src/ui/views/common.c src/ui/views/knobs.c \
	src/ui/views/raw.c src/ui/views/run.c \
	src/ui/views/setup.c src/ui/views/slog.c src/ui/views/steps.c src/ui/views/timeline.c \
	src/ui/views/time.c src/ui/views/views.h src/ui/views/watch.c
nodist_libui_a_SOURCES = src/ui/theme-default.c

# The default theme is compiled in from the file users copy.
src/ui/theme-default.c: $(top_srcdir)/themes/default.json $(top_srcdir)/src/ui/embed.awk
	@$(MKDIR_P) src/ui
	$(AM_V_GEN)$(AWK) -f $(top_srcdir)/src/ui/embed.awk $(top_srcdir)/themes/default.json > $@.tmp && \
		mv $@.tmp $@
CLEANFILES += src/ui/theme-default.c
EXTRA_DIST += src/ui/embed.awk

themesdir = $(pkgdatadir)/themes
dist_themes_DATA = themes/contrast.json themes/default.json themes/dusk.json themes/light.json
