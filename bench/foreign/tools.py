"""The programs that the cases start: Debian packages, and what is built outside the tree."""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

PROGRAMS = Path(__file__).parent / "programs"
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "headcount-bench"
PACKAGES = (
    *("haproxy", "lighttpd", "nginx", "nodejs", "npm", "openjdk-17-jdk-headless", "pgbouncer"),
    *("libpostgresql-jdbc-java", "lighttpd-mod-deflate", "php-fpm", "postgresql", "redis-server"),
    *("apache2-bin", "dovecot-imapd", "libidn12", "mariadb-client-core", "maven"),
    *("mariadb-server-core", "memcached", "openssh-server", "postfix", "puma", "samba", "squid"),
    *("starman", "uwsgi-core", "uwsgi-plugin-python3", "varnish"),
)
"""Debian's. Node and the JDK may also come from elsewhere."""
FOUND_AS = {
    "haproxy": "/usr/sbin/haproxy",
    "lighttpd": "/usr/sbin/lighttpd",
    "lighttpd-mod-deflate": "/usr/lib/lighttpd/mod_deflate.so",
    "nginx": "/usr/sbin/nginx",
    "nodejs": "node",
    "npm": "npm",
    "openjdk-17-jdk-headless": "javac",
    "pgbouncer": "/usr/sbin/pgbouncer",
    "php-fpm": "/usr/sbin/php-fpm8.2",
    "redis-server": "/usr/bin/redis-server",
    "postgresql": "/usr/bin/psql",
    "libpostgresql-jdbc-java": "/usr/share/java/postgresql.jar",
    "apache2-bin": "/usr/sbin/apache2",
    "dovecot-imapd": "/usr/lib/dovecot/imap",
    "libidn12": "/usr/share/doc/libidn12",
    "mariadb-client-core": "/usr/bin/mariadb",
    "maven": "mvn",
    "mariadb-server-core": "/usr/sbin/mariadbd",
    "memcached": "/usr/bin/memcached",
    "openssh-server": "/usr/sbin/sshd",
    "postfix": "/usr/sbin/postfix",
    "puma": "/usr/bin/puma",
    "samba": "/usr/sbin/smbd",
    "squid": "/usr/sbin/squid",
    "starman": "/usr/bin/starman",
    "uwsgi-core": "/usr/bin/uwsgi-core",
    "uwsgi-plugin-python3": "/usr/lib/uwsgi/plugins/python311_plugin.so",
    "varnish": "/usr/sbin/varnishd",
}
EXIM = "exim4-daemon-light"
"""Its package excludes Postfix's, so it is only unpacked; it needs libidn12."""
CADDY = "github.com/caddyserver/caddy/v2/cmd/caddy@v2.11.9"
PYTHON_PACKAGES = ("gunicorn==23.0.0", "uvicorn==0.38.0", "psycopg[binary]==3.2.13")
SHOP_PACKAGES = (
    *("waitress==3.0.2", "hypercorn==0.17.3", "sqlalchemy==2.0.36", "dnspython==2.7.0"),
    *("psycopg[binary]==3.2.13", "smbprotocol==1.15.0"),
)
NODE_PACKAGES = ("pg@8.16.3",)
EXPRESS_PACKAGES = ("express@4.21.2", "piscina@4.8.0", "bottleneck@2.19.5")
JDBC = "/usr/share/java/postgresql.jar"
INSTALL = Path(__file__).parents[2] / "contrib" / "debian" / "install-unstarted.sh"
BUILD_S = 1200.0


