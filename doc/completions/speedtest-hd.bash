# bash completion for speedtest-hd                          -*- shell-script -*-
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Needs nothing but bash. Profiles and themes are asked from the program itself.

_speedtest_hd() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} i
    local words="" options="--fio --slog --dd --profile --watch --job --job-as-is --engine --probe --direct --buffered --loops
        --combine --pause --warmup --only --mix --sweep --governor --latency-limit --bonnie --runtime --size
        --interval --per-job --fio-arg --text --tui --format --json --verbose -y --yes --sudo --theme --ascii --color
        --grace --repair-knobs --list-profiles --list-themes --show-profile -h --help -V --version"

    COMPREPLY=()
    # bash splits --size=1g at the "="
    if [[ $cur == = ]]; then
        cur=""
    elif [[ $prev == = && $COMP_CWORD -ge 2 ]]; then
        prev=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    for ((i = 1; i < COMP_CWORD; i++)); do
        if [[ ${COMP_WORDS[i]} == -- ]]; then # only a path can follow
            prev="" options=""
        fi
    done

    case $prev in
    --profile | --show-profile) words=$("$1" --list-profiles 2>/dev/null | cut -d ' ' -f 1) ;;
    --sweep) words="governor epp boost qos" ;;
    --watch) words="slog:T1 slog:T4 slog:T16 cdm:RND4K-Q1T1:read cdm:RND4K-Q1T1:write" ;;
    --engine) words="auto io_uring libaio posixaio sync psync" ;;
    --combine) words="best median" ;;
    --only) words="read write" ;;
    --loops) words="1 3 5" ;;
    --pause) words="0 5 30" ;;
    --mix) words="30 50 70" ;;
    --governor)
        words="performance $(cat /sys/devices/system/cpu/cpufreq/policy*/scaling_available_governors 2>/dev/null)"
        ;;
    --latency-limit) words="off 0 1 20" ;;
    --format) words="table json csv markdown cdm" ;;
    --color) words="auto always never" ;;
    --runtime) words="1 5 10 30 60" ;;
    --size) words="64m 256m 1g 4g 16g 64g" ;;
    --interval) words="100 250 500 1000" ;;
    --grace) words="30 120 600" ;;
    --fio-arg) return ;;
    --bonnie)
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
        return
        ;;
    --job)
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -d -- "$cur"; 
            compgen -f -X '!*.fio' -- "$cur"; compgen -f -X '!*.job' -- "$cur"; compgen -f -X '!*.ini' -- "$cur")
        return
        ;;
    --theme)
        words=$("$1" --list-themes 2>/dev/null)
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur"; compgen -f -X '!*.json' -- "$cur")
        return
        ;;
    *)
        if [[ $cur == -* && -n $options ]]; then
            words=$options
        else
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -d -- "$cur")
            return
        fi
        ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}

complete -F _speedtest_hd speedtest-hd
