#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What the program takes, what --help says, what the man page documents and what the completions
# offer are one list. The table of options (print-options) is what the rest is held against.

set -u
LC_ALL=C
export LC_ALL
src=${STHD_SRCDIR:?}
build=${STHD_BUILDDIR:?}
man=$src/doc/speedtest-hd.1
bash_completion=$src/doc/completions/speedtest-hd.bash
zsh_completion=$src/doc/completions/_speedtest-hd
program=$build/speedtest-hd
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT

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
# same A B TEXT : two files are equal
same() {
    if diff "$1" "$2" >"$tmp/diff"; then
        result ok "$3"
    else
        result "not ok" "$3"
        sed 's/^/# /' "$tmp/diff"
    fi
}
# silent TEXT COMMAND... : it succeeds and says nothing
silent() {
    text=$1
    shift
    if "$@" >"$tmp/said" 2>&1 && [ ! -s "$tmp/said" ]; then
        result ok "$text"
    else
        result "not ok" "$text"
        sed 's/^/# /' "$tmp/said"
    fi
}

"$build/tests/e2e/print-options" >"$tmp/table" || exit 99
if [ "$(wc -l <"$tmp/table")" -gt 10 ]; then
    result ok "the table has options"
else
    result "not ok" "the table has options"
fi
# as people write them: "--size SIZE", "-y, --yes"
awk '{ printf "%s--%s%s\n", $2 == "-" ? "" : "-" $2 ", ", substr($1, 3), $3 == "-" ? "" : " " $3 }' \
    "$tmp/table" | sort >"$tmp/written"
# every word that can be typed
awk '{ print $1; if ($2 != "-") print "-" $2 }' "$tmp/table" | sort >"$tmp/words"

# ---- --help ----

result "$("$program" --help >"$tmp/help" && echo ok || echo "not ok")" "--help succeeds"
# the left column, cut at the commas between names; "-y, --yes" belongs together
sed -n 's/^  \(-.*\)/\1/p' "$tmp/help" | sed 's/   *.*//; s/\(-[a-zA-Z]\), --/\1@--/g' |
    tr ',' '\n' | sed 's/^ *//; s/@/, /' | sort >"$tmp/helped"
same "$tmp/written" "$tmp/helped" "--help names every option, its letter and its value"
result "$([ "$(wc -l <"$tmp/help")" -le 24 ] && [ "$(wc -L <"$tmp/help")" -le 80 ] &&
    echo ok || echo "not ok")" "--help fits 80x24"
"$program" -h >"$tmp/h"
same "$tmp/help" "$tmp/h" "-h is --help"

# ---- man page ----

# Under OPTIONS, the line after .TP is an option: .B, .BI or .BR with roman commas between.
awk '/^\.SH/ { on = $2 == "OPTIONS" } on && head { print } { head = /^\.TP/ }' "$man" |
    sed 's/^\.B[IR]* //; s/\\-/-/g; s/"//g; s/  */ /g; s/ ,/,/g' | sort >"$tmp/manned"
same "$tmp/written" "$tmp/manned" "the man page documents exactly the options, with their values"

version=$(sed -n 's/^AC_INIT(\[speedtest-hd\], \[\(.*\)\])$/\1/p' "$src/configure.ac")
said=$("$program" --version)
result "$([ -n "$version" ] && [ "$said" = "speedtest-hd $version" ] && echo ok || echo "not ok")" \
    "--version says $version"
result "$(grep -q "^\.TH .*speedtest.*-hd $version\"" "$man" && echo ok || echo "not ok")" \
    "the man page is of version $version"

# The values of enum exit_code, and those the man page explains.
sed -n 's/^ *EXIT_CODE_[A-Z_]* = \([0-9]*\),.*/\1/p' "$src/include/sthd/err.h" | sort >"$tmp/codes"
awk '/^\.SH/ { on = $2 == "EXIT" } on && /^\.B [0-9]+$/ { print $2 }' "$man" | sort >"$tmp/explained"
same "$tmp/codes" "$tmp/explained" "the man page explains every exit status"

"$program" --list-profiles | cut -d ' ' -f 1 | sort >"$tmp/profiles"
awk '/^\.SH/ { on = $2 == "PROFILES" } on && head { gsub(/\\-/, "-"); print $2 } { head = /^\.TP/ }' "$man" |
    sort >"$tmp/described"
