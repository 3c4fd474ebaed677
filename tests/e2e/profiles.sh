#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The user's profiles: every built-in one can be copied, a copy is listed, shown and measured like
# any other, and a broken file is told and stops nothing.

set -u
LC_ALL=C
export LC_ALL
program=${STHD_BUILDDIR:?}/speedtest-hd
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
export XDG_CONFIG_HOME="$tmp/xdg" HOME="$tmp/home"
own=$XDG_CONFIG_HOME/speedtest-hd/profiles
mkdir -p "$own" "$HOME/.config/speedtest-hd/profiles" "$tmp/target"

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
        sed 's/^/# /' "$tmp/said"
    fi
}

# Every built-in one, under another name.
"$program" --list-profiles | cut -d ' ' -f 1 >"$tmp/names"
while read -r name; do
    "$program" --show-profile "$name" </dev/null >"$tmp/$name.json"
    sed "s/\"name\": \"$name\"/\"name\": \"my-$name\"/" "$tmp/$name.json" |
        sed 's/"my-cdm-flash"/"my-flash"/; s/"my-dd-blocks"/"my-ddb"/' >"$own/$name.json"
done <"$tmp/names"
"$program" --list-profiles >"$tmp/list" 2>"$tmp/err"
check "no file is complained about" test ! -s "$tmp/err"
check "each copy is listed" test "$(wc -l <"$tmp/list")" -eq $((2 * $(wc -l <"$tmp/names")))
"$program" --show-profile my-cdm8 2>&1 | sed 's/"my-cdm8"/"cdm8"/' >"$tmp/back"
check "what is read prints as it was" cmp "$tmp/back" "$tmp/cdm8.json"
"$program" --show-profile nothing >"$tmp/out" 2>"$tmp/err"
check "a profile that is not there is an error" test $? -eq 2
check "and is said" grep -q "there is no profile 'nothing'" "$tmp/err"

# Broken ones beside a good one.
rm "$own"/*.json
cat >"$own/b.json" <<END
{"name": "mine", "title": "Is mine as it was?", "runtime_s": 1, "size": "8m",
 "tests": [{"name": "W", "block": "64k", "directions": ["write"], "amount": "16m"},
           {"name": "C", "block": "4k", "directions": ["write"], "work": "create", "files": 200}]}
END
printf '{"name": "a",\n "titel": 1}' >"$own/a.json"
echo '{}' >"$own/.hidden.json"
echo '{}' >"$own/README"
mkfifo "$own/c.json"
ln -s /nowhere "$own/d.json"
"$program" --list-profiles >"$tmp/list" 2>"$tmp/err"
check "the good one is listed" grep -q '^mine  *Is mine' "$tmp/list"
check "one sentence for each broken one" test "$(wc -l <"$tmp/err")" -eq 3
check "with its place" grep -q 'profiles/a.json:1:1: "title" is missing' "$tmp/err"
check "a pipe does not make it wait" grep -q 'c.json cannot be read: it is not a file' "$tmp/err"

if command -v fio >/dev/null; then
    timeout 100 "$program" --text --yes --profile mine "$tmp/target" >"$tmp/out" 2>"$tmp/err"
    check "it is measured" test $? -eq 0
    check "and its rows are there" grep -q '^[|].* W ' "$tmp/out"
    check "files are counted, without MB/s" grep -Eq '^[|] *C  *[|] *- [|] *[0-9 ]+ [|]' "$tmp/out"
    check "nothing is left" rmdir "$tmp/target"
    [ "$failed" = 0 ] || sed 's/^/# /' "$tmp/out" "$tmp/err"
fi

# Without XDG_CONFIG_HOME it is ~/.config.
cp "$own/b.json" "$HOME/.config/speedtest-hd/profiles/"
unset XDG_CONFIG_HOME
"$program" --list-profiles >"$tmp/list" 2>"$tmp/err"
check "those in HOME are found" grep -q '^mine' "$tmp/list"

# A result of bonnie++ beside ours.
mkdir -p "$tmp/target"
if command -v fio >/dev/null 2>&1; then
    printf '1.98,2.00a,other,1,1,4G,,8192,5,1,1,91750,35,5,5,6,6,204800,8,9,9,%s\n' \
        '1,,,,,1234,50,5,5,6,6,7,7,8,8,9,9,1us,1us' >"$tmp/theirs.csv"
    "$program" --text --yes --profile files --size 16m --runtime 1 --bonnie "$tmp/theirs.csv" \
        "$tmp/target" </dev/null >"$tmp/out" 2>"$tmp/err"
    check "files is measured" test $? -eq 0
    [ -s "$tmp/out" ] || sed "s,^,# ," "$tmp/err"
    check "theirs is below ours" grep -q '^bonnie++ *94.0  *35 %' "$tmp/out"
    check "of files, too" grep -q '^bonnie++ *1 234  *50 %' "$tmp/out"
    check "nothing is left" test -z "$(ls -A "$tmp/target")"
else
    result ok "a result of bonnie++ # SKIP no fio"
fi
"$program" --text --yes --bonnie "$tmp/nothing" "$tmp/target" </dev/null >"$tmp/out" 2>"$tmp/err"
check "no such result: exit code" test $? -eq 7

echo "1..$n"
[ "$failed" = 0 ]
