# Functions that treat processes and threads otherwise, or as they were before.

is() { # process or thread, its beginning
    line=$(cat "/proc/$1/stat" 2> /dev/null) || return 1
    [ "$(echo "${line##*) }" | cut -d' ' -f20)" = "$2" ]
}

is_usual() { # thread: whether it has a policy that is ever changed, and not one such as real time
    line=$(cat "/proc/$1/stat") || return 1
    case $(echo "${line##*) }" | cut -d' ' -f39) in 0 | 3) ;; *) return 1 ;; esac
}

treat() { # nice, policy, class and level of I/O priority, CPUs, each - where it stays; threads
    nice=$1 policy=$2 class=$3 level=$4 cpus=$5
    shift 5
    [ "$nice" = - ] || renice "$nice" -p "$@" # BusyBox would add what follows -n
    for one in "$@"; do
        case $policy in 0) is_usual "$one" && chrt -o -p 0 "$one" ;; 3) chrt -b -p 0 "$one" ;; esac
        [ "$class" = - ] || ionice -c "$class" -n "$level" -p "$one"
        [ "$cpus" = - ] || taskset -p -c "$cpus" "$one"
    done
} > /dev/null 2>&1

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
    first=$(everyone "$root")
    treat "$@" $first
    # Who was born meanwhile may be as before; who comes later is like the one that starts it.
    second=$(everyone "$root")
    [ "$second" = "$first" ] || treat "$@" $second
}

thread() { # thread, its beginning, attributes
    is "$1" "$2" || return
    one=$1
    shift 2
    treat "$@" "$one"
}
