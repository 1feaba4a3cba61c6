"""The lab as a user without rights and without a home has it."""

import importlib.metadata
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import headcount
from headcount import _engine

USER = 65534
"""`nobody` on every Linux."""


@contextmanager
def usable_folder() -> Iterator[Path]:
    """A folder of that user, with a copy of what they need: they may not see this one's."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name)
        package = Path(headcount.__file__).parent
        shutil.copytree(package / "lab", path / "headcount" / "lab")
        for module in (
            "__init__.py",
            "errors.py",
            "secret_text.py",
            Path(str(_engine.__file__)).name,
        ):
            shutil.copy(package / module, path / "headcount" / module)
        site = Path(str(importlib.metadata.distribution("headcount").locate_file("")))
        (described,) = site.glob("headcount-*.dist-info")
        shutil.copytree(described, path / described.name)
        if os.geteuid() == 0:
            for inner in (path, *path.rglob("*")):
                os.chown(inner, USER, USER)
        yield path


def run(folder: Path, program: str) -> subprocess.CompletedProcess[str]:
    """Run a program as that user, by an interpreter they may run; as this one if not root."""
    become = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups"]
    usable = "import os, sys\nsys.exit(not os.access(sys.executable, os.X_OK))"
    environment = {
        "PATH": "/usr/bin:/bin",
        "PYTHONPATH": str(folder),
        "XDG_CACHE_HOME": str(folder / "cache"),
    }
    if os.geteuid() != 0:
        become = []
    for python in (sys.executable, "/usr/bin/python3"):
        command = [*become, python, "-c"]
        options: dict[str, Any] = {"env": environment, "cwd": folder, "timeout": 60}
        if subprocess.run([*command, usable], check=False, **options).returncode == 0:
            return subprocess.run(
                [*command, program], check=False, capture_output=True, text=True, **options
            )
    raise AssertionError(f"user {USER} can run no Python")
