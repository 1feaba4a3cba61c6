"""Memory of processes, against processes of known size and the kernel's own sums."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from headcount.counters import footprint
from headcount.counters.proc import tree
from processes import wait_for

MIB = 1 << 20
SMAPS = """\
55d000000000-55d000001000 r-xp 00000000 08:01 1 /usr/sbin/smbd
Rss:                4 kB
Pss:                3 kB
7f0000000000-7f0000100000 rw-s 00000000 08:01 2 /var/lib/samba/locking.tdb
Rss:              512 kB
Pss:              200 kB
Pss_Dirty:        100 kB
7f0000200000-7f0000300000 r--s 00000000 08:01 3 /usr/lib/gconv.cache
Pss:               50 kB
7f0000400000-7f0000500000 rw-s 00000000 08:01 4 /var/lib/samba/a b.tdb
Pss:                7 kB
7f0000600000-7f0000700000 rw-p 00000000 00:00 0 [heap]
Pss:              900 kB
"""


@contextlib.contextmanager
def holding(own_mib: int, file_mib: int, folder: Path) -> Iterator[int]:
    """The process id of a parent whose child shares all of it."""
    script = Path(__file__).with_name("footprint_child.py")
    arguments = [sys.executable, script, str(own_mib), str(file_mib), str(folder / "mapped")]
    pipe = subprocess.PIPE
    with subprocess.Popen(arguments, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == "ready\n"
            yield process.pid
        finally:
            process.stdin.close()
            process.wait(30)


def size(text: str, key: str) -> int:
    """A field of a file of `key: value kB` lines, in bytes."""
    return next(int(one.split()[1]) * 1024 for one in text.splitlines() if one.startswith(key))


def test_shared_memory_counts_once(tmp_path: Path) -> None:
    with holding(0, 0, tmp_path) as pid:
        bare = footprint.read([pid])
    with holding(64, 16, tmp_path) as pid:
        full = footprint.read([pid])
    assert bare is not None
    assert full is not None
    assert bare.processes == full.processes == 2
    # Half a MiB for what the interpreter needs to write it.
    assert full.own_bytes - bare.own_bytes == pytest.approx(64 * MIB, abs=MIB / 2)
    assert full.shared_bytes - bare.shared_bytes == pytest.approx(16 * MIB, abs=MIB / 2)
    # Eight bytes for each page of 4 KiB, in both processes; pages of 2 MiB need fewer.
    more = full.page_table_bytes - bare.page_table_bytes
    assert 2 * 8 * 16 * MIB / 4096 <= more <= 2 * 8 * 80 * MIB / 4096 + 64 * 1024
    assert full.process_bytes == full.own_bytes + full.shared_bytes + full.page_table_bytes
    assert full.cpu_s is not None
    assert full.cpu_s > 0


def test_only_program_files_are_left_out(tmp_path: Path) -> None:
    """PSS of all mappings = what is counted + mappings of files that are not written to."""
    with holding(8, 4, tmp_path) as pid:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text("utf-8").split()
        found = footprint.read([pid])
        whole = programs = own_of_programs = 0
        for each in [str(pid), *children]:
            name, rights = "", ""
            for line in Path(f"/proc/{each}/smaps").read_text("utf-8").splitlines():
                words = line.split()
                if not words[0].endswith(":"):
                    rights, name = words[1], words[5] if len(words) > 5 else ""
                is_program = name.startswith("/") and rights != "rw-s"
                if words[0] == "Pss:":
                    whole += int(words[1]) * 1024
                    programs += int(words[1]) * 1024 if is_program else 0
                if words[0] == "Anonymous:" and is_program:
                    own_of_programs += int(words[1]) * 1024
    assert found is not None
    counted = found.own_bytes + found.shared_bytes
    assert whole - programs <= counted + MIB / 4
    assert counted <= whole - programs + own_of_programs + MIB / 4


def test_only_shared_mappings_that_are_written_to_are_counted() -> None:
    assert footprint.written_bytes(SMAPS) == (200 + 7) * 1024
    assert footprint.written_bytes("") == 0


def test_a_process_that_ends_while_it_is_read_is_not_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = tree.read
    with holding(4, 4, tmp_path) as pid:
        child = int(Path(f"/proc/{pid}/task/{pid}/children").read_text("utf-8"))

        def read_and_end_child(*arguments: Any) -> tree.Tree:
            """The tree as it was; the child is a zombie now: its parent does not wait yet."""
            found = listed(*arguments)
            if child in found.processes:
                os.kill(child, signal.SIGKILL)
                wait_for(lambda: "State:\tZ" in Path(f"/proc/{child}/status").read_text("utf-8"))
            return found

        both = listed("/proc", [pid], None)
        monkeypatch.setattr(tree, "read", read_and_end_child)
        found = footprint.read([pid])
        alone = Path(f"/proc/{pid}/smaps_rollup").read_text("utf-8")
        whole = tree.read_pss("/proc", both)
    assert not both.processes[child].ended
    assert found is not None
    assert found.processes == 1
    # Other interpreters that come and go have their share of the same pages.
    assert found.own_bytes == pytest.approx(size(alone, "Pss_Anon:"), rel=0.01)
    assert found.cpu_s is not None
    assert whole == pytest.approx(size(alone, "Pss:"), rel=0.01)


def test_a_missing_process_has_no_footprint() -> None:
    assert footprint.read([2**22 + 1]) is None


def test_the_kernels_share_is_read_from_its_own_figures(tmp_path: Path) -> None:
    (tmp_path / "net").mkdir()
    (tmp_path / "meminfo").write_text(
        "MemTotal: 1000 kB\nMemAvailable: 400 kB\nSlab: 90 kB\nSUnreclaim: 60 kB\n"
        "KernelStack: 16 kB\n",
        "utf-8",
    )
    assert footprint.kernel_bytes(str(tmp_path)) is None
    (tmp_path / "net" / "sockstat").write_text(
        "sockets: used 9\nTCP: inuse 1 orphan 0 tw 0 alloc 1 mem 3\nUDP: inuse 0 mem 7\n", "utf-8"
    )
    assert footprint.kernel_bytes(str(tmp_path)) == 60 * 1024 + 16 * 1024 + 3 * 4096
    assert footprint.memory(str(tmp_path)) == (400 * 1024, 1000 * 1024)
    assert footprint.memory(str(tmp_path / "net")) is None
