"""The trials as a whole, on servers in numbers: what is found, and what is not claimed."""

import statistics

import pytest
from tuned_server import Stage, switch, tuned

from headcount.bundle.level import LevelResult
from headcount.errors import MachineLimitError, TargetError
from headcount.tune.change import Configuration
from headcount.tune.knock_out import MOST_CHANGES
from headcount.tune.race import smallest_gain
from headcount.tune.tuning import MOST_PROOF_PAIRS, Tuning

KNOBS = [switch(name) for name in ("a", "b", "c", "d", "e", "f")]


class Holding(Stage):
    """A stage whose users come once a second, as long as they are served."""

    def turn(
        self, configuration: Configuration, users: int, *, is_fresh: bool = False
    ) -> LevelResult:
        found = super().turn(configuration, users, is_fresh=is_fresh)
        most = 1.3 * found.achieved_per_s
        rate = min(most, users)
        outcome = "passed" if users <= most else "failed"
        return found.model_copy(update={"achieved_per_s": rate, "outcome": outcome})


class Small(Holding):
    """The same, played by a machine that has sockets for 2,500 users."""

    def turn(
        self, configuration: Configuration, users: int, *, is_fresh: bool = False
    ) -> LevelResult:
        if users > 2500:
            raise MachineLimitError(f"{users} users need more handles")
        return super().turn(configuration, users, is_fresh=is_fresh)


class Full(Holding):
    """The same, played by a machine whose load generator is full with 2,500 users."""

    def turn(
        self, configuration: Configuration, users: int, *, is_fresh: bool = False
    ) -> LevelResult:
        found = super().turn(configuration, users, is_fresh=is_fresh)
        return found.model_copy(update={"outcome": "invalid"}) if users > 2500 else found


class Weak(Stage):
    """A stage whose load generator is full at 1,250 scenarios/s."""

    def turn(
        self, configuration: Configuration, users: int, *, is_fresh: bool = False
    ) -> LevelResult:
        found = super().turn(configuration, users, is_fresh=is_fresh)
        if found.achieved_per_s < 1250:
            return found
        generator = found.generator.model_copy(update={"limited": True})
        full = {"achieved_per_s": 1250.0, "outcome": "invalid", "generator": generator}
        return found.model_copy(update=full)


def winning_changes(tuning: Tuning) -> dict[str, str]:
    return {knob.name: value for knob, value in tuning.results.winner.changes.items()}


def test_only_changes_that_help_are_found() -> None:
    exact = 0
    for seed in range(10):
        stage = Stage({("c", "on"): 1.4, ("e", "on"): 0.9}, seed)
        tuning = tuned(stage, KNOBS, seed)
        ratio = tuning.proven()
        assert ratio is not None
        assert ratio.low > 1
        assert ratio.low < 1.4 < ratio.high * 1.05
        assert winning_changes(tuning)["c"] == "on"
        assert "e" not in winning_changes(tuning)
        exact += len(winning_changes(tuning)) == 1
    assert exact >= 8


def test_a_gain_that_fills_the_load_generator_is_at_least_what_was_measured() -> None:
    tuning = tuned(Weak({("c", "on"): 2.0}, 1), [switch("c")])
    assert winning_changes(tuning) == {"c": "on"}
    ratio = tuning.proven()
    assert ratio is not None
    assert ratio.low < 1.25 < ratio.high * 1.1
    assert tuning.is_at_least
    assert not tuned(Stage({("c", "on"): 2.0}, 1), [switch("c")]).is_at_least


def test_two_changes_that_help_are_both_kept_with_their_gains() -> None:
    stage = Stage({("a", "on"): 1.25, ("f", "on"): 1.25}, 5, noise=0.03)
    tuning = tuned(stage, KNOBS)
    assert winning_changes(tuning) == {"a": "on", "f": "on"}
    assert {knob.name for knob in tuning.results.knocked_out} == {"a", "f"}
    ratio = tuning.proven()
    assert ratio is not None
    assert ratio.low < 1.25**2 < ratio.high


def test_a_refused_change_does_not_end_the_tuning() -> None:
    stage = Stage({("b", "on"): 0.0, ("c", "on"): 1.5}, 2)
    tuning = tuned(stage, KNOBS)
    assert winning_changes(tuning) == {"c": "on"}
    refused = [race for race in tuning.results.races if race.outcome == "refused"]
    assert refused[0].why == "it does not start"


