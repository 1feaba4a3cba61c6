"""Files as a Debian package ships them, checked against dpkg's checksums."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from headcount.errors import MachineLimitError, SystemLimitError
from headcount.lab.installed import NotInstalledError, apt_command, command_output, find

ROOT = Path("/")
"""The root of packages' paths."""
_SUM = re.compile(r"\s*/?(\S.*?)\s+([0-9a-f]{32})(?:\s+obsolete)?", re.ASCII)
_LISTED = re.compile(r"([0-9a-f]{32})\s+(\S.*)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Shipped:
    """Files of packages.

    Attributes:
        packages: The packages that they belong to.
        folder: The absolute path of the folder that they are in.
        names: Patterns of their paths in it.

    """

    packages: tuple[str, ...]
    folder: str
    names: tuple[str, ...] = ("*",)

    def texts(self, server: str) -> dict[str, str]:
        """The files by their paths in the folder.

        Raises MachineLimitError without dpkg, and for a file that is not as it was shipped.
        """
        found: dict[str, str] = {}
        for package in self.packages:
            for path, known in sums(package, server).items():
                name = path.removeprefix(self.folder.lstrip("/") + "/")
                if name == path or not any(fnmatch(name, one) for one in self.names):
                    continue
                found[name] = _checked(package, ROOT / path, known)
        return found


def sums(package: str, server: str) -> Mapping[str, str]:
    """The MD5 sums of a package's files by their paths, which begin without a slash.

    Raises MachineLimitError without dpkg, or without the package.
    """
    dpkg = find(
        "dpkg-query",
        f"profile=stock of {server} needs Debian or Ubuntu, whose dpkg knows what is shipped, and "
        "there is no dpkg-query here; leave out profile=stock",
        (),
    )
    try:
        configuration = command_output([dpkg, "-W", "-f=${Conffiles}\\n", package])
        others = command_output([dpkg, "--control-show", package, "md5sums"])
    except SystemLimitError as error:
        raise NotInstalledError(
            f"profile=stock of {server} needs the files of the package {package}, which is not "
            f"installed here; install it first: {apt_command([package])}"
        ) from error
    listed = [match for line in others.splitlines() if (match := _LISTED.fullmatch(line))]
    own = [match for line in configuration.splitlines() if (match := _SUM.fullmatch(line))]
    return {
        **{match[2]: match[1] for match in listed},
        **{match[1]: match[2] for match in own if not match[0].endswith("obsolete")},
    }


def _checked(package: str, path: Path, known: str) -> str:
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        content = None
    except OSError as error:
        raise MachineLimitError(f"cannot read {path}: {error.strerror}") from error
    # dpkg's own checksums show whether somebody edited a file, not an attack on it.
    is_shipped = (
        content is not None and hashlib.md5(content, usedforsecurity=False).hexdigest() == known
    )
    if content is None or not is_shipped:
        raise MachineLimitError(
            f"{path} is {'not there' if content is None else 'changed'}, and profile=stock takes "
            f"the files that {package} ships; measure a server with settings of your own by its "
            "address, or restore the file: apt-get install --reinstall -o "
            f"Dpkg::Options::=--force-confnew,confmiss {package}"
        )
    return content.decode("utf-8", "surrogateescape")
