"""The ledger on a real Samba."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from headcount import _engine
from headcount.errors import InputError, TargetError
from headcount.failover.ledger.smb import NAME, ROW, SmbStore
from headcount.lab.samba import SambaServer

DATA_SET = {"folders": 1, "static_files": 1, "volatile_files": 1, "new_files": 1}


@pytest.fixture
def server() -> Iterator[SambaServer]:
    started = SambaServer({})
    try:
        yield started
    finally:
        started.stop()


def target(server: SambaServer, **changed: object) -> str:
    options: dict[str, Any] = {
        "address": server.address,
        "share": server.share,
        "user": server.user,
        "password": server.password,
        "folder": "headcount\\user{n:05}",
        "data_set": DATA_SET,
        **changed,
    }
    return json.dumps(options)


def prepared(server: SambaServer) -> str:
    """A target whose folder bears the marker."""
    found = target(server)
    _engine.prepare("smb", found, 0, 0, lambda _: None)
    return found


def folder(server: SambaServer) -> Path:
    """Where the rows are, behind the server's back."""
    return server.data / "headcount" / "ledger"


@pytest.mark.parametrize("changed", [{}, {"signing": "required"}, {"durable": True}])
def test_rows_are_written_and_read_back(server: SambaServer, changed: dict[str, object]) -> None:
    prepared(server)
    store = SmbStore(target(server, **changed))
    reader = SmbStore(target(server, **changed))
    store.begin()
    assert (store.newest(0), store.kept()) == (0, {})
    for number in (1, 2, 4):
        store.write(0, number)
    store.write(12, 1)
    assert (reader.newest(0), reader.newest(12), reader.newest(1)) == (4, 1, 0)
    assert reader.kept() == {0: frozenset({1, 2, 4}), 12: frozenset({1})}
    store.begin()
    assert reader.kept() == {}
    store.remove()
    store.remove()
    assert not folder(server).exists()
    for one in (store, reader):
        one.close()
        one.close()


def test_rows_that_are_gone_or_changed_are_found(server: SambaServer) -> None:
    store = SmbStore(prepared(server))
    store.begin()
    for number in range(1, 20_001):
        if number % 4000 == 0 or number < 9:
            store.write(3, number)
    path = folder(server) / f"{NAME}3"
    kept = path.read_bytes()
    assert store.kept() == {3: frozenset({*range(1, 9), 4000, 8000, 12_000, 16_000, 20_000})}
    path.write_bytes(kept[: 7 * ROW.size + 3])
    assert store.kept() == {3: frozenset(range(1, 8))}, "half a row is none"
    path.write_bytes(ROW.pack(1) + ROW.pack(77))
    with pytest.raises(TargetError, match="row 2 of writer-3 says 77"):
        store.kept()
    store.close()


def test_a_folder_that_is_not_headcounts_is_left_alone(server: SambaServer) -> None:
    theirs = server.data / "headcount" / "ledger"
    theirs.mkdir(parents=True)
    (theirs / "theirs").write_text("kept")
    with pytest.raises(InputError, match="was not made by Headcount"):
        SmbStore(target(server))
    assert (theirs / "theirs").read_text() == "kept"


def test_a_server_that_has_ended_acknowledges_nothing(server: SambaServer) -> None:
    where = prepared(server)
    store = SmbStore(where)
    store.begin()
    store.write(0, 1)
    server.stop()
    with pytest.raises(TargetError):
        store.write(0, 2)
    with pytest.raises(TargetError):
        SmbStore(where)
    store.close()
