#!/bin/sh
# Puts back how the processes of a server were treated before `headcount pilot`. It may be run any
# number of times.
cd "$(dirname "$0")" || exit 1
failed=0

is() { # process or thread, its beginning
    line=$(cat "/proc/$1/stat" 2> /dev/null) || return 1
    [ "$(echo "${line##*) }" | cut -d' ' -f20)" = "$2" ]
}

treat() { # thread, nice, policy, class and level of I/O priority, CPUs
    renice -n "$2" -p "$1" > /dev/null 2>&1
    case $3 in 0) chrt -o -p 0 "$1" ;; 3) chrt -b -p 0 "$1" ;; esac > /dev/null 2>&1
    [ "$4" = - ] || ionice -c "$4" -n "$5" -p "$1" > /dev/null 2>&1
    taskset -p -c "$6" "$1" > /dev/null 2>&1
}

everyone() { # process: its threads, and those of all that came of it
    for task in "/proc/$1/task/"[0-9]*; do
        [ -e "$task" ] && echo "${task##*/}"
    done
    for child in $(cat "/proc/$1/task/"*/children 2> /dev/null); do
        everyone "$child"
    done
}

tree() { # process, its beginning, attributes
    is "$1" "$2" || return
    root=$1
    shift 2
    for thread in $(everyone "$root"); do
        treat "$thread" "$@"
    done
}

thread() { # thread, its beginning, attributes
    is "$1" "$2" || return
    one=$1
    shift 2
    treat "$one" "$@"
}

write_back() { # file, value
    [ -e "$1" ] || return
    [ "$(cat "$1" 2> /dev/null)" = "$2" ] && return
    echo "$2" > "$1" || { echo "$1 cannot be set back to $2"; failed=1; }
}

set_back() { # file, value; what was never changed may have been set by somebody since
    grep -qsxF -e "$1" changed || return
    write_back "$1" "$2"
}

session() { # process, its beginning, nice value of its session
    is "$1" "$2" || return
    write_back "/proc/$1/autogroup" "$3"
}

finish() {
    : > restored
    [ "$failed" = 0 ] || exit 3
    : > "done"
}

