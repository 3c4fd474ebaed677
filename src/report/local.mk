noinst_LIBRARIES += libreport.a
libreport_a_SOURCES = include/sthd/tables.h
libreport_a_SOURCES += src/report/table.c
