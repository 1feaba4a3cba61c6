"""The programs of iproute2, which make networks of a run's own."""

import subprocess

from headcount.errors import MachineLimitError
from headcount.lab.installed import Packages, find

PACKAGES = Packages("iproute2", "iproute")
FOLDERS = ("/usr/sbin", "/sbin")
COMMAND_S = 20.0


def program(name: str = "ip") -> str:
    """The path of a program of iproute2; raises NotInstalledError."""
    return find(name, PACKAGES.advice("a network of the run's own needs iproute2"), FOLDERS)


def ip(*words: str, batch: str | None = None) -> str:
    """The output of ip; `batch` are commands on its standard input, one a line (with `-batch -`).

    Raises MachineLimitError with its complaint, NotInstalledError.
    """
    return _run("ip", words, batch)


def tc(*words: str, batch: str | None = None) -> str:
    """The same with tc."""
    return _run("tc", words, batch)


def _run(name: str, words: tuple[str, ...], batch: str | None) -> str:
    finished = subprocess.run(
        [program(name), *words],
        input=batch or "",
        capture_output=True,
        text=True,
        timeout=COMMAND_S,
        check=False,
    )
    if finished.returncode != 0:
        raise MachineLimitError(
            f"cannot make the run's network: {name} {' '.join(words)} says: "
            f"{finished.stderr.strip() or 'nothing'}; a container needs --cap-add NET_ADMIN and "
            "--cap-add SYS_ADMIN for it"
        )
    return finished.stdout