class Hiccup(Stage):
    """A stage where the first turns with a change are five times as slow for some users."""

    slow = 0

    def turn(
        self, configuration: Configuration, users: int, *, is_fresh: bool = False
    ) -> LevelResult:
        found = super().turn(configuration, users, is_fresh=is_fresh)
        response = found.total.response
        assert response is not None
        if not configuration.changes or self.slow == 0:
            return found
        self.slow -= 1
        late = response.model_copy(update={"p99_ms": 5 * response.p99_ms})
        total = found.total.model_copy(update={"response": late})
        return found.model_copy(update={"total": total})


@pytest.mark.parametrize(("slow", "kept"), [(1, {"c": "on"}), (4, {})])
def test_one_hiccup_does_not_end_a_trial_and_two_do(slow: int, kept: dict[str, str]) -> None:
    stage = Hiccup({("c", "on"): 1.5}, 3, noise=0.02)
    stage.slow = slow
    tuning = tuned(stage, [switch("c")], trials=2)
    assert winning_changes(tuning) == kept
    first = tuning.results.races[0]
    assert first.outcome == ("refused" if slow > 1 else "better")
    if slow > 1:
        assert len(first.pairs) == 2
        assert first.why == "p99 was 100 ms, 20 ms without it"


@pytest.mark.parametrize(("completed", "slow", "pairs"), [(200, 2, 4), (200, 4, 3), (50, 4, 4)])
def test_few_scenarios_need_more_pairs_for_a_percentile(
    completed: int, slow: int, pairs: int
) -> None:
    """Of 200 scenarios, two are slower than the 99th percentile: perhaps one user who waited."""

    class Few(Hiccup):
        def turn(
            self, configuration: Configuration, users: int, *, is_fresh: bool = False
        ) -> LevelResult:
            found = super().turn(configuration, users, is_fresh=is_fresh)
            total = found.total.model_copy(update={"completed": completed})
            return found.model_copy(update={"total": total})

    stage = Few({("c", "on"): 1.5}, 3, noise=0.02)
    stage.slow = slow
    tuning = tuned(stage, [switch("c")], trials=2)
    first = tuning.results.races[0]
    assert len(first.pairs) == pairs
    assert first.outcome == ("better" if slow == 2 else "refused")


@pytest.mark.parametrize(("unanswered", "kept"), [(4, {}), (60, {"c": "on"})])
def test_slower_answers_are_no_worse_than_none(unanswered: int, kept: dict[str, str]) -> None:
    """If more than 1% get no answer without the change, those who do say nothing of its tail."""

    class Losing(Hiccup):
        def turn(
            self, configuration: Configuration, users: int, *, is_fresh: bool = False
        ) -> LevelResult:
            found = super().turn(configuration, users, is_fresh=is_fresh)
            lost = 0 if configuration.changes else unanswered
            total = found.total.model_copy(update={"unanswered": lost})
            return found.model_copy(update={"total": total})

    stage = Losing({("c", "on"): 1.5}, 3, noise=0.02)
    stage.slow = 99
    assert winning_changes(tuned(stage, [switch("c")], trials=2)) == kept


class Failing(Stage):
    """A stage where this share of the scenarios fails in the first turns with a change.

    `unanswered` users wait in vain in each turn without the change, and `still` with it.
    """

    share = 0.0
    turns_left = 0
    unanswered = 0
    still = 0

    def turn(
        self, configuration: Configuration, users: int, *, is_fresh: bool = False
    ) -> LevelResult:
        found = super().turn(configuration, users, is_fresh=is_fresh)
        done = {"unanswered": self.still if configuration.changes else self.unanswered}
        if configuration.changes and self.turns_left > 0:
            self.turns_left -= 1
            failed = round(self.share * found.total.completed)
            done |= {"failed": failed, "completed": found.total.completed - failed}
        return found.model_copy(update={"total": found.total.model_copy(update=done)})


@pytest.mark.parametrize(
    ("share", "turns", "pairs"), [(0.019, 1, None), (0.019, 9, 2), (0.12, 1, 1), (0.009, 9, None)]
)
def test_a_trial_with_more_failures_ends_when_they_are_no_chance(
    share: float, turns: int, pairs: int | None
) -> None:
    stage = Failing({("c", "on"): 1.5}, 3, noise=0.02)
    stage.share, stage.turns_left = share, turns
    first = tuned(stage, [switch("c")], trials=1).results.races[0]
    if pairs is None:
        assert first.outcome == "better"
    else:
        assert (first.outcome, len(first.pairs)) == ("refused", pairs)
        assert first.why == f"{share:.1%} of scenarios failed, 0.0% without it"


