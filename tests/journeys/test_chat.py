"""The journey of `examples/journeys/chat.toml`, played in a real chat over WebSockets."""

import json
import ssl
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path

import pytest

from chat_server import Chat, served
from headcount.lab import certificate
from processes import Headcount
from web_shop import Shop
from web_shop import served as shop_served

ROOT = Path(__file__).resolve().parents[2]
JOURNEY = ROOT / "examples" / "journeys" / "chat.toml"


@pytest.fixture
def chat() -> Iterator[tuple[Chat, str]]:
    """A chat that is served, and its address."""
    chat = Chat()
    with served(chat) as url:
        yield chat, url


def test_one_user_tries_it(headcount: Headcount, chat: tuple[Chat, str]) -> None:
    server, url = chat
    done = headcount.run("try", str(JOURNEY), "--target", url)
    assert done.code == 0, done.out + done.err
    assert '  > {"type":"join","room":"' in done.out
    assert '  < {"type": "said", "from": "user0"' in done.out
    assert "{members} = 1" in done.out
    assert [user for user, _, _ in server.messages] == ["user0"]
    assert server.headers[-1]["Origin"] == url.rstrip("/")


def test_it_is_played_over_tls_by_a_user_who_logs_on(headcount: Headcount, tmp_path: Path) -> None:
    certificate.make(tmp_path)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(tmp_path / certificate.CERTIFICATE, tmp_path / certificate.KEY)
    server = Chat()
    trust = f"verify_certificates={tmp_path / certificate.AUTHORITY}"
    with served(server, tls) as url:
        options = ("--target", url, "--client", trust, "--user", "ada")
        word = {"HEADCOUNT_PASSWORD": "sesame"}
        done = headcount.run("try", str(JOURNEY), *options, **word)
    assert done.code == 0, done.out + done.err
    assert server.headers[-1]["Origin"] == url.rstrip("/")
    scheme, _, proof = server.headers[-1]["Authorization"].partition(" ")
    assert (scheme, b64decode(proof)) == ("Basic", b"ada:sesame")


def test_many_users_talk(headcount: Headcount, chat: tuple[Chat, str]) -> None:
    server, url = chat
    options = ("--users", "30", "--duration", "4s", "--settle", "1s", "--think", "0.5s")
    done = headcount.run("run", str(JOURNEY), "--target", url, *options, "--json")
    levels = json.loads((Path(done.json["bundle"]) / "levels.json").read_bytes())["levels"]
    scenario = levels[0]["scenarios"][0]
    assert scenario["failed"] == 0, done.out + done.err
    assert scenario["completed"] > 50
    assert len(server.messages) >= scenario["completed"]
    users = {user for user, _, _ in server.messages}
    assert users == {f"user{n}" for n in range(30)}
    rooms = {user: {room for who, room, _ in server.messages if who == user} for user in users}
    assert all(len(each) == 1 for each in rooms.values())
    assert len(set.union(*rooms.values())) > 5


def test_a_refused_user_is_reported(headcount: Headcount, chat: tuple[Chat, str]) -> None:
    server, url = chat
    server.is_full = True
    done = headcount.run("try", str(JOURNEY), "--target", url)
    assert done.code != 0
    assert "status 503 Service Unavailable instead of 101, which opens a WebSocket" in done.out


def test_a_connection_that_the_server_closes_is_reported(
    headcount: Headcount, chat: tuple[Chat, str]
) -> None:
    server, url = chat
    server.is_rude = True
    done = headcount.run("try", str(JOURNEY), "--target", url)
    assert done.code != 0
    assert "the server closed the WebSocket: 1013 come back later" in done.out


def test_a_page_that_is_not_a_websocket_is_named(headcount: Headcount, tmp_path: Path) -> None:
    workload = tmp_path / "chat.toml"
    workload.write_text(JOURNEY.read_text("utf-8").replace("/chat?user=user{n}", "/"), "utf-8")
    with shop_served(Shop()) as url:
        done = headcount.run("try", str(workload), "--target", url)
    assert done.code != 0
    assert " instead of 101, which opens a WebSocket" in done.out
