#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# bootstrap on machines that are not this one: a PATH of our own holds just what such a machine has,
# with package managers that write down what they were told.

set -u
LC_ALL=C
export LC_ALL
src=${STHD_SRCDIR:?}
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
unset BUILD CONFIGURE_ARGS CC PKG_CONFIG

n=0
failed=0
result() {
    n=$((n + 1))
    [ "$1" = ok ] || failed=$((failed + 1))
    echo "$1 $n - $2"
}
# is TEXT GOT WANTED
is() {
    if [ "$2" = "$3" ]; then
        result ok "$1"
    else
        result "not ok" "$1"
        printf '%s\n' "--- got" "$2" "--- wanted" "$3" | sed 's/^/# /'
    fi
}
# has TEXT GOT WANTED-PART
has() {
    case $2 in
    *"$3"*) result ok "$1" ;;
    *) is "$1" "$2" "... $3 ..." ;;
    esac
}

# A machine: bin/ is its PATH, tree/ the sources, log what its package manager was told.
tool() { # tool NAME SCRIPT
    printf '#!/bin/sh\n%s\n' "$2" >"$tmp/bin/$1"
    chmod +x "$tmp/bin/$1"
}
machine() { # machine UID NEED... : a machine with these needs met
    rm -rf "${tmp:?}/bin" "$tmp/tree" "$tmp/modules" "$tmp/log"
    mkdir "$tmp/bin" "$tmp/tree" "$tmp/modules"
    : >"$tmp/log"
    cp "$src/bootstrap" "$tmp/tree/"
    for t in sh env dirname cat tr sed head tail find grep mkdir mv rm chmod; do
        ln -s "$(command -v $t)" "$tmp/bin/$t"
    done
    tool id "echo $1"
    tool nproc 'echo 1'
    tool true 'exit 0'
    shift
    for need; do
        provide "$need"
    done
}
provide() {
    case $1 in
    ncursesw | libpipeline | libcjson | vterm) : >"$tmp/modules/$1" ;;
    pkg-config) tool pkg-config "[ -e '$tmp/modules/'\"\$2\" ]" ;;
    compiler) tool cc 'exit 0' ;;
    autoconf) tool autoreconf 'exit 0' ;;
    automake) tool automake 'exit 0' && tool aclocal 'exit 0' ;;
    *) tool "$1" 'exit 0' ;;
    esac
}
manager() { # manager NAME [SCRIPT]
    tool "$1" "echo \"$1 \$*\" >>'$tmp/log'
${2:-exit 0}"
}
bootstrap() { # sets out, err, status
    out=$(cd "$tmp/tree" && PATH=$tmp/bin "$tmp/tree/bootstrap" "$@" 2>"$tmp/err" </dev/null)
    status=$?
    err=$(cat "$tmp/err")
}
everything='compiler make autoconf automake pkg-config ncursesw libpipeline libcjson vterm jq tmux xz fio'
# shellcheck disable=SC2086 # words
whole() { machine "$1" $everything; }

whole 0
manager apt-get
bootstrap deps check
is "nothing missing: status" "$status" 0
is "nothing missing: silence" "$out$err" ""
is "nothing missing: nothing installed" "$(cat "$tmp/log")" ""

# The first attempt fails for want of package lists; the second brings the thing.
machine 0 compiler make autoconf automake pkg-config ncursesw libpipeline fio
manager apt-get "[ \"\$1\" = update ] && { : >'$tmp/updated'; exit 0; }
[ -e '$tmp/updated' ] || exit 100
: >'$tmp/modules/libcjson'"
rm -f "$tmp/updated"
bootstrap deps
is "apt without lists: status" "$status" 0
is "apt without lists: what was done" "$(cat "$tmp/log")" \
    "apt-get install -y --no-install-recommends libcjson-dev
apt-get update
apt-get install -y --no-install-recommends libcjson-dev"
is "apt without lists: stdout is left alone" "$out" ""

# Lists are there: no update.
machine 0 compiler make autoconf automake pkg-config ncursesw libpipeline fio
manager apt-get ": >'$tmp/modules/libcjson'"
bootstrap deps
is "apt with lists" "$(cat "$tmp/log")" "apt-get install -y --no-install-recommends libcjson-dev"

machine 1000 compiler make autoconf automake pkg-config ncursesw libpipeline fio
manager apt-get ": >'$tmp/modules/libcjson'"
bootstrap deps
is "no root: status" "$status" 1
is "no root: nothing was tried" "$(cat "$tmp/log")" ""
has "no root: says what" "$err" "missing: libcjson"
has "no root: says how" "$err" "apt-get install -y --no-install-recommends libcjson-dev"

tool sudo "[ \"\$1\" = -n ] || exit 1
shift
exec \"\$@\""
bootstrap deps
is "sudo without a password: status" "$status" 0
is "sudo without a password: used" "$(cat "$tmp/log")" \
    "apt-get install -y --no-install-recommends libcjson-dev"

machine 1000 compiler make autoconf automake pkg-config ncursesw libpipeline fio
manager apt-get
tool sudo 'exit 1'
bootstrap deps
is "sudo that wants a password: status" "$status" 1

# A manager that claims success and brings nothing is not believed.
machine 0 compiler make autoconf automake pkg-config ncursesw libpipeline fio
manager apt-get
bootstrap deps
is "an empty success: status" "$status" 1
has "an empty success: named" "$err" "missing: libcjson"

# fio is wished for, not required; its absence is said.
machine 1000 compiler make autoconf automake pkg-config ncursesw libpipeline libcjson
manager apt-get
bootstrap deps
is "no fio: status" "$status" 0
has "no fio: said" "$err" "fio is not here"

