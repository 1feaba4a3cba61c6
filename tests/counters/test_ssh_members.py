"""Processes of another machine: which files are read how often, and what its units mean."""

import pytest

from headcount.counters.ssh.members import FILES_PER_S, Members, Units, descriptors
from headcount.counters.ssh.table import FarTable, figures


def stat(pid: int, ticks: int, pages: int, threads: int = 1, started: int = 50) -> str:
    """A file of proc(5): fields 14 and 15 are CPU time, 20 threads, 22 the start, 24 pages."""
    head = f"{pid} (we) b) S 1 1 1 0 -1 0 7 0 3 0"
    return f"{head} {ticks - 5} 5 0 0 20 0 {threads} 0 {started} 99 {pages} 0"


KINDS = {False: ("stat", "schedstat"), True: ("stat", "schedstat", "syscall")}


@pytest.mark.parametrize("io", KINDS)
@pytest.mark.parametrize("threads", [1, 10, 33, 34, 50, 51, 200, 666])
def test_files_of_threads_are_read_in_turn(threads: int, *, io: bool) -> None:
    one = Members(Units(), {1: 50}, io=io, threads=threads)
    assert tuple(one.patterns()) == KINDS[io]
    seconds = 600
    turns = [one.due() for _ in range(seconds)]
    read = sum(threads * len(due) for due in turns)
    assert read / seconds <= FILES_PER_S * 1.01
    for name in KINDS[io]:
        # As often as that allows, within one second.
        often = sum(name in due for due in turns)
        assert often >= seconds / (len(KINDS[io]) * threads / FILES_PER_S + 1) - 1


def test_too_many_threads_are_not_looked_at() -> None:
    assert Members(Units(), {1: 50}, threads=1001).due() == ()
    assert Members(Units()).due() == ()


def test_pages_and_ticks_are_those_of_the_other_machine() -> None:
    one = Members(Units(page_bytes=65_536, ticks_per_s=250.0), {7: 50})
    before = {"/proc/7/stat": stat(7, 1000, 3), "/proc/uptime": "100.0 1.0"}
    one.figures(10.0, before)
    values = one.figures(12.0, {**before, "/proc/7/stat": stat(7, 1100, 4)})
    assert values["process.cpu.utilization"] == pytest.approx(100 / 250 / 2)
    assert values["process.memory.usage"] == 4 * 65_536
    assert values["process.count"] == 1


def test_a_process_id_that_is_used_again_is_another_process() -> None:
    one = Members(Units(), {7: 50})
    assert one.figures(1.0, {"/proc/7/stat": stat(7, 10, 3)})["process.count"] == 1
    assert one.figures(2.0, {"/proc/7/stat": stat(7, 10, 3, started=51)}) == {}
    assert one.started == {}
    texts = {"/proc/7/stat": stat(7, 10, 3, started=51)}
    assert one.join([7, 8], texts.get)
    assert not one.join([7, 8], texts.get)
    assert one.started == {7: 51}


def test_threads_by_their_states_and_times() -> None:
    one = Members(Units(processor="x86_64"), {7: 50})
    base = {"/proc/7/stat": stat(7, 10, 3, threads=3), "/proc/uptime": "100.0 1.0"}
    names = ((7, "we) R b", "R"), (8, "GC Thread#0", "D"), (9, "we", "S"), (10, "we", "T"))
    for thread, name, state in names:
        base[f"/proc/7/task/{thread}/stat"] = f"{thread} ({name}) {state} 1"
        base[f"/proc/7/task/{thread}/schedstat"] = f"{thread}000 100 5"
        base[f"/proc/6/task/{thread}/stat"] = f"{thread} (other) R 1"
    base["/proc/7/task/7/syscall"] = "running"
    base["/proc/7/task/8/syscall"] = "202 0x7f 0x80 0x0 0x0 0x0 0x0 0x7f 0x7f"
    values = one.figures(10.0, base)
    assert values["process.threads.runnable"] == values["process.threads.blocked"] == 1
    assert values["process.threads.blocked.occupied"] == values["process.threads.stopped"] == 1
    assert values["process.threads.waiting{wait=lock}"] == 1
    assert values["process.threads.waiting{wait=sleep}"] == 0
    assert "process.cpu.garbage_collection" not in values
    later = {**base, "/proc/7/task/8/schedstat": f"{8000 + 10**9} {100 + 10**9} 25"}
    values = one.figures(12.0, later)
    assert values["process.cpu.busiest_thread"] == pytest.approx(0.5)
    assert values["process.cpu.run_delay"] == pytest.approx(0.5)
    assert values["process.context_switches"] == pytest.approx(10)
    assert values["process.cpu.garbage_collection"] == pytest.approx(0.5)


def test_a_collector_is_known_whichever_of_its_files_is_read_first() -> None:
    one = Members(Units(), {7: 50})
    base = {"/proc/7/stat": stat(7, 10, 3, threads=2), "/proc/uptime": "100.0 1.0"}
    named = {f"/proc/7/task/{thread}/stat": f"{thread} (GC Thread#0) S 1" for thread in (7, 8)}

    def used(run_s: float) -> dict[str, str]:
        return {"/proc/7/task/8/schedstat": f"{round(run_s * 1e9)} 0 1"}

    one.figures(10.0, base | used(0.0))
    one.figures(11.0, base | named)
    one.figures(12.0, base | used(1.0))
    values = one.figures(14.0, base | used(1.5))
    assert values["process.cpu.garbage_collection"] == pytest.approx(0.25)


def test_open_files_are_known_for_all_processes_or_none() -> None:
    listed = "".join(
        f"dr-x------ 2 0 0 {many} Nov 24 13:21 /proc/{pid}/fd\n" for pid, many in ((7, 12), (8, 30))
    )
    assert descriptors(listed, [7, 8]) == {"process.open_file_descriptors": 42}
    assert descriptors(listed, [7, 8, 9]) == {}
    assert descriptors(listed.replace(" 30 ", " 0 "), [7, 8]) == {}  # before Linux 6.2


SS = """\
LISTEN 3 511 0.0.0.0:80 0.0.0.0:*
LISTEN 1 128 *:443 *:*
ESTAB 9 40 [::ffff:10.0.0.1]:443 [::ffff:10.0.0.2]:5000
ESTAB 0 0 10.0.0.1%eth0:80 10.0.0.2:5001
ESTAB 0 0 10.0.0.1:8080 10.0.0.2:80
nonsense
"""


def test_sockets_are_read_from_the_lines_of_ss() -> None:
    table = FarTable([80, 443], None)
    assert "sport = :80 or sport = :443" in (table.question(0.0) or "")
    table.take(SS, 0.0)
    values = figures(table, None)
    assert values["socket.accept_queue"] == 4
    assert values["socket.accept_queue.limit"] == 511
    assert values["socket.accept_queue.utilization"] == pytest.approx(1 / 128)
    assert values["socket.connections"] == 2
    assert values["socket.receive_queue"] == 9
    assert values["socket.send_queue"] == 40
    assert values["socket.send_queue.share"] == 0.5
    assert table.question(1.0) is None
    assert table.question(2.0) is not None
