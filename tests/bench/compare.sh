#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Our figures beside those of the tools the profiles stand for: same disk, one after the other, PAIRS
# times, and the ratio ours/theirs of each pair. Figures, no verdict. A tool that is not there is said.

set -u
LC_ALL=C
export LC_ALL
program=${STHD_BUILDDIR:?}/speedtest-hd
pairs=${PAIRS:-3}
dir=$(mktemp -d "$STHD_BUILDDIR/compare-XXXXXX") || exit 99
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/t"

# ratios NAME: of the pairs "ours theirs" on stdin the median ratio, and the least and most.
ratios() {
    awk -v name="$1" '$1 > 0 && $2 > 0 { r[++n] = $1 / $2 }
        END {
            if (n == 0) { printf "%-28s not measured\n", name; exit }
            for (i = 2; i <= n; i++)
                for (k = i; k > 1 && r[k] < r[k - 1]; k--) { x = r[k]; r[k] = r[k - 1]; r[k - 1] = x }
            printf "%-28s %.3f  (%.2f to %.2f, %d pairs)\n", name, r[int((n + 1) / 2)], r[1], r[n], n
        }'
}
have() {
    command -v "$1" >/dev/null 2>&1 && return 0
    echo "$1 is not there: not compared"
    return 1
}
ours() { # ours ARGUMENT...: the result as JSON, into $dir/json
    "$program" --text --yes --json "$@" "$dir/t" </dev/null >"$dir/json" 2>/dev/null
}

latency() {
    ours --profile latency --only read --runtime 5 --size 64m
    us=$(jq '.cells[0].figures.lat_mean_ns' "$dir/json")
    them=$(ioping -D -B -c 21 -i 0.25 -s 4k -S 64m "$dir/t" 2>/dev/null | tail -n 1 | awk '{ print $6 }')
    echo "$us $them" >>"$dir/latency"
}

# The same command without our reports: the first measured step, on a file with a name.
plain_fio() { # plain_fio PROFILE
    ours --profile "$1" --runtime 2 --size 256m
    us=$(jq '.cells[0].figures.bytes_per_s' "$dir/json")
    dd if=/dev/urandom of="$dir/t/file" bs=1M count=256 conv=fsync 2>/dev/null # as ours is prepared
    jq -r '[.steps[] | select(.kind == "measure")][0].command[]' "$dir/json" |
        sed -e "s,^--filename=.*,--filename=$dir/t/file," -e '/^--status-interval/d' >"$dir/argv"
    them=$(tr '\n' '\0' <"$dir/argv" | xargs -0 env 2>/dev/null |
        jq '[.jobs[].read.bw_bytes, .jobs[].write.bw_bytes] | add')
    echo "$us $them" >>"$dir/fio-$1"
    rm -f "$dir/t/file"
}

files() {
    ours --profile files --runtime 2 --size 512m
    bonnie++ -q -d "$dir/t" -s 512 -r 256 -n 8 -u "$(id -un)" 2>/dev/null | tail -n 1 >"$dir/csv"
    i=0
    for field in 12 14 27 29 31; do
        i=$((i + 1))
        name=$(echo "Block-write Rewrite Create Stat Delete" | cut -d ' ' -f $i)
        them=$(cut -d , -f "$field" "$dir/csv")
        case $name in
        Create | Stat | Delete) figure=.figures.iops unit=1 ;;
        Rewrite) figure=.figures.bytes_per_s unit=2048 ;; # both ways here, one way there
        *) figure=.figures.bytes_per_s unit=1024 ;;
        esac
        us=$(jq --arg t "$(echo "$name" | tr - ' ')" ".cells[] | select(.test == \$t) | $figure" "$dir/json")
        echo "$us $them" | awk -v unit=$unit '{ print $1, $2 * unit }' >>"$dir/files-$name"
    done
}

have jq && have fio || exit 0
echo "ours / theirs, median (least to most)"
n=0
while [ $((n += 1)) -le "$pairs" ]; do
    for p in howto mixed blocks; do plain_fio $p; done
    command -v ioping >/dev/null 2>&1 && latency
    command -v bonnie++ >/dev/null 2>&1 && files
done
for p in howto mixed blocks; do ratios "$p, fio by itself: MB/s" <"$dir/fio-$p"; done
have ioping && ratios "latency, ioping: mean" <"$dir/latency"
if have bonnie++; then
    for f in Block-write Rewrite Create Stat Delete; do ratios "files, bonnie++: $f" <"$dir/files-$f"; done
fi
exit 0
