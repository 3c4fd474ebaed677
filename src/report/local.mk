noinst_LIBRARIES += libreport.a
libreport_a_SOURCES = include/sthd/tables.h
