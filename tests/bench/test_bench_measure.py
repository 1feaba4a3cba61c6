"""Sides take turns; a peer that cannot run is named, and Ctrl-C keeps what was measured."""

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import pytest
from bench.gate import measure as measuring
from bench.gate.item import Item, Metric, Sides
from bench.gate.measure import measure
from bench.gate.process import MeasureError, apart, marginal_us, missing, use
from bench.machine import Load

Take = Callable[[], Mapping[str, float]]


def item(takes: Mapping[str, Take], most_rounds: int = 99, **absent: str) -> Item:
    @contextmanager
    def opened() -> Iterator[Sides]:
        yield Sides(takes, absent)

    return Item("one", "One", (Metric(name="CPU", unit="µs"),), opened, most_rounds)


def silent(_line: str) -> None:
    """Ignore progress."""


def test_sides_take_turns_forwards_and_backwards() -> None:
    order: list[str] = []

    def side(name: str, value: float) -> Take:
        def take() -> Mapping[str, float]:
            order.append(name)
            return {"CPU": value * len(order)}

        return take

    lines: list[str] = []
    sides = {"headcount": side("headcount", 1), "a": side("a", 2), "b": side("b", 3)}
    found, is_interrupted = measure(item(sides, 3), 5, 0, lines.append)
    assert order == ["headcount", "a", "b", "b", "a", "headcount", "headcount", "a", "b"]
    assert not is_interrupted
    assert found.rounds[1] == {"b": {"CPU": 12}, "a": {"CPU": 10}, "headcount": {"CPU": 6}}
    assert lines == [f"one: round {number} of 3" for number in (1, 2, 3)]


@pytest.mark.parametrize(("average", "waits"), [(0.5, False), (7.0, True)])
def test_waiting_for_a_quiet_machine_is_reported(
    monkeypatch: pytest.MonkeyPatch, average: float, waits: bool
) -> None:
    monkeypatch.setattr(measuring, "load_now", lambda: Load(average, 0.0))
    monkeypatch.setattr(measuring, "wait_until_quiet", lambda _patience_s: Load(0.9, 0.0))
    lines: list[str] = []
    found, _ = measure(item({"headcount": lambda: {"CPU": 1.0}}), 1, 60, lines.append)
    assert ("one: waits up to 60 s for a quiet machine" in lines) == waits
    assert (found.load_before, found.load_after) == (0.9, average)


def test_a_peer_that_is_missing_or_fails_is_named_and_the_others_are_measured() -> None:
    left = [7.0, 8.0]

    def fails_later() -> Mapping[str, float]:
        if not left:
            raise MeasureError("it ended with 3")
        return {"CPU": left.pop()}

    takes: dict[str, Take] = {"headcount": lambda: {"CPU": 1.0}, "flaky": fails_later}
    takes["empty"] = dict
    found, _ = measure(item(takes, absent="absent is not installed"), 4, 0, silent)
    assert found.failure is None
    assert [set(one) for one in found.rounds] == [{"headcount", "flaky"}] * 2 + [{"headcount"}] * 2
    assert found.missing == {
        "absent": "absent is not installed",
        "flaky": "flaky failed: it ended with 3",
        "empty": "empty failed: CPU was nan",
    }


@pytest.mark.parametrize("value", [0.0, -1.0, float("nan"), float("inf")])
def test_headcount_itself_failing_is_a_failure(value: float) -> None:
    values = [value, 2.0]
    found, _ = measure(item({"headcount": lambda: {"CPU": values.pop()}}), 4, 0, silent)
    assert found.rounds == [{"headcount": {"CPU": 2.0}}]
    assert found.failure == f"CPU was {value:g}"


def test_a_server_that_does_not_start_is_a_failure() -> None:
    @contextmanager
    def refused() -> Iterator[Sides]:
        raise RuntimeError("there is\nno server")
        yield

    broken = Item("one", "One", (Metric(name="CPU", unit="µs"),), refused)
    found, is_interrupted = measure(broken, 4, 0, silent)
    assert (found.rounds, found.failure, is_interrupted) == ([], "there is no server", False)


def test_ctrl_c_keeps_whole_rounds() -> None:
    left = [3.0, 2.0, 1.0]

    def interrupted() -> Mapping[str, float]:
        if not left:
            raise KeyboardInterrupt
        return {"CPU": left.pop()}

    closed = []

    @contextmanager
    def opened() -> Iterator[Sides]:
        try:
            yield Sides({"headcount": lambda: {"CPU": 5.0}, "peer": interrupted})
        finally:
            closed.append(True)

    one = Item("one", "One", (Metric(name="CPU", unit="µs"),), opened)
    found, is_interrupted = measure(one, 9, 0, silent)
    assert is_interrupted
    assert closed
    assert [each["peer"]["CPU"] for each in found.rounds] == [1.0, 2.0, 3.0]


def test_a_command_counts_with_its_children() -> None:
    busy = "x = 0\nfor n in range(3_000_000): x += n"
    child = f"import subprocess, sys; subprocess.run([sys.executable, '-c', '''{busy}'''])"
    alone = use([sys.executable, "-c", busy]).cpu_s
    assert use([sys.executable, "-c", child]).cpu_s > alone / 3
    idle = use([sys.executable, "-c", "import time; time.sleep(0.2); print(input())"], "word\n")
    assert idle.output == "word\n"


def test_a_command_that_fails_says_how() -> None:
    with pytest.raises(MeasureError, match=r"sh ended with 3: gone wrong$"):
        use(["sh", "-c", "echo gone wrong >&2; exit 3"])
    assert use(["sh", "-c", "echo figures >&2"], errors=True).output == "figures\n"


def test_the_cost_of_starting_is_subtracted() -> None:
    def run(seconds: float) -> tuple[float, float]:
        return 5.0 + 0.25 * seconds, 1000 * seconds

    assert marginal_us(run, 1, 3) == pytest.approx(250)
    with pytest.raises(MeasureError, match="cost no more"):
        marginal_us(lambda _seconds: (1.0, 10.0), 1, 3)


def test_a_program_that_is_not_installed_is_named_with_its_package() -> None:
    found = missing({"sh": "apt install dash", "no-such-program": "apt install it"})
    assert found == {"no-such-program": "no-such-program is not installed (apt install it)"}


def test_a_server_has_a_processor_of_its_own_while_it_is_measured() -> None:
    before = os.sched_getaffinity(0)
    with apart() as leave:
        server = os.sched_getaffinity(0)
        leave()
        clients = os.sched_getaffinity(0)
        assert len(server) == 1 or before == server
        assert clients == (before - server or before)
    assert os.sched_getaffinity(0) == before
