"""The CPU time of somebody else's control group: cut, given back, also after a kill."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import service_group
from headcount.lab.squeeze.quota import Quota, quota_of, restored

NAME = f"/headcount-quota-{os.getpid()}"
PROGRAM = """
import sys, time
from headcount.lab.squeeze.quota import quota_of, restored
quota = quota_of({sys.argv[1]: sys.argv[2]})
with restored(quota):
    quota.cut(0.25)
    print("cut", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def groups() -> Iterator[dict[str, str]]:
    """The folders of a server's group by controller."""
    with service_group.group(NAME) as folders:
        found = {folder.relative_to(service_group.ROOT).parts[0]: str(folder) for folder in folders}
        yield found if "cpu" in found else {"unified": str(folders[-1])}


def quota(groups: dict[str, str]) -> Quota:
    found = quota_of(groups)
    assert found is not None
    return found


def cores(groups: dict[str, str]) -> float:
    """The cores that the kernel lets the group use."""
    words = quota(groups).before.split()
    return int(words[0]) / quota(groups).period_us


def test_a_quota_is_cut_and_given_back(groups: dict[str, str]) -> None:
    first = quota(groups)
    with restored(first):
        first.cut(0.5)
        assert cores(groups) == pytest.approx(0.5)
        first.cut(0.35)
        assert cores(groups) == pytest.approx(0.35)
    assert quota(groups) == first


def test_a_quota_that_was_set_is_given_back_after_an_error(groups: dict[str, str]) -> None:
    quota(groups).cut(0.8)
    second = quota(groups)

    def interrupted() -> None:
        with restored(second):
            second.cut(0.1)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert cores(groups) == pytest.approx(0.8)


def test_a_quota_is_given_back_after_a_kill(groups: dict[str, str]) -> None:
    before = quota(groups)
    key = "cpu" if "cpu" in groups else "unified"
    program = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, key, groups[key]], stdout=subprocess.PIPE, text=True
    )
    try:
        assert program.stdout is not None
        assert program.stdout.readline() == "cut\n"
        assert cores(groups) == pytest.approx(0.25)
    finally:
        program.kill()
        program.communicate()
    end_s = time.monotonic() + 30
    while quota(groups) != before and time.monotonic() < end_s:
        time.sleep(0.05)
    assert quota(groups) == before


def test_a_folder_without_limits_has_no_quota(tmp_path: Path) -> None:
    assert quota_of({"cpu": str(tmp_path)}) is None
    assert quota_of({}) is None


@pytest.mark.parametrize(("text", "period"), [("max 50000", 50_000), ("20000 100000", 100_000)])
def test_version_2_keeps_its_period(tmp_path: Path, text: str, period: int) -> None:
    path = tmp_path / "cpu.max"
    path.write_text(f"{text}\n")
    found = quota_of({"unified": str(tmp_path)})
    assert found == Quota(path, text, period)
    found.cut(0.5)
    assert path.read_text() == f"{period // 2} {period}"
    found.restore()
    assert path.read_text() == text
