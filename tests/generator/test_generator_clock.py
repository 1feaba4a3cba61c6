"""How far an agent's clock is ahead."""

from hypothesis import given
from hypothesis import strategies as st

from headcount.generator.clock import KEPT, ClockOffset

TRIPS = st.lists(
    st.tuples(st.floats(0, 0.5), st.floats(0, 0.5)), min_size=1, max_size=KEPT, unique=True
)


@given(st.floats(-1e5, 1e5), TRIPS)
def test_the_offset_is_within_its_stated_error(
    ahead_s: float, trips: list[tuple[float, float]]
) -> None:
    clock, now_s = ClockOffset(), 1000.0
    for there_s, back_s in trips:
        clock.answer(now_s, now_s + there_s + ahead_s, now_s + there_s + back_s)
        now_s += 1
    assert abs(clock.ahead_s - ahead_s) <= clock.error_s + 1e-6
    assert clock.error_s <= min(there_s + back_s for there_s, back_s in trips) / 2 + 1e-6
    trip_s = sorted(there_s + back_s for there_s, back_s in trips)[len(trips) // 2]
    assert abs(clock.round_trip_s - trip_s) <= 1e-6


def test_nothing_is_known_before_an_answer() -> None:
    assert (ClockOffset().ahead_s, ClockOffset().error_s) == (0.0, float("inf"))


def test_a_clock_that_drifts_is_followed() -> None:
    clock = ClockOffset()
    for second in range(3 * KEPT):
        drifted_s = 50e-6 * second
        clock.answer(second, second + 0.001 + drifted_s, second + 0.002)
    assert abs(clock.ahead_s - 50e-6 * 3 * KEPT) <= 50e-6 * (KEPT + 1)
