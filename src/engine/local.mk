noinst_LIBRARIES += libengine.a
libengine_a_CPPFLAGS = $(AM_CPPFLAGS) $(PIPELINE_CFLAGS)
libengine_a_SOURCES = \
	include/sthd/bench_file.h include/sthd/child.h include/sthd/fio_run.h include/sthd/keeper.h \
	include/sthd/loop.h include/sthd/probe.h include/sthd/signals.h \
	src/engine/bench_file.c src/engine/bench_file_private.h src/engine/child.c \
	src/engine/fio_evidence.c src/engine/fio_evidence.h src/engine/fio_run.c \
	src/engine/fio_version.c src/engine/keeper.c src/engine/ladder.c src/engine/ladder.h src/engine/loop.c src/engine/loop_private.h \
	src/engine/probe.c src/engine/signals.c
