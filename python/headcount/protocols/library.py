"""The library of a data set: files of a few classes, each of one size and one kind of contents."""

from collections import Counter
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from headcount.fields.model import Size, Strict
from headcount.fields.units import size_bytes

BLOCK_BYTES = 4096
"""Files are written, read and checked in blocks of this size."""

Content = Literal["text", "image", "data", "office", "compressed"]
"""Kinds of contents; `crates/tree/src/content.rs` says how each compresses."""


class Class(Strict):
    """Files of one size and one kind of contents."""

    name: str = Field(pattern=r"^[a-z0-9-]{1,40}$", description="Its name in steps, and its folder")
    content: Content = Field(description="What the files contain, and so how they compress")
    size: Size = Field(description="Size of each file, in whole blocks of 4 KiB")
    files: int = Field(ge=1, le=100_000, description="Files that all users of a share read")
    uploads: int = Field(
        default=1, ge=0, le=10_000, description="Names to which each user uploads such files"
    )

    @field_validator("size")
    @classmethod
    def _whole_blocks(cls, size: str | int) -> str | int:
        if size_bytes(size) < BLOCK_BYTES or size_bytes(size) % BLOCK_BYTES:
            raise ValueError(f"it is {size}; files of a library are whole blocks of 4 KiB")
        return size

    @property
    def bytes(self) -> int:
        """The size of a file."""
        return size_bytes(self.size)


class Library(Strict):
    """Files that all users of a share read, and names for each user to upload to."""

    classes: Annotated[list[Class], Field(min_length=1, max_length=64)]

    @field_validator("classes")
    @classmethod
    def _differ(cls, classes: list[Class]) -> list[Class]:
        name, number = Counter(each.name for each in classes).most_common(1)[0]
        if number > 1:
            raise ValueError(f'two classes are called "{name}"; names must differ')
        return classes

    def scaled(self, scale: float) -> "Library":
        """Fewer files of the same sizes, at least one of each class; uploads stay."""
        fewer = [
            each.model_copy(update={"files": max(1, round(each.files * scale))})
            for each in self.classes
        ]
        return self.model_copy(update={"classes": fewer})

    def engine_form(self) -> list[dict[str, Any]]:
        """The classes as the engine reads them."""
        return [{**each.model_dump(exclude={"size"}), "bytes": each.bytes} for each in self.classes]

    @property
    def bytes(self) -> int:
        """What is prepared on each share, in bytes."""
        return sum(each.files * each.bytes for each in self.classes)

    @property
    def upload_bytes(self) -> int:
        """The most that a user uploads, in bytes."""
        return sum(each.uploads * each.bytes for each in self.classes)

    @property
    def text(self) -> str:
        """What is in it, for people."""
        kinds = ", ".join(f"{each.files} {each.name} of {each.size}" for each in self.classes)
        return (
            f"a library of {self.bytes / 1e6:.3g} MB on each share, which all its users read "
            f"({kinds}); each user uploads up to {self.upload_bytes / 1e6:.3g} MB"
        )
