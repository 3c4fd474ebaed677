noinst_LIBRARIES += libhost.a
libhost_a_SOURCES = include/sthd/host.h
