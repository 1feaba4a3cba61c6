"""Figures that Redis and Valkey report: `INFO` and the length of the slow log.

Commands are sent inline, without a password: https://redis.io/docs/latest/commands/info/. All
commands run in one thread, whose CPU time is counted from version 6.2 on.
"""

from headcount.counters.views import ask
from headcount.counters.views.reading import Reader, Reading

QUESTION = b"INFO\r\nSLOWLOG LEN\r\n"
_GAUGES = {
    "instantaneous_ops_per_sec": "redis.commands",
    "connected_clients": "redis.clients",
    "maxclients": "redis.clients.limit",
    "blocked_clients": "redis.clients.blocked",
}
_SAVING = ("rdb_bgsave_in_progress", "aof_rewrite_in_progress")
_THREAD = ("used_cpu_sys_main_thread", "used_cpu_user_main_thread")
_PROCESS = ("used_cpu_sys", "used_cpu_user")


def reader(address: str) -> Reader:
    """Ask at `host:port`, or at the path of a socket."""
    place = address.removeprefix("redis://").rstrip("/")

    def read() -> Reading:
        text = ask.answer(place, QUESTION, _is_whole).decode("utf-8", errors="replace")
        if text.startswith(("-NOAUTH", "-NOPERM")):
            raise ValueError("it asks for a password, which Headcount does not send")
        return figures(text)

    return read


def figures(text: str) -> Reading:
    """The reading in the answers; empty for any other text."""
    fields = dict(line.split(":", 1) for line in text.splitlines() if ":" in line[1:])
    if not text.startswith("$") or "redis_version" not in fields:
        return Reading()
    gauges = {name: float(fields[key]) for key, name in _GAUGES.items() if key in fields}
    gauges["redis.saving"] = sum(float(fields.get(key, "0")) for key in _SAVING)
    last = text.rstrip().splitlines()[-1]
    if last.startswith(":") and last[1:].isdecimal():
        gauges["redis.slow_log.length"] = float(last[1:])
    names = _THREAD if _THREAD[0] in fields else _PROCESS
    totals = {}
    if names[0] in fields:
        totals["redis.cpu.utilization"] = sum(float(fields[name]) for name in names)
    if "evicted_keys" in fields:
        totals["redis.evictions"] = float(fields["evicted_keys"])
    return Reading(gauges, totals)


def _is_whole(text: bytes) -> bool:
    """Whether both answers are complete: a bulk string with its length, and a line."""
    head, _, rest = text.partition(b"\r\n")
    if head.startswith(b"-"):
        return True
    if not head.startswith(b"$") or not head[1:].isdigit():
        return bool(head) and text.endswith(b"\r\n")
    after = rest[int(head[1:]) + 2 :]
    return after.endswith(b"\r\n")
