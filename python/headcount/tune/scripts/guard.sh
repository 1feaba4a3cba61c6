#!/bin/sh
# Undoes a tuning when no beat of it is seen for the seconds given: `guard.sh SECONDS`.
cd "$(dirname "$0")" || exit 1
last=
missed=0
while [ ! -e "done" ] && [ -e beat ]; do
    sleep 1
    now=
    read -r now < beat 2> /dev/null
    if [ "$now" = "$last" ]; then
        missed=$((missed + 1))
    else
        missed=0
        last=$now
    fi
    if [ "$missed" -ge "$1" ]; then
        sh ./restore.sh > guard.log 2>&1
        exit
    fi
done
