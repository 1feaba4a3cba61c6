"""What users felt of an outage, from what happened when: against outages that were simulated."""

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount.analyse.outage.felt import Felt, Limits, felt
from headcount.analyse.outage.slot import Slot
from headcount.bundle.moments import merged

SLOT_S = 0.01
INJECTED_S, END_S = 10.0, 60.0
LIMIT_S = 0.1
SERVICE_S = 0.004

Answer = Callable[[float], tuple[float, bool]]
"""When what was due at a moment was answered, and whether it succeeded."""


def slots_of(answer: Answer, rate: float, seed: int = 1, end_s: float = END_S) -> list[Slot]:
    """Slots of a run at an open pace (Poisson)."""
    random = Random(seed)
    rows: list[tuple[float, int, int, int, int, int, int]] = []
    due_s = random.expovariate(rate)
    while due_s < end_s:
        at_s, succeeded = answer(due_s)
        if at_s < end_s:
            kept = succeeded and at_s - due_s <= LIMIT_S
            slow = succeeded and not kept
            rows.append((at_s, int(succeeded), int(slow), int(not succeeded), 0, 0, 0))
            rows.append((due_s, 0, 0, 0, int(kept), int(not kept), int(not succeeded)))
        due_s += random.expovariate(rate)
    return [Slot(*row) for row in merged((row[0] // SLOT_S * SLOT_S, *row[1:]) for row in rows)]


def refusing(from_s: float, length_s: float) -> Answer:
    """A server that refuses for a while."""
    return lambda due_s: (due_s + SERVICE_S, not from_s <= due_s < from_s + length_s)


def stalling(from_s: float, length_s: float) -> Answer:
    """A server that answers nothing for a while, and then what has waited."""

    def answer(due_s: float) -> tuple[float, bool]:
        begins_s = max(due_s, from_s + length_s) if due_s + SERVICE_S > from_s else due_s
        return begins_s + SERVICE_S, True

    return answer


def felt_outage(slots: list[Slot], end_s: float = END_S) -> Felt:
    return felt(slots, INJECTED_S, (0.0, end_s), SLOT_S, Limits(100, 0.05, 5.0))


@settings(max_examples=60, deadline=None)
@given(
    st.floats(0.2, 30.0), st.floats(0.0, 5.0), st.sampled_from([200.0, 1000.0]), st.integers(0, 99)
)
def test_a_refusal_is_measured(length_s: float, delay_s: float, rate: float, seed: int) -> None:
    one = felt_outage(slots_of(refusing(INJECTED_S + delay_s, length_s), rate, seed))
    gap_s = 12 / rate  # longer pauses between two of a Poisson process are rarer than one in 10^5
    assert length_s - SLOT_S <= one.silent_s <= length_s + gap_s + 2 * SLOT_S
    assert one.served_s is not None
    assert one.served_s == pytest.approx(delay_s + length_s, abs=gap_s + SLOT_S)
    assert one.answered_s == pytest.approx(delay_s + length_s, abs=gap_s + 2 * SLOT_S)
    assert one.restored_s is not None
    assert one.restored_s >= delay_s + length_s - gap_s - 2 * SLOT_S
    assert one.lost == pytest.approx(length_s * rate, abs=6 * (length_s * rate) ** 0.5 + 2)
    assert (one.late, one.log_ons) == (0, one.lost)


def test_the_end_of_a_refusal_is_known_to_some_ten_scenarios() -> None:
    """Chance after it looks like a dip of 5%."""
    random = Random(5)
    late = []
    for seed in range(60):
        length_s, delay_s = random.uniform(0.2, 30.0), random.uniform(0.0, 5.0)
        rate = random.choice([200.0, 1000.0])
        one = felt_outage(slots_of(refusing(INJECTED_S + delay_s, length_s), rate, seed))
        assert one.restored_s is not None
        late.append((one.restored_s - delay_s - length_s) * rate)
    late.sort()
    assert late[30] < 30
    assert late[57] < 60


def test_a_shallow_dip_after_a_deep_one_belongs_to_the_outage() -> None:
    def answer(due_s: float) -> tuple[float, bool]:
        refuses = due_s < INJECTED_S + 2 or int(due_s * 1e6) % 4 == 0
        return due_s + SERVICE_S, not (refuses and INJECTED_S <= due_s < INJECTED_S + 10)

    one = felt_outage(slots_of(answer, 500.0))
    assert one.restored_s == pytest.approx(10.0, abs=0.3)


@settings(max_examples=40, deadline=None)
@given(st.floats(0.3, 30.0), st.integers(0, 99))
def test_a_stall_is_measured(length_s: float, seed: int) -> None:
    rate = 500.0
    one = felt_outage(slots_of(stalling(INJECTED_S, length_s), rate, seed))
    assert length_s - SLOT_S <= one.silent_s <= length_s + 12 / rate + 2 * SLOT_S
    assert one.served_s is not None
    assert one.served_s == pytest.approx(length_s + SERVICE_S, abs=2 * SLOT_S)
    assert one.lost == 0
    late = (length_s - LIMIT_S + SERVICE_S) * rate
    assert one.late == pytest.approx(late, abs=6 * late**0.5 + 3)


@given(st.integers(0, 200))
@settings(max_examples=40, deadline=None)
def test_nothing_is_felt_where_nothing_happens(seed: int) -> None:
    one = felt_outage(slots_of(lambda due_s: (due_s + SERVICE_S, True), 200.0, seed))
    assert (one.silent_s, one.answered_s, one.served_s) == (0.0, 0.0, 0.0)
    assert (one.lost, one.late) == (0, 0)
    assert one.restored_s == 0.0


def test_a_short_outage_long_after_the_fault_is_seen() -> None:
    one = felt_outage(slots_of(refusing(INJECTED_S + 20, 0.2), 200.0))
    assert one.lost > 20
    assert one.served_s == pytest.approx(20.2, abs=0.05)


def test_usual_errors_do_not_move_the_end() -> None:
    """One in a hundred fails all the time; five in a hundred are allowed."""
    late = 0
    for seed in range(20):
        chance = Random(seed)

        def answer(due_s: float, chance: Random = chance) -> tuple[float, bool]:
            at_s, succeeded = refusing(INJECTED_S, 2.0)(due_s)
            return at_s, succeeded and chance.random() > 0.01

        served_s = felt_outage(slots_of(answer, 200.0, seed)).served_s
        late += served_s is None or served_s > 2.5
    assert late <= 2


def test_users_who_do_not_return_have_no_times() -> None:
    one = felt_outage(slots_of(refusing(INJECTED_S, 1000.0), 200.0))
    assert (one.answered_s, one.served_s, one.restored_s) == (None, None, None)
    assert one.silent_s == pytest.approx(END_S - INJECTED_S, abs=0.1)


def test_a_burst_of_waiting_scenarios_is_not_the_restored_rate() -> None:
    one = felt_outage(slots_of(stalling(INJECTED_S + 1, 6.0), 126.0))
    assert one.restored_s == pytest.approx(7.0, abs=0.1)


def test_a_server_that_stays_slower_has_no_restored_rate() -> None:
    def answer(due_s: float) -> tuple[float, bool]:
        return due_s + SERVICE_S, due_s < INJECTED_S or int(due_s * 1e6) % 4 != 0

    one = felt_outage(slots_of(answer, 200.0))
    assert one.restored_s is None


def test_half_of_the_users_can_fail_while_answers_never_stop() -> None:
    def answer(due_s: float) -> tuple[float, bool]:
        return due_s + SERVICE_S, int(due_s * 1e6) % 2 == 0 or not 12 <= due_s < 15

    one = felt_outage(slots_of(answer, 400.0))
    assert (one.silent_s, one.answered_s) == (0.0, 0.0)
    assert one.served_s == pytest.approx(5.0, abs=0.05)
    assert one.lost == pytest.approx(600, abs=120)


def test_users_who_hang_count_although_most_scenarios_are_served() -> None:
    """A tenth of the users wait for half a minute; the others get hundreds of answers a second."""
    slots = slots_of(lambda due_s: (due_s + SERVICE_S, True), 400.0)
    hang = [Slot(INJECTED_S + 0.1 * at, 0, 0, 0, 0, 1, 0) for at in range(10)]
    ends = [Slot(INJECTED_S + 30 + 0.1 * at, 1, 1, 0, 0, 0, 0) for at in range(10)]
    both = [Slot(*row) for row in merged([*slots, *hang, *ends])]
    one = felt_outage(both)
    assert one.silent_s == 0
    assert one.served_s == pytest.approx(30.5, abs=0.11)  # then fewer than a twentieth wait
    assert one.late == 10


def test_one_slow_answer_later_does_not_move_the_end() -> None:
    def answer(due_s: float) -> tuple[float, bool]:
        if abs(due_s - 20) < 0.001:
            return due_s + 1.0, True
        return refusing(INJECTED_S, 2.0)(due_s)

    assert felt_outage(slots_of(answer, 500.0)).served_s == pytest.approx(2.0, abs=0.05)


def test_errors_before_the_fault_are_not_attributed_to_it() -> None:
    def answer(due_s: float) -> tuple[float, bool]:
        return due_s + SERVICE_S, int(due_s * 1e6) % 50 != 0

    one = felt_outage(slots_of(answer, 500.0))
    assert one.served_s == 0.0
    assert one.lost < 0.2 * 0.02 * 500 * (END_S - INJECTED_S)
