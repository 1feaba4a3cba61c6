"""What a user costs in memory whose connection is open and mostly idle."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from bench.gate.item import OURS, Item, Metric, Sides
from bench.gate.player import Order, play
from bench.gate.work.server import files, nginx, pages, root_folder, samba
from bench.gate.work.smb import OPEN_AND_CLOSE, SIGNING

HTTP_USERS, SMB_USERS = 10_000, 1000
PAUSE_S = 5
"""Between what a user does: the first scenario of each begins within that time."""
PAUSE = {"draw": "fixed", "mean": f"{PAUSE_S}s"}
SMB_RAMP_S = 30
"""Some thirty logons a second: a machine that is busy, too, does them."""
HTTP_KIB, SMB_KIB = 1.5, 4.0


@contextmanager
def _http() -> Iterator[Sides]:
    with nginx() as server:
        played = pages(server, "k1", {}, PAUSE)
        users = HTTP_USERS
        order = Order(played.plan, "http", played.target, users, settle_s=PAUSE_S, memory=True)
        yield Sides({OURS: partial(play, order)})


@contextmanager
def _smb() -> Iterator[Sides]:
    # smbd forks for each user, which takes it all processors.
    with samba(is_apart=False) as server:
        # Users open the share's own folder: no data needs to be made for a thousand of them.
        played = root_folder(files(server, OPEN_AND_CLOSE, 1, SIGNING["AES-GMAC"], PAUSE))
        users = SMB_USERS
        order = Order(played.plan, "smb", played.target, users, 1, SMB_RAMP_S, PAUSE_S, memory=True)
        yield Sides({OURS: partial(play, order)})


ITEMS = (
    Item(
        "http-memory",
        "HTTP user, 10,000 connections",
        (Metric(name="memory", unit="KiB", bar=HTTP_KIB),),
        _http,
    ),
    Item(
        "smb-memory",
        "SMB user, 1,000 sessions, AES-GMAC",
        (Metric(name="memory", unit="KiB", bar=SMB_KIB),),
        _smb,
        most_rounds=4,
    ),
)
