"""A description of an API in several files: one document, with references from part to part."""

from pathlib import Path
from typing import Any
from urllib.parse import unquote

from headcount.importers.journey import unmarked
from headcount.importers.stranger import table, yaml_of

FILES = "x-headcount-files"
"""Where the other files are in the document: their contents by their paths."""
MOST_FILES = 500


def whole_description(path: Path, what: str) -> tuple[dict[str, Any], list[str]]:
    """The document with the files it refers to, and references that were not followed.

    Followed are files in its folder and below, not other addresses. Raises InputError that names
    the file and says that it is not `what`.
    """
    reader = _Reader(path, what)
    return reader.document, sorted(reader.outside)


class _Reader:
    def __init__(self, path: Path, what: str) -> None:
        self.what = what
        self.main = path
        self.folder = path.parent.resolve()
        self.outside: set[str] = set()
        self.waiting: list[tuple[Path, str]] = []
        """Files to read, and their keys."""
        self.known = {self.main.resolve(): ""}
        self.document = table(yaml_of(path, what))
        self._rewrite(self.document, self.main.resolve())
        files: dict[str, Any] = {}
        while self.waiting:
            other, key = self.waiting.pop()
            files[key] = yaml_of(other, what)
            self._rewrite(files[key], other)
        if files:
            self.document[FILES] = files

    def _rewrite(self, whole: Any, file: Path) -> None:
        """Let the references of a file lead to where its targets are in the document."""
        rest = [whole]
        while rest:
            value = rest.pop()
            if isinstance(value, dict):
                reference = value.get("$ref")
                if isinstance(reference, str):
                    value["$ref"] = self._moved(reference, file)
                rest += value.values()
            elif isinstance(value, list):
                rest += value

    def _moved(self, reference: str, file: Path) -> str:
        other, _, pointer = reference.partition("#")
        if pointer and not pointer.startswith("/"):
            pointer = f"/{pointer}"
        if not other:
            return self._place(self.known[file], pointer)
        key = self._key(other, file)
        if key is None:
            self.outside.add(unmarked(reference)[:100])
            return reference
        return self._place(key, pointer)

    def _place(self, key: str, pointer: str) -> str:
        return (
            f"#/{FILES}/{key.replace('~', '~0').replace('/', '~1')}{pointer}"
            if key
            else (f"#{pointer}")
        )

    def _key(self, name: str, file: Path) -> str | None:
        """The key of a file that another one names; None for one that is not read."""
        if "://" in name or "\0" in name:
            return None
        path = (file.parent / unquote(name)).resolve()
        if path in self.known:
            return self.known[path]
        if not path.is_relative_to(self.folder) or not path.is_file():
            return None
        if len(self.known) >= MOST_FILES:
            return None
        # Pointers are decoded: a name must not look encoded.
        key = f"{len(self.known)} {path.relative_to(self.folder).as_posix()}".replace("%", "_")
        self.known[path] = key
        self.waiting.append((path, key))
        return key
