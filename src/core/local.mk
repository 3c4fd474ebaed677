noinst_LIBRARIES += libcore.a
libcore_a_CPPFLAGS = $(AM_CPPFLAGS) $(CJSON_CFLAGS)
libcore_a_SOURCES = \
	include/sthd/histogram.h include/sthd/jsonfile.h include/sthd/plan.h include/sthd/profile.h \
	include/sthd/run.h include/sthd/sample.h include/sthd/settings.h include/sthd/target.h
libcore_a_SOURCES += src/core/histogram.c
libcore_a_SOURCES += src/core/report.c
libcore_a_SOURCES += src/core/sampler.c
libcore_a_SOURCES += \
	src/core/jsonfile.c src/core/plan.c src/core/profile.c src/core/run.c src/core/settings.c \
	src/core/target.c
libcore_a_SOURCES += include/sthd/trust.h src/core/trust.c
libcore_a_SOURCES += include/sthd/waterfall.h src/core/waterfall.c
libcore_a_SOURCES += include/sthd/devstat.h src/core/devstat.c include/sthd/stack.h src/core/stack.c
libcore_a_SOURCES += include/sthd/zfs.h src/core/zfs.c src/core/zpool.c
libcore_a_SOURCES += include/sthd/cpu.h src/core/cpu.c
libcore_a_SOURCES += include/sthd/verdict.h src/core/verdict.c src/core/verdict_rules.c
libcore_a_SOURCES += include/sthd/knob.h src/core/knob.c
libcore_a_SOURCES += src/core/watch.c
libcore_a_SOURCES += include/sthd/book.h src/core/book.c src/core/profile_json.c
libcore_a_SOURCES += include/sthd/sweep.h src/core/sweep.c
libcore_a_SOURCES += include/sthd/align.h src/core/align.c
libcore_a_SOURCES += include/sthd/bonnie.h src/core/bonnie.c
libcore_a_SOURCES += include/sthd/pings.h src/core/pings.c
libcore_a_SOURCES += include/sthd/jobs.h src/core/jobs.c
libcore_a_SOURCES += include/sthd/course.h src/core/course.c
