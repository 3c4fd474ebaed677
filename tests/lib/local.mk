# What tests are made of. libtap: unit tests. libharness: programs run as a person runs them.
TEST_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/lib

check_LIBRARIES += libtap.a
libtap_a_SOURCES = tests/lib/tap.h tests/lib/tap.c tests/lib/sysfs.h tests/lib/sysfs.c
libtap_a_CPPFLAGS = $(TEST_CPPFLAGS)

if HAVE_VTERM
check_LIBRARIES += libharness.a
libharness_a_SOURCES = tests/lib/proc.h tests/lib/proc.c tests/lib/vt.h tests/lib/vt.c
libharness_a_CPPFLAGS = $(TEST_CPPFLAGS) $(VTERM_CFLAGS)
HARNESS_LIBS = libharness.a libtap.a libbase.a $(VTERM_LIBS) -lutil -lm
endif
