"""`lab:files`: a folder of its own on a disk of this machine, deleted at the end of the run."""

import contextlib
from collections.abc import Mapping
from pathlib import Path

from headcount.errors import InputError, SystemLimitError
from headcount.lab import home

SETTINGS = {"path": "a folder on the disk to measure"}
"""What a plan's `[server]` table may set."""
AROUND = ".headcount-lab"
"""The folder for those of runs, in the named one: a run deletes what a killed one left in it, so
nothing else may be there."""


class FilesServer:
    """Files in the lab. Nothing runs: the kernel serves them."""

    @staticmethod
    def check_settings(settings: Mapping[str, str]) -> None:
        """Raise InputError for settings that it does not have; starts nothing."""
        unknown = [key for key in settings if key not in SETTINGS]
        if unknown:
            has = ", ".join(SETTINGS)
            raise InputError(f"lab:files has no setting {unknown[0]}; it has: {has}")

    def __init__(self, settings: Mapping[str, str]) -> None:
        """Make the folder; raises InputError for wrong settings, else SystemLimitError."""
        self.check_settings(settings)
        self._around: Path | None = None
        path = settings.get("path")
        if path is not None:
            self._around = _around(path)
        try:
            self._home = home.Home("files", self._around)
        except SystemLimitError:
            if path is None:
                raise
            raise InputError(
                f'path is "{path}", where no folder can be created; choose one that can be '
                "written: --set path=/mnt/disk"
            ) from None
        self.address = str(self._home.path.resolve())
        self.home = Path(self.address)
        self.logs: Mapping[str, Path] = {}
        self.pids: list[int] = []
        self.programs: Mapping[str, str] = {}
        self.settings: Mapping[str, str] = {"path": str(path or home.base())}

    def stop(self) -> None:
        """Delete it with everything in it; safe to call twice."""
        self._home.delete()
        if self._around is not None:
            with contextlib.suppress(OSError):  # another run has a folder there
                self._around.rmdir()


def _around(path: str) -> Path:
    if not Path(path).is_absolute() or not Path(path).is_dir():
        raise InputError(
            f'path is "{path}"; it must be the absolute path of an existing folder: '
            "--set path=/mnt/disk"
        )
    return Path(path) / AROUND
