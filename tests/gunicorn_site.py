"""A page of Python: a Gunicorn, and an nginx before it, as somebody's services start them."""

import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.request import urlopen

import own_nginx
from headcount.lab import port
from processes import wait_for

PATIENCE_S = 20.0
PROGRAM = str(Path(sys.executable).with_name("gunicorn"))
APPLICATION = """\
import os, time
def app(environ, start_response):
    time.sleep({sleep_s})
    start_response("200 OK", [("Content-Type", "text/plain")])
    names = ("wsgi.multithread", "wsgi.multiprocess")
    words = [str(os.getpid()), *(str(environ[one]) for one in names)]
    return [" ".join(words).encode()]
"""


@dataclass
class Site:
    """A running site.

    Attributes:
        folder: Its files; `gunicorn.conf.py` is Gunicorn's.
        gunicorn: Gunicorn's first process.
        nginx: That of nginx.
        web: nginx's port.
        inner: Gunicorn's.

    """

    folder: Path
    gunicorn: int
    nginx: int
    web: int
    inner: int

    @property
    def conf(self) -> Path:
        """The configuration of Gunicorn."""
        return self.folder / "gunicorn.conf.py"

    @property
    def workers(self) -> list[int]:
        """Gunicorn's workers."""
        path = Path(f"/proc/{self.gunicorn}/task/{self.gunicorn}/children")
        return [int(pid) for pid in path.read_text().split()]

    def page(self, where: int | None = None) -> list[str]:
        """The words of the page: its worker, and whether that has threads."""
        with urlopen(f"http://127.0.0.1:{where or self.web}/", timeout=10) as answer:
            words: list[str] = answer.read().decode().split()
            return words


@contextlib.contextmanager
def gunicorn_site(
    conf: str | None = None,
    arguments: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
    *,
    sleep_s: float = 0.0,
    application: str | None = None,
    location: str = "",
    command: Sequence[str] = (PROGRAM,),
) -> Iterator[Site]:
    """A site with this configuration file, or none, and these options.

    `application` is Python in place of the page; `location` are settings of nginx for it.
    """
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        web, inner = port.free(), port.free()
        (folder / "page.py").write_text(application or APPLICATION.format(sleep_s=sleep_s))
        if conf is not None:
            (folder / "gunicorn.conf.py").write_text(conf)
        options = ["--bind", f"127.0.0.1:{inner}", "--no-control-socket", *arguments]
        known = {**os.environ, "PWD": str(folder), **(environment or {})}
        started = []
        for words in (
            [*command, *options, "page:app"],
            own_nginx.command(folder, web, f"proxy_pass http://127.0.0.1:{inner}; {location}"),
        ):
            with (folder / "out").open("ab") as out:
                process = subprocess.Popen(words, stdout=out, stderr=out, cwd=folder, env=known)
            stack.callback(_end, process)
            started.append(process)
        gunicorn, nginx = started

        def is_up() -> bool:
            ended = any(one.poll() is not None for one in started)
            return ended or (port.answers(inner) and port.answers(web))

        wait_for(is_up)
        site = Site(folder, gunicorn.pid, nginx.pid, web, inner)
        assert all(one.poll() is None for one in started), (folder / "out").read_text()
        wait_for(lambda: bool(site.workers))
        yield site


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
