"""CPU quotas of groups that a server's processes are not all in, or that are above theirs."""

from collections.abc import Callable
from pathlib import Path

import counters_machine as machine
import pytest

from headcount.counters.proc.quotas import LIMIT, THROTTLED, Quotas

Layout = Callable[[int, str], dict[str, str]]


def make_quotas(root: Path, layout: Layout, groups: dict[int, str]) -> Quotas:
    """Quotas of processes that are in these groups."""
    controllers = "0::{0}\n" if layout is machine.cgroup_v2 else "2:cpu,cpuacct:{0}\n0::/\n"
    texts = {f"proc/{pid}/cgroup": controllers.format(name) for pid, name in groups.items()}
    machine.write(root, texts)
    return Quotas(str(root / "proc"), root / "sys")


@pytest.mark.parametrize("layout", [machine.cgroup_v1, machine.cgroup_v2])
@pytest.mark.parametrize("where", ["/pod", "/pod/web", "/pod/web/worker.scope"])
def test_a_quota_above_the_processes_holds_them_back(
    tmp_path: Path, layout: Layout, where: str
) -> None:
    found = make_quotas(tmp_path, layout, {7: where})
    machine.write(tmp_path, layout(0, "pod"))
    assert found.sample([7]) == {}
    machine.write(tmp_path, layout(1, "pod"))
    # 8 of 10 periods; 50 ms of 100.
    assert found.sample([7]) == {THROTTLED: pytest.approx(0.8), LIMIT: 0.5}


def test_the_most_throttled_of_several_groups_counts(tmp_path: Path) -> None:
    found = make_quotas(tmp_path, machine.cgroup_v2, {7: "/post", 8: "/imap"})
    machine.write(tmp_path, machine.cgroup_v2(0, "post") | machine.cgroup_v2(0, "imap"))
    machine.write(tmp_path, {"sys/fs/cgroup/post/cpu.max": "200000 100000\n"})
    found.sample([7, 8])
    machine.write(tmp_path, machine.cgroup_v2(1, "imap"))
    stat = "usage_usec 1\nnr_periods 110\nnr_throttled 51\nthrottled_usec 1\n"
    machine.write(tmp_path, {"sys/fs/cgroup/post/cpu.stat": stat})
    assert found.sample([7, 8]) == {THROTTLED: pytest.approx(0.8), LIMIT: 0.5}
    assert found.sample([7, 8]) == {}  # no period since


def test_a_group_without_a_quota_or_a_process_that_has_gone_has_none(tmp_path: Path) -> None:
    found = make_quotas(tmp_path, machine.cgroup_v2, {7: "/web", 8: "/"})
    machine.write(tmp_path, machine.cgroup_v2(0, "web"))
    machine.write(tmp_path, {"sys/fs/cgroup/web/cpu.max": "max 100000\n"})
    found.sample([7, 8, 9])
    machine.write(tmp_path, {"sys/fs/cgroup/web/cpu.stat": "nr_periods 150\nnr_throttled 70\n"})
    assert found.sample([7, 8, 9]) == {}


@pytest.mark.parametrize("layout", [machine.cgroup_v1, machine.cgroup_v2])
def test_in_a_container_the_root_is_its_own_group(tmp_path: Path, layout: Layout) -> None:
    found = make_quotas(tmp_path, layout, {7: "/"})
    for moment, expected in ((0, {}), (1, {THROTTLED: pytest.approx(0.8), LIMIT: 0.5})):
        files = layout(moment, "pod")
        machine.write(tmp_path, {name.replace("/pod", ""): text for name, text in files.items()})
        assert found.sample([7]) == expected