@dataclass(frozen=True)
class Tools:
    """Where they are built; each is built when it is first asked for."""

    folder: Path

    def go(self) -> Path:
        """The application in Go."""
        made = self.folder / f"go-{_digest('app.go', 'go.mod', 'go.sum')}"
        if not made.exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            _run("go", "build", "-o", str(made), ".", cwd=PROGRAMS)
        return made

    def store(self) -> Path:
        """The shop in Go before MariaDB or memcached."""
        names = [f"store/{name}" for name in ("store.go", "go.mod", "go.sum")]
        made = self.folder / f"store-{_digest(*names)}"
        if not made.exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            _run("go", "build", "-o", str(made), ".", cwd=PROGRAMS / "store")
        return made

    def node(self) -> Path:
        """A folder with the application for Node and its modules."""
        return self._node("app.js", NODE_PACKAGES)

    def express(self) -> Path:
        """A folder with the shop on Express and its modules."""
        return self._node("shop.js", EXPRESS_PACKAGES)

    def _node(self, program: str, packages: tuple[str, ...]) -> Path:
        made = self.folder / f"node-{_digest(program, extra=packages)}"
        if not (made / program).exists():
            made.mkdir(parents=True, exist_ok=True)
            _run("npm", "install", "--no-fund", "--no-audit", "--prefix", str(made), *packages)
            shutil.copyfile(PROGRAMS / program, made / program)
        return made

    def java(self) -> str:
        """The class path of the application in Java."""
        made = self.folder / f"java-{_digest('App.java')}"
        if not (made / "App.class").exists():
            made.mkdir(parents=True, exist_ok=True)
            _run("javac", "-d", str(made), str(PROGRAMS / "App.java"))
        return f"{made}:{JDBC}"

    def tomcat(self) -> str:
        """The class path of the shop in Tomcat."""
        made = self.folder / f"tomcat-{_digest('tomcat/Shop.java', 'tomcat/pom.xml')}"
        if not (made / "Shop.class").exists():
            made.mkdir(parents=True, exist_ok=True)
            fetch = ["dependency:copy-dependencies", f"-DoutputDirectory={made}"]
            _run("mvn", "-q", "-B", *fetch, cwd=PROGRAMS / "tomcat")
            _run("javac", "-d", str(made), "-cp", f"{made}/*", str(PROGRAMS / "tomcat/Shop.java"))
        return f"{made}:{made}/*:{JDBC}"

    def axum(self) -> Path:
        """The shop in Rust."""
        names = [f"axum/{name}" for name in ("src/main.rs", "Cargo.toml", "Cargo.lock")]
        made = self.folder / f"axum-{_digest(*names)}"
        program = made / "release/shop"
        if not program.exists():
            made.mkdir(parents=True, exist_ok=True)
            how = ["--release", "--locked", "--target-dir", str(made)]
            _run("cargo", "build", *how, cwd=PROGRAMS / "axum")
        return program

    def python(self) -> Path:
        """A Python with gunicorn, uvicorn and psycopg."""
        return self._python(PYTHON_PACKAGES)

    def shops(self) -> Path:
        """A Python with waitress, Hypercorn and what the shop needs."""
        return self._python(SHOP_PACKAGES)

    def _python(self, packages: tuple[str, ...]) -> Path:
        made = self.folder / f"python-{_digest(extra=packages)}"
        done = made / "installed"
        if not done.exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            _run(sys.executable, "-m", "venv", str(made))
            _run(str(made / "bin/pip"), "install", "--quiet", *packages)
            done.touch()
        return made / "bin/python"

    def exim(self) -> Path:
        """Exim, from its Debian package."""
        made = self.folder / "exim"
        program = made / "usr/sbin/exim4"
        if not program.exists():
            made.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory() as name:
                _run("apt-get", "download", EXIM, cwd=Path(name))
                (package,) = Path(name).glob("*.deb")
                _run("dpkg-deb", "-x", str(package), str(made))
        return program

    def caddy(self) -> Path:
        """Caddy, from its sources."""
        made = self.folder / f"caddy-{_digest(extra=(CADDY,))}" / "caddy"
        if not made.exists():
            made.parent.mkdir(parents=True, exist_ok=True)
            _run("go", "install", CADDY, environment={"GOBIN": str(made.parent)})
        return made


def install() -> None:
    """Install the Debian packages that are missing, and start none of their services.

    Raises RuntimeError where that takes root.
    """
    missing = [
        name
        for name in PACKAGES
        if not (Path(FOUND_AS[name]).exists() or shutil.which(FOUND_AS[name]))
    ]
    if not missing:
        return
    if os.geteuid() != 0:
        raise RuntimeError(f"install these Debian packages first: {' '.join(missing)}")
    print(f"installing Debian packages: {' '.join(missing)}", flush=True)
    _run("sh", str(INSTALL), *missing)


def _digest(*names: str, extra: tuple[str, ...] = ()) -> str:
    """A short name for what something is built from."""
    parts = [(PROGRAMS / name).read_bytes() for name in names]
    parts += [text.encode() for text in extra]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:12]


def _run(*command: str, cwd: Path | None = None, environment: dict[str, str] | None = None) -> None:
    done = subprocess.run(
        command,
        cwd=cwd,
        env={**os.environ, **(environment or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=BUILD_S,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stdout[-2000:]}")
