noinst_LIBRARIES += libfio.a
libfio_a_CPPFLAGS = $(AM_CPPFLAGS) $(CJSON_CFLAGS)
libfio_a_SOURCES = \
	include/sthd/fio_command.h include/sthd/fio_framer.h include/sthd/fio_report.h \
	src/fio/command.c src/fio/framer.c src/fio/report.c
