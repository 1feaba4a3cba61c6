"""`headcount record` of sites with a certificate of their own authority, and of WebSockets."""

import json
import os
import signal
import ssl
from collections.abc import Iterator
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import HTTPSHandler, OpenerDirector, ProxyHandler, build_opener

import bar
import pytest
from websockets.sync.client import connect

import chat_server
import wsgi_site
from headcount.importers.recording_proxy import Place
from headcount.lab import certificate, port
from importers.shop import shop
from processes import Command, Headcount


@pytest.fixture
def recorder(headcount: Headcount) -> Iterator[Headcount]:
    """The command line with mitmproxy on its path."""
    headcount.environment["PATH"] = f"{bar.TOOLS}:{os.environ['PATH']}"
    return headcount


@pytest.fixture
def tls(tmp_path: Path) -> ssl.SSLContext:
    """A site's certificate, whose authority no machine trusts by itself."""
    certificate.make(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / certificate.CERTIFICATE, tmp_path / certificate.KEY)
    return context


def begun(recorder: Headcount, url: str, number: int, *options: str) -> Command:
    """A recording that has begun."""
    command = recorder.start("record", "--target", url, "--port", str(number), *options)
    command.reach(lambda: "Ctrl-C ends it" in command.err)
    return command


def browser(number: int) -> OpenerDirector:
    """A client that uses the proxy as a browser does, and trusts its certificate."""
    trusting = ssl.create_default_context()
    trusting.check_hostname = False
    trusting.verify_mode = ssl.CERT_NONE
    proxy = ProxyHandler({"https": f"http://127.0.0.1:{number}"})
    return build_opener(proxy, HTTPSHandler(context=trusting))


@pytest.mark.parametrize("trust", ["AUTHORITY", "off"])
def test_a_site_of_another_authority_is_recorded_and_replays(
    recorder: Headcount, tls: ssl.SSLContext, tmp_path: Path, trust: str
) -> None:
    workload, number = tmp_path / "visit.toml", port.free()
    trust = trust.replace("AUTHORITY", str(tmp_path / certificate.AUTHORITY))
    with wsgi_site.served(shop(), tls) as url:
        options = ("-o", str(workload), "--verify-certificates", trust)
        command = begun(recorder, url, number, *options)
        for path in ("", "login"):
            with browser(number).open(url + path, timeout=30) as page:
                assert page.status == 200
        command.reach(lambda: "GET /login  200" in command.err)
        command.send(signal.SIGINT)
        done = command.ended()
        assert done.code == 0, done.err
        assert 'path = "/login"' in workload.read_text("utf-8")
        client = ("--client", f"verify_certificates={trust}")
        tried = recorder.run("try", str(workload), "--target", url, *client)
    assert tried.code == 0, tried.out + tried.err


def test_an_untrusted_site_is_named_with_the_fix(
    recorder: Headcount, tls: ssl.SSLContext, tmp_path: Path
) -> None:
    number = port.free()
    with wsgi_site.served(shop(), tls) as url:
        command = begun(recorder, url, number, "-o", str(tmp_path / "visit.toml"))
        with pytest.raises(HTTPError, match="502"):
            browser(number).open(url, timeout=30)
        command.reach(lambda: "--verify-certificates FILE" in command.err)
        command.send(signal.SIGINT)
        done = command.ended()
    assert f"{url.split('/')[2]} is not trusted (" in done.err
    assert done.code == 2


@pytest.mark.parametrize(
    ("host", "text", "here"),
    [
        ("127.0.0.1", "127.0.0.1:8080", "127.0.0.1:8080"),
        ("0.0.0.0", "0.0.0.0:8080", "127.0.0.1:8080"),  # noqa: S104
        ("::1", "[::1]:8080", "[::1]:8080"),
        ("::", "[::]:8080", "127.0.0.1:8080"),
    ],
)
def test_an_address_is_written_as_browsers_take_it(host: str, text: str, here: str) -> None:
    place = Place(host, 8080)
    assert (place.text, place.here) == (text, here)
    assert place.is_everywhere == (text != here)


def test_a_file_without_a_certificate_is_one_sentence(recorder: Headcount, tmp_path: Path) -> None:
    empty = tmp_path / "empty.pem"
    empty.write_text("", "utf-8")
    for file, part in ((empty, "has no certificate"), (tmp_path / "none.pem", "No such file")):
        trust = ("--verify-certificates", str(file), "--port", str(port.free()))
        done = recorder.run("record", "--target", "https://127.0.0.1:5000", *trust)
        assert (done.code, part in done.message) == (2, True), done.err


def test_websockets_pass_through_the_proxy_and_are_counted(
    recorder: Headcount, tls: ssl.SSLContext, tmp_path: Path
) -> None:
    chat, number, workload = chat_server.Chat(), port.free(), tmp_path / "visit.toml"
    chat.guard = lambda connection, request: (
        connection.respond(200, "<title>chat</title>") if request.path == "/" else None
    )
    trusting = ssl.create_default_context()
    trusting.check_hostname = False
    trusting.verify_mode = ssl.CERT_NONE
    with chat_server.served(chat, tls) as url:
        trust = ("--verify-certificates", str(tmp_path / certificate.AUTHORITY))
        command = begun(recorder, url, number, "-o", str(workload), *trust)
        with browser(number).open(url, timeout=30) as page:
            assert page.status == 200
        address, proxy = f"{url.replace('http', 'ws', 1)}chat?user=a", f"http://127.0.0.1:{number}"
        with connect(address, proxy=proxy, ssl=trusting) as socket:
            socket.send(json.dumps({"type": "join", "room": "x"}))
            assert json.loads(socket.recv()) == {"type": "joined", "members": 1}
        command.reach(lambda: "WebSocket /chat: not imported" in command.err)
        command.send(signal.SIGINT)
        done = command.ended()
    assert done.code == 0, done.err
    assert "WebSockets: 1" in workload.read_text("utf-8")
