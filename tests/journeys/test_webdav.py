"""The journey of `examples/journeys/shared-files.toml`, on a real WebDAV server (WsgiDAV)."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from cheroot.wsgi import Server
from wsgidav.wsgidav_app import WsgiDAVApp

from processes import Headcount

ROOT = Path(__file__).resolve().parents[2]
JOURNEY = ROOT / "examples" / "journeys" / "shared-files.toml"
LOG_ON = {"HEADCOUNT_PASSWORD": "a word of the test"}
USERS = 12


@pytest.fixture
def files(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A folder that is served to people who log on, and its address."""
    folder = tmp_path / "files"
    folder.mkdir()
    accounts = {f"user{n}": {"password": LOG_ON["HEADCOUNT_PASSWORD"]} for n in range(USERS)}
    configuration = {
        "provider_mapping": {"/": str(folder)},
        "simple_dc": {"user_mapping": {"*": accounts}},
        "http_authenticator": {"accept_basic": True, "accept_digest": False},
        "verbose": 0,
        "logging": {"enable_loggers": []},
    }
    # WsgiDAV waits for more than the server of Werkzeug gives it.
    server = Server(("127.0.0.1", 0), WsgiDAVApp(configuration), numthreads=USERS)
    server.prepare()
    thread = threading.Thread(target=server.serve)
    thread.start()
    try:
        yield folder, f"http://127.0.0.1:{server.bind_addr[1]}/"
    finally:
        server.stop()
        thread.join()


def test_one_user_tries_it(headcount: Headcount, files: tuple[Path, str]) -> None:
    folder, url = files
    options = ("--target", url, "--user", "user{n}")
    done = headcount.run("try", str(JOURNEY), *options, **LOG_ON)
    assert done.code == 0, done.out + done.err
    assert "> MOVE /of-0/draft.txt" in done.out
    assert LOG_ON["HEADCOUNT_PASSWORD"] not in done.out
    assert [path.name for path in folder.iterdir()] == ["of-0"]
    assert list((folder / "of-0").iterdir()) == []


def test_many_users_work(headcount: Headcount, files: tuple[Path, str]) -> None:
    folder, url = files
    options = ("--target", url, "--user", "user{n}", "--users", str(USERS), "--duration", "4s")
    done = headcount.run(
        "run",
        str(JOURNEY),
        *options,
        "--settle",
        "1s",
        "--think",
        "1s",
        "--json",
        **LOG_ON,
    )
    levels = json.loads((Path(done.json["bundle"]) / "levels.json").read_bytes())["levels"]
    assert [one["failed"] for one in levels[0]["scenarios"]] == [0, 0], done.out + done.err
    assert all(one["completed"] > 0 for one in levels[0]["scenarios"])
    assert len(list(folder.iterdir())) > 3


def test_a_wrong_password_is_refused(headcount: Headcount, files: tuple[Path, str]) -> None:
    _, url = files
    options, wrong = ("--target", url, "--user", "user{n}"), {"HEADCOUNT_PASSWORD": "another"}
    done = headcount.run("try", str(JOURNEY), *options, **wrong)
    assert done.code != 0
    assert "status 401" in done.out + done.err
