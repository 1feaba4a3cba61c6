"""Which users an agent plays, and when all have reported a second."""

from hypothesis import given
from hypothesis import strategies as st

from headcount.generator.line import Deliver
from headcount.generator.member import Member, Report, complete_until, lanes_of
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
    both = zip(workers, lanes_of(workers), strict=True)
    return [Member(number, Nowhere(), *one) for number, one in enumerate(both, start=1)]


def add_reports(member: Member, *ends_s: float) -> None:
    for end_s in ends_s:
        member.reports.append(Report(end_s - 1, end_s, {}, b""))


@given(st.lists(st.integers(1, 5), min_size=1, max_size=9), st.integers(0, 500))
def test_users_are_counted_as_the_engine_deals_them_out(workers: list[int], users: int) -> None:
    of = sum(workers)
    for one in members(workers):
        expected = sum(number % of in one.lanes for number in range(users))
        assert one.users_of(users, of) == expected


@given(st.lists(st.integers(1, 5), min_size=1, max_size=9))
def test_each_lane_is_one_workers(workers: list[int]) -> None:
    lanes = lanes_of(workers)
    assert [len(own) for own in lanes] == workers
    assert sorted(lane for own in lanes for lane in own) == list(range(sum(workers)))
    assert all(own == sorted(own) for own in lanes)


@given(st.integers(1, 24), st.integers(1, 8), st.integers(0, 700))
def test_agents_alike_play_as_many_users_to_within_one(
    agents: int, workers: int, users: int
) -> None:
    each = [one.users_of(users, agents * workers) for one in members([workers] * agents)]
    assert max(each) - min(each) <= 1
    assert sum(each) == users


@given(st.lists(st.integers(1, 8), min_size=2, max_size=9), st.integers(0, 700))
def test_an_agent_plays_users_in_proportion_to_its_workers(workers: list[int], users: int) -> None:
    of = sum(workers)
    for one in members(workers):
        assert abs(one.users_of(users, of) - users * one.workers / of) <= 2


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
