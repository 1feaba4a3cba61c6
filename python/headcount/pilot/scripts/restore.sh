#!/bin/sh
# Puts back how the processes of a server were treated before `headcount pilot`. It may be run any
# number of times.
cd "$(dirname "$0")" || exit 1
failed=0

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

