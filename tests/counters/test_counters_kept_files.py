"""Files kept open between readings give the same text as files opened each time."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from headcount.counters.proc import kept_files, process, tree
from headcount.counters.proc.kept_files import KeptFiles, PlainFiles, files_of

STEADY = ("limits", "mountinfo", "cgroup", "cmdline")
PROGRAM = """\
import sys, threading
held = [open(sys.executable) for _ in range(9)]
ended = threading.Event()
for _ in range(5):
    threading.Thread(target=ended.wait, daemon=True).start()
print(flush=True)
sys.stdin.read()
"""


@pytest.fixture
def child() -> Iterator[subprocess.Popen[str]]:
    """A process of six threads that sleeps."""
    command = [sys.executable, "-c", PROGRAM]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as one:
        assert one.stdout
        one.stdout.readline()
        yield one
        one.kill()


def wait_until_idle(pid: int) -> None:
    """Return once the process has not run for a while."""
    path = Path(f"/proc/{pid}/schedstat")
    before = ""
    while before != (before := path.read_text()):
        time.sleep(0.1)


def test_each_reading_is_current(tmp_path: Path) -> None:
    path = tmp_path / "figure"
    with closing(KeptFiles()) as files:
        for text in ("", "1\n", "22 é\n", "x" * 5_000, "line of many\n" * 20_000, "3\n"):
            path.write_text(text)
            assert files.text(str(path)) == text
        path.write_bytes(b"a\xffb")
        assert files.text(str(path)) == "a\ufffdb"


def test_files_of_a_machine_are_read_whole() -> None:
    paths = [f"/proc/{name}" for name in ("cpuinfo", "filesystems", "devices", "modules")]
    paths += [f"/proc/self/{name}" for name in STEADY]
    with closing(KeptFiles()) as files:
        for path in paths * 3:
            assert files.text(path) == PlainFiles().text(path), path


def test_a_process_reads_the_same_from_kept_files(child: subprocess.Popen[str]) -> None:
    wait_until_idle(child.pid)
    with closing(KeptFiles()) as files:
        readings = [process.read("/proc", child.pid, files) for _ in range(3)]
        (plain,) = tree.read("/proc", [child.pid], None).processes.values()
        assert readings == [plain] * 3
        assert plain.descriptors == len(list(Path(f"/proc/{child.pid}/fd").iterdir())) > 9
        assert len(plain.thread_times or {}) == plain.threads == 6
        assert plain.children == ()
        without = process.read("/proc", child.pid, files, has_children=False)
        assert without is not None
        assert without.children is None


def test_files_of_a_process_that_ended_are_gone(child: subprocess.Popen[str]) -> None:
    path = f"/proc/{child.pid}/stat"
    with closing(KeptFiles()) as files:
        assert files.text(path) == PlainFiles().text(path)
        assert files.entries(f"/proc/{child.pid}/fd")
        child.kill()
        child.wait()
        assert files.text(path) is None
        assert files.entries(f"/proc/{child.pid}/fd") is None
        assert process.read("/proc", child.pid, files) is None


def open_paths() -> set[str]:
    links = Path("/proc/self/fd").iterdir()
    return {str(link.readlink()) for link in links if link.is_symlink()}


def test_files_that_are_not_read_for_a_turn_are_closed(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_text("1")
    other.write_text("2")
    files = KeptFiles()
    for path in (one, other):
        files.text(str(path))
    files.turn()
    files.text(str(one))
    assert {str(one), str(other)} <= open_paths()
    files.turn()
    assert str(one) in open_paths()
    assert str(other) not in open_paths()
    files.close()
    assert str(one) not in open_paths()
    assert files.text(str(other)) == "2"
    files.close()


def test_the_number_of_kept_files_is_limited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_files, "_KEPT_MAX", 2)
    paths = [tmp_path / str(number) for number in range(4)]
    for path in paths:
        path.write_text(path.name)
    with closing(KeptFiles()) as files:
        for _ in range(2):
            assert [files.text(str(path)) for path in paths] == ["0", "1", "2", "3"]
            files.turn()
        assert [str(path) in open_paths() for path in paths] == [True, True, False, False]


def test_a_missing_file_is_none(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    for files in (KeptFiles(), PlainFiles()):
        assert files.text(str(tmp_path / "b")) is files.text(str(tmp_path)) is None
        assert files.entries(str(tmp_path / "b")) is None


def test_files_outside_proc_are_not_kept(tmp_path: Path) -> None:
    """They could be replaced; those of the kernel cannot."""
    path = tmp_path / "stat"
    path.write_text("1")
    files = files_of(os.fspath(tmp_path))
    assert files.text(str(path)) == "1"
    path.rename(tmp_path / "gone")
    assert files.text(str(path)) is None
    assert isinstance(files_of("/proc"), KeptFiles)
