"""Other load generators, to compare with: those of Debian, and those built here once."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from bench.example import ROOT

FOLDER = ROOT / "target" / "peers"
LONGEST_S = 3600.0

BUILDS: Mapping[str, tuple[str, ...]] = {
    "oha": ("cargo", "install", "--quiet", "--locked", "--root", str(FOLDER), "oha"),
    "k6": ("go", "install", "go.k6.io/k6@latest"),
}
"""What builds a tool that Debian does not have, from its source."""


def found(names: tuple[str, ...]) -> list[str]:
    """Those of the tools that are here, with their folder put on the PATH.

    What Debian does not have is built, which takes some minutes the first time. A tool that is
    unavailable is named on standard error, and left out.
    """
    folder = str(FOLDER / "bin")
    if folder not in os.environ["PATH"].split(os.pathsep):
        os.environ["PATH"] = os.pathsep.join([os.environ["PATH"], folder])
    return [name for name in names if shutil.which(name) or _built(name)]


def _built(name: str) -> bool:
    command = BUILDS.get(name)
    if command is None or shutil.which(command[0]) is None:
        how = f"needs {command[0]} to be built" if command else "is not installed"
        print(f"{name} is left out: it {how}", file=sys.stderr)
        return False
    print(f"building {name}, once, in {FOLDER}", file=sys.stderr)
    environment = os.environ | {"GOBIN": str(Path(FOLDER) / "bin")}
    try:
        subprocess.run(command, check=True, env=environment, timeout=LONGEST_S)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        print(f"{name} is left out: {error}", file=sys.stderr)
        return False
    return shutil.which(name) is not None
