"""Opens lines to a cluster by its address, with what `cluster up` knows of it."""

import os
import shlex
import time
from collections.abc import Sequence

from headcount.cluster import ray_lines, ray_node, state
from headcount.cluster.far.node import LAUNCHER
from headcount.errors import InputError
from headcount.generator.line import Line

OTHERS = ("RAY_AUTH_TOKEN",)
"""Removed: a token in a variable would take precedence over the file."""


def open_lines(address: str, number: int) -> tuple[Sequence[Line], Sequence[int]]:
    """Lines to this many agents, each on a machine of its own, and the CPUs of each machine.

    Raises HeadcountError.
    """
    use(address)
    return ray_lines.open_lines(address, number)


def use(address: str) -> None:
    """Set Ray's variables for a cluster that Headcount has started; leave them for any other.

    Raises InputError if it is not up, or its certificates have expired.
    """
    found = state.at(address)
    if found is None:
        return
    again = f"headcount cluster down {found.name}, then up again"
    if not found.is_up:
        raise InputError(f'the cluster "{found.name}" is not up: {again}')
    if found.expires_s < time.time():
        raise InputError(f'the certificates of the cluster "{found.name}" have expired: {again}')
    node = found.head_node
    if node.address is not None:
        raise InputError(
            f'the head of the cluster "{found.name}" is another machine: log in to '
            f"{node.address} and run {shlex.quote(f'{node.run}/{LAUNCHER}')} there instead of "
            "headcount"
        )
    for name in OTHERS:
        os.environ.pop(name, None)
    os.environ.update(ray_node.access(node))
