# What it costs, in figures; not part of check.
EXTRA_DIST += tests/bench/compare.sh
if HAVE_VTERM
EXTRA_PROGRAMS = tests/bench/bench tests/bench/bench-disturb
tests_bench_bench_SOURCES = tests/bench/bench.c $(E2E_SOURCES)
tests_bench_bench_CPPFLAGS = $(TEST_CPPFLAGS)
tests_bench_bench_LDADD = $(HARNESS_LIBS)
tests_bench_bench_disturb_SOURCES = tests/bench/bench-disturb.c $(E2E_SOURCES)
tests_bench_bench_disturb_CPPFLAGS = $(TEST_CPPFLAGS)
tests_bench_bench_disturb_LDADD = $(HARNESS_LIBS)
CLEANFILES += tests/bench/bench tests/bench/bench-disturb

bench: speedtest-hd tests/bench/bench tests/bench/bench-disturb tests/lib/fake-fio
	$(AM_TESTS_ENVIRONMENT) tests/bench/bench && tests/bench/bench-disturb && \
		$(SHELL) $(srcdir)/tests/bench/compare.sh
else
bench:
	@echo "make bench needs libvterm; install it and configure again" >&2; exit 1
endif
.PHONY: bench
