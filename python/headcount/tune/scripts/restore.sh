#!/bin/sh
# Puts back what `headcount tune` has changed on this machine. It may be run any number of times,
# and leaves alone what somebody else has changed since. `restore.sh early` runs at boot, before the
# server starts; `restore.sh by-hand` is done even then, because a person reads what is left.
cd "$(dirname "$0")" || exit 1
early=${1:-}
failed=0
stuck=0
theirs=0

same() { [ -e "$2" ] && cmp -s "$1" "$2"; }

put_back() { # number, file
    rm -f "$(dirname "$2")/.$(basename "$2").headcount"
    if [ -e "$1.orig" ]; then
        # What was written back is newer, and the server may not have read it yet.
        same "$2" "$1.orig" && ! [ "$2" -nt "$1.orig" ] && return
    else
        [ -e "$2" ] || return
    fi
    if [ -e "$2" ] && ! same "$2" "$1.ours" && ! same "$2" "$1.before" && ! same "$2" "$1.orig"; then
        echo "$2 was changed by somebody else, so it is left alone; as it was: $PWD/$1.orig"
        theirs=1
        return
    fi
    : > unsettled
    if [ -e "$1.orig" ]; then
        [ -d "$(dirname "$2")" ] || return
        cp -p "$1.orig" "$2.headcount" && mv -f "$2.headcount" "$2" || stuck=1
    else
        rm -f "$2" || stuck=1
    fi
}

is_same_boot() { # the boot that the changes were made in
    [ "$(cat /proc/sys/kernel/random/boot_id)" = "$boot" ]
}

set_back() { # file, value
    [ -e "$1" ] || return
    is_same_boot || return # what was set by hand before is gone, too
    read -r now < "$1"
    [ "$now" = "$2" ] && return
    echo "$2" > "$1" || { echo "$1 cannot be set back to $2"; failed=1; }
}

treated() { # processes as they were, those that have come meanwhile like the first of them
    [ -e treated ] && is_same_boot || return
    . ./treated
}

again() { # process, its beginning, command
    pid=$1
    began=$2
    shift 2
    [ -e unsettled ] && [ "$early" != early ] || return
    # After a boot its number is another process's.
    if [ "$pid" != 0 ] && ! { is_same_boot && is "$pid" "$began"; }; then
        echo "process $pid has ended since: if its server runs again, restart it to undo the changes"
        return
    fi
    "$@" || { echo "this failed: $*"; failed=1; }
}

unhook() { # files of the hook that runs this at boot
    sync
    [ "$stuck" = 1 ] || rm -f "$@"
}

finish() {
    sync
    : > restored
    [ "$failed$stuck" = 00 ] || exit 3
    [ "$theirs" = 0 ] || [ "$early" = by-hand ] || exit 3
    rm -f unsettled
    : > "done"
    [ "$theirs" = 0 ] || exit 3
}

