"""Headcount's own servers as labs start them: `python -m headcount.own_server KIND JSON`.

It bypasses the command line, which takes ten times as long to load.
"""

import json
import os
import shutil
import signal
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from headcount import _engine
from headcount.errors import HeadcountError, InputError


def end_by_signal() -> threading.Event:
    """An event that SIGINT and SIGTERM set."""
    stop = threading.Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda *_: stop.set())
    return stop


def print_address(address: str) -> None:
    """Print the address of a server, unbuffered: its parent waits for this line."""
    print(f'{{"address": "{address}"}}', flush=True)


def serve_app(options: Mapping[str, Any]) -> None:
    """Run the application server on a folder of its own, which is deleted when it ends."""
    stop = _end_with_parent()
    data = Path(options["data"])
    if data.exists() and any(data.iterdir()):
        raise InputError(f"{data} is not empty; a disposable server deletes its folder")
    server = _engine.AppServer(
        options["listen"],
        options["data"],
        options["threads"],
        options["write_mode"],
        options["connections"],
        os.environ.get("HEADCOUNT_TOKEN"),
    )
    print_address(server.address)
    stop.wait()
    server.stop()
    shutil.rmtree(data, ignore_errors=True)


def serve_smtp(options: Mapping[str, Any]) -> None:
    """Run the SMTP front, whose users are those of the lab's Dovecot."""
    stop = _end_with_parent()
    front = _engine.MailFront(options["listen"], options["lmtp"], options["routes"], [], 0, None)
    print_address(front.address)
    stop.wait()
    print(front.stop(), flush=True)


SERVERS = {"app": serve_app, "smtp": serve_smtp}


def main(arguments: list[str]) -> int:
    """Run a server until it is ended; returns the exit code."""
    kind, options = arguments
    try:
        SERVERS[kind](json.loads(options))
    except HeadcountError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    return 0


def _end_with_parent() -> threading.Event:
    """An event that SIGINT, SIGTERM and the end of standard input set."""
    stop = end_by_signal()

    def wait() -> None:
        while os.read(0, 4096):
            pass
        stop.set()

    threading.Thread(target=wait, daemon=True).start()
    return stop


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
