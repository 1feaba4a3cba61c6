"""The data set on the system under test: a file for each user, or a tree of folders and files."""

import math

from pydantic import Field, model_validator

from headcount.fields.model import Size, Strict
from headcount.fields.units import size_bytes

BLOCK_BYTES = 4096
"""The data set is written, read and checked in blocks of this size."""

NO_TREE = {
    "folders": 1,
    "static_files": 0,
    "volatile_files": 0,
    "new_files": 0,
    "shared_files": 0,
}
"""With only a library, users still have their own folders."""


class Data(Strict):
    """The data set on the system under test."""

    file_size: Size
    io_range: Size

    @model_validator(mode="after")
    def _consistent(self) -> "Data":
        if not BLOCK_BYTES <= size_bytes(self.io_range) <= size_bytes(self.file_size):
            raise ValueError(
                f"io_range ({self.io_range}) must be from {BLOCK_BYTES} bytes (a block) up to "
                f"file_size ({self.file_size})"
            )
        return self


class Tree(Strict):
    """Folders and files of each user, with sizes drawn from a lognormal distribution.

    `seed` is the data set's own: runs with other seeds find the same files.
    """

    folders: int = Field(ge=1, le=100_000, description="Folders per user, including the user's own")
    static_files: int = Field(ge=1, le=100_000, description="Files that a user reads")
    volatile_files: int = Field(ge=1, le=100_000, description="Files that a user rewrites")
    new_files: int = Field(
        ge=1, le=100_000, description="Names for files that a user creates during a run"
    )
    shared_files: int = Field(ge=1, le=100_000, description="Files that all users of a share read")
    median_size: Size = Field(description="Median file size")
    sigma: float = Field(ge=0, le=5, description="Standard deviation of the logarithm of the sizes")
    most_size: Size = Field(description="Largest file size")
    seed: int = Field(default=1, ge=0, lt=2**63)

    @model_validator(mode="after")
    def _consistent(self) -> "Tree":
        if not BLOCK_BYTES <= size_bytes(self.median_size) <= size_bytes(self.most_size):
            raise ValueError(
                f"median_size ({self.median_size}) must be from {BLOCK_BYTES} bytes (a block) up "
                f"to most_size ({self.most_size})"
            )
        return self

    def scaled(self, scale: float) -> "Tree":
        """Fewer folders and files of the same sizes, at least one of each kind."""
        kinds = ("folders", "static_files", "volatile_files", "new_files", "shared_files")
        counts = {kind: max(1, round(getattr(self, kind) * scale)) for kind in kinds}
        return self.model_copy(update=counts)

    def engine_form(self) -> dict[str, int | float]:
        """The tree as the engine reads it."""
        values = self.model_dump(exclude={"median_size", "most_size"})
        sizes = {
            "median_bytes": size_bytes(self.median_size),
            "most_bytes": size_bytes(self.most_size),
        }
        return {**values, **sizes}

    @property
    def mean_bytes(self) -> float:
        """The mean size of a file, in bytes.

        That of the lognormal distribution cut at `most_size` (Johnson, Kotz and Balakrishnan,
        Continuous Univariate Distributions, vol. 1, 1994, chapter 14), rounded up to blocks, which
        adds half a block on average.
        """
        median, most = size_bytes(self.median_size), size_bytes(self.most_size)
        if self.sigma == 0:
            return math.ceil(median / BLOCK_BYTES) * BLOCK_BYTES
        cut = math.log(most / median) / self.sigma
        below = median * math.exp(self.sigma**2 / 2) * _normal(cut - self.sigma)
        return below + most * (1 - _normal(cut)) + BLOCK_BYTES / 2

    @property
    def user_bytes(self) -> float:
        """What is prepared for a user, in bytes, on average."""
        return (self.static_files + self.volatile_files) * self.mean_bytes

    @property
    def text(self) -> str:
        """What is in it, for people."""
        files = self.static_files + self.volatile_files
        return (
            f"{files} files in {_counted(self.folders, 'folder')} per user, "
            f"{self.user_bytes / 1e6:.3g} MB; {_counted(self.shared_files, 'file')} that all users "
            "of a share read"
        )


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _normal(z: float) -> float:
    """The standard normal distribution function."""
    return (1 + math.erf(z / math.sqrt(2))) / 2
