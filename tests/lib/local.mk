check_LIBRARIES += libtap.a
libtap_a_SOURCES = tests/lib/tap.h tests/lib/tap.c
libtap_a_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/lib
TEST_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/lib
