noinst_LIBRARIES += libbase.a
libbase_a_SOURCES = \
	include/sthd/buf.h include/sthd/err.h include/sthd/lines.h include/sthd/mem.h \
	include/sthd/text.h include/sthd/units.h \
	src/base/buf.c src/base/err.c src/base/lines.c src/base/mem.c src/base/text.c \
	src/base/text_width.h src/base/units.c
