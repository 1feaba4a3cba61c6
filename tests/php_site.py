"""A page of PHP: a PHP-FPM and an nginx before it, as somebody's service starts them."""

import contextlib
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.request import urlopen

import own_nginx
from headcount.lab import port
from processes import wait_for

USER = "user = www-data\n" if os.geteuid() == 0 else ""
PATIENCE_S = 20.0
POOL = """\
[global]
error_log = {folder}/fpm.log
daemonize = no
include = {folder}/pool.d/*.conf
"""
LOCATION = """
fastcgi_pass 127.0.0.1:{pool};
fastcgi_param REQUEST_METHOD $request_method;
fastcgi_param QUERY_STRING $query_string;
fastcgi_param SCRIPT_FILENAME {folder}/page.php;
"""


def php_fpm() -> str:
    """The program, with its version in the name."""
    folders = f"{os.environ['PATH']}:/usr/sbin"
    found = [
        one for folder in folders.split(":") for one in sorted(Path(folder).glob("php-fpm[0-9]*"))
    ]
    assert found, "apt-get install php-fpm"
    return str(found[0])


@dataclass
class Site:
    """A running site.

    Attributes:
        folder: Its files; `pool.d/www.conf` is the pool.
        fpm: The first process of PHP-FPM.
        nginx: That of nginx.
        web: nginx's port.
        pool: PHP-FPM's.

    """

    folder: Path
    fpm: int
    nginx: int
    web: int
    pool: int

    @property
    def conf(self) -> Path:
        """The file of the pool."""
        return self.folder / "pool.d" / "www.conf"

    def page(self) -> str:
        """What the page says: PHP-FPM drops what is under way while it reads its files again."""
        end_s = time.monotonic() + PATIENCE_S
        while True:
            try:
                with urlopen(f"http://127.0.0.1:{self.web}/", timeout=10) as answer:
                    return str(answer.read().decode())
            except OSError:
                if time.monotonic() > end_s:
                    raise
                time.sleep(0.1)


@contextlib.contextmanager
def php_site(pool: str, page: str) -> Iterator[Site]:
    """A site with these keys of its pool, and this script."""
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        (folder / "pool.d").mkdir()
        web, inner = port.free(), port.free()
        (folder / "page.php").write_text(page)
        (folder / "fpm.conf").write_text(POOL.format(folder=folder))
        head = f"[www]\n{USER}listen = 127.0.0.1:{inner}\n"
        (folder / "pool.d" / "www.conf").write_text(head + pool)
        started = []
        for command in (
            [php_fpm(), "--fpm-config", str(folder / "fpm.conf")],
            own_nginx.command(folder, web, LOCATION.format(folder=folder, pool=inner)),
        ):
            with (folder / "out").open("ab") as out:
                process = subprocess.Popen(command, stdout=out, stderr=out)
            stack.callback(_end, process)
            started.append(process)
        fpm, nginx = started
        wait_for(lambda: (port.answers(inner) and port.answers(web)) or _has_ended(started))
        assert not _has_ended(started), (folder / "out").read_text()
        yield Site(folder, fpm.pid, nginx.pid, web, inner)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End it, also where it reads its files again and lets the first signal pass."""
    for send in (process.terminate, process.terminate, process.kill):
        send()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(PATIENCE_S)
            return


def _has_ended(processes: list[subprocess.Popen[bytes]]) -> bool:
    return any(one.poll() is not None for one in processes)
