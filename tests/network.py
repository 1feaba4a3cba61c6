"""Another machine as far as its network goes: a namespace at the other end of a cable."""

import contextlib
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class OtherMachine:
    """Its address, and the command that starts a program there."""

    address: str
    enter: tuple[str, ...]


@contextlib.contextmanager
def other_machine() -> Iterator[OtherMachine]:
    """A network of its own, taken away with all that it has; `/proc` and `/sys` are this one's."""
    name = f"hc{os.getpid()}"
    ip("netns", "add", name)
    try:
        with cable(name, ("nsenter", f"--net=/run/netns/{name}", "--")) as one:
            yield one
    finally:
        ip("netns", "del", name)


@contextlib.contextmanager
def cable(namespace: str, inside: tuple[str, ...]) -> Iterator[OtherMachine]:
    """A cable into a namespace, which has a name or the number of a process in it."""
    name = f"hc{os.getpid()}"
    # Of 10.231.0.0/16, which nobody routes here, four addresses for each process of the tests.
    first = (os.getpid() * 4) % 65_536
    here, there = (f"10.231.{(first + one) // 256}.{(first + one) % 256}" for one in (1, 2))
    far_end = ("peer", "name", f"{name}b", "netns", namespace)
    ip("link", "add", f"{name}a", "type", "veth", *far_end)
    try:
        for enter, link, address in (((), f"{name}a", here), (inside, f"{name}b", there)):
            ip("addr", "add", f"{address}/30", "dev", link, enter=enter)
            ip("link", "set", link, "up", enter=enter)
        ip("link", "set", "lo", "up", enter=inside)
        yield OtherMachine(there, inside)
    finally:
        ip("link", "del", f"{name}a")  # now, not when the namespace has no process any more


def ip(*words: str, enter: tuple[str, ...] = ()) -> None:
    subprocess.run([*enter, "ip", *words], check=True)
