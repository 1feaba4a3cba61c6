"""Reading the documents from their files."""

import tomllib
from decimal import Decimal
from functools import cache
from importlib.resources import files

from headcount.analyse.published.model import Document
from headcount.errors import InputError

NAMES = ("nt4_file_server", "fsct", "loadsim", "pc_server_330", "sas_sort")
"""The files of `data`, in the order in which results are listed."""


@cache
def documents() -> tuple[Document, ...]:
    """Every document, oldest subject first."""
    return tuple(Document.model_validate(read("data", name)) for name in NAMES)


def read(folder: str, name: str) -> dict[str, object]:
    """A data file, with numbers as printed."""
    text = files("headcount.analyse.published").joinpath(folder, f"{name}.toml").read_text("utf-8")
    return tomllib.loads(text, parse_float=Decimal)


def document(name: str) -> Document:
    """One document by its id; raises InputError when there is none."""
    for found in documents():
        if found.id == name:
            return found
    known = ", ".join(one.id for one in documents())
    raise InputError(f'there is no published source "{name}"; there are: {known}')
