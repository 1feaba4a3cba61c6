"""Parsing of one process's files."""

import pytest

from headcount.counters.proc import memory, process
from headcount.counters.proc.files import field_bytes

TAIL = " ".join(["0"] * 25)


def stat(name: str = "smbd", state: str = "S") -> str:
    return (
        f"812 ({name}) {state} 1 812 812 0 -1 4194560 600 7 8 9 100 50 30 20 20 0 3 0 5000 "
        f"99999999 250 {TAIL}\n"
    )


@pytest.mark.parametrize("name", ["smbd", "a b", "(sd-pam)", "x) R 1 (y", ""])
def test_fields_are_found_whatever_the_program_calls_itself(name: str) -> None:
    one = process.parse_stat(stat(name))
    assert one is not None
    assert (one.pid, one.parent, one.threads, one.started_ticks) == (812, 1, 3, 5000)
    assert one.resident_bytes == 250 * memory.PAGE_BYTES
    assert one.totals == process.Totals((150, 50), (8, 9), (600, 7))
    assert not one.ended


def test_a_zombie_has_ended() -> None:
    one = process.parse_stat(stat(state="Z"))
    assert one is not None
    assert one.ended


@pytest.mark.parametrize("text", ["", "812 (smbd", "812 (smbd) S 1", "x (y) S 1 2 3"])
def test_text_of_another_form_is_not_a_process(text: str) -> None:
    assert process.parse_stat(text) is None


def test_storage_bytes_are_not_those_of_system_calls() -> None:
    text = "rchar: 7273\nwchar: 297\nsyscr: 12\nsyscw: 1\nread_bytes: 4096\nwrite_bytes: 512\n"
    assert process.parse_io(text + "cancelled_write_bytes: 0\n") == (4096, 512)
    assert process.parse_io("") is None


def test_schedstat_of_zeros_means_the_kernel_keeps_none() -> None:
    assert process.parse_schedstat("385303 8583 2\n") == process.ThreadTimes(385303, 8583, 2)
    assert process.parse_schedstat("0 0 0\n") is None
    assert process.parse_schedstat("") is None


def test_proportional_set_size() -> None:
    text = "0-1 ---p 0 00:00 0   [rollup]\nRss:   1780 kB\nPss:    562 kB\nPss_Dirty: 116 kB\n"
    assert field_bytes(text, "Pss:") == 562 * 1024
    assert field_bytes("", "Pss:") is None
