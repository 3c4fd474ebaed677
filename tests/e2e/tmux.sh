#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# In a real terminal multiplexer, as over SSH: the screen comes up, and the terminal is as it was
# afterwards. One smoke test; what it shows in detail is tested with a terminal of our own.

set -u
build=${STHD_BUILDDIR:?}
n=0
failed=0
result() {
    n=$((n + 1))
    [ "$1" = ok ] || failed=$((failed + 1))
    echo "$1 $n - $2"
}
if ! command -v tmux >/dev/null || ! command -v fio >/dev/null; then
    echo "1..0 # SKIP tmux or fio is not here"
    exit 0
fi
tmp=$(mktemp -d) || exit 99
# A server of our own: nobody's sessions are touched.
tm() { env -u TMUX LC_ALL=C.UTF-8 tmux -S "$tmp/socket" -f /dev/null "$@"; }
trap 'tm kill-server 2>/dev/null; rm -rf "$tmp"' EXIT

# within SECONDS COMMAND... : whether it succeeds in time
within() {
    end=$(($(date +%s) + $1))
    shift
    until "$@"; do
        [ "$(date +%s)" -le "$end" ] || return 1
    done
}
screen() { tm capture-pane -p -t run; }
shows() { screen | grep -q -e "$1"; }
# wait_for WORDS TEXT
wait_for() {
    if within 30 shows "$1"; then
        result ok "$2"
    else
        result "not ok" "$2"
        screen | sed 's/^/# /'
    fi
}

# The server goes with its last session, and the next one may meet it going: this one stays.
tm new-session -d -s keep sh || exit 99
for size in 80x24 160x50; do
    tm new-session -d -s run -x "${size%x*}" -y "${size#*x}" sh || exit 99
    wait_for '[$#] *$' "$size: a shell"
    tm send-keys -t run "before=\$(stty -g); '$build/speedtest-hd' --size=16m --runtime=1 '$tmp'; echo status=\$?; [ \"\$before\" = \"\$(stty -g)\" ] && echo tty same" Enter
    wait_for 'Engine .*works' "$size: the setup screen"
    tm send-keys -t run s
    wait_for 'Write up to' "$size: a question"
    tm send-keys -t run y
    wait_for 'step 2 of' "$size: the run"
    tm send-keys -t run C-c
    wait_for ' stopped' "$size: stopped"
    tm send-keys -t run q
    wait_for 'status=9' "$size: it says that it was stopped"
    wait_for 'tty same' "$size: the terminal's settings"
    # The result survives the alternate screen.
    wait_for 'MB/s' "$size: the table is left on the screen"
    tm kill-session -t run
done

echo "1..$n"
[ "$failed" -eq 0 ]
