"""What runs on the other machine: a loop of the POSIX shell that prints files of /proc when asked.

It writes nothing, needs no rights that a plain user lacks, and ends when its input does. Each
answer costs two short processes: `date`, and `head`, which puts a line with its name before each
file when it is given several (IEEE Std 1003.1, `head`). The script has neither line feeds nor
single quotes nor exclamation marks, so that any login shell hands it to `sh` as it is.
"""

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

_LINES = "999999"
"""Most lines that `head` prints; no file of /proc has more."""

SCRIPT = "; ".join(
    [
        "LC_ALL=C",
        "export LC_ALL",
        f"echo {HELLO}",
        'echo "system $(uname -s)"',
        'echo "host $(uname -n)"',
        'echo "kernel $(uname -r)"',
        'echo "page $(getconf PAGESIZE 2>/dev/null)"',
        'echo "tick $(getconf CLK_TCK 2>/dev/null)"',
        'for one in /sys/block/*; do echo "block $one"; done',
        f"for one in {' '.join(LISTED)}; do if [ -e $one ]; then echo path $one; fi; done",
        f"echo {READY}",
        f'while read -r number; do echo "{TIME} $number $(date +%s.%N)"',
        f"head -n {_LINES} {' '.join(FILES)} /proc/$$/stat 2>/dev/null",
        "echo",
        f'echo "{END} $number"',
        "done",
    ]
)
COMMAND = f"exec sh -c '{SCRIPT}'"
"""What `ssh` is given to run."""
