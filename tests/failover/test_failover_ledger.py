"""The ledger: rows against a server in memory that loses, delays and refuses some."""

import threading
import time
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from failover_file import WRITES, failover, outage
from headcount.errors import TargetError
from headcount.failover.ledger.compare import StaleRead, Written, compare
from headcount.failover.ledger.ledger import Ledger
from headcount.failover.ledger.store import Kept, opening


class Memory:
    """What a server keeps.

    Attributes:
        rows: Of each writer.
        is_down: Whether it refuses everything.
        loses: Whether it acknowledges without keeping.
        hides: Whether it shows nothing to readers.

    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.rows: dict[int, set[int]] = {}
        self.is_down = self.loses = self.hides = False
        self.lost = 0


class MemoryStore:
    """A session with it."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self._check()

    def _check(self) -> None:
        if self.memory.is_down:
            raise TargetError("down")

    def begin(self) -> None:
        self.memory.rows = {}

    def write(self, writer: int, number: int) -> None:
        self._check()
        with self.memory.lock:
            if self.memory.loses:
                self.memory.lost += 1
            else:
                self.memory.rows.setdefault(writer, set()).add(number)

    def newest(self, writer: int) -> int:
        self._check()
        with self.memory.lock:
            hidden = self.memory.hides
            return 0 if hidden else max(self.memory.rows.get(writer, ()), default=0)

    def kept(self) -> Kept:
        return {writer: frozenset(numbers) for writer, numbers in self.memory.rows.items()}

    def remove(self) -> None:
        self.memory.rows = {}

    def close(self) -> None:
        """Nothing."""


def written_ledger(memory: Memory, *states: str) -> Ledger:
    """A ledger that was written while the server was in these states, one after the other."""
    ledger = Ledger(lambda: MemoryStore(memory), 3, time.monotonic)
    ledger.start()
    for state in states:
        if state != "well":
            setattr(memory, state, True)
        time.sleep(0.3)
        if state != "well":
            setattr(memory, state, False)
    time.sleep(0.3)
    ledger.end()
    return ledger


def test_a_server_that_is_down_for_a_while_loses_nothing() -> None:
    memory = Memory()
    found = written_ledger(memory, "well", "is_down").check(0.0)
    assert (found.gone, found.stale, found.gone_from_s) == (0, 0, None)
    assert found.acknowledged == sum(map(len, memory.rows.values())) > 20
    assert 1 <= found.unanswered <= 3  # each writer had one under way, or was about to


def test_a_session_that_ends_while_rows_are_read_back_is_opened_again() -> None:
    memory = Memory()
    ledger = written_ledger(memory, "well")
    memory.is_down = True
    threading.Timer(0.5, setattr, (memory, "is_down", False)).start()
    found = ledger.check(0.0)
    assert (found.gone, found.acknowledged > 5) == (0, True)


def test_acknowledged_rows_that_are_not_kept_are_gone() -> None:
    memory = Memory()
    began_s = time.monotonic()
    found = written_ledger(memory, "well", "loses").check(began_s)
    assert found.gone == memory.lost > 5
    assert found.gone_from_s is not None
    assert found.gone_to_s is not None
    assert 0.3 <= found.gone_from_s < found.gone_to_s
    assert found.stale == 0  # what is gone for good is not stale


def test_rows_that_are_hidden_and_there_later_are_stale() -> None:
    found = written_ledger(Memory(), "well", "hides").check(0.0)
    assert found.gone == 0
    assert found.stale > 5


@given(
    st.lists(st.sampled_from(["kept", "gone", "open", "came"]), max_size=40),
    st.floats(-5, 5),
)
def test_every_row_is_counted_once(fates: Sequence[str], injected_s: float) -> None:
    one = Written()
    kept = set()
    for at_s, fate in enumerate(fates):
        number = one.next()
        if fate in {"kept", "gone"}:
            one.acknowledge(number, float(at_s))
        if fate in {"kept", "came"}:
            kept.add(number)
    found = compare([one], {0: frozenset(kept)}, [], injected_s)
    assert found.acknowledged == sum(fate in {"kept", "gone"} for fate in fates)
    assert found.unanswered == sum(fate in {"open", "came"} for fate in fates)
    assert found.unanswered_kept == fates.count("came")
    assert found.gone == fates.count("gone")
    if "gone" in fates:
        assert found.gone_from_s == pytest.approx(fates.index("gone") - injected_s)


def test_a_read_is_stale_if_one_of_the_rows_it_lacked_is_there() -> None:
    one = Written()
    for number in (1, 2, 3):
        one.acknowledge(one.next(), float(number))
    reads = [StaleRead(0, 2, 3, 4.0), StaleRead(0, 3, 3, 5.0)]
    found = compare([one], {0: frozenset({1, 2})}, reads, 1.0)
    assert (found.gone, found.stale, found.stale_to_s) == (1, 1, 3.0)


def test_only_servers_that_can_keep_rows_have_ledgers() -> None:
    assert opening("sql", "{}") is not None
    assert opening("http", "{}") is None


def test_the_answer_says_what_is_gone() -> None:
    lost = failover(outage(1, writes=WRITES), outage(2, writes={**WRITES, "gone": 1}))
    assert lost.sentence.endswith(
        "13 of 8,000 acknowledged writes were gone afterwards; the last of them was acknowledged "
        "3.20 s after the fault. 4 reads did not show what had been acknowledged before."
    )
    whole = {**WRITES, "gone": 0, "gone_from_s": None, "gone_to_s": None, "stale": 0}
    kept = failover(outage(1, writes=whole))
    assert kept.sentence.endswith("None of 4,000 acknowledged writes was gone afterwards.")
    assert "acknowledged" not in failover(outage(1)).sentence


def test_writes_that_could_not_be_read_back_are_not_writes_that_are_gone() -> None:
    whole = {**WRITES, "gone": 0, "gone_from_s": None, "gone_to_s": None, "stale": 0}
    found = failover(outage(1, writes=whole), outage(2), outage(3, writes=whole))
    assert found.sentence.endswith(
        "None of 8,000 acknowledged writes was gone afterwards. In 1 repetition the writes could "
        "not be read back."
    )
    (gone,) = [one for one in found.spreads if one.figure == "gone"]
    assert (gone.number, gone.missing, gone.median, gone.worst) == (2, 0, 0, 0)
