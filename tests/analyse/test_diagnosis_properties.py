"""What holds for every diagnosis, whatever the levels."""

import random
from dataclasses import replace
from pathlib import Path

import pytest
from diagnosis_levels import QUIET, level, seconds
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from test_diagnosis_limits import SERVERS

import headcount.analyse.diagnosis as room
from headcount.analyse.diagnosis.diagnose import of_levels
from headcount.analyse.diagnosis.ruled_out import SHOWN_BY
from headcount.analyse.diagnosis.thresholds import thresholds
from headcount.bundle.diagnosis import Diagnosis
from headcount.bundle.level import LevelResult
from headcount.counters.catalogue import catalogue

RESOURCES = ("cpu", "thread", "disk", "memory", "network")
SOURCES = {
    "cpu": ("cpu.",),
    "thread": ("busiest_thread",),
    "disk": ("resource=io", "disk.utilization", "threads.blocked"),
    "memory": ("refaults", "resource=memory", "paging", "oom_kills"),
    "network": ("network.", "socket.busy", "send_queue"),
}
"""Parts of the names of the counters that show each limit."""

NAMES = sorted(
    {
        *QUIET,
        *(name for names in SHOWN_BY.values() for name in names),
        "socket.busy",
        "socket.rwnd_limited",
        "app.threads",
        "app.threads.busy",
        "cgroup.pressure{resource=io,kind=full}",
        "system.memory.utilization",
    }
)
COUNTERS = st.builds(
    lambda names, seed: {name: random.Random(f"{seed}{name}").uniform(0, 1.2) for name in names},
    st.sets(st.sampled_from(NAMES)),
    st.integers(0, 10**6),
)
"""Any counters, of any value; those of one name and seed are alike."""


def without(levels: list[LevelResult], parts: tuple[str, ...]) -> list[LevelResult]:
    return [
        each.model_copy(
            update={
                "counters": {
                    side: {
                        name: found
                        for name, found in counters.items()
                        if not any(part in name for part in parts)
                    }
                    for side, counters in each.counters.items()
                }
            }
        )
        for each in levels
    ]


def diagnosis_of(levels: list[LevelResult]) -> Diagnosis:
    found = of_levels(levels)
    assert found is not None
    return found


@pytest.mark.parametrize("limit", SERVERS, ids=lambda limit: "-".join(filter(None, limit)))
def test_a_limit_without_counters_is_not_observed_and_never_named(
    limit: tuple[str, str | None],
) -> None:
    name = limit[0]
    if name not in RESOURCES:
        return
    found = diagnosis_of(without(SERVERS[limit].levels(), SOURCES[name]))
    assert found.limit != name
    assert name in [one.limit for one in found.not_observed]
    assert found.confidence_word != "high", (found.limit, found.confidence)


@pytest.mark.parametrize("limit", SERVERS, ids=lambda limit: "-".join(filter(None, limit)))
def test_without_any_counter_nothing_of_the_machine_is_named(
    limit: tuple[str, str | None],
) -> None:
    levels = [
        each.model_copy(update={"counters": {}}) for each in SERVERS[limit].levels((0.1, 1.2, 2.0))
    ]
    found = diagnosis_of(levels)
    assert found.limit not in RESOURCES
    assert found.confidence_word == "low" or found.limit == "refusal"


@pytest.mark.parametrize("limit", [("cpu", "all cores"), ("disk", "read")], ids=str)
def test_counters_of_the_whole_machine_give_less_confidence(limit: tuple[str, str]) -> None:
    plain = SERVERS[limit]
    pressed = "io" if limit[0] == "disk" else "cpu"
    loud = {name: value for name, value in plain.loud.items() if name.startswith("system.")}
    loud[f"system.linux.pressure{{resource={pressed},kind=some}}"] = 0.95
    quiet = {name: value for name, value in QUIET.items() if name.startswith("system.")}
    levels = replace(plain, loud=loud, quiet=quiet).levels()
    found = of_levels(levels, seconds(levels))
    assert found is not None
    assert found.limit == limit[0]
    assert found.confidence_word != "high"


@pytest.mark.parametrize("limit", SERVERS, ids=lambda limit: "-".join(filter(None, limit)))
def test_the_order_of_levels_does_not_matter(limit: tuple[str, str | None]) -> None:
    levels = SERVERS[limit].levels()
    mixed = levels[:]
    random.Random(3).shuffle(mixed)
    measured = seconds(levels)
    first, second = of_levels(levels, measured), of_levels(mixed, measured)
    assert first is not None
    assert second is not None
    assert (first.limit, first.detail, first.size) == (second.limit, second.detail, second.size)
    assert first.sentence == second.sentence


@given(low=COUNTERS, high=COUNTERS, flat=st.booleans(), limited=st.booleans())
@settings(max_examples=100, deadline=None, phases=[Phase.explicit, Phase.generate])
def test_whatever_counters_say_the_diagnosis_is_sound(
    low: dict[str, float], high: dict[str, float], flat: bool, limited: bool
) -> None:
    levels = [
        level(1, 2, 2.0, 0.01, 0.99, low),
        level(2, 20, 20.0, 0.02, 0.98, low),
        level(3, 80, 21.0 if flat else 80.0, 2.8 if flat else 0.02, 0.98, high, limited=limited),
    ]
    found = diagnosis_of(levels)
    assert Diagnosis.model_validate_json(found.model_dump_json()) == found
    assert 0 <= found.confidence <= 1
    named = {found.limit, *(one.limit for one in found.joint)}
    assert not named & {one.limit for one in found.ruled_out}
    not_observed = {one.limit for one in found.not_observed}
    assert not (named & not_observed & set(RESOURCES))
    assert found.runner_up is None or found.runner_up.limit not in named
    scores = [one.score for one in found.candidates[1:]]
    assert scores == sorted(scores, reverse=True)
    if found.limit == "generator":
        # Where the server does no more from the second level on, that level's evidence counts, too.
        assert limited or "socket.rwnd_limited" in {*low, *high}
    if found.limit == "none":
        assert not flat
    assert found.next is None or found.next.limit not in named


def test_every_threshold_has_its_reason_and_is_used() -> None:
    sources = "".join(
        path.read_text("utf-8") for folder in room.__path__ for path in Path(folder).rglob("*.py")
    )
    for name, threshold in thresholds().items():
        assert len(threshold.reason.split()) >= 6, name
        assert f'"{name}"' in sources, f"{name} is not used"


def test_counters_that_show_limits_are_in_the_catalogue() -> None:
    known = catalogue()
    for names in SHOWN_BY.values():
        for name in names:
            assert name in known, name


def test_quiet_servers_are_quiet() -> None:
    assert all(value < 1 or not name.startswith("cgroup") for name, value in QUIET.items())
