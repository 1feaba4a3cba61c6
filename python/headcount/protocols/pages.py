"""The data set of a web server: a tree of pages, by class of size, in directories."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from headcount.fields.model import Size, Strict
from headcount.fields.units import size_bytes

Which = str | list[str]
"""What steps have as `page`: `any`, `static`, `cgi`, or names of classes."""
GROUPS = ("any", "static", "cgi")


class PageClass(Strict):
    """Pages of a size, or of some sizes, and how often they are asked for."""

    name: str = Field(pattern=r"^[A-Za-z0-9_]+$", description="Prefix of the files' names")
    percent: float = Field(
        ge=0, le=1e6, description="Share of the requests, relative to the other classes"
    )
    sizes: list[Size] = Field(default_factory=list, description="Sizes of its files, in turn")
    range: Annotated[list[Size], Field(min_length=2, max_length=2)] | None = Field(
        default=None, description="Or the first and last size, with the others evenly in between"
    )
    files: int | None = Field(
        default=None,
        ge=1,
        le=100_000,
        description="Files in each directory; by default one for each size",
    )
    content: Literal["text", "binary"] = "text"
    cgi: bool = Field(default=False, description="Whether the data set's CGI program makes them")

    @model_validator(mode="after")
    def _sized(self) -> "PageClass":
        if bool(self.sizes) == (self.range is not None):
            raise ValueError(f'class "{self.name}" needs either sizes or a range')
        return self

    @property
    def sizes_bytes(self) -> list[int]:
        """The size of each file in a directory, in bytes."""
        if self.range is None:
            sizes = [size_bytes(size) for size in self.sizes]
            return [sizes[file % len(sizes)] for file in range(self.files or len(sizes))]
        low, high = (size_bytes(size) for size in self.range)
        files = self.files or 2
        return [low + (high - low) * file // max(files - 1, 1) for file in range(files)]

    @property
    def least_files(self) -> int:
        """The fewest files in a directory that keep all of its sizes."""
        return max(1, min(len(self.sizes), len(self.sizes_bytes)))

    def engine_form(self) -> dict[str, Any]:
        """The class as the engine reads it."""
        values = self.model_dump(exclude={"sizes", "range"})
        if self.range is not None:
            values["range"] = [size_bytes(size) for size in self.range]
        return {**values, "sizes": [size_bytes(size) for size in self.sizes]}


class Pages(Strict):
    """A tree of pages. `seed` is its own: runs with other seeds find the same pages."""

    seed: int = Field(default=1, ge=0, lt=2**63, description="Determines all contents")
    directories: Annotated[int, Field(ge=1, le=1_000_000)] | list[str] = Field(
        description="How many, or their names; the empty name is the home directory"
    )
    alpha: float = Field(
        default=0, ge=0, le=10, description="Zipf's exponent for drawing directories"
    )
    classes: list[PageClass] = Field(min_length=1, max_length=1000)

    @model_validator(mode="after")
    def _consistent(self) -> "Pages":
        names = [one.name for one in self.classes]
        if len(set(names)) < len(names):
            raise ValueError("the names of the classes must differ")
        if isinstance(self.directories, list) and not self.directories:
            raise ValueError("directories needs at least one name")
        if sum(one.percent for one in self.classes) <= 0:
            raise ValueError("at least one class needs a percent above 0")
        return self

    def asked(self, which: Which) -> list[PageClass]:
        """The classes that a step asks for with this `page`."""
        if isinstance(which, list):
            found = [one for one in self.classes if one.name in which]
        else:
            found = [one for one in self.classes if which == "any" or one.cgi == (which == "cgi")]
        return [one for one in found if one.percent > 0]

    def scaled(self, scale: float) -> "Pages":
        """Fewer directories or, where those have names, fewer files of each class."""
        if scale == 1:
            return self
        if isinstance(self.directories, int):
            return self.model_copy(update={"directories": max(1, round(self.directories * scale))})
        classes = [
            one.model_copy(
                update={"files": max(one.least_files, round(len(one.sizes_bytes) * scale))}
            )
            for one in self.classes
        ]
        return self.model_copy(update={"classes": classes})

    def engine_form(self) -> dict[str, Any]:
        """The pages as the engine reads them."""
        values = self.model_dump(exclude={"classes"})
        return {**values, "classes": [one.engine_form() for one in self.classes]}

    @property
    def count(self) -> int:
        """Directories."""
        return self.directories if isinstance(self.directories, int) else len(self.directories)

    @property
    def files(self) -> int:
        """Pages that are files."""
        return self.count * sum(len(one.sizes_bytes) for one in self.classes if not one.cgi)

    @property
    def total_bytes(self) -> int:
        """Size of all files, in bytes."""
        return self.count * sum(sum(one.sizes_bytes) for one in self.classes if not one.cgi)

    def mean_bytes(self, which: Which = "any") -> float:
        """Mean size of an answer for a step, in bytes: classes by percentage, files evenly."""
        asked = self.asked(which)
        total = sum(one.percent for one in asked)
        each = [sum(one.sizes_bytes) / len(one.sizes_bytes) * one.percent for one in asked]
        return sum(each) / total if total else 0.0

    @property
    def text(self) -> str:
        """What is in it, for people."""
        noun = "directory" if self.count == 1 else "directories"
        text = f"{self.files:,} pages in {self.count:,} {noun}, {self.total_bytes / 1e6:.3g} MB"
        made = sum(one.percent for one in self.classes if one.cgi)
        share = made / sum(one.percent for one in self.classes)
        return text + (f"; {share:.0%} of the requests for any page are for CGI" if made else "")


def check_asked(asked: Sequence[Any], pages: Pages | None) -> None:
    """Raise ValueError for a step's `page` that the data set does not have."""
    for which in asked:
        if pages is None:
            raise ValueError(f"a step has page = {which!r}, but there is no [pages] table")
        known = [one.name for one in pages.classes]
        words = which if isinstance(which, list) else [which]
        allowed = known if isinstance(which, list) else GROUPS
        for word in words:
            if word not in allowed:
                raise ValueError(
                    f"a step has page = {which!r}; it can be {', '.join(GROUPS)}, or a list "
                    f"of classes: {', '.join(known)}"
                )
        if not pages.asked(which):
            raise ValueError(f"a step has page = {which!r}, but [pages] has no such page")
