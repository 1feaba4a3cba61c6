"""PHP-FPM's status of a pool, asked for through FastCGI at the pool's socket.

Formats: the FastCGI specification 1.0; https://www.php.net/manual/en/fpm.status.php.
"""

import configparser
import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from glob import glob
from pathlib import Path

from headcount.counters.views import ask
from headcount.counters.views.foreign_file import foreign_text
from headcount.counters.views.reading import Reader, Reading

SEPARATOR = "|"
"""Between a pool's socket and the path of its status, in an address."""
USUAL_PATH = "/status"
_GLOBAL = "global"
"""The section of a configuration that is about no pool."""
LIMIT = "php_fpm.processes.limit"
_BEGIN, _END, _PARAMS, _STDIN, _STDOUT = 1, 3, 4, 5, 6
_HEADER = struct.Struct(">BBHHBx")
_RESPONDER = struct.pack(">HB5x", 1, 0)
_GAUGES = {
    "active processes": "php_fpm.processes.active",
    "idle processes": "php_fpm.processes.idle",
    "listen queue": "php_fpm.accept_queue",
    "listen queue len": "php_fpm.accept_queue.limit",
}
_TOTALS = {
    "accepted conn": "php_fpm.requests",
    "max children reached": "php_fpm.limit_reached",
    "slow requests": "php_fpm.slow_requests",
}


@dataclass(frozen=True)
class Pool:
    """A pool as its configuration describes it.

    Attributes:
        name: Its name.
        listen: Where it listens: a path, or `host:port`.
        status_path: The path of its status; empty without one.
        most: Its most children; 0 if not given.

    """

    name: str
    listen: str
    status_path: str
    most: int


def reader(address: str, most: int = 0) -> Reader:
    """Ask at `SOCKET|PATH`, such as `/run/php/fpm.sock|/status`; `most` is pm.max_children."""
    place, _, path = address.partition(SEPARATOR)
    limit = {LIMIT: float(most)} if most else {}
    if not path and most:
        return lambda: Reading(limit)

    def read() -> Reading:
        reading = figures(content(ask.answer(place, request(path or USUAL_PATH), _is_whole)))
        return Reading({**reading.gauges, **limit}, reading.totals) if reading else reading

    return read


def request(path: str) -> bytes:
    """The records that ask for a pool's status as JSON."""
    parameters = {
        "REQUEST_METHOD": "GET",
        "SCRIPT_NAME": path,
        "SCRIPT_FILENAME": path,
        "QUERY_STRING": "json",
    }
    pairs = b"".join(_pair(key, value) for key, value in parameters.items())
    records = ((_BEGIN, _RESPONDER), (_PARAMS, pairs), (_PARAMS, b""), (_STDIN, b""))
    return b"".join(_HEADER.pack(1, kind, 1, len(body), 0) + body for kind, body in records)


def content(records: bytes) -> bytes:
    """The body in the records of an answer; empty if they are malformed."""
    text = b"".join(body for kind, body in _records(records) if kind == _STDOUT)
    return text.partition(b"\r\n\r\n")[2]


def figures(body: bytes) -> Reading:
    """The reading in a status; empty for any other text."""
    try:
        fields = json.loads(body)
    except ValueError:
        return Reading()
    if not isinstance(fields, dict) or "active processes" not in fields:
        return Reading()
    gauges = {name: float(fields[key]) for key, name in _GAUGES.items() if key in fields}
    totals = {name: float(fields[key]) for key, name in _TOTALS.items() if key in fields}
    return Reading(gauges, totals)


def pools(configuration: Path) -> list[Pool]:
    """The pools of a configuration file and those that it includes; unreadable files have none."""
    found: list[Pool] = []
    for path in [configuration, *_included(configuration)]:
        parsed = _parsed(path)
        names = [name for name in parsed.sections() if name != _GLOBAL]
        found += [_pool(name, parsed[name]) for name in names if "listen" in parsed[name]]
    return found


def _pool(name: str, section: Mapping[str, str]) -> Pool:
    listen = section["listen"].strip().strip('"').replace("$pool", name)
    if listen.isdecimal():
        listen = f"127.0.0.1:{listen}"
    most = section.get("pm.max_children", "0").strip()
    status = section.get("pm.status_path", "").strip().strip('"')
    where = section.get("pm.status_listen", "").strip().strip('"') or listen
    return Pool(name, where, status, int(most) if most.isdecimal() else 0)


def _included(configuration: Path) -> list[Path]:
    parsed = _parsed(configuration)
    # Debian has it at the end of the file, where it is part of the last section.
    wanted = [one["include"] for one in parsed.values() if one.get("include")]
    patterns = [str(configuration.parent / one) for one in wanted]
    return [Path(name) for one in patterns for name in sorted(glob(one))]  # noqa: PTH207 - absolute


def _parsed(path: Path) -> configparser.ConfigParser:
    parsed = configparser.ConfigParser(
        interpolation=None, strict=False, inline_comment_prefixes=(";",), allow_no_value=True
    )
    try:
        # Fedora has `include` before any section.
        parsed.read_string(f"[{_GLOBAL}]\n{foreign_text(path)}")
    except (OSError, configparser.Error):
        return configparser.ConfigParser()
    return parsed


def _pair(key: str, value: str) -> bytes:
    return bytes((len(key), len(value))) + key.encode() + value.encode()


def _records(text: bytes) -> list[tuple[int, bytes]]:
    found = []
    while len(text) >= _HEADER.size:
        _, kind, _, length, padding = _HEADER.unpack_from(text)
        found.append((kind, text[_HEADER.size : _HEADER.size + length]))
        text = text[_HEADER.size + length + padding :]
    return found


def _is_whole(text: bytes) -> bool:
    return any(kind == _END for kind, _ in _records(text))
