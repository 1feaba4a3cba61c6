"""The trials have more users than the server holds, so that a change can raise its rate."""

import pytest
from tuned_server import Stage, switch, tuned

from headcount.bundle.level import LevelResult
from headcount.controller.listener import Silent
from headcount.tune.change import AS_IT_IS, Configuration
from headcount.tune.load import Load, has_collapsed
from headcount.tune.tuning import NOISE_PAIRS

KNOB = switch("a")


class Bistable(Stage):
    """Serves up to `holds` users in time; up to `sometimes` in every third turn."""

    def __init__(self, holds: int, sometimes: int) -> None:
        super().__init__({}, 1)
        self._holds, self._sometimes = holds, sometimes

    def turn(
        self, configuration: Configuration, users: int, *, is_fresh: bool = False
    ) -> LevelResult:
        found = super().turn(configuration, users, is_fresh=is_fresh)
        is_lucky = users <= self._sometimes and len(self.turns) % 3 == 0
        passed = users <= self._holds or is_lucky
        return found.model_copy(update={"outcome": "passed" if passed else "failed"})


@pytest.mark.parametrize(
    ("holds", "sometimes", "users"),
    [(90, 90, 100), (100, 100, 150), (90, 120, 150), (149, 200, 225)],
)
def test_turns_that_are_served_in_time_ask_for_more_users(
    holds: int, sometimes: int, users: int
) -> None:
    stage = Bistable(holds, sometimes)
    tuning = tuned(stage, [KNOB], trials=1)
    assert tuning.users == users
    equal = [users for configuration, users in stage.turns if not configuration.changes]
    assert equal[-2 * NOISE_PAIRS :] == [users] * 2 * NOISE_PAIRS
    assert len(tuning.results.noise.gains) == NOISE_PAIRS


def test_a_server_that_holds_any_number_of_users_ends_the_raises() -> None:
    stage = Bistable(10**9, 10**9)
    tuned(stage, [KNOB], trials=1)
    assert len(stage.turns) < 100


class Spoiled(Bistable):
    """Some turns are disturbed by other programs."""

    def __init__(self, spoiled: set[int]) -> None:
        super().__init__(holds=120, sometimes=120)
        self._spoiled = spoiled

    def turn(
        self, configuration: Configuration, users: int, *, is_fresh: bool = False
    ) -> LevelResult:
        found = super().turn(configuration, users, is_fresh=is_fresh)
        is_spoiled = len(self.turns) in self._spoiled
        return found.model_copy(update={"outcome": "invalid"}) if is_spoiled else found


@pytest.mark.parametrize(("spoiled", "users"), [({1}, 150), ({2}, 150), ({1, 2}, 100)])
def test_a_disturbed_turn_is_played_again(spoiled: set[int], users: int) -> None:
    tuning = tuned(Spoiled(spoiled), [KNOB], trials=1)
    assert tuning.users == users


def test_no_more_users_play_than_there_are() -> None:
    stage = Bistable(10**9, 10**9)
    tuning = tuned(stage, [KNOB], trials=1, most_users=170)
    assert tuning.users == 170
    assert max(users for _, users in stage.turns) == 170


class Paced(Stage):
    """A server for 1,300 users, each of whom asks once a second as long as it is served."""

    def turn(
        self, configuration: Configuration, users: int, *, is_fresh: bool = False
    ) -> LevelResult:
        found = super().turn(configuration, users, is_fresh=is_fresh)
        most = 1.3 * found.achieved_per_s
        outcome = "passed" if users <= most else "failed"
        found = found.model_copy(update={"achieved_per_s": min(most, users), "outcome": outcome})
        self.durations.add(configuration, found)
        return found


@pytest.mark.parametrize("effect", [1.3, 2.0, 4.0])
def test_the_load_grows_until_it_shows_what_a_change_gains(effect: float) -> None:
    stage = Paced({("a", "on"): effect}, 3, noise=0.1)
    tuning = tuned(stage, [KNOB], trials=2, users=1500)
    race = tuning.results.races[0]
    assert race.outcome == "better"
    assert tuning.users >= min(1.3 * effect, 1.5) * 1000
    assert all(one.log_gain is None for one in race.pairs if one.users < race.pairs[-1].users)
    ratio = tuning.proven()
    assert ratio is not None
    assert ratio.low < effect < ratio.high


