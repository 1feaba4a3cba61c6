"""Files of this machine, or of what it has mounted."""

from collections.abc import Mapping
from typing import Literal
from urllib.parse import unquote, urlsplit

from pydantic import Field

from headcount.errors import InputError
from headcount.fields.mistakes import read_table
from headcount.fields.model import Strict, Switch
from headcount.protocols.folders import FAMILY, NEEDED, TABLES, Folder, is_own_step
from headcount.protocols.protocol import Protocol, Scheme
from headcount.protocols.target import Place

OPEN_FILES = 4
"""Files a user can have open at a time (`SLOTS` of crates/tree)."""


class FilesClient(Strict):
    """The names of users of a folder, and how the engine makes their system calls."""

    folder: Folder = Field(
        default="headcount\\user{n:05}",
        description="Each user's folder, inside a folder that only Headcount uses",
    )
    first_user: int = Field(default=0, ge=0, le=10_000_000, description="Number of the first user")
    mode: Literal["buffered", "direct", "dsync"] = Field(
        default="buffered",
        description="Through the page cache, past it, or synced with every write",
    )
    engine: Literal["auto", "io_uring", "threads"] = Field(
        default="auto", description="How to issue reads and writes"
    )
    threads: int = Field(default=128, ge=1, le=4096, description="Most calls in threads at a time")
    verify: Switch = Field(default=True, description="Whether to check the data read")


def files_client(given: Mapping[str, str]) -> FilesClient:
    """The `[client]` table of a plan for files; raises InputError with every mistake in it."""
    return read_table(FilesClient, given, "[client]")


def _place(text: str, _path: str, _form: str) -> Place:
    parts = urlsplit(text)
    folder = unquote(parts.path)
    there = parts.netloc in ("", "localhost") and folder.startswith("/") and text[5:7] == "//"
    if not there or parts.query or parts.fragment or "\0" in folder:
        raise InputError(
            f'the target "{text}" must name a folder of this machine by its absolute path, with '
            "three slashes and special characters as in web addresses: file:///mnt/my%20share"
        )
    return Place(folder=folder.rstrip("/") or "/")


PROTOCOL = Protocol(
    name="files",
    form="file:///folder",
    schemes={"file": Scheme()},
    labs={"files": "headcount.lab.files:FilesServer"},
    access="headcount.controller.access.files",
    usual_workload="home-folders",
    place=_place,
    client=files_client,
    family=FAMILY,
    tables=TABLES,
    needed=NEEDED,
    is_own_step=is_own_step,
    handles=OPEN_FILES,
    are_files=True,
)
