noinst_LIBRARIES += libreport.a
libreport_a_SOURCES = include/sthd/tables.h include/sthd/result.h
libreport_a_SOURCES += \
	src/report/cdm.c src/report/csv.c src/report/json.c src/report/json_out.c \
	src/report/json_out.h src/report/markdown.c src/report/probe_table.c src/report/result.c \
	src/report/sweep.c src/report/table.c src/report/writers.h
libreport_a_SOURCES += src/report/verdict.c
