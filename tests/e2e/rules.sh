#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The rules of the house as tests. A rule is a function that gets the root of a tree and prints one
# line per violation; silence is obedience. Each rule is shown to work: it has to find a violation
# that is planted into a copy of the tree.

set -u
LC_ALL=C
export LC_ALL
src=${STHD_SRCDIR:?}
build=${STHD_BUILDDIR:?}
cc=${STHD_CC:-cc}
tmp=$(mktemp -d) || exit 99
trap 'chmod -R u+w "$tmp"; rm -rf "$tmp"' EXIT

n=0
failed=0
result() { # result OK-OR-NOT TEXT
    n=$((n + 1))
    [ "$1" = ok ] || failed=$((failed + 1))
    echo "$1 $n - $2"
}
skip() {
    n=$((n + 1))
    echo "ok $n - $1 # SKIP $2"
}

# check RULE TEXT
check() {
    found=$("$1" "$src")
    if [ -z "$found" ]; then
        result ok "$2"
    else
        result "not ok" "$2"
        printf '%s\n' "$found" | sed 's/^/# /'
    fi
}

# plant RULE FILE LINE [WORDS] : with LINE added to FILE of a copy, RULE must name FILE (or say WORDS)
plant() {
    rm -rf "$tmp/tree"
    mkdir "$tmp/tree"
    cp -R "$src/src" "$src/include" "$src/tests" "$src/.ci" "$src/bootstrap" "$tmp/tree"
    chmod -R u+w "$tmp/tree"
    mkdir -p "$(dirname "$tmp/tree/$2")"
    printf '%s\n' "$3" >>"$tmp/tree/$2"
    if "$1" "$tmp/tree" | grep -qF "${4:-$2}"; then
        result ok "$1 finds '$3' in $2"
    else
        result "not ok" "$1 finds '$3' in $2"
    fi
}

sources() { # sources ROOT DIRECTORY... : all C files below, relative to ROOT
    (cd "$1" && shift && find "$@" -name '*.[ch]' | sort)
}

# ---- rooms ----

# A room uses itself and the rooms left of it; see doc/HACKING.md. Headers in include/sthd belong to
# the room whose local.mk lists them.
include_rule() {
    (
        cd "$1" || exit
        # shellcheck disable=SC2046 # names without blanks
        awk '
            BEGIN {
                may["base"] = " base "
                may["core"] = may["base"] "core "
                may["fio"] = may["core"] "fio "
                may["engine"] = may["fio"] "engine "
                may["host"] = may["fio"] "host "
                may["report"] = may["fio"] "report "
                may["ui"] = may["fio"] "ui "
                may["app"] = may["fio"] "engine host report ui app "
                may["main.c"] = may["app"]
            }
            FILENAME ~ /local\.mk$/ {
                split(FILENAME, part, "/")
                for (i = 1; i <= NF; i++)
                    if ($i ~ /^include\/sthd\/.*\.h$/) {
                        if ($i in owner && owner[$i] != part[2])
                            print $i ": listed by " owner[$i] " and " part[2]
                        owner[$i] = part[2]
                    }
                next
            }
            FNR == 1 {
                split(FILENAME, part, "/")
                room = FILENAME ~ /^include/ ? owner[FILENAME] : part[2]
                if (room == "")
                    print FILENAME ": belongs to no room: no src/*/local.mk lists it"
                else if (!(room in may))
                    print FILENAME ": unknown room " room
            }
            /^[ \t]*#[ \t]*include[ \t]*"/ {
                split($0, q, "\"")
                if (q[2] ~ /^sthd\//) {
                    used = owner["include/" q[2]]
                    if (used == "")
                        print FILENAME ":" FNR ": " q[2] " belongs to no room"
                    else if (room in may && index(may[room], " " used " ") == 0)
                        print FILENAME ":" FNR ": " room " must not know " used " (" q[2] ")"
                } else if (q[2] ~ /\.\./) {
                    print FILENAME ":" FNR ": reaches out of its room: " q[2]
                } else {
                    split(q[2], part, "/")
                    if (part[1] in may && part[1] != room && room != "main.c")
                        print FILENAME ":" FNR ": reaches into a room: " q[2]
                }
            }' $(find src -name local.mk) $(sources . include src)
    )
}

# Third-party headers live in few files.
only_rule() {
    (
        cd "$1" || exit
        only() { # only HEADER-PATTERN FILE-PATTERN
            # shellcheck disable=SC2046
            grep -nE "^[ 	]*#[ 	]*include[ 	]*[<\"]($1)[>\"]" $(sources . src include) /dev/null |
                grep -vE "^($2):"
        }
        only 'pipeline\.h' 'src/engine/child\.c'
        only '(.*/)?n?cursesw?\.h|(.*/)?term\.h|(.*/)?(panel|menu|form)\.h' 'src/ui/.*'
        only '(.*/)?cJSON\.h' 'src/fio/report\.c|src/report/json\.c|src/core/jsonfile\.c'
        only 'vterm\.h' 'nothing'
    )
}

