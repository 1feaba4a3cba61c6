"""Plain users of a server, none of Headcount's: says how many requests/s they got through.

They ask, think and ask again. HTTP is spoken here, IMAP by imaplib, SMTP by smtplib, SMB by
smbprotocol; statements to a database are pgbench's.
"""

import argparse
import asyncio
import imaplib
import importlib
import json
import random
import smtplib
import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

MESSAGE = b"Subject: an order\r\n\r\n" + b"one more item of a long order\r\n" * 40
PASSWORD = "only-a-test"  # noqa: S105 - of servers that live for a minute
LONGEST_S = 15.0


class Seen:
    """What all users saw within the measured time."""

    def __init__(self, begin: float, end: float, think_s: float) -> None:
        self.begin, self.end, self.think_s = begin, end, think_s
        self.times: list[float] = []
        self.faults: Counter[str] = Counter()

    def pause(self) -> float:
        """A think time."""
        return random.expovariate(1 / self.think_s) if self.think_s else 0.0

    def note(self, begun: float, fault: str = "") -> None:
        """Count an answer or a failure."""
        now = time.monotonic()
        if not self.begin <= now < self.end:
            return
        if fault:
            self.faults[fault[:100]] += 1
        else:
            self.times.append(now - begun)

    def record(self) -> dict[str, Any]:
        """For the caller."""
        times = sorted(self.times) or [0.0]
        return {
            "rate": round(len(self.times) / (self.end - self.begin), 1),
            "p50_ms": round(times[len(times) // 2] * 1000, 1),
            "p95_ms": round(times[int(len(times) * 0.95)] * 1000, 1),
            "failed": sum(self.faults.values()),
            "faults": dict(self.faults.most_common(3)),
        }


async def get(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, head: bytes) -> bool:
    """Ask and read the answer; whether the connection is kept. Raises OSError for a bad status."""
    writer.write(head)
    lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin1").lower().split("\r\n")
    fields = dict(line.split(": ", 1) for line in lines[1:] if ": " in line)
    if "chunked" in fields.get("transfer-encoding", ""):
        while size := int((await reader.readline()).split(b";")[0], 16):
            await reader.readexactly(size + 2)
        await reader.readline()
    elif "content-length" in fields:
        await reader.readexactly(int(fields["content-length"]))
    else:
        await reader.read(-1)
        fields["connection"] = "close"
    if " 200" not in lines[0]:
        raise OSError(lines[0])
    return fields.get("connection") != "close" and lines[0].startswith("http/1.1")


async def web_user(number: int, given: argparse.Namespace, seen: Seen) -> None:
    """One who reads pages."""
    host, _, port = given.address.partition(":")
    streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
    asks = given.asks or ["/"]
    step = 0
    while time.monotonic() < seen.end:
        path = asks[step % len(asks)].replace("{n}", str(number))
        step += 1
        lines = [f"GET {path} HTTP/1.1", "Host: shop.test", *given.header]
        lines += ["Connection: close"] if given.close else []
        begun = time.monotonic()
        is_kept = False
        try:
            async with asyncio.timeout(LONGEST_S):
                if streams is None or streams[0].at_eof():  # closed while the user thought
                    streams = await asyncio.open_connection(host, int(port))
                is_kept = await get(*streams, ("\r\n".join(lines) + "\r\n\r\n").encode())
            seen.note(begun)
        except (OSError, EOFError, ValueError, TimeoutError) as error:
            seen.note(begun, f"{type(error).__name__}: {error}")
        if streams is not None and (given.close or not is_kept):
            streams[1].close()
            streams = None
        await asyncio.sleep(seen.pause())


def imap(number: int, given: argparse.Namespace) -> Callable[[], object]:
    """One who reads mail."""
    host, _, port = given.address.partition(":")
    session = imaplib.IMAP4(host, int(port), timeout=LONGEST_S)
    session.login(f"u{number:05}", PASSWORD)
    text = MESSAGE * (int(given.kib) if given.kib != "1" else 16)
    for _ in range(int(given.mail)):
        session.append("INBOX", None, None, text)
    session.select("INBOX")
    commands: dict[str, Callable[[], tuple[str, Any]]] = {
        "append": lambda: session.append("INBOX", None, None, MESSAGE * 14),
        "fetch": lambda: session.uid("FETCH", "*", "(BODY.PEEK[])"),
        "search": lambda: session.uid("SEARCH", "TEXT", "nothing-that-is-there"),
        "select": lambda: session.select("INBOX"),
        "status": lambda: session.status("INBOX", "(MESSAGES UNSEEN)"),
        "logon": lambda: imaplib.IMAP4(host, int(port)).login(f"u{number:05}", PASSWORD),
    }

    def ask() -> None:
        for one in given.asks:
            kind, text = commands[one]()
            if kind != "OK":
                raise OSError(str(text))

    return ask


def smtp(number: int, given: argparse.Namespace) -> Callable[[], object]:
    """One who sends mail."""
    host, _, port = given.address.partition(":")

    def ask() -> None:
        with smtplib.SMTP(host, int(port), timeout=LONGEST_S) as session:
            session.sendmail(f"u{number:05}@test.invalid", "u00001@test.invalid", MESSAGE.decode())

    return ask


def smb(number: int, given: argparse.Namespace) -> Callable[[], object]:
    """One who reads or writes files on a share."""
    client = importlib.import_module("smbclient")
    where, _, share = given.address.partition("/")
    host, _, port = where.partition(":")
    how = {"username": "u", "password": PASSWORD, "port": int(port), "connection_cache": {}}
    client.register_session(host, **how)
    path = f"\\\\{host}\\{share}\\plain{number}"
    block = random.randbytes(int(given.kib) << 10)
    names = [f"{path}-{each}" for each in range(int(given.files))]

    def write(name: str) -> None:
        with client.open_file(name, mode="wb", buffering=0, **how) as file:
            for begin in range(0, len(block), 65536):
                file.write(block[begin : begin + 65536])

    def read(name: str) -> None:
        with client.open_file(name, mode="rb", buffering=0, share_access="rw", **how) as file:
            while file.read(65536):
                pass

    for name in names:
        write(name)
    return lambda: (write if "write" in given.asks else read)(random.choice(names))


def threaded(made: Callable[[], Callable[[], object]], seen: Seen) -> None:
    """A user in a thread: a failure ends their session."""
    ask = None
    while time.monotonic() < seen.end:
        begun = time.monotonic()
        try:
            ask = ask or made()
            begun = time.monotonic()
            ask()
            seen.note(begun)
        except Exception as error:  # noqa: BLE001 - each is counted
            seen.note(begun, f"{type(error).__name__}: {error}")
            ask = None
        time.sleep(seen.pause())


def main() -> None:
    """Play them, and print what they saw as JSON."""
    parser = argparse.ArgumentParser()
    for name in ("scheme", "address", "kib", "files", "mail"):
        parser.add_argument(f"--{name}", default="1")
    for name in ("think-ms", "settle-s", "seconds"):
        parser.add_argument(f"--{name}", type=float)
    parser.add_argument("--users", type=int)
    parser.add_argument("--close", action="store_true")
    parser.add_argument("--header", action="append", default=[])
    parser.add_argument("--asks", nargs="*", default=[])
    given = parser.parse_args()
    begin = time.monotonic() + given.settle_s
    seen = Seen(begin, begin + given.seconds, given.think_ms / 1000)
    if given.scheme == "http":

        async def together() -> None:
            users = (web_user(number, given, seen) for number in range(given.users))
            await asyncio.gather(*users)

        asyncio.run(together())
    else:
        kind = {"imap": imap, "smtp": smtp, "smb": smb}[given.scheme]
        for number in range(given.users):

            def made(number: int = number) -> Callable[[], object]:
                return kind(number, given)

            threading.Thread(target=threaded, args=(made, seen), daemon=True).start()
        time.sleep(max(0.0, seen.end - time.monotonic()))
    print(json.dumps(seen.record()))


if __name__ == "__main__":
    main()
