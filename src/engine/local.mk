noinst_LIBRARIES += libengine.a
libengine_a_CPPFLAGS = $(AM_CPPFLAGS) $(PIPELINE_CFLAGS)
libengine_a_SOURCES = \
	include/sthd/ask.h include/sthd/bench_file.h include/sthd/child.h include/sthd/dd_run.h include/sthd/fio_run.h include/sthd/keeper.h \
	include/sthd/loop.h include/sthd/probe.h include/sthd/signals.h \
	src/engine/ask.c src/engine/bench_file.c src/engine/bench_file_private.h src/engine/child.c \
	src/engine/dd_command.c src/engine/dd_command.h src/engine/dd_copy.c src/engine/dd_copy.h \
	src/engine/dd_probe.c src/engine/dd_run.c src/engine/dd_verdict.c src/engine/dd_verdict.h \
	src/engine/fio_evidence.c src/engine/fio_evidence.h src/engine/fio_run.c \
	src/engine/fio_version.c src/engine/keeper.c src/engine/ladder.c src/engine/ladder.h src/engine/loop.c src/engine/loop_private.h \
	src/engine/page_cache.c src/engine/page_cache.h src/engine/proc_file.c \
	src/engine/proc_file.h src/engine/probe.c src/engine/signals.c
libengine_a_SOURCES += include/sthd/work_dir.h src/engine/work_dir.c
libengine_a_SOURCES += include/sthd/knobs.h src/engine/knob_journal.c src/engine/knob_journal.h \
	src/engine/knob_rack.c src/engine/knob_rack.h src/engine/knobs.c
