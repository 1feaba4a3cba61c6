"""No verb shows or keeps a secret that somebody types into an address, whatever it looks like."""

import contextlib
import io
import random
import re
import socketserver
import string
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from typer.main import get_command

from command_line import app
from headcount import secret_text
from headcount.cli import run_line

CORE = "Zq7xV"
"""In the middle of every secret: letters and digits, which no encoding changes."""
HOST = "127.0.0.1:9"
"""Nothing listens there, and names of users lead nowhere else if they are taken for hosts."""
FORMS = (
    f"app://localhost:{{0}}@{HOST}",
    f"file://localhost:{{0}}@{HOST}/..",
    f"ftp://localhost:{{0}}@{HOST}",
    f"ssh://localhost:{{0}}@{HOST}",
    f"http://localhost:{{0}}@{HOST}/metrics",
    f"redis://:{{0}}@{HOST}/0",
    f"smtp://localhost:{{0}}@{HOST}",
    f"imap://{HOST}+postgresql://localhost:{{0}}@{HOST}/db",
    f"localhost:{{0}}@{HOST}",
    f"postgresql://{HOST}/db?password={{0}}",
    f"http://{HOST}/metrics?a=b&token={{0}}",
    "host=localhost password={0}",
)
KEYS = ("", "", "db=", "nginx=", "smtp=", "haproxy=", "proxy=")
"""Of options that take a key or a name before an address."""
RUN = ("run", "web-mix", "--target", f"http://{HOST}", "--plan")
BASES: dict[tuple[str, ...], tuple[str, ...]] = {
    ("run",): RUN[1:],
    ("watch",): ("--plain", "--for", "100ms", "--interval", "100ms"),
    ("serve", "app"): ("--data", "data", "--listen", "nowhere"),
    ("serve", "smtp"): ("--lmtp", "count", "--listen", "nowhere"),
}
"""What else is typed, so that the option is read at all, and no verb goes on for long. Of other
verbs, each argument and option that must be given is the address."""


def verbs(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Each verb of the command line with the words that call it."""
    if not hasattr(command, "commands"):
        yield path, command
    for name, one in getattr(command, "commands", {}).items():
        yield from verbs(one, (*path, name))


VERBS = dict(verbs(get_command(app)))
ALPHABET = string.punctuation + "ax0é中"


def drawn_secret(draw: random.Random) -> str:
    """A secret of up to 21 characters, of all kinds but blanks.

    It begins like no port and path: that is what it would be, where paths may have an @.
    """
    before = "".join(draw.choices(ALPHABET, k=draw.randrange(9)))
    after = "".join(draw.choices(ALPHABET, k=draw.randrange(9)))
    secret = before + CORE + after
    return drawn_secret(draw) if re.match(r"\d{1,5}[/?#]", secret) else secret


def lines(path: tuple[str, ...], address: str) -> Iterator[list[str]]:
    """Command lines of a verb, with an address at every place that takes a value, and beyond."""
    taking = [one for one in VERBS[path].params if not getattr(one, "is_flag", False)]
    base = list(BASES.get(path, ()))
    if not base:
        for one in taking:
            if one.required:
                base += [address] if one.param_type_name == "argument" else [one.opts[0], address]
    yield [*path, *base, address]
    yield [*path, *base, "--password", address]
    yield [*path, *base, f"--server={address}"]
    for one in taking:
        if one.param_type_name == "option":
            yield [*path, *base, one.opts[0], address]


def printed(line: list[str]) -> str:
    """All that a command line prints, on both outputs."""
    screen = io.StringIO()
    with contextlib.redirect_stdout(screen), contextlib.redirect_stderr(screen):
        code = run_line(line)
    assert "Traceback" not in screen.getvalue(), line
    return f"{code} {screen.getvalue()}"


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HEADCOUNT_RUNS", str(tmp_path / "runs"))


@pytest.mark.parametrize("path", sorted(VERBS), ids=" ".join)
def test_no_verb_shows_or_keeps_a_secret(path: tuple[str, ...], tmp_path: Path) -> None:
    draw = random.Random(" ".join(path))
    for number, _ in enumerate(lines(path, "")):
        secret_text.forget()
        secret = drawn_secret(draw)
        typed = draw.choice((secret, quote(secret, safe="")))
        address = draw.choice(KEYS) + draw.choice(FORMS).format(typed)
        line = list(lines(path, address))[number]
        assert CORE not in printed(line), line
    kept = [one for one in tmp_path.rglob("*") if one.is_file()]
    assert all(CORE.encode() not in one.read_bytes() for one in kept)


@pytest.mark.parametrize(
    "typed",
    [
        ("run", "web-mix", "--target", f"http://ada:{CORE} with blanks@{HOST}"),
        ("run", "web-mix", "--source", f'ssh://ada:it\'s "{CORE}"@{HOST}', *RUN[2:]),
        ("shares", "--target", f"smb://ada:{CORE}@{HOST}/data"),
        ("run", "web-mix", "--versus", f"http://ada:{CORE}@{HOST}", *RUN[2:]),
        ("doctor", f"http://ada:{CORE}@{HOST}"),
        ("run", f"http://ada:{CORE}@{HOST}"),
        (f"http://ada:{CORE}@{HOST}",),
    ],
    ids=str,
)
def test_a_secret_is_refused_with_a_message(typed: tuple[str, ...]) -> None:
    shown = printed(list(typed))
    assert shown.startswith("2 error: ")
    assert CORE not in shown


class Echo(socketserver.StreamRequestHandler):
    """A Redis that repeats in its error what it was sent."""

    def handle(self) -> None:
        sent = self.request.recv(4096)
        self.wfile.write(b"-ERR not understood: " + sent.replace(b"\r\n", b" ") + b"\r\n")


def test_a_password_that_a_server_repeats(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADCOUNT_PASSWORD", f"s3cr/{CORE}+x")
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Echo) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        target = f"redis://127.0.0.1:{server.server_address[1]}"
        shown = printed(["prepare", "ycsb-c", "--target", target, "--users", "1"])
        server.shutdown()
    assert shown.startswith("3 error: ")
    assert "not understood" in shown
    assert "***" in shown
    assert CORE not in shown
