"""What one sort took."""

from typing import Any

from pydantic import BaseModel, ConfigDict

from headcount.errors import HeadcountError


class Budget(BaseModel):
    """How the engine used the memory; see crates/sort/src/budget.rs."""

    model_config = ConfigDict(frozen=True)

    arena_bytes: int
    part_bytes: int
    write_bytes: int
    run_records: int
    runs: int
    fan_in: int


class Moved(BaseModel):
    """Bytes as the system counted them for the process of the sort (proc(5), io)."""

    model_config = ConfigDict(frozen=True)

    read_bytes: int
    written_bytes: int
    storage_read_bytes: int
    storage_written_bytes: int


class Sorted(BaseModel):
    """What one sort took.

    Attributes:
        budget: How the memory was used.
        passes: How many times data were merged; 0 if everything fitted.
        temporary_bytes: Written to work files.
        read_bytes: Read from data and work files.
        written_bytes: Written to work files and output.
        moved: What the system counted; None where it does not report it.
        exit_s: Time from opening the files to the last write.
        durable_s: The same until everything was on the disk.
        read_s: Time reading the data: the mean of the threads, as in the next three.
        sort_s: Sorting in memory.
        runs_s: Writing runs.
        merge_s: Merging, with its reads and writes; if everything fitted, writing the output.
        cpu_s: CPU time until everything was on the disk.
        baseline_bytes: Resident memory before: the program itself.
        peak_bytes: The most resident memory meanwhile.
        code_bytes: Code of the program that was first used meanwhile, with the kernel's read-ahead
            around it (growth of RssFile, proc(5)). It is in the peak, but not memory of the sort.

    """

    model_config = ConfigDict(frozen=True)

    budget: Budget
    passes: int
    temporary_bytes: int
    read_bytes: int
    written_bytes: int
    moved: Moved | None
    exit_s: float
    durable_s: float
    read_s: float
    sort_s: float
    runs_s: float
    merge_s: float
    cpu_s: float
    baseline_bytes: int | None
    peak_bytes: int | None
    code_bytes: int | None

    @property
    def sync_s(self) -> float:
        """Time from the last write until everything was on the disk."""
        return self.durable_s - self.exit_s

    @property
    def used_bytes(self) -> int | None:
        """Memory of the sort itself: the peak above what the program took before.

        Code that the sort was the first to use does not count. None if the system reports none.
        """
        if self.peak_bytes is None or self.baseline_bytes is None or self.code_bytes is None:
            return None
        return self.peak_bytes - self.baseline_bytes - self.code_bytes

    @property
    def fits(self) -> bool:
        """Whether it did without work files."""
        return self.budget.runs == 0


class SortFailedError(HeadcountError):
    """A sort that failed in its process; has the exit code of the error there."""

    def __init__(self, message: dict[str, Any]) -> None:
        """Take message and exit code from the process's last line."""
        super().__init__(str(message["error"]))
        self.exit_code = message["exit_code"]
