"""An audit recomputes which agents were full, and on which machines they were."""

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from made_bundle import make

from headcount.analyse import generator
from headcount.analyse.audit import totals
from headcount.analyse.audit.evidence import gather
from headcount.analyse.audit.figures import recomputed_level
from headcount.bundle.level import CounterSummary, LevelResult

NAMED = "agent 2 (load2) was full: its busiest worker used 98.0% of a core; the other 2 had room"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle whose levels three agents played, by its events."""
    bundle = make(tmp_path_factory.mktemp("agents") / "bundle")
    path = bundle / "events.ndjson"
    listed = [{"number": one, "machine": f"load{one}"} for one in (1, 2, 3)]
    event = {"at": "2026-01-01T00:00:00Z", "t_s": 0, "event": "agents", "agents": listed}
    path.write_text(f"{json.dumps(event)}\n{path.read_text('utf-8')}", "utf-8")
    return bundle


def played(level: LevelResult, reasons: list[str]) -> LevelResult:
    counters = {
        f"agent-{number}": {
            "agent.worker.busiest": CounterSummary(mean=busy, max=1.0, p95=1.0, samples=9)
        }
        for number, busy in ((1, 0.4), (2, 0.98), (3, 0.41))
    }
    watched = level.generator.model_copy(update={"reasons": reasons})
    return level.model_copy(update={"counters": counters, "generator": watched})


def test_the_agents_of_a_reason_follow_from_the_counters_and_events(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generator, "BUSY_SHARE", 0.0)  # any worker is then too busy
    evidence = gather(folder)
    again = recomputed_level(evidence, played(evidence.levels[0], [NAMED, "a worker used 98%"]))
    assert again is not None
    assert again.generator.reasons[0] == again.reasons[0] == NAMED


def test_a_level_that_names_no_agent_is_recomputed_without(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generator, "BUSY_SHARE", 0.0)
    evidence = gather(folder)
    again = recomputed_level(evidence, played(evidence.levels[0], ["a worker used 98%"]))
    assert again is not None
    assert [one[:8] for one in again.generator.reasons] == ["a worker"]


@pytest.mark.parametrize(("event", "found"), [("agents", False), ("agents-lost", True)])
def test_scenarios_under_way_are_dropped_with_a_lost_agent(
    folder: Path, event: str, *, found: bool
) -> None:
    evidence = gather(folder)
    second = next(
        after
        for before, after in pairwise(evidence.seconds)
        if before.phase == after.phase == "steady"
    )
    assert totals.check(evidence).outcome == "passed"
    first = second.scenarios[0]  # as if one more had been under way before
    second.scenarios[0] = replace(first, started=first.started + 1)
    evidence.events.append({"event": event, "t_s": (second.from_s + second.to_s) / 2})
    assert (totals.check(evidence).outcome == "passed") is found
