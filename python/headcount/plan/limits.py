"""The plan's `[limits]`: how much of the machine a lab server and the load generator may use.

`cpu = "0.5"` shows what half a core would do, `memory = "256MiB"` what less memory would.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from headcount.errors import InputError
from headcount.fields.mistakes import nearest
from headcount.fields.units import size_bytes
from headcount.plan.line_limits import check_line, share, time_s

_BITS = {"bit": 1, "kbit": 10**3, "mbit": 10**6, "gbit": 10**9}
LEAST_CORES = 0.01
"""The kernel's minimum: 1 ms in each period of 100 ms (sched-bwc.rst)."""
MOST_WEIGHT = 10_000
"""The kernel's range (cgroup-v2.rst, cpu.weight)."""
LEAST_MEMORY_BYTES = 1 << 20
LEAST_BITS_S = 8_000


def cores(text: str, what: str) -> float:
    """Read CPU time as cores: `0.5`, `2`, `50%`; raises InputError."""
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*(%?)", text.strip())
    value = float(match[1]) / (100 if match[2] else 1) if match else 0.0
    if not LEAST_CORES <= value <= 4096:
        raise InputError(f'{what} is "{text}"; write cores like 0.5, 2 or 50%, at least 0.01')
    return value


def bits_s(text: str, what: str) -> int:
    """Read a network rate such as `80Mbit/s` or `10MB/s`; raises InputError. Returns bits/s."""
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*([kmg]?bit)(?:/s)?", text.strip().lower())
    value = round(float(match[1]) * _BITS[match[2]]) if match else _bytes_s_or_0(text) * 8
    if not LEAST_BITS_S <= value <= 10**12:
        raise InputError(f'{what} is "{text}"; write it like 80Mbit/s or 10MB/s, at least 8kbit/s')
    return value


def _bytes_s_or_0(text: str) -> int:
    """Bytes/s; 0 for a text that is not a rate, as of other mistakes."""
    try:
        return size_bytes(text.strip().removesuffix("/s"))
    except InputError:
        return 0


def _bytes_s(text: str, what: str) -> int:
    value = _bytes_s_or_0(text)
    if value < 1:
        raise InputError(f'{what} is "{text}"; write it like 20MB/s or 500KiB/s')
    return value


def _ops_s(text: str, what: str) -> int:
    match = re.fullmatch(r"([1-9][0-9]{0,8})(?:/s)?", text.strip())
    if match is None:
        raise InputError(f'{what} is "{text}"; write requests a second like 500 or 500/s')
    return int(match[1])


def _memory(text: str, what: str) -> int:
    value = size_bytes(text, what)
    if value < LEAST_MEMORY_BYTES:
        raise InputError(f'{what} is "{text}"; no server starts in less than 1 MiB')
    return value


def _cpus(text: str, what: str) -> str:
    if not re.fullmatch(r"[0-9]{1,4}(-[0-9]{1,4})?(,[0-9]{1,4}(-[0-9]{1,4})?)*", text.strip()):
        raise InputError(f'{what} is "{text}"; write the numbers of CPUs like 0, 0-1 or 0,2')
    return text.strip()


def _weight(text: str, what: str) -> int:
    if not re.fullmatch(r"[1-9][0-9]{0,4}", text.strip()) or int(text) > MOST_WEIGHT:
        raise InputError(f'{what} is "{text}"; write it like 50 or 1000: 1 to {MOST_WEIGHT:,}')
    return int(text)


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource that can be limited.

    Attributes:
        read: Reads a limit of it; raises InputError.
        meaning: What the limit is.
        example: How it is written.

    """

    read: Callable[[str, str], float | int | str]
    meaning: str
    example: str


RESOURCES: Mapping[str, Resource] = {
    "cpu": Resource(cores, "CPU time of the server, in cores", "0.5"),
    "cpus": Resource(_cpus, "the CPUs that the server may run on", "0"),
    "cpu-weight": Resource(
        _weight, "the server's weight on busy CPUs; other programs have 100", "50"
    ),
    "memory": Resource(_memory, "memory of the server, including its page cache", "256MiB"),
    "disk-read": Resource(_bytes_s, "bytes/s that the server may read from its disk", "20MB/s"),
    "disk-write": Resource(_bytes_s, "bytes/s that the server may write to its disk", "5MB/s"),
    "disk-read-ops": Resource(_ops_s, "read requests/s of the server", "500/s"),
    "disk-write-ops": Resource(_ops_s, "write requests/s of the server", "500/s"),
    "network": Resource(bits_s, "the network's rate in each direction", "80Mbit/s"),
    "latency": Resource(time_s, "time that the network adds to a round trip", "15ms"),
    "jitter": Resource(time_s, "by how much the latency varies, up or down", "2ms"),
    "loss": Resource(share, "share of packets that the network loses, each way", "0.1%"),
    "reorder": Resource(share, "share of packets that overtake others, each way", "1%"),
    "generator-cpu": Resource(cores, "CPU time of the load generator, in cores", "0.2"),
}
"""The resources of `--limit RESOURCE=VALUE` and `[limits]`."""


def parse_limits(limits: Mapping[str, str]) -> dict[str, float | int | str]:
    """The limits as figures: cores, bytes, bytes/s, requests/s, bits/s, seconds, shares.

    Raises InputError.
    """
    parsed: dict[str, float | int | str] = {}
    for name, text in limits.items():
        if name not in RESOURCES:
            hint = nearest(name, list(RESOURCES))
            raise InputError(f'there is no limit "{name}"{hint} (there is: {", ".join(RESOURCES)})')
        parsed[name] = RESOURCES[name].read(text, f"the limit {name}")
    return parsed


def check_limits(limits: Mapping[str, str], lab: str | None, target: str) -> None:
    """Check that the limits can be read and are for a server that runs here; raises InputError."""
    if not parse_limits(limits):
        return
    check_line(limits)
    if lab is None:
        raise InputError(
            f"limits are for lab servers, which Headcount starts itself; {target} is not one"
        )
    if lab == "files" and set(limits) - {"generator-cpu"}:
        raise InputError(
            "lab:files has no server process to limit: the kernel serves the files; use --limit "
            "with another lab server, such as lab:samba"
        )
