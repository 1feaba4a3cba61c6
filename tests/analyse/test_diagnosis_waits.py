"""What threads wait for, from folded stacks whose threads are counted by hand."""

from collections import Counter
from typing import Any

import pytest
from diagnosis_levels import Server
from hypothesis import given
from hypothesis import strategies as st

from headcount.analyse.diagnosis.diagnose import of_levels
from headcount.analyse.diagnosis.wait_words import threads_text, wait_words
from headcount.analyse.diagnosis.waits import in_folders, of_stacks, waits
from headcount.bundle.diagnosis import Waits
from headcount.bundle.stacks import LevelStacks, Stacks
from headcount.counters.stacks.calls import kind_of

SNAPSHOTS = 10


def stack(call: str, process: str = "app") -> tuple[str, ...]:
    return (process, process, "sleeping", "f_[k]", call)


def seen(level: int, waiting: dict[str, int], running: int = 0) -> list[LevelStacks]:
    """A level with this many threads in each call in every snapshot."""
    off: Stacks = {stack(call): number * SNAPSHOTS for call, number in waiting.items()}
    on = {("app", "app", "running"): running * SNAPSHOTS}
    return [LevelStacks(level, "off", "proc", off), LevelStacks(level, "on", "proc", on)]


def events(*levels: int) -> list[dict[str, Any]]:
    return [
        {"event": "stacks", "level": level, "tool": "proc", "snapshots": SNAPSHOTS}
        for level in levels
    ]


def new_waits(few: dict[str, int], many: dict[str, int], running: int = 0) -> Waits:
    stacks = [*seen(1, few), *seen(2, many, running)]
    answer = waits(stacks, events(1, 2), (2, 64), (1, 2))
    assert answer is not None
    return answer


def test_locks_and_replies_that_more_threads_wait_for_are_named() -> None:
    reply, accept = "recvfrom(peer:10.0.0.9:5432)", "accept4(listen:0.0.0.0:80)"
    few = {"futex(0x7f00)": 1, reply: 1, accept: 1}
    many = {"futex(0x7f00)": 38, reply: 4, accept: 21}
    answer = new_waits(few, many, running=1)
    assert [(one.kind, one.object, one.threads) for one in answer.waits] == [
        ("lock", None, 38.0),
        ("receive", "peer:10.0.0.9:5432", 4.0),
    ]
    assert (answer.threads, answer.running, answer.idle, answer.parked) == (64, 1, 21, 0)
    assert answer.sentence == (
        "of its 64 threads at 64 users, 38 wait for a lock and 4 for replies of 10.0.0.9:5432; "
        "21 are idle, 1 runs"
    )


def test_idle_workers_are_idle_and_not_the_limit() -> None:
    answer = new_waits(
        {"futex(0x7f00)": 30, "epoll_wait": 2, "clock_nanosleep": 1},
        {"futex(0x7f00)": 30, "epoll_wait": 2, "clock_nanosleep": 1, "recvfrom(client)": 4},
    )
    assert answer.waits == []
    assert (answer.idle, answer.in_loop) == (35, 2)
    assert "none waits for a single thing that has a name" in answer.sentence
    assert "35 are idle, 2 are in an event loop" in answer.sentence


def test_a_futex_where_no_other_waits_is_parked() -> None:
    answer = new_waits({"futex": 3}, {"futex": 9, "epoll_pwait": 1})
    assert answer.waits == []
    assert (answer.parked, answer.in_loop, answer.idle) == (9, 1, 0)


def test_one_wait_of_one_thread() -> None:
    answer = new_waits({}, {"write(pipe:2)": 1})
    assert answer.sentence == (
        "of its only thread at 64 users, 1 waits for the reader of a pipe (descriptor 2)"
    )


def test_files_of_requests_are_one_folder() -> None:
    many = {f"fsync(file:/var/db/log-{number})": 1 for number in range(50)}
    answer = new_waits({"fsync(file:/var/db/log-1)": 1}, many)
    assert [(one.object, one.threads) for one in answer.waits] == [("folder:/var/db", 50.0)]
    assert "50 wait for files in /var/db to reach the disk" in answer.sentence


def test_without_a_smaller_level_all_waits_count() -> None:
    stacks = seen(1, {"futex(0x7f00)": 5})
    answer = waits(stacks, events(1), (1, 8), None)
    assert answer is not None
    assert answer.few_users is None
    assert [one.threads for one in answer.waits] == [5.0]


def test_rare_waits_are_not_mentioned() -> None:
    answer = new_waits({}, {"epoll_wait": 100, "fsync(file:/a)": 1})
    assert answer.waits == []