same "$tmp/profiles" "$tmp/described" "the man page describes every profile"

# A line of a command in EXAMPLES must be one the parser takes; --help behind it runs nothing.
awk '/^\.SH/ { on = $2 == "EXAMPLES" } on && sub(/^\.B speedtest\\-hd/, "")' "$man" |
    sed 's/\\-/-/g; s/>.*//' >"$tmp/examples"
while read -r line; do
    # shellcheck disable=SC2086 # words of an example
    if "$program" $line --help >/dev/null 2>"$tmp/said"; then
        result ok "example: speedtest-hd $line"
    else
        result "not ok" "example: speedtest-hd $line ($(cat "$tmp/said"))"
    fi
done <"$tmp/examples"
result "$([ -s "$tmp/examples" ] && echo ok || echo "not ok")" "there are examples"

if command -v groff >/dev/null; then
    silent "groff has nothing to say about the man page" groff -man -ww -z "$man"
else
    skip "groff has nothing to say about the man page" "no groff"
fi
if command -v mandoc >/dev/null; then
    silent "mandoc has nothing to say about the man page" mandoc -Tlint -Wwarning "$man"
else
    skip "mandoc has nothing to say about the man page" "no mandoc"
fi

# ---- completions ----

# finish WORD... : what bash offers for the last word. bash splits at "=", so it comes apart here.
finish() {
    bash -c 'source "$1" || exit 1
        compopt() { :; } # there is no completion going on
        program=$2
        shift 2
        COMP_WORDS=("$program" "$@")
        COMP_CWORD=$#
        _speedtest_hd "$program"
        printf "%s\n" "${COMPREPLY[@]}"' - "$bash_completion" "$program" "$@"
}
# offers TEXT WANTED WORD... : WANTED has one word per line
offers() {
    text=$1
    printf '%s\n' "$2" >"$tmp/wanted"
    shift 2
    finish "$@" 2>&1 | sort >"$tmp/offered"
    same "$tmp/wanted" "$tmp/offered" "bash: $text"
}
if command -v bash >/dev/null; then
    offers "offers all options" "$(cat "$tmp/words")" -
    offers "finishes an option" "--profile" --prof
    offers "offers the profiles" "$(cat "$tmp/profiles")" --profile ""
    offers "offers the profiles behind an equals sign" "$(cat "$tmp/profiles")" --profile =
    offers "finishes a profile behind an equals sign" "slog" --profile = sl
    offers "offers the engines" "$(printf '%s\n' auto io_uring libaio posixaio psync sync)" \
        --engine ""
    offers "offers no option behind --" "" -- --si
    mkdir -p "$tmp/place/one dir" "$tmp/place/other"
    : >"$tmp/place/one file"
    offers "offers directories only, blanks and all" "$tmp/place/one dir" "$tmp/place/one"
    for engine in $(finish --engine ""); do
        "$program" --engine "$engine" --help >/dev/null 2>&1 ||
            result "not ok" "bash: engine $engine is one"
    done
else
    skip "bash completion" "no bash"
fi

# Every spec of _arguments that is an option: its words and whether it takes a value.
sed -n "s/^    '\(.*\)/\1/p" "$zsh_completion" | grep -e '--' |
    sed "s/^([^)]*)'*//; s/^\*//; s/'{/{/; s/^{//; s/}'/ /; s/\[.*//; s/,/ /" |
    tr ' ' '\n' | sed '/^$/d' >"$tmp/zshed"
sed 's/=$//' "$tmp/zshed" | sort >"$tmp/zsh-words"
same "$tmp/words" "$tmp/zsh-words" "zsh: offers all options"
grep '=$' "$tmp/zshed" | sed 's/=$//' | sort >"$tmp/zsh-values"
awk '$3 != "-" { print $1 }' "$tmp/table" | sort >"$tmp/values"
same "$tmp/values" "$tmp/zsh-values" "zsh: asks for a value exactly where there is one"
if command -v zsh >/dev/null; then
    silent "zsh can read it" zsh -n "$zsh_completion"
else
    skip "zsh can read it" "no zsh"
fi

echo "1..$n"
[ "$failed" = 0 ]
