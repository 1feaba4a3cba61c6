"""`headcount disk` as people run it, on the disk of this machine."""

import json
import math
import os
import re
import signal
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from scipy import stats

from headcount._engine import io_uring_unavailable
from headcount.disk.bench import bench
from headcount.disk.cell import Cell
from headcount.disk.settings import Settings
from headcount.errors import ExitCode
from processes import Headcount

SMALL = ["--seconds", "200ms", "--size", "16MiB"]
FEW = [*SMALL, "--threads", "1,2", "--depths", "2", "--blocks", "4KiB,64KiB"]

WITHOUT_RING = """
import ctypes, os, struct, sys
# A seccomp filter as containers have: io_uring_setup (425 on every architecture) is refused.
rules = [(0x20, 0, 0, 0), (0x15, 0, 1, 425), (0x06, 0, 0, 0x00050001), (0x06, 0, 0, 0x7FFF0000)]
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *rule) for rule in rules))
program = struct.pack("HxxxxxxQ", len(rules), ctypes.addressof(code))
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.prctl(22, 2, program, 0, 0) == 0
os.execv(sys.executable, [sys.executable, "-m", "headcount", *sys.argv[1:]])
"""


def check_figures(answer: dict[str, Any], cells: int) -> None:
    """Every figure follows from the counts."""
    assert answer["complete"]
    assert len(answer["cells"]) == cells
    for cell in answer["cells"]:
        seconds, moved = cell["seconds"], cell["read_bytes"] + cell["written_bytes"]
        ios = cell["reads"] + cell["writes"]
        assert cell["mb_per_s"] == pytest.approx(moved / seconds / 1e6)
        assert cell["iops"] == pytest.approx(ios / seconds)
        assert sum(cell["batch_bytes"]) == moved
        parts = [part / (seconds / 10) / 1e6 for part in cell["batch_bytes"]]
        error = statistics.stdev(parts) / math.sqrt(10)
        mean, half = statistics.fmean(parts), error * stats.t.ppf(0.975, 9)
        low, high = mean - half, mean + half
        assert cell["mb_per_s_interval"] == pytest.approx([max(low, 0), high])
        assert 0 <= cell["cpu_machine"] <= 1
        assert cell["latency_us"]["p50"] <= cell["latency_us"]["p99"]
    assert any(cell["iops"] for cell in answer["cells"])
    rates = [cell["mb_per_s"] for cell in answer["cells"]]
    weights = [cell["weight"] for cell in answer["cells"]]
    expected = statistics.harmonic_mean(rates, weights=weights)
    assert answer["score"]["value_mb_per_s"] == pytest.approx(expected)


def test_a_small_grid_is_measured_and_leaves_nothing(headcount: Headcount, on_disk: Path) -> None:
    ended = headcount.run("disk", str(on_disk), *FEW, "--json", "--weight", "random-read=2")
    assert ended.code == ExitCode.PASSED, ended.err
    assert ended.err == ""
    check_figures(ended.json, 4 * 2 * 2)
    assert ended.json["place"]["file_system"]
    assert list(on_disk.iterdir()) == []
    for cell in ended.json["cells"]:
        assert cell["writes" if "read" in cell["pattern"] else "reads"] == 0


def test_people_see_the_table_the_score_and_what_it_does_not_say(
    headcount: Headcount, on_disk: Path
) -> None:
    ended = headcount.run("disk", str(on_disk), *FEW, "--patterns", "random-write", "--verify")
    assert ended.code == ExitCode.PASSED, ended.err
    for text in ("random write", "MB/s", "CPU/IO", "weighted harmonic mean of 4 cells"):
        assert text in ended.out
    assert "Weights: 1 each." in ended.out
    assert "does not predict an application" in ended.out
    assert "not a ThreadMark score" in ended.out
    assert ended.err.count("random write, ") == 4
    assert max(map(len, ended.out.split("\n\n")[0].splitlines())) <= 100


@pytest.mark.parametrize("engine", ["io_uring", "threads"])
def test_a_preset_is_measured_by_both_engines(
    headcount: Headcount, on_disk: Path, engine: str
) -> None:
    more = ["--threads", "2", "--depths", "4", "--preset", "database", "--engine", engine]
    line = ["--seconds", "1s", "--size", "16MiB", *more]
    ended = headcount.run("disk", str(on_disk), *line, "--sync", "--json")
    assert ended.code == ExitCode.PASSED, ended.err
    check_figures(ended.json, 1)
    (cell,) = ended.json["cells"]
    assert cell["read_bytes"] == cell["reads"] * 8192
    assert cell["written_bytes"] == cell["writes"] * 8192
    assert ended.json["settings"]["engine"] == engine


def moved_bytes() -> tuple[int, int]:
    """Bytes that the kernel moved between this process and disks."""
    lines = Path("/proc/self/io").read_text("ascii").splitlines()
    found = {name: int(value) for name, value in (line.split(": ") for line in lines)}
    return found["read_bytes"], found["write_bytes"]


def test_the_kernel_counts_the_same(on_disk: Path, cell: Cell) -> None:
    settings = Settings(
        folder=on_disk,
        size_bytes=16 << 20,
        direct=True,
        sync=False,
        verify=True,
        engine="threads",
        seed=5,
        seconds=0.3,
        warm_up_s=0.0,
    )
    shares: list[float] = []
    with bench(settings, [cell]) as made:
        made.fill(shares.append)
        before = moved_bytes()
        one = made.measure(cell, shares.append)
        after = moved_bytes()
    late = cell.threads * cell.depth * 4096  # what was under way when the time was over
    assert one.read_bytes <= after[0] - before[0] <= one.read_bytes + late
    assert one.written_bytes == 0
    assert all(0 <= share <= 1 for share in shares)


