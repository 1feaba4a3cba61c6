"""Which users an agent plays, and when all have reported a second."""

from hypothesis import given
from hypothesis import strategies as st

from headcount.generator.line import Deliver
from headcount.generator.member import Member, Report, complete_until
from headcount.generator.message import Message


class Nowhere:
    """A line to nobody."""

    name = "nowhere"

    def open(self, deliver: Deliver) -> None:
        """Nobody answers."""

    def send(self, message: Message) -> None:
        """Nobody hears."""

    def close(self) -> None:
        """Nothing is open."""


def members(workers: list[int]) -> list[Member]:
    found, first = [], 0
    for number, own in enumerate(workers, start=1):
        found.append(Member(number, Nowhere(), own, first))
        first += own
    return found


def add_reports(member: Member, *ends_s: float) -> None:
    for end_s in ends_s:
        member.reports.append(Report(end_s - 1, end_s, {}, b""))


@given(st.lists(st.integers(1, 5), min_size=1, max_size=9), st.integers(0, 500))
def test_users_are_counted_as_the_engine_deals_them_out(workers: list[int], users: int) -> None:
    of = sum(workers)
    for one in members(workers):
        lanes = range(one.first, one.first + one.workers)
        expected = sum(number % of in lanes for number in range(users))
        assert one.users_of(users, of) == expected


def test_a_second_is_complete_when_all_have_reported_it() -> None:
    first, second = members([1, 1])
    second.began_s = 5.01
    first.began_s = 5.0
    assert complete_until([first, second]) is None
    add_reports(first, 1.0, 2.0)
    assert complete_until([first, second]) is None
    add_reports(second, 1.0)
    assert complete_until([first, second]) == 6.01
    assert [one.to_s for one in first.take_until(6.01)] == [1.0]
    assert [one.to_s for one in second.take_until(6.01)] == [1.0]
    assert complete_until([first, second]) is None


def test_seconds_that_one_agent_reports_together_are_taken_together() -> None:
    first, second = members([1, 1])
    add_reports(first, 1.0)
    second.reports.append(Report(0.0, 2.0, {}, b""))  # it was late
    assert complete_until([first, second]) is None
    add_reports(first, 2.0)
    assert complete_until([first, second]) == 2.0
    assert [one.to_s for one in first.take_until(2.0)] == [1.0, 2.0]


def test_an_agent_whose_engine_has_ended_is_not_waited_for() -> None:
    first, second = members([1, 1])
    add_reports(first, 1.0)
    first.has_ended = True
    add_reports(second, 1.0, 2.0)
    assert complete_until([first, second]) == 1.0
    first.reports.clear()
    second.reports.popleft()
    assert complete_until([first, second]) == 2.0


def test_times_of_agents_are_converted_to_the_controllers_clock() -> None:
    (one,) = members([1])
    one.clock.answer(10.0, 110.5, 11.0)  # a hundred seconds ahead
    one.began_s = 107.0
    assert one.begin_s == 7.0
    assert one.its_s(20.0) == 120.0
    assert one.end_s(Report(0.0, 1.0, {}, b"")) == 8.0
