noinst_LIBRARIES += libhost.a
libhost_a_SOURCES = \
	include/sthd/host.h \
	src/host/fstype.c src/host/fstype.h src/host/machine.c src/host/mountinfo.c \
	src/host/mountinfo.h src/host/mounts.c src/host/peek.c src/host/peek.h src/host/sysroot.c \
	src/host/block.c src/host/block.h src/host/devstat.c src/host/stack.c src/host/zfs.c \
	src/host/sysroot.h src/host/target.c src/host/targets.c src/host/targets.h
libhost_a_SOURCES += \
	include/sthd/cpu_watch.h src/host/cpu.c src/host/cpu_watch.c src/host/machine.h
