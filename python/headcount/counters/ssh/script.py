"""What runs on the other machine: a loop of the POSIX shell that prints files of /proc when asked.

It writes nothing, needs no rights that a plain user lacks, and ends when its input does. A question
is a number and what to run: `host`, which prints the machine's files and those named behind it, or
what :mod:`~headcount.counters.ssh.machine` and :mod:`~headcount.counters.ssh.following` ask of a
server's processes. An answer about the host costs two short processes: `date`, and `head`, which
puts a line with its name before each file when it is given several (IEEE Std 1003.1, `head`). The
script has neither line feeds nor single quotes nor exclamation marks, so that any login shell hands
it to `sh` as it is.
"""

import shlex
from collections.abc import Iterable, Mapping

FILES = (
    "/proc/stat",
    "/proc/loadavg",
    "/proc/meminfo",
    "/proc/vmstat",
    "/proc/diskstats",
    "/proc/net/dev",
    "/proc/net/snmp",
    "/proc/net/netstat",
    "/proc/pressure/cpu",
    "/proc/pressure/io",
    "/proc/pressure/memory",
)
LISTED = ("/sys/block/*/device", "/sys/class/net/*/device", "/sys/class/net/*/lower_*")
HELLO, READY, TIME, END = (
    "@headcount-hello",
    "@headcount-ready",
    "@headcount-time",
    "@headcount-end",
)

HOST = "host"
"""The question for the machine's own files; more files may follow it."""
_LINES = "999999"
"""Most lines that `head` prints; no file of /proc has more."""

SCRIPT = "; ".join(
    [
        "LC_ALL=C",
        "export LC_ALL",
        f"echo {HELLO}",
        'echo "system $(uname -s)"',
        'echo "host $(uname -n)"',
        'echo "processor $(uname -m)"',
        'echo "kernel $(uname -r)"',
        'echo "page $(getconf PAGESIZE 2>/dev/null)"',
        'echo "tick $(getconf CLK_TCK 2>/dev/null)"',
        'echo "self $$"',
        'for one in /sys/block/*; do echo "block $one"; done',
        f"for one in {' '.join(LISTED)}; do if [ -e $one ]; then echo path $one; fi; done",
        f"echo {READY}",
        f'{HOST}() {{ head -n {_LINES} {" ".join(FILES)} /proc/$$/stat "$@" 2>/dev/null',
        "}",
        f'while read -r number request; do echo "{TIME} $number $(date +%s.%N)"',
        'eval "$request" 2>/dev/null',
        "echo",
        f'echo "{END} $number"',
        "done",
    ]
)
COMMAND = f"exec sh -c '{SCRIPT}'"
"""What `ssh` is given to run."""


def files(paths: Iterable[str]) -> str:
    """A question for files, in any number, by their names; there is no pattern in those."""
    return f"head -n {_LINES} {quoted(paths)} /dev/null"


def quoted(words: Iterable[str]) -> str:
    """Words as the shell takes them for nothing else."""
    return " ".join(map(shlex.quote, words))


def matching(patterns: Iterable[str]) -> str:
    """A question for all files that match patterns of the shell, which holds nothing but those."""
    return f"head -n {_LINES} {' '.join(patterns)} /dev/null"


def titled(title: str, command: str) -> str:
    """A question whose answer stands below a title, as that of a file does."""
    return f'echo; echo "==> /{title} <=="; {command}'


def texts(lines: Iterable[str]) -> Mapping[str, str]:
    """Take an answer apart: text by the file's name or the title, without its last line feeds."""
    found: dict[str, list[str]] = {}
    current: list[str] = []
    for line in lines:
        if line.startswith("==> /") and line.endswith(" <=="):
            current = found.setdefault(line[4:-4], [])
        else:
            current.append(line)
    return {name: "\n".join(text).rstrip("\n") for name, text in found.items()}
