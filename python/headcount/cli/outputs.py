"""Files that a command is asked to write, checked before the work is done."""

import os
from pathlib import Path

from headcount.errors import InputError
from headcount.output.error import explained
from headcount.output.file import ensure_folder, ensure_writable, write_page

WRITERS = {
    ".html": "headcount report BUNDLE -o {file}",
    ".pdf": "headcount report BUNDLE --pdf {file}",
    ".xlsx": "headcount export BUNDLE {file}",
    ".xls": "headcount export BUNDLE {stem}.xlsx",
    ".csv": "headcount export BUNDLE levels.csv",
    ".md": "headcount export BUNDLE {file}",
    ".json": "headcount export BUNDLE {file}",
    ".prom": "headcount export BUNDLE {file}",
    ".otlp": "headcount export BUNDLE {file}",
}
"""The command that writes each format, by file ending."""


def check_file(path: Path | None, option: str, ending: str) -> None:
    """Refuse a file that cannot be written, or whose ending another command writes."""
    if path is None:
        return
    where = f"{option} {path}".strip()
    if os.path.isdir(path):  # noqa: PTH112 - Path raises where a name is too long
        raise InputError(
            f"{where}: this is a folder; name a file in it, such as {path / 'report'}{ending}"
        )
    if not os.path.lexists(path.parent):
        raise InputError(
            f"{where}: there is no folder {path.parent}; create it first: mkdir -p {path.parent}"
        )
    other = path.suffix.lower()
    if other != ending and other in WRITERS:
        raise InputError(f"{where}: {writer(path)}")
    ensure_writable(path, option)


def check_log(path: Path) -> None:
    """Refuse a log that cannot be appended to; it need not exist yet."""
    if os.path.isdir(path):  # noqa: PTH112 - Path raises where a name is too long
        raise InputError(f"--log {path}: this is a folder; name a file in it")
    ensure_writable(path, "--log")


def writer(path: Path) -> str:
    """A sentence that names the command for a format."""
    command = WRITERS[path.suffix.lower()].format(file=path, stem=path.with_suffix(""))
    return f"{path.suffix} is written by: {command}"


def check_runs(folder: Path) -> None:
    """Refuse a folder for bundles that is something else."""
    if (folder / "events.ndjson").is_file():
        raise InputError(f"--runs {folder}: this is a bundle; give the folder that keeps bundles")
    if folder.exists() and not folder.is_dir():
        raise InputError(f"--runs {folder}: this is a file; give a folder")
    ensure_folder(folder, "--runs")


def check_bundle(folder: Path) -> None:
    """Refuse a bundle whose folder is not writable."""
    try:
        write_page(folder)
    except OSError as error:
        remedy = "copy the bundle to a folder that you can write to"
        raise explained(folder, error, remedy) from error


def bundle_folder(path: Path) -> Path:
    """The bundle's folder, also if the path is one of its files, such as report.html."""
    return path.parent if path.is_file() and (path.parent / "plan.toml").is_file() else path
