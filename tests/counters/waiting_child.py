"""A process whose threads each wait in a given call, until its standard input ends.

Takes words: ``lock``, ``sleep``, ``receive``, ``accept``, ``events``, ``send``, ``child``.
Prints a line once all of them wait.
"""

import _thread
import os
import select
import socket
import subprocess
import sys
import threading
import time
from typing import Any

KEPT: list[Any] = []


def lock() -> None:
    held = _thread.allocate_lock()
    held.acquire()
    held.acquire()


def receive() -> None:
    pair = socket.socketpair()
    KEPT.append(pair)
    pair[0].recv(1)


def accept() -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    KEPT.append(listener)
    listener.accept()


def events() -> None:
    reading, writing = os.pipe()
    KEPT.append(writing)
    select.poll().poll() if reading < 0 else select.select([reading], [], [])


def send() -> None:
    _, writing = os.pipe()
    os.write(writing, bytes(1 << 20))


def child() -> None:
    subprocess.run(["sleep", "60"], check=False)


WAYS = {
    "lock": lock,
    "sleep": lambda: time.sleep(60),
    "receive": receive,
    "accept": accept,
    "events": events,
    "send": send,
    "child": child,
}


def main() -> None:
    for word in sys.argv[1:]:
        threading.Thread(target=WAYS[word], daemon=True).start()
    time.sleep(0.3)
    print("waiting", flush=True)
    sys.stdin.read()
    os._exit(0)


main()