# ---- text ----

spdx_rule() {
    (
        cd "$1" || exit
        for f in $(sources . src include tests); do
            [ "$(head -n 1 "$f")" = "/* SPDX-License-Identifier: GPL-3.0-or-later */" ] ||
                echo "$f: the first line is not the SPDX line"
        done
    )
}

# Words about how the code came to be, and unfinished work. Brackets keep this file from matching.
word_rule() {
    (
        cd "$1" || exit
        grep -rnIE '/wor[k]/|(FACT[S]|DESIG[N]|STYL[E]|UI)\.md|pyp[i]\.org|(deb|ftp|security)\.debia[n]|npmj[s]|crates\.i[o]|[Cc]laud[e]|anthropi[c]|chatgp[t]|\bTOD[O]\b|\bFIXM[E]\b|\bXX[X]\b' \
            src include tests themes doc configure.ac Makefile.am bootstrap 2>/dev/null
    )
}

# Functions that are not for this house: memory comes from mem_*, which does not fail; text has
# bounds; programs are started by engine/child.c, with an argv.
function_rule() {
    (
        cd "$1" || exit
        # shellcheck disable=SC2046
        grep -nE '(^|[^_[:alnum:]])(malloc|calloc|realloc|reallocarray|strdup|strndup|asprintf|vasprintf|alloca|sprintf|vsprintf|strcpy|strcat|gets|atof|system|popen|setlocale|strtok)\(' \
            $(sources . src) /dev/null |
            grep -vE '^src/base/mem\.c:|^src/base/[^:]*:[0-9]+:.*vasprintf\(|^src/main\.c:[0-9]+:.*setlocale\(|^src/app/[^:]*:[0-9]+:.*setlocale\(|^[^:]*:[0-9]+: *(/?\*|//)'
    )
}

# Tests wait for conditions with deadlines.
sleep_rule() {
    (
        cd "$1" || exit
        # shellcheck disable=SC2046
        grep -nE '(^|[^_[:alnum:]])(sleep|usleep|nanosleep|clock_nanosleep)\(' $(sources . tests) /dev/null |
            grep -vE '^tests/lib/fake-fio\.c:'
    )
}

format_rule() {
    (
        cd "$1" || exit
        # shellcheck disable=SC2046
        clang-format --style="file:$src/.clang-format" --dry-run --Werror $(sources . src include tests) 2>&1 |
            grep 'code should be'
    )
}

