# help, man page, completions and parser agree
TESTS += tests/e2e/docs.sh
EXTRA_DIST += tests/e2e/docs.sh
check_PROGRAMS += tests/e2e/print-options
tests_e2e_print_options_SOURCES = tests/e2e/print-options.c
tests_e2e_print_options_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/src
tests_e2e_print_options_LDADD = libapp.a libcore.a libbase.a $(CJSON_LIBS) -lm