def test_ctrl_c_prints_what_was_measured(headcount: Headcount, on_disk: Path) -> None:
    line = ["--seconds", "1s", "--size", "16MiB", "--blocks", "4KiB", "--patterns", "random-read"]
    command = headcount.start("disk", str(on_disk), *line)
    command.reach(lambda: command.err.count("MB/s") >= 1)
    command.send(signal.SIGINT)
    ended = command.ended(20)
    assert ended.code == ExitCode.INTERRUPTED
    assert "No score: only" in ended.out
    assert "random read" in ended.out
    assert re.fullmatch("interrupted after [1-7] of 8 cells", ended.message)
    assert list(on_disk.iterdir()) == []


def test_without_io_uring_threads_measure_and_the_reason_is_given(
    headcount: Headcount, on_disk: Path
) -> None:
    assert io_uring_unavailable() is None
    few = ["--threads", "1", "--depths", "1", "--blocks", "4KiB", "--patterns", "random-read"]

    def run(*more: str) -> subprocess.CompletedProcess[str]:
        line = [sys.executable, "-c", WITHOUT_RING, "disk", str(on_disk), *SMALL, *few, *more]
        environment = headcount.environment
        return subprocess.run(line, check=False, capture_output=True, text=True, env=environment)

    done = run()
    assert done.returncode == ExitCode.PASSED, done.stderr
    assert "Measuring with threads: io_uring is forbidden" in done.stderr
    done = run("--engine", "io_uring")
    assert done.returncode == ExitCode.UNSUITABLE
    assert "seccomp" in done.stderr
    assert "--engine threads" in done.stderr


def test_a_limit_of_file_sizes_is_named(headcount: Headcount, on_disk: Path) -> None:
    ended = headcount.run("disk", str(on_disk), *FEW, ulimit="-f 8192")
    assert ended.code == ExitCode.UNSUITABLE
    assert "ulimit -f" in ended.message


def test_a_folder_that_may_not_be_written_to_is_refused(
    headcount: Headcount, on_disk: Path
) -> None:
    closed = on_disk / "closed"
    closed.mkdir(mode=0o500)
    # Root may write anywhere, unless it gives that up.
    mortal = ["setpriv", "--bounding-set", "-dac_override", "--inh-caps", "-dac_override"]
    line = [] if os.geteuid() else mortal
    line += [sys.executable, "-m", "headcount", "disk", str(closed), *FEW]
    environment = headcount.environment
    done = subprocess.run(line, check=False, capture_output=True, text=True, env=environment)
    assert done.returncode == ExitCode.BAD_INPUT, done.stderr
    assert "you may not write there (its mode is 500)" in done.stderr
    assert "Traceback" not in done.stderr


def test_memory_is_measured_only_through_the_cache_and_says_so(headcount: Headcount) -> None:
    line = ["disk", "/dev/shm", *SMALL, "--threads", "1", "--depths", "1", "--blocks", "4KiB"]  # noqa: S108
    ended = headcount.run(*line)
    assert ended.code == ExitCode.BAD_INPUT
    assert "--buffered" in ended.message
    ended = headcount.run(*line, "--buffered", "--json")
    assert ended.code == ExitCode.PASSED, ended.err
    assert "of memory, not of a disk" in ended.json["doubts"][0]


def test_files_and_devices_are_refused_and_not_touched(headcount: Headcount, on_disk: Path) -> None:
    precious = on_disk / "precious"
    precious.write_text("data")
    for path, message in (
        (precious, "not a folder"),
        (Path("/dev/null"), "not a folder"),
        (on_disk / "missing", "no folder"),
        (Path("/proc/self"), "cannot create a test file"),
    ):
        ended = headcount.run("disk", str(path), *FEW)
        assert ended.code == ExitCode.BAD_INPUT, ended
        assert message in ended.message
    assert precious.read_text() == "data"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--threads", "x"], "--threads"),
        (["--blocks", "5000"], "multiples of 512"),
        (["--blocks", "x"], "--blocks"),
        (["--patterns", "backwards"], "no pattern"),
        (["--preset", "mail"], "no preset"),
        (["--preset", "database", "--blocks", "4KiB"], "leave out"),
        (["--engine", "libaio"], "io_uring, threads"),
        (["--seconds", "0s"], "100ms to 1h"),
        (["--size", "1MiB"], "the least"),
        (["--size", "900000GiB"], "free"),
        (["--weight", "x"], "write it like"),
        (["--threads", "512", "--depths", "512"], "in flight"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_input_is_one_sentence(
    headcount: Headcount, on_disk: Path, options: list[str], message: str
) -> None:
    ended = headcount.run("disk", str(on_disk), *options)
    assert ended.code in {ExitCode.BAD_INPUT, ExitCode.UNSUITABLE}, ended
    assert message in ended.message
    assert ended.out == ""


def test_the_seed_is_in_the_answer(headcount: Headcount, on_disk: Path) -> None:
    few = ["--threads", "1", "--depths", "1", "--blocks", "4KiB", "--patterns", "random-read"]
    ended = headcount.run("disk", str(on_disk), *SMALL, *few, "--seed", "77", "--json")
    assert json.loads(ended.out)["settings"]["seed"] == 77