def test_the_load_stays_where_turns_show_what_the_server_does_as_it_is() -> None:
    """They think for a second. If they wait for more than 15, a turn ends before most finish."""
    tuning = tuned(Paced({("a", "on"): 50}, 3, noise=0.01), [KNOB], trials=2, users=1500)
    assert tuning.users <= 16 * 1300 < 1.5 * tuning.users


class Losing(Paced):
    """Beyond 3,000 users, each change does what the server did as it was."""

    def turn(
        self, configuration: Configuration, users: int, *, is_fresh: bool = False
    ) -> LevelResult:
        found = super().turn(configuration, users, is_fresh=is_fresh)
        if users <= 3000:
            return found
        alike = {"achieved_per_s": 1300.0, "outcome": "failed"}
        return found.model_copy(update=alike)


def test_the_load_goes_back_where_more_users_show_less() -> None:
    """Of a mail server: some users got no answer, and the others had it to themselves."""
    tuning = tuned(Losing({("a", "on"): 2.5}, 3, noise=0.05), [KNOB], trials=2, users=1500)
    race = tuning.results.races[0]
    assert race.outcome == "better"
    assert [one.users for one in race.pairs if one.log_gain is not None] == [2250] * 4
    assert {one.users for one in race.pairs} == {1500, 2250, 3375}
    ratio = tuning.proven()
    assert ratio is not None
    assert ratio.value == pytest.approx(2250 / 1300, rel=0.1)


class Collapsing(Paced):
    """Does next to nothing with more than 2,000 users, unless it is changed."""

    def turn(
        self, configuration: Configuration, users: int, *, is_fresh: bool = False
    ) -> LevelResult:
        found = super().turn(configuration, users, is_fresh=is_fresh)
        if configuration.changes or users <= 2000:
            return found
        rate = (0.0, 300.0)[len(self.turns) % 2]
        return found.model_copy(update={"achieved_per_s": rate, "outcome": "failed"})


@pytest.mark.parametrize(("users", "compared"), [(1900, 1900), (2900, 1934), (3900, 1734)])
def test_a_server_that_collapses_is_compared_with_fewer_users(users: int, compared: int) -> None:
    """nginx with 24 connections closed all of 15,360 users', although it served 5,120."""
    stage = Collapsing({("a", "on"): 1.4}, 3, noise=0.02)
    tuning = tuned(stage, [KNOB], trials=2, users=users, best_per_s=1250.0)
    assert [one.users for one in tuning.results.noise.pairs] == [compared] * NOISE_PAIRS
    ratio = tuning.proven()
    assert ratio is not None
    assert ratio.value == pytest.approx(1.4, rel=0.05)


def test_a_disturbed_turn_is_no_collapse() -> None:
    """Other programs had the CPUs: with fewer users it would be no better."""
    slow = Paced({}, 3).turn(AS_IT_IS, 100)
    assert has_collapsed([slow, slow], 10_000.0)
    disturbed = slow.model_copy(update={"outcome": "invalid"})
    assert not has_collapsed([slow, disturbed], 10_000.0)
    assert not has_collapsed([slow, slow], None)


class Noting(Silent):
    """Keeps what is noted."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def noted(self, text: str) -> None:
        self.notes.append(text)


def test_a_load_that_stays_for_a_slow_server_says_so_once() -> None:
    stage, listener = Paced({("a", "on"): 50}, 3, noise=0.01), Noting()
    before = stage.turn(AS_IT_IS, 20_000)
    after = stage.turn(Configuration({KNOB: "on"}), 20_000)
    assert (before.outcome, after.outcome) == ("failed", "passed")
    load = Load(stage, 20_000, listener, lambda: True)  # type: ignore[arg-type]
    assert not load.after(before, after)
    assert not load.after(before, after)
    (note,) = listener.notes
    assert "more users would wait for over 15 s with the server as it is" in note
    assert load.users == 20_000
