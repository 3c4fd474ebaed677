noinst_LIBRARIES += libengine.a
libengine_a_CPPFLAGS = $(AM_CPPFLAGS) $(PIPELINE_CFLAGS)
libengine_a_SOURCES = \
	include/sthd/bench_file.h include/sthd/child.h include/sthd/fio_run.h include/sthd/loop.h \
	include/sthd/probe.h include/sthd/signals.h \
	src/engine/loop_private.h \
	src/engine/child.c src/engine/loop.c src/engine/signals.c