@pytest.mark.parametrize(
    ("unanswered", "still", "outcome"),
    [(600, 300, "better"), (600, 595, "refused"), (0, 0, "refused"), (0, 300, "refused")],
)
def test_failures_are_no_worse_than_no_answers(unanswered: int, still: int, outcome: str) -> None:
    """A stock Apache leaves users waiting; with more workers, a few of more requests fail."""
    stage = Failing({("c", "on"): 1.5}, 3, noise=0.02)
    stage.share, stage.turns_left = 0.03, 99
    stage.unanswered, stage.still = unanswered, still
    first = tuned(stage, [switch("c")], trials=1).results.races[0]
    assert first.outcome == outcome


def test_one_rule_that_is_refused_does_not_spoil_the_others() -> None:
    stage = Stage({("b", "on"): 0.0, ("c", "on"): 1.2, ("e", "on"): 1.2}, 2, noise=0.02)
    tuning = tuned(stage, KNOBS, trials=1)
    assert winning_changes(tuning) == {"c": "on", "e": "on"}
    origins = [race.challenger.origin for race in tuning.results.races]
    assert origins[:3] == [
        "all rules of thumb together",
        "all rules of thumb but that for a",
        "all rules of thumb but that for b",
    ]


def test_trials_use_more_users_than_the_server_holds() -> None:
    """A server for 1,300 users, with a think time of a second, and a change that doubles it."""
    for users, played in ((400, 1350), (1500, 1500)):
        stage = Holding({("c", "on"): 2.0}, 4, noise=0.01)
        tuning = tuned(stage, KNOBS, users=users)
        changed = next(place for place, (one, _) in enumerate(stage.turns) if one.changes)
        assert {number for _, number in stage.turns[changed - 8 : changed]} == {played}
        assert winning_changes(tuning)["c"] == "on"
        ratio = tuning.proven()
        assert ratio is not None
        assert ratio.low < 2.0 < ratio.high * 1.1


@pytest.mark.parametrize("kind", [Small, Full])
def test_a_small_load_generator_does_not_end_the_tuning(kind: type[Holding]) -> None:
    stage = kind({("c", "on"): 2.0}, 4, noise=0.01)
    tuning = tuned(stage, KNOBS, users=400)
    assert tuning.users == 2025
    assert tuning.is_proven
    assert winning_changes(tuning)["c"] == "on"


def test_nothing_is_claimed_where_nothing_helps() -> None:
    claims = 0
    for seed in range(60):
        tuning = tuned(Stage({}, seed), KNOBS, seed)
        ratio = tuning.proven()
        claims += ratio is not None and ratio.low > 1 and ratio.value >= 1.02
    assert claims == 0


def test_an_answer_has_at_most_five_changes() -> None:
    knobs = [switch(f"k{n}") for n in range(8)]
    stage = Stage({(knob.name, "on"): 1.2 + n / 50 for n, knob in enumerate(knobs)}, 4, noise=0.02)
    tuning = tuned(stage, knobs)
    assert len(winning_changes(tuning)) == MOST_CHANGES
    assert set(winning_changes(tuning)) >= {"k7", "k6"}


def test_pairs_alternate() -> None:
    stage = Stage({("a", "on"): 1.3}, 9)
    tuned(stage, KNOBS[:1], trials=1)
    names = ["b" if one.changes else "a" for one, _ in stage.turns]
    race = "".join(names[9:17])  # after the load and the noise
    assert race == "abbaabba"


def test_the_noise_is_measured_first() -> None:
    stage = Stage({}, 3, noise=0.08)
    tuning = tuned(stage, KNOBS[:1], trials=1)
    assert not any(one.changes for one, _ in stage.turns[:9])
    noise = tuning.results.noise.gains
    assert len(noise) == 4
    assert tuning.results.smallest == smallest_gain(statistics.stdev(noise), MOST_PROOF_PAIRS)


class Spoiled(Stage):
    """A stage whose load generator is full."""

    def turn(
        self, configuration: Configuration, users: int, *, is_fresh: bool = False
    ) -> LevelResult:
        found = super().turn(configuration, users, is_fresh=is_fresh)
        generator = found.generator.model_copy(
            update={"limited": True, "reasons": ["a worker used 98.0% of its core; see --workers"]}
        )
        return found.model_copy(update={"outcome": "invalid", "generator": generator})


def test_a_full_generator_is_named_where_nothing_can_be_compared() -> None:
    with pytest.raises(TargetError, match=r"compared: a worker used 98\.0% of its core; play the"):
        tuned(Spoiled({}, 1), [switch("a")])
