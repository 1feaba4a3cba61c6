"""A process under test: takes commands on standard input and reports what it used.

Commands: ``burn S`` and ``fork S`` use S seconds of CPU time (in a child that is waited for),
``write PATH BYTES`` writes and syncs, ``open N`` opens N files, ``usage`` does nothing. Each
answers with the CPU time used so far in seconds and the blocks of 512 bytes written so far, both
of the process and its children waited for, as getrusage(2) reports them.
"""

import os
import resource
import sys
import time
from pathlib import Path


def burn(seconds: float) -> None:
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass


def fork(seconds: float) -> None:
    pid = os.fork()
    if pid == 0:
        burn(seconds)
        os._exit(0)
    os.waitpid(pid, 0)


def write(path: str, size: int) -> None:
    with Path(path).open("wb") as file:
        file.write(os.urandom(size))
        file.flush()
        os.fsync(file.fileno())


def main() -> None:
    kept = []
    for line in sys.stdin:
        command, *words = line.split()
        if command == "burn":
            burn(float(words[0]))
        elif command == "fork":
            fork(float(words[0]))
        elif command == "write":
            write(words[0], int(words[1]))
        elif command == "open":
            kept += [Path(os.devnull).open() for _ in range(int(words[0]))]  # noqa: SIM115
        own, children = (
            resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
        )
        cpu_s = sum(each.ru_utime + each.ru_stime for each in (own, children))
        print(cpu_s, own.ru_oublock + children.ru_oublock, flush=True)


main()