def test_without_stacks_or_snapshots_there_are_no_waits() -> None:
    assert waits([], events(1), (1, 8), None) is None
    assert waits(seen(1, {"futex": 1}), [], (1, 8), None) is None
    assert waits(seen(1, {"futex": 1}), events(1), (2, 8), (1, 1)) is None


CALLS = st.sampled_from(
    [
        *("futex", "futex(0x1)", "epoll_wait", "read(pipe:0)", "read(client)", "fsync(file:/a/b)"),
        *("connect(peer:1.2.3.4:5)", "nanosleep", "page_fault", "call_9", "accept4", "openat"),
        "f_[k]",
    ]
)
FOLDED = st.dictionaries(CALLS, st.integers(1, 50), max_size=8)


@given(FOLDED, FOLDED, st.integers(0, 9))
def test_every_thread_is_counted_once(
    few: dict[str, int], many: dict[str, int], running: int
) -> None:
    answer = new_waits(few, many, running)
    assert answer.threads == sum(many.values()) + running
    named = sum(one.threads for one in answer.waits)
    rest = answer.threads - answer.running - answer.idle - answer.in_loop - answer.parked - named
    # What is not mentioned is less than half a thread or 2% for each wait.
    assert -0.01 <= rest <= len(many) * max(0.5, 0.02 * answer.threads)
    assert answer.sentence.count("of its") == 1
    assert [one.threads for one in answer.waits] == sorted(
        (one.threads for one in answer.waits), reverse=True
    )


def test_the_place_in_the_program_with_the_most_new_waits_is_named() -> None:
    def dump(level: int, locked: int) -> LevelStacks:
        at_lock = ("app", "goroutine", "sync.Mutex.Lock", "main.visit", "sync.(*Mutex).Lock")
        listening = ("app", "goroutine", "IO wait", "main.main", "net.(*netFD).accept")
        reading = ("app", "goroutine", "IO wait", "net/http.(*conn).serve", "net.(*conn).Read")
        off = {at_lock: locked * 4, listening: 4, reading: level * 400}
        return LevelStacks(level, "off", "go", off)

    stacks = [*seen(1, {"futex": 5}), *seen(2, {"futex": 5}), dump(1, 1), dump(2, 60)]
    more = [{"event": "stacks", "level": level, "tool": "go", "snapshots": 4} for level in (1, 2)]
    answer = waits(stacks, [*events(1, 2), *more], (2, 64), (1, 2))
    assert answer is not None
    assert answer.program == (
        "60 of 261 waiting goroutines are in sync.(*Mutex).Lock, called by main.visit (go)"
    )
    alike = waits([*stacks[:4], dump(1, 9), dump(2, 9)], [*events(1, 2), *more], (2, 64), (1, 2))
    assert alike is not None
    assert alike.program is None


def test_means_are_over_snapshots() -> None:
    level = of_stacks({("a", "a", "running"): 5}, {stack("futex"): 25}, 10)
    assert level.running == 0.5
    assert level.waiting == {("app", "futex", None): 2.5}


@given(
    st.dictionaries(
        st.sampled_from(["file:/a/1", "file:/a/2", "file:/b/1", None]), st.floats(0.1, 9)
    )
)
def test_folders_keep_the_sum(each: dict[str | None, float]) -> None:
    merged = in_folders({("sync", what): number for what, number in each.items()})
    assert sum(merged.values()) == pytest.approx(sum(each.values()))


def test_every_kind_has_words() -> None:
    for name in ("futex", "epoll_wait", "accept", "connect", "read", "write", "nanosleep", "fsync"):
        for what in (None, "file:/a", "folder:/a", "peer:1.2.3.4:5", "unix:/s", "pipe:3", "client"):
            assert wait_words(kind_of(name), what)
    assert wait_words("other", "call_9") == "the kernel, in call_9"
    assert wait_words("send", "client") == "clients to take their data"


def test_numbers_of_threads_are_written_short() -> None:
    assert [threads_text(one) for one in (1234.4, 9.96, 9.4, 0.04)] == ["1,234", "10", "9.4", "0"]


def test_the_diagnosis_has_the_waits_of_its_top_level_and_is_the_same_without() -> None:
    levels = Server().levels()
    users = Counter({level.index: level.users for level in levels})
    top, few = max(users, key=users.__getitem__), min(users, key=users.__getitem__)
    stacks = [*seen(few, {"futex(0x1)": 1}), *seen(top, {"futex(0x1)": 9})]
    with_stacks = of_levels(levels, events=events(few, top), stacks=stacks)
    without = of_levels(levels, events=events(few, top))
    assert with_stacks is not None
    assert without is not None
    assert with_stacks.waits is not None
    assert (with_stacks.waits.users, with_stacks.waits.few_users) == (users[top], users[few])
    assert with_stacks.model_copy(update={"waits": None}) == without
