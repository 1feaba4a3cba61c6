"""What the lab web servers have in common: a folder of pages behind a loopback port."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from headcount.errors import SystemLimitError
from headcount.lab import certificate, port
from headcount.lab.alias import Alias
from headcount.lab.home import Home, open_base
from headcount.lab.kept import Kept, KeptServer
from headcount.lab.setting import STOCK
from headcount.lab.stock import Stock

STATUS = "/headcount-status"
"""Where the server reports its own figures."""
CONFIGURATION = "etc"
"""The folder in the home with the shipped files, in the profile `stock`."""
PASSABLE = 0o711
LOG, ACCESS_LOG = "errors", "requests"
"""Files in the home: what went wrong, and, if it is wanted, each request."""


class WebServer(Kept, ABC):
    """A web server in the lab, running.

    Attributes:
        url: Where it serves the pages, without a slash at the end.
        data: The folder that it serves; the data set's pages go there.
        home: The folder of all its files.
        authority: The certificate that users must trust; None without TLS.
        status_url: Where it reports its own figures; None if it has no page for that.
        stock: What Debian ships.
        stock_log: The file in the home with what went wrong in the profile `stock`.
        stock_status: Where the server reports its own figures in that profile, if it does.

    """

    name: str
    address: str
    url: str
    status_url: str | None
    data: Path
    home: Path
    authority: Path | None
    stock: Stock | None = None
    stock_log = LOG
    stock_status: str | None = None

    def __init__(self, settings: Mapping[str, str], programs: Mapping[str, str]) -> None:
        """Start it with complete settings; raises SystemLimitError if that fails."""
        self.is_stock = settings.get("profile") == STOCK
        shown = self.stock.disclosed if self.stock is not None and self.is_stock else {}
        self.settings: Mapping[str, str] = {**settings, **shown}
        self.programs: Mapping[str, str] = programs
        self._is_tls = settings.get("tls") == "on"
        self._parts = port.started(self.name, self._start)

    def _start(self, parts: ExitStack) -> bool:
        """Whether it listens; False if another program has taken the port."""
        number = self.chosen_port()
        home = Home(self.name, open_base() if self.is_stock else None)
        parts.callback(home.delete)
        self.home = home.path.absolute()
        log = self.home / (self.stock_log if self.is_stock else LOG)
        self.logs: Mapping[str, Path] = {self.name: log}
        self.data = self.home / "pages"
        self.authority = self.home / certificate.AUTHORITY if self._is_tls else None
        alias = Alias(self.home)
        parts.callback(alias.close)
        place = self.place(alias.path)
        try:
            for folder in (self.data, self.home / "run"):
                folder.mkdir()
            self._configure(place, number)
        except OSError as error:
            raise SystemLimitError(
                f"cannot write the server's files in {self.home}: {error.strerror}; choose another "
                "folder: XDG_CACHE_HOME=/some/folder headcount run ..."
            ) from error
        if self._is_tls:
            certificate.make(self.home)
        self.server = server = KeptServer(self.command(place), self.home, self.name)
        parts.callback(server.stop)
        if not self.has_port(number, log):
            return False
        self.address, self.pids = f"{port.host()}:{number}", [server.server_pid]
        self.url = f"{'https' if self._is_tls else 'http'}://{self.address}"
        status = self.stock_status if self.is_stock else STATUS
        self.status_url = None if status is None else self.url + status
        return True

    def chosen_port(self) -> int:
        """The port that it must listen on."""
        return port.free()

    def has_port(self, number: int, log: Path) -> bool:
        """Wait until it listens; False if another program has taken the port."""
        return self.server.got_port(number, log)

    def _configure(self, place: Path, number: int) -> None:
        """Write the configuration; raises OSError, and MachineLimitError for shipped files."""
        if self.stock is None or not self.is_stock:
            (self.home / "configuration").write_text(self.configuration(place, number), "utf-8")
            return
        self.home.chmod(PASSABLE)  # its processes run as Debian's user for them
        fields = {"home": str(place), "host": port.host(), "port": str(number)}
        self.stock.write(self.home / CONFIGURATION, fields)

    def place(self, alias: Path) -> Path:
        """The home under the name that the program uses; raises SystemLimitError."""
        return alias

    @abstractmethod
    def configuration(self, place: Path, number: int) -> str:
        """The configuration that serves the home's pages on this port."""

    @property
    @abstractmethod
    def most(self) -> Mapping[str, int]:
        """How many `workers` or `connections` it has at a time."""

    @abstractmethod
    def command(self, place: Path) -> list[str]:
        """The command that serves in the foreground."""

    def stop(self) -> None:
        """End it and delete what it stored; safe to call twice."""
        self._parts.close()
