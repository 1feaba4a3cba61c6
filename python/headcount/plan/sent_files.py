"""Files beside a workload that HTTP steps send unchanged."""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from headcount.fields.mistakes import Place
from headcount.foreign.file import content, opened
from headcount.plan.workload import Workload

MOST_BYTES = 256 << 20
"""Most bytes of all files: each process that plays users holds them, and each machine gets them."""
SentFiles = dict[str, bytes | bytearray]
"""The contents of files, by their paths."""
_PLACEHOLDER = re.compile(r"\{[A-Za-z_]")


def with_paths(values: Any, folder: Path) -> Any:
    """The values of a workload file with relative paths resolved against its folder."""
    if isinstance(values, list):
        return [with_paths(one, folder) for one in values]
    if not isinstance(values, Mapping):
        return values
    if "op" not in values:
        return {key: with_paths(one, folder) for key, one in values.items()}
    step = _with_path(values, "body_file", folder)
    fields = step.get("multipart")
    if isinstance(fields, Mapping):
        named = {
            name: _with_path(field, "file", folder) if isinstance(field, Mapping) else field
            for name, field in fields.items()
        }
        step["multipart"] = named
    return step


def _with_path(table: Mapping[str, Any], key: str, folder: Path) -> dict[str, Any]:
    name = table.get(key)
    path = {key: str((folder / name).absolute())} if isinstance(name, str) and name else {}
    return {**table, **path}


def sent_files(workload: Workload) -> SentFiles:
    """The contents of all files that steps send, by their paths, each once.

    Raises InputError for a file that cannot be read, or if they are too long together.
    """
    found: SentFiles = {}
    left = MOST_BYTES
    for _, path in _named(workload):
        if path not in found:
            found[path] = content(Path(path), max(left, 0), what=f"the file {path}")
            left -= len(found[path])
    return found


def file_mistakes(workload: Workload) -> list[tuple[Place, str]]:
    """Mistakes in files that steps send, with the keys that name them; reads none of the files."""
    found: list[tuple[Place, str]] = []
    sizes: dict[str, int] = {}
    for place, path in _named(workload):
        if path in sizes:
            continue
        try:
            with opened(Path(path)) as file:
                sizes[path] = os.fstat(file.fileno()).st_size
        except OSError as error:
            found.append((place, _unreadable(path, error)))
            continue
        if sum(sizes.values()) > MOST_BYTES:
            found.append((place, _too_long(path, sizes)))
    return found


def _unreadable(path: str, error: OSError) -> str:
    name = Path(path).name
    if _PLACEHOLDER.search(name) is not None:
        return (
            f'"{name}" has a placeholder, and a file is the same for all users: write its name; '
            "for several files write several steps, and choose between them"
        )
    return f"the file {path} cannot be read: {error.strerror or error}"


def _too_long(path: str, sizes: Mapping[str, int]) -> str:
    others = sum(sizes.values()) - sizes[path]
    more = f", and those before it {others:,}" if others else ""
    return (
        f"the file {path} has {sizes[path]:,} bytes{more}; all files that steps send may have "
        f"{MOST_BYTES:,} together, because the generator holds them: send a shorter one, or "
        "body_bytes, which are made as they are sent"
    )


def _named(workload: Workload) -> Iterator[tuple[Place, str]]:
    """The places of all files that steps send, and their paths."""
    values = workload.model_dump(
        mode="json", by_alias=True, exclude_none=True, include={"setup", "scenarios"}
    )
    return _in_entries(values, ())


def _in_entries(values: Any, at: Place) -> Iterator[tuple[Place, str]]:
    if isinstance(values, list):
        for number, one in enumerate(values):
            yield from _in_entries(one, (*at, str(number)))
    if not isinstance(values, Mapping):
        return
    if "op" not in values:
        for key, one in values.items():
            yield from _in_entries(one, (*at, key))
        return
    if isinstance(name := values.get("body_file"), str):
        yield (*at, "body_file"), name
    fields = values.get("multipart")
    for name, field in fields.items() if isinstance(fields, Mapping) else ():
        if isinstance(field, Mapping) and isinstance(path := field.get("file"), str):
            yield (*at, "multipart", name, "file"), path