shell_rule() {
    (
        cd "$1" || exit
        shellcheck -f gcc bootstrap .ci/run tests/*/*.sh
    )
}

# ---- compiled ----

header_rule() {
    (
        cd "$1" || exit
        for h in include/sthd/*.h; do
            # Twice: the guard is there. The C is ours to check, so plain words of $cc.
            name=${h#include/}
            # shellcheck disable=SC2086
            printf '#include "%s"\n#include "%s"\nextern int x;\n' "$name" "$name" |
                $cc -std=gnu17 -D_GNU_SOURCE -Iinclude -Wall -Wextra -Wstrict-prototypes -Werror \
                    -fsyntax-only -x c - >"$tmp/cc.log" 2>&1 ||
                echo "$h: does not compile alone: $(grep -m 1 error "$tmp/cc.log")"
        done
    )
}

# archive_globals ARCHIVE... : symbols in writable sections. Constants that hold addresses are in
# .data.rel.ro, which is not writable once the program runs.
archive_globals() {
    for a; do
        objdump -t "$a" | awk -v archive="$(basename "$a" .a)" '
            / file format / { member = $1; sub(/:$/, "", member) }
            $1 ~ /^[0-9a-f]+$/ {
                for (i = 2; i <= NF; i++)
                    if ($i == "*COM*" || $i ~ /^\.(data|bss|tdata|tbss)/) {
                        if ($i !~ /^\.data\.rel\.ro/ && $NF !~ /^\.(data|bss|tdata|tbss)/)
                            print archive "/" member ": " $NF
                        break
                    }
            }'
    done
}

# Exceptions: the terminal and the way out of a fatal signal need to be found without an argument,
# and so does the hook for the end of memory.
global_rule() { # the root is a build directory here
    for room in base core fio engine host report ui app; do
        archive_globals "$1/lib$room.a"
    done |
        grep -vE '^libui/libui_a-(terminal|emergency)\.o: |^libbase/(libbase_a-)?mem\.o: |^libapp/(libapp_a-)?fatal\.o: '
}

# core is arithmetic on its arguments: it cannot ask for the time, the environment or a file.
pure_rule() { # the root is a build directory here
    nm -A -u "$1/libcore.a" 2>&1 |
        grep -E ' U (clock_gettime|time|gettimeofday|getenv|secure_getenv|fopen|fopen64|open|open64|openat|read|write|stat|fork|execv.*|getpid|uname|setlocale|printf|puts|fwrite|stderr|stdout)(@.*)?$'
}

# ---- the tree ----

top_rule() { # needs git
    (
        cd "$1" || exit
        git ls-files | sed 's|/.*||' | sort -u |
            grep -vxE 'src|include|themes|tests|doc|configure\.ac|Makefile\.am|bootstrap|README\.md|LICENSE|\..*'
    )
}

# ---- the rules, and that they can say no ----

check include_rule "a room includes only itself and the rooms left of it"
plant include_rule src/core/planted.c '#include "sthd/fio_report.h"'
plant include_rule src/ui/planted.c '#include "sthd/host.h"'
plant include_rule src/base/planted.c '#include "../core/x.h"'
plant include_rule src/report/planted.c '#include "app/options.h"'
plant include_rule include/sthd/planted.h 'struct nobody;'
plant include_rule src/host/local.mk 'x = include/sthd/units.h' 'listed by'

check only_rule "third-party headers only where they belong"
plant only_rule src/engine/planted.c '#include <pipeline.h>'
plant only_rule src/app/planted.c '#include <ncursesw/ncurses.h>'
plant only_rule src/host/planted.c '# include <cjson/cJSON.h>'

check spdx_rule "every C file says its licence"
plant spdx_rule tests/unit/planted.c 'int x;'

check word_rule "no word of how the code came to be, and nothing left to do"
plant word_rule src/base/planted.c "/* TO""DO: later */"

check function_rule "no unbounded text, no memory that may fail, no shell"
plant function_rule src/host/planted.c '    p = malloc(n);'
plant function_rule src/ui/planted.c '    sprintf(s, "%d", n);'

check sleep_rule "tests do not sleep"
plant sleep_rule tests/unit/planted.c '    sleep(1);'

if clang-format --version 2>/dev/null | grep -q 'version 14\.'; then
    check format_rule "clang-format has nothing to say"
    plant format_rule src/base/planted.c 'int  x ;'
else
    skip "clang-format has nothing to say" "clang-format 14 is not here (others format differently)"
fi

if command -v shellcheck >/dev/null; then
    check shell_rule "shellcheck has nothing to say"
    plant shell_rule bootstrap "cd \$x"
else
    skip "shellcheck has nothing to say" "shellcheck is not here"
fi

check header_rule "every public header compiles alone, and twice"
plant header_rule include/sthd/planted.h 'size_t planted(void);'

if grep -q '^MODE_CFLAGS *= *[^ ]' "$build/Makefile"; then
    skip "no mutable globals" "the instrumentation of this build adds some"
elif ! command -v objdump >/dev/null; then
    skip "no mutable globals" "objdump is not here"
else
    planted_archive() { # planted_archive C-TEXT : a core with that in it
        printf '%s\n' "$1" >"$tmp/planted.c"
        rm -f "$tmp"/lib*.a
        $cc -c -o "$tmp/planted.o" "$tmp/planted.c"
        for room in base core fio engine host report ui app; do
            ar cr "$tmp/lib$room.a" 2>/dev/null
        done
        ar cr "$tmp/libcore.a" "$tmp/planted.o"
    }
    src_saved=$src
    src=$build
    check global_rule "no mutable globals but the terminal's and the ways out"
    check pure_rule "core knows no clock, no environment and no file"
    src=$src_saved
    planted_archive 'static int count; int f(void); int f(void) { return ++count; }'
    if global_rule "$tmp" | grep -q count; then
        result ok "global_rule finds a counter"
    else
        result "not ok" "global_rule finds a counter"
    fi
    planted_archive 'static const char *const names[] = {"a"}; const char *f(int); const char *f(int i) { return names[i]; }'
    if global_rule "$tmp" | grep -q .; then
        result "not ok" "global_rule lets constants be"
    else
        result ok "global_rule lets constants be"
    fi
    planted_archive 'char *getenv(const char *); char *f(void); char *f(void) { return getenv("HOME"); }'
    if pure_rule "$tmp" | grep -q getenv; then
        result ok "pure_rule finds getenv"
    else
        result "not ok" "pure_rule finds getenv"
    fi
fi

if command -v git >/dev/null && [ "$(git -C "$src" rev-parse --show-toplevel 2>/dev/null)" = "$src" ]; then
    check top_rule "the top level holds what it may hold"
    mkdir "$tmp/repo"
    (cd "$tmp/repo" && git init -q . && touch notes.txt README.md && git add -A)
    if [ "$(top_rule "$tmp/repo")" = notes.txt ]; then
        result ok "top_rule finds notes.txt"
    else
        result "not ok" "top_rule finds notes.txt"
    fi
else
    skip "the top level holds what it may hold" "this is not a git checkout"
fi

echo "1..$n"
[ "$failed" -eq 0 ]
