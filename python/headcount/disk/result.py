"""The results of cells."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from headcount.analyse import batches
from headcount.disk.cell import Cell

BATCHES = 10
"""Parts into which a cell is cut for the confidence interval of its throughput. Ten keep 9 degrees
of freedom, and each still has many I/Os."""


@dataclass(frozen=True)
class Figures:
    """The figures of a measured cell. MB are decimal, as disks are sold."""

    cell: Cell
    seconds: float
    reads: int
    writes: int
    read_bytes: int
    written_bytes: int
    batch_bytes: tuple[int, ...]
    latency_us: Mapping[str, float]
    process_cpu_s: float
    machine_busy: float | None

    @property
    def ios(self) -> int:
        """I/Os that completed in the measured time."""
        return self.reads + self.writes

    @property
    def iops(self) -> float:
        """I/Os per second."""
        return self.ios / self.seconds

    @property
    def mb_per_s(self) -> float:
        """Throughput, reads and writes together."""
        return (self.read_bytes + self.written_bytes) / self.seconds / 1e6

    @property
    def batches_mb_per_s(self) -> list[float]:
        """Throughput in each part of the time."""
        length_s = self.seconds / len(self.batch_bytes)
        return [moved / length_s / 1e6 for moved in self.batch_bytes]

    @property
    def interval_mb_per_s(self) -> tuple[float, float] | None:
        """The 95% confidence interval of the throughput."""
        return batches.interval(self.batches_mb_per_s)

    @property
    def cpu_us_per_io(self) -> float | None:
        """CPU of this process per I/O, in µs; None if there was no I/O."""
        return self.process_cpu_s * 1e6 / self.ios if self.ios else None

    @property
    def mb_per_cpu_s(self) -> float | None:
        """MB moved per second of this process's CPU; None if it used none."""
        moved_mb = (self.read_bytes + self.written_bytes) / 1e6
        return moved_mb / self.process_cpu_s if self.process_cpu_s > 0 else None

    def others_busy(self, processors: int) -> float | None:
        """The share of the machine's CPU that other programs used meanwhile."""
        if self.machine_busy is None:
            return None
        return max(self.machine_busy - self.process_cpu_s / (self.seconds * processors), 0.0)

    def as_json(self, weight: float) -> dict[str, Any]:
        """For programs."""
        interval = self.interval_mb_per_s
        return {
            "name": self.cell.name,
            "pattern": self.cell.pattern.name,
            "access": self.cell.pattern.access,
            "read_share": self.cell.pattern.read_share,
            "blocks": [
                {"size_bytes": block.size_bytes, "share": block.share} for block in self.cell.blocks
            ],
            "threads": self.cell.threads,
            "depth": self.cell.depth,
            "weight": weight,
            "seconds": self.seconds,
            "reads": self.reads,
            "writes": self.writes,
            "read_bytes": self.read_bytes,
            "written_bytes": self.written_bytes,
            "mb_per_s": self.mb_per_s,
            "mb_per_s_interval": list(interval) if interval else None,
            "iops": self.iops,
            "latency_us": dict(self.latency_us),
            "cpu_machine": self.machine_busy,
            "cpu_us_per_io": self.cpu_us_per_io,
            "mb_per_cpu_s": self.mb_per_cpu_s,
            "batch_bytes": list(self.batch_bytes),
        }


def figures(cell: Cell, measured: Mapping[str, Any]) -> Figures:
    """The figures of a cell from the engine's report."""
    names = ("mean", "p50", "p90", "p95", "p99", "p999", "max")
    return Figures(
        cell=cell,
        seconds=measured["seconds"],
        reads=measured["reads"],
        writes=measured["writes"],
        read_bytes=measured["read_bytes"],
        written_bytes=measured["written_bytes"],
        batch_bytes=tuple(measured["batch_bytes"]),
        latency_us={name: measured["latency"][f"{name}_us"] for name in names},
        process_cpu_s=measured["process_cpu_s"],
        machine_busy=measured["machine_busy"],
    )


def mean_busy(measured: Sequence[Figures]) -> float | None:
    """The mean CPU use of the machine over cells, as ThreadMark reported one average."""
    known = [one.machine_busy for one in measured if one.machine_busy is not None]
    return sum(known) / len(known) if known else None
