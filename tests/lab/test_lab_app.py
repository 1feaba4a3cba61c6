"""The lab's application server, started for real."""

import json
from pathlib import Path

import pytest

from headcount import _engine
from headcount.errors import InputError, TargetError
from headcount.lab import app, home
from headcount.protocols.registry import start_lab


@pytest.fixture(autouse=True)
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return home.base()


def target(address: str) -> str:
    return json.dumps({"address": address, "file_bytes": 8192, "range_bytes": 8192, "seed": 1})


@pytest.mark.e2e
def test_the_server_has_its_settings_and_leaves_nothing(base: Path) -> None:
    server = start_lab("app", {"threads": "3", "connections": "16"})
    try:
        assert server.address.startswith("127.0.0.1:")
        hello = json.loads(_engine.hello("app", target(server.address)))
        assert hello["pid"] == server.pids[0]
        assert hello["threads"] == 3
        assert server.settings == {"threads": "3", "write_mode": "buffered", "connections": "16"}
        _engine.prepare("app", target(server.address), 0, 1, lambda _: None)
        assert len(list(base.glob("app-*/client-*.dat"))) == 2
    finally:
        server.stop()
    assert list(base.iterdir()) == []
    with pytest.raises(TargetError):
        _engine.hello("app", target(server.address))
    server.stop()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"thread": "3"}, "no setting thread; it has: threads, write_mode, connections"),
        ({"threads": "-1"}, 'threads is "-1"; it can be 0 to 10000'),
        ({"threads": "10001"}, "0 to 10000"),
        ({"threads": ""}, "0 to 10000"),
        ({"connections": "0"}, "1 to 1000000"),
        ({"connections": "1e3"}, "1 to 1000000"),
        ({"write_mode": "fast"}, "it can be: buffered, dsync, direct"),
    ],
)
def test_invalid_settings_are_refused(base: Path, settings: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        start_lab("app", settings)
    assert not base.exists()


def test_defaults_are_accepted() -> None:
    app.AppServer.check_settings(app.SETTINGS)


def test_an_unknown_server_is_an_error() -> None:
    with pytest.raises(InputError, match='no server "web"; it has: app'):
        start_lab("web", {})
