#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Job files of fio, with the real fio: each section is measured, those that run together together;
# where a file says its I/O goes is not touched, unless it is taken as it is, and then only ordinary
# files are.

set -u
LC_ALL=C
export LC_ALL
program=${STHD_BUILDDIR:?}/speedtest-hd
tmp=$(mktemp -d "$STHD_BUILDDIR/job-XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT
export HOME="$tmp" XDG_CONFIG_HOME="$tmp/xdg"
mkdir "$tmp/target" "$tmp/theirs"
cd "$tmp" || exit 99

n=0
failed=0
result() { # result OK-OR-NOT TEXT
    n=$((n + 1))
    [ "$1" = ok ] || failed=$((failed + 1))
    echo "$1 $n - $2"
}
check() { # check TEXT COMMAND...
    text=$1
    shift
    if "$@" >"$tmp/said" 2>&1; then
        result ok "$text"
    else
        result "not ok" "$text"
        sed 's/^/# /' "$tmp/said" "$tmp/err"
    fi
}
if ! command -v fio >/dev/null 2>&1; then
    echo "1..0 # SKIP no fio"
    exit 0
fi
run() { # run ARGUMENT...
    "$program" --text --yes --json "$@" </dev/null >"$tmp/out" 2>"$tmp/err"
    echo $? >"$tmp/code"
}
code() { [ "$(cat "$tmp/code")" -eq "$1" ]; }
says() { grep -q -e "$1" "$tmp/err"; }
is() { # is JQ EXPECTED
    got=$(jq -c "$1" "$tmp/out")
    echo "$1 is $got"
    [ "$got" = "$2" ]
}

echo "do not touch" >"$tmp/theirs/file"
cat >"$tmp/all.fio" <<END
[global]
bs=4k
size=8m
runtime=1
time_based
directory=$tmp/theirs
filename=file
group_reporting
exitall=0
[one]
rw=write
fsync=16
[two]
rw=randread
numjobs=2
[three]
stonewall
rw=randrw
rwmixread=70
write_lat_log=log
END
run --job "$tmp/all.fio" "$tmp/target"
check "a job file is measured" code 0
check "a row for each section" is '[.cells[] | [.test, .direction, .state]]' \
    '[["one","write","done"],["two","read","done"],["three","mix","done"]]'
check "each with figures" is '[.cells[] | .figures.iops > 0 and .figures.lat_p99_ns > 0] | all' true
check "and live ones" is '[.cells[] | .samples_taken > 0] | all' true
check "two ran in one fio" is '[.steps[] | select(.command | length > 0)] | length' 3
check "both threads of a section count" is '.cells[1].figures.iops == (.cells[1].runs[0].iops)' true
check "what is left out is told" is \
    '[.footnotes[] | select(startswith("Not used of the job file: "))] | length' 2
check "where it says is not touched" test "$(cat "$tmp/theirs/file")" = "do not touch"
check "nothing is made there" test "$(ls "$tmp/theirs")" = file
check "nothing is left at the target" test -z "$(ls -A "$tmp/target")"
check "no log is written" test -z "$(find "$tmp" -name '*log*')"

printf '[r]\nrw=read\nbs=1m\nsize=16m\n' >"$tmp/read.fio"
run --job "$tmp/read.fio" "$tmp/target"
check "a file that only reads, to its end" code 0
check "reads what was written before" is '[.cells[0].state, .preparation.bytes]' '["done",16777216]'

printf '[r]\nrw=read\nsize=8m\nno_such_option=1\n' >"$tmp/odd.fio"
run --job "$tmp/odd.fio" "$tmp/target"
check "an option fio does not know fails that test" code 1
check "in fio's words" is '.cells[0].why | contains("no_such_option")' true

run --job "$tmp/nothing.fio" "$tmp/target"
check "no such file: exit code" code 7
check "no such file: a sentence" says "nothing.fio cannot be read: No such file"
printf '[j]\nexec_prerun=touch %s/ran\n' "$tmp" >"$tmp/exec.fio"
run --job "$tmp/exec.fio" "$tmp/target"
check "a file that runs programs is refused" code 7
check "by line" says "exec.fio:2: exec_prerun"
check "and nothing ran" test ! -e "$tmp/ran"
run --job "$tmp/read.fio" --profile cdm "$tmp/target"
check "not together with a profile" code 2

# As it is.
cat >"$tmp/own.fio" <<END
[global]
size=4m
bs=64k
directory=$tmp/theirs
[w]
rw=write
filename=made
[r]
stonewall
rw=read
filename=made
END
run --job "$tmp/own.fio" --job-as-is
check "as it is" code 0
check "what it writes is listed" says "writes $tmp/theirs/made (made, and stays)"
check "it is written there" test "$(wc -c <"$tmp/theirs/made")" -eq 4194304
check "both are measured" is '[.cells[].state]' '["done","done"]'
run --job "$tmp/own.fio" --job-as-is "$tmp/target"
check "a PATH beside it is refused" code 2
"$program" --text --job "$tmp/own.fio" --job-as-is </dev/null >"$tmp/out" 2>"$tmp/err"
check "without --yes and terminal nothing is started" test $? -eq 2
for kind in directory device; do
    path=$tmp/theirs
    [ $kind = directory ] || path=$(find /dev -maxdepth 1 -type b 2>/dev/null | head -n 1)
    if [ -z "$path" ]; then
        result ok "a $kind is not written # SKIP there is none"
        continue
    fi
    printf '[w]\nrw=write\nsize=4m\nfilename=%s\n' "$path" >"$tmp/bad.fio"
    run --job "$tmp/bad.fio" --job-as-is
    check "a $kind is not written" code 3
    check "and that is said" says "would write to $path, which is a"
done
echo "1..$n"
[ "$failed" -eq 0 ]
