"""What a host needs to play users: this build of Headcount with its libraries, as one stream.

The files are those that the installed distributions list. Nothing else of this machine is sent.
"""

import hashlib
import json
import platform
import re
import tarfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import Distribution, PackageNotFoundError, distribution, distributions
from pathlib import Path
from typing import BinaryIO, cast

from packaging.requirements import Requirement

import headcount
from headcount.errors import InputError, SystemLimitError

ROOTS = ("headcount", "ray", "cryptography")
"""An installation for development may not list what `headcount[cluster]` adds."""
EXTRAS = {"headcount": frozenset({"cluster"})}
PLUGINS = "headcount."
"""Prefix of the entry point groups by which packages extend Headcount."""
OWN = "headcount"
LEFT_OUT = re.compile(
    r"(^|/)(__pycache__|tests)/|\.py[co]$|^ray/(jars|rllib|llm)/|direct_url\.json$"
)
"""Files that no agent loads: Ray's parts for Java and for learning are 50 MB."""
_EDITABLE = re.compile(r'"editable"\s*:\s*true')
FORM = 1
"""Increases when the layout of the folder on the host changes."""


@dataclass(frozen=True, slots=True)
class Part:
    """A file: where it is, and its path below `site-packages`."""

    path: Path
    name: str


class Build:
    """What is installed here, as it is sent."""

    def __init__(self) -> None:
        """Find its distributions; raises InputError if one is missing or cannot be sent."""
        self.distributions = needed()

    @cached_property
    def parts(self) -> list[Part]:
        """All files, in a fixed order."""
        found = [part for one in self.distributions for part in _files(one)]
        return sorted({part.name: part for part in found}.values(), key=lambda one: one.name)

    @cached_property
    def size_bytes(self) -> int:
        """How many bytes its files have."""
        return sum(part.path.stat().st_size for part in self.parts)

    @cached_property
    def hash(self) -> str:
        """Identifies its contents: versions of what is installed, and Headcount's own files.

        Two installations with the same hash behave alike.
        """
        digest = hashlib.sha256()
        versions = sorted(f"{one.name} {one.version}" for one in self.distributions)
        about = [FORM, platform.python_version_tuple()[:2], platform.machine(), versions]
        digest.update(json.dumps(about).encode())
        for part in self.parts:
            if part.name.startswith(f"{OWN}/"):
                digest.update(f"{part.name}\0".encode())
                digest.update(hashlib.sha256(part.path.read_bytes()).digest())
        return digest.hexdigest()[:16]

    def send(self, sender: "Sender") -> None:
        """Send a tar; raises OSError if the other end is gone, SystemLimitError for a file."""
        with tarfile.open(fileobj=cast("BinaryIO", sender), mode="w|", bufsize=1 << 20) as tar:
            for part in self.parts:
                try:
                    file = part.path.open("rb")
                except OSError as error:
                    raise SystemLimitError(
                        f"cannot read {part.path}: {error.strerror}; install Headcount again"
                    ) from error
                with file:
                    about = tar.gettarinfo(arcname=part.name, fileobj=file)
                    about.uid = about.gid = 0
                    about.uname = about.gname = "root"
                    tar.addfile(about, file)
        sender.end()


class Sender:
    """Writes a stream in chunks, each preceded by its length."""

    def __init__(self, output: BinaryIO, note: Callable[[int], None]) -> None:
        """Nothing is sent yet; `note` is called with the bytes of each chunk."""
        self._output = output
        self._note = note

    def write(self, data: bytes) -> int:
        """Send a chunk; raises OSError if the other end is gone."""
        self._write(len(data).to_bytes(4, "big") + data)
        self._note(len(data))
        return len(data)

    def end(self) -> None:
        """Send the last chunk, which is empty."""
        self._write(bytes(4))

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[self._output.write(view) :]


def needed() -> list[Distribution]:
    """The distributions of `headcount[cluster]`, of its plugins, and all that they need."""
    found: dict[str, Distribution] = {}
    seen: set[tuple[str, frozenset[str]]] = set()
    left = [(root, EXTRAS.get(root, frozenset())) for root in [*ROOTS, *_plugins()]]
    while left:
        name, extras = left.pop()
        key = re.sub(r"[-_.]+", "-", name).lower()
        if (key, extras) in seen:
            continue
        seen.add((key, extras))
        try:
            found[key] = distribution(name)
        except PackageNotFoundError:
            raise InputError(
                f"a cluster needs {name}, which is not installed: pip install 'headcount[cluster]'"
            ) from None
        wanted = (_requirement(text, extras) for text in found[key].requires or [])
        left += [one for one in wanted if one is not None]
    return [found[name] for name in sorted(found)]


def _plugins() -> Iterator[str]:
    for one in distributions():
        if any(entry.group.startswith(PLUGINS) for entry in one.entry_points):
            yield one.name


def _requirement(text: str, extras: frozenset[str]) -> tuple[str, frozenset[str]] | None:
    """Name and extras of a requirement; None if it does not apply here."""
    wanted = Requirement(text)
    marker = wanted.marker
    if marker is None or any(marker.evaluate({"extra": one}) for one in extras | {""}):
        return wanted.name, frozenset(wanted.extras)
    return None


def _files(one: Distribution) -> Iterator[Part]:
    if one.name == OWN:
        yield from _own_files(one)
        return
    if _EDITABLE.search(one.read_text("direct_url.json") or ""):
        raise InputError(
            f"{one.name} is installed as a link to its sources, which cannot be sent; install it "
            "with pip install FOLDER"
        )
    for file in one.files or []:
        name = file.as_posix()
        if not name.startswith(("../", "/")) and not LEFT_OUT.search(name):
            path = Path(str(one.locate_file(file)))
            if path.is_file():
                yield Part(path, name)


def _own_files(one: Distribution) -> Iterator[Part]:
    """Headcount's package from where it is imported, which may be its sources."""
    folder = Path(headcount.__file__).parent
    for path in folder.rglob("*"):
        name = f"{OWN}/{path.relative_to(folder).as_posix()}"
        if path.is_file() and not LEFT_OUT.search(name):
            yield Part(path, name)
    for file in one.files or []:
        if file.name in ("METADATA", "entry_points.txt"):
            yield Part(Path(str(one.locate_file(file))), file.as_posix())
