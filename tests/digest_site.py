"""A real Apache whose users prove themselves by Digest, with WebDAV and a page of many pictures."""

import hashlib
import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from headcount.lab import port
from processes import wait_for

PROGRAM = "/usr/sbin/apache2"
MODULES = Path("/usr/lib/apache2/modules")
REALM, PASSWORD = "the lab, area=1", "a word of the test"
USERS, PICTURES = 20, 30
NAMES = (
    "mpm_event",
    "mime",
    "authn_core",
    "authn_file",
    "authz_core",
    "authz_user",
    "auth_digest",
    "dav",
    "dav_fs",
    "proxy",
    "proxy_http",
    "proxy_wstunnel",
)
CONFIGURATION = """
ServerRoot {folder}
ServerName localhost
Listen 127.0.0.1:{port}
PidFile {folder}/pid
DefaultRuntimeDir {folder}
DocumentRoot {folder}
ErrorLog {folder}/errors
LogLevel info
LogFormat "%m %U %>s %u" seen
CustomLog {folder}/requests seen
DavLockDB {folder}/dav/locks
TypesConfig /etc/mime.types
KeepAlive On
AuthDigestShmemSize 1M
<Directory {folder}>
Require all granted
</Directory>
<Location />
AuthType Digest
AuthName "{realm}"
AuthUserFile {folder}/users
AuthDigestNcCheck {counts}
Require valid-user
</Location>
<Location /dav>
Dav On
</Location>
"""


@dataclass(frozen=True, slots=True)
class DigestSite:
    """One that runs."""

    folder: Path
    port: int

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}/"

    def requests(self, least: int) -> list[tuple[str, str, int, str]]:
        """Method, path, status and user of all requests, once this many are in its log."""
        wait_for(lambda: len(self._lines()) >= least)
        words = [line.split() for line in self._lines()]
        return [(method, path, int(status), user) for method, path, status, user in words]

    def errors(self) -> str:
        """Its log of errors."""
        return (self.folder / "errors").read_text("utf-8")

    def _lines(self) -> list[str]:
        file = self.folder / "requests"
        return file.read_text("utf-8").splitlines() if file.exists() else []


def _configuration(folder: Path, number: int, *, counts: bool, chat: str) -> str:
    lines = [f"LoadModule {name}_module {MODULES}/mod_{name}.so" for name in NAMES]
    if os.geteuid() == 0:
        lines += ["User www-data", "Group www-data"]
    values = {"folder": folder, "port": number, "realm": REALM, "counts": "On" if counts else "Off"}
    if chat:
        lines.append(f"ProxyPass /chat {chat.replace('http', 'ws', 1)}chat")
    return "\n".join(lines) + CONFIGURATION.format(**values)


def _md5(text: str) -> str:
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


def _with_files(folder: Path) -> None:
    """Put its pages there, and its users, as htdigest writes them."""
    for made, mode in ((folder, 0o755), (folder / "dav", 0o777)):  # workers are of another account
        made.mkdir(exist_ok=True)
        made.chmod(mode)
    pictures = "".join(f"<img src=/{number}.png>" for number in range(PICTURES))
    (folder / "page.html").write_text(pictures, "utf-8")
    for number in range(PICTURES):
        (folder / f"{number}.png").write_bytes(bytes(1000))
    users = [f"user{number}:{REALM}" for number in range(USERS)]
    hashed = [f"{one}:{_md5(f'{one}:{PASSWORD}')}" for one in users]
    (folder / "users").write_text("\n".join(hashed) + "\n", "utf-8")


@contextmanager
def served(*, counts: bool = False, chat: str = "") -> Iterator[DigestSite]:
    """Run one; with `counts` it refuses a proof whose number is not above those before it.

    `chat` is the address of a chat that it leads to.
    """
    with tempfile.TemporaryDirectory() as name:
        folder, number = Path(name), port.free()
        _with_files(folder)
        configuration = folder / "apache.conf"
        configuration.write_text(_configuration(folder, number, counts=counts, chat=chat), "utf-8")
        command = [PROGRAM, "-X", "-f", str(configuration)]
        with (
            (folder / "out").open("wb") as out,
            subprocess.Popen(command, stdout=out, stderr=out) as process,
        ):
            try:
                wait_for(lambda: process.poll() is not None or port.answers(number))
                assert process.poll() is None, (folder / "out").read_text("utf-8")
                yield DigestSite(folder, number)
            finally:
                process.terminate()
                process.wait()
