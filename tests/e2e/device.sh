#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A block device is only read: our descriptor and fio's are, by what the kernel is asked, and what
# is on it is the same afterwards. On a loop device, where one may be made.

set -u
LC_ALL=C
export LC_ALL
program=${STHD_BUILDDIR:?}/speedtest-hd
tmp=$(mktemp -d "$STHD_BUILDDIR/device-XXXXXX") || exit 99
device=
trap '[ -z "$device" ] || losetup -d "$device"; rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM HUP
export HOME="$tmp" XDG_CONFIG_HOME="$tmp/xdg"

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
says() { grep -q -e "$1" "$tmp/err"; }
run() { # run ARGUMENT...
    "$program" --text --json "$@" </dev/null >"$tmp/out" 2>"$tmp/err"
    echo $? >"$tmp/code"
}
code() { [ "$(cat "$tmp/code")" -eq "$1" ]; }

head -c 33554432 /dev/urandom >"$tmp/disk"
if ! command -v fio >/dev/null 2>&1; then
    echo "1..0 # SKIP no fio"
    exit 0
fi
if ! device=$(losetup --show -f "$tmp/disk" 2>/dev/null) || [ -z "$device" ]; then
    device=
    echo "1..0 # SKIP no loop device can be made here"
    exit 0
fi
sum=$(cksum <"$tmp/disk")

for profile in cdm slog dd mixed sustained; do
    run --profile "$profile" --yes "$device"
    check "$profile is refused" code 2
    check "$profile: said why" says "a block device is only read"
done
run --only write --yes "$device"
check "writes alone, too" code 2
printf '[w]\nrw=write\nsize=4m\n' >"$tmp/w.fio"
run --job "$tmp/w.fio" --yes "$device"
check "and a job file" code 2
check "nothing was written by then" test "$(cksum <"$tmp/disk")" = "$sum"

if command -v strace >/dev/null 2>&1 && strace -o "$tmp/trace" true 2>/dev/null; then
    strace -f -qq -e trace=open,openat,openat2,write,pwrite64,pwritev,io_uring_setup \
        -o "$tmp/trace" "$program" --text --json --profile surface --runtime 1 "$device" \
        </dev/null >"$tmp/out" 2>"$tmp/err"
    echo $? >"$tmp/code"
    fd=$(sed -n "s|.*\"$device\", .*) = \([0-9]*\)\$|\1|p" "$tmp/trace" | head -n 1)
    check "the device is opened" test -n "$fd"
    check "by its name only to be read" sh -c \
        "grep '\"$device\"' '$tmp/trace' | grep -v 'O_RDONLY' | wc -l | grep -qx 0"
    check "fio opens it" grep -q "\"/proc/self/fd/$fd\"" "$tmp/trace"
    check "only to be read, too" sh -c \
        "grep '\"/proc/self/fd/$fd\"' '$tmp/trace' | grep -v 'O_RDONLY' | wc -l | grep -qx 0"
    check "and nothing is written at a place" sh -c "! grep -q 'pwrite' '$tmp/trace'"
else
    result ok "what the kernel is asked # SKIP no strace"
    run --profile surface --runtime 1 "$device"
fi
check "surface measures without a question" code 0
check "all its tests" test "$(jq '[.cells[] | select(.state == "done")] | length' "$tmp/out")" -eq 11
check "nothing is prepared, nothing is to be written" test \
    "$(jq -c '[.steps[] | select(.kind == "prepare")] | length' "$tmp/out")" -eq 0
run --profile cdm-demo --only read --runtime 1 "$device"
check "so do reads of any profile" code 0
check "it is as it was" test "$(cksum <"$tmp/disk")" = "$sum"
run --profile surface "$tmp/disk"
check "an ordinary file is no device" code 3
check "and is told" says "is not a directory"
echo "1..$n"
[ "$failed" -eq 0 ]