# names MANAGER WORDS : what a bare machine with that manager is told to install
names() {
    machine 1000
    manager "$1"
    bootstrap deps check
    is "$1: status" "$status" 1
    has "$1: names" "$err" "$2"
}
names apt-get "apt-get install -y --no-install-recommends gcc libc6-dev make autoconf automake pkg-config libncurses-dev libpipeline-dev libcjson-dev libvterm-dev jq tmux xz-utils fio"
names dnf "dnf install -y gcc glibc-devel kernel-headers make autoconf automake pkgconf-pkg-config ncurses-devel libpipeline-devel cjson-devel libvterm-devel jq tmux xz fio"
names apk "apk add gcc musl-dev linux-headers make autoconf automake pkgconf ncurses-dev ncurses-terminfo-base libpipeline-dev cjson-dev libvterm-dev jq tmux xz fio"
names pacman "pacman -S --needed --noconfirm gcc linux-api-headers make autoconf automake pkgconf ncurses libpipeline cjson libvterm jq tmux xz fio"
names zypper "zypper --non-interactive install --no-recommends gcc glibc-devel linux-glibc-devel make autoconf automake pkgconf-pkg-config ncurses-devel libpipeline-devel cJSON-devel libvterm-devel jq tmux xz fio"

machine 0 make
bootstrap deps
is "unknown manager: status" "$status" 1
has "unknown manager: a compiler" "$err" "a C compiler"
has "unknown manager: libraries" "$err" "cJSON, headers and libcjson.pc"
case $err in
*"GNU make"*) result "not ok" "unknown manager: what is there is not asked for" ;;
*) result ok "unknown manager: what is there is not asked for" ;;
esac

# A program that is up to date is started at once: arguments, stdin and place are the user's.
whole 0
mkdir -p "$tmp/tree/build" "$tmp/tree/src" "$tmp/else where"
: >"$tmp/tree/src/main.c"
tool make 'echo made >&2'
# shellcheck disable=SC2016 # for the script
printf '#!/bin/sh\nfor a; do echo "[$a]"; done; pwd; cat\nexit 7\n' >"$tmp/tree/build/speedtest-hd"
chmod +x "$tmp/tree/build/speedtest-hd"
echo >"$tmp/tree/build/.bootstrap"
out=$(cd "$tmp/else where" && echo typed |
    PATH=$tmp/bin "$tmp/tree/bootstrap" run --text 'a  b' '' 2>"$tmp/err")
status=$?
is "run: status is the program's" "$status" 7
is "run: arguments, place and stdin" "$out" "[--text]
[a  b]
[]
$tmp/else where
typed"
is "run: nothing to do, nothing said" "$(cat "$tmp/err")" ""

# Changed sources, or other words for configure, mean that something has to be done.
touch -t 200001010000 "$tmp/tree/build/.bootstrap"
: >"$tmp/tree/build/Makefile"
tool autoreconf 'exit 0'
mkdir -p "$tmp/tree/build-aux"
: >"$tmp/tree/build-aux/tap-driver.sh"
tool configure 'exit 0'
cp "$tmp/bin/configure" "$tmp/tree/configure"
bootstrap run
has "run: a changed source is noticed" "$err" "made"
bootstrap run
is "run: and built once" "$err" ""
CONFIGURE_ARGS=--enable-werror
export CONFIGURE_ARGS
bootstrap run
unset CONFIGURE_ARGS
has "run: other words for configure are noticed" "$err" "configuring"

# The sums of a test run; make is played by a script that leaves results.
whole 0
mkdir -p "$tmp/tree/build" "$tmp/tree/build-aux"
: >"$tmp/tree/build/Makefile"
: >"$tmp/tree/build-aux/tap-driver.sh"
tool configure 'exit 0'
mv "$tmp/bin/configure" "$tmp/tree/configure"
results() { # results MAKE-STATUS TRS-LINES
    printf '%b' "$2" >"$tmp/results"
    tool make "case \" \$* \" in
*' TESTS= '*) exit 0 ;;
*' check '*) cat '$tmp/results' >'$tmp/tree/build/a.trs'; echo 'x' >'$tmp/tree/build/a.log'; exit $1 ;;
esac"
}
last() { printf '%s\n' "$out" | tail -n 1; }
results 0 ':test-result: PASS a\n:test-result: PASS b\n:test-global-result: PASS\n'
bootstrap check
is "check: all passed: status" "$status" 0
is "check: all passed: last line" "$(last)" "2 passed, 0 failed"
results 1 ':test-result: PASS a\n:test-result: FAIL b\n:test-result: SKIP c\n:test-result: ERROR d\n'
bootstrap check
is "check: some failed: status" "$status" 1
is "check: some failed: last line" "$(last)" "1 passed, 2 failed, 1 skipped"
results 0 ''
bootstrap check
is "check: no test ran: status" "$status" 1
is "check: no test ran: last line" "$(last)" "0 passed, 0 failed"
tool make 'exit 2'
bootstrap check
is "check: does not build: status" "$status" 1
is "check: does not build: last line" "$(last)" "0 passed, 1 failed"

whole 0
mkdir "$tmp/tree/build"
: >"$tmp/tree/build/precious"
bootstrap clean
is "clean leaves a strange directory alone" "$status:$(ls "$tmp/tree/build")" "1:precious"
: >"$tmp/tree/build/config.status"
bootstrap clean
is "clean removes a build directory" "$status:$(ls "$tmp/tree")" "0:bootstrap"
bootstrap frobnicate
is "an unknown command: status" "$status" 1
has "an unknown command: said" "$err" "unknown command 'frobnicate'"

echo "1..$n"
[ "$failed" -eq 0 ]
