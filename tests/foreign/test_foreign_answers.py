"""The table of foreign servers, and how answers are judged by it."""

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest
from bench.foreign.case import Case, Part, answers, cases, filled
from bench.foreign.judge import judged
from bench.foreign.play import Played
from bench.foreign.servers import KINDS
from bench.foreign.summary import score, shown
from bench.foreign.workload import workload
from scipy.stats import binomtest

from headcount import workloads
from headcount.bundle.diagnosis import Limit

NEW_LIMITS = {"upstream", "limiter", "delay", "pause"}


def case_of(name: str) -> Case:
    return next(case for case in cases() if case.name == name)


def played(name: str, **values: str) -> Played:
    return Played(case_of(name), 1, values, Path("bundle"), 0, 30.0)


def test_all_placeholders_of_a_case_are_strengths_or_servers_before_it() -> None:
    for case in cases():
        known = {*case.strength, *(["disk"] if case.disk else [])}
        for component in case.stack:
            texts = [value for value in vars(component).values() if isinstance(value, str)]
            texts += [*component.settings.values(), *component.group.values()]
            texts += component.environment.values()
            used = set(re.findall(r"<([a-z_]+)>", " ".join(texts)))
            assert used <= known, (case.name, used - known)
            assert component.kind in KINDS
            known |= {component.name, f"{component.name}_port"}
        around = [case.statement, case.hogs, case.generator_cpu, case.truth, case.more, *case.steps]
        around += [*case.client.values(), *case.plain.values()]
        around += [str(one) for one in (*case.stop.values(), *case.every.values())]
        around += case.namespace.values()
        used = set(re.findall(r"<([a-z_]+)>", " ".join((*around, *case.answer.says))))
        assert used - {"fpm"} <= known, (case.name, used - known)


def test_names_are_unique_and_both_parts_are_about_half() -> None:
    names = [case.name for case in cases()]
    assert len(set(names)) == len({case.key for case in cases()}) == len(names)
    parts = Counter(case.part for case in cases())
    assert 0.4 < parts["held-out"] / (parts["held-out"] + parts["develop"]) < 0.6


def test_fresh_cases_are_many_and_say_how_their_cause_is_lifted() -> None:
    fresh = [case for case in cases() if case.part.startswith("fresh")]
    assert len(fresh) >= 140
    for case in fresh:
        is_lifted = case.without_cause != replace(case, lifted={})
        nothing_to_lift = case.answer.limits in (("none",), ("generator",))
        assert is_lifted != nothing_to_lift, case.name
        assert not case.asks or case.plain, case.name


def test_each_class_has_cases_and_only_limits_that_exist() -> None:
    assert set(answers()) == {case.kind for case in cases()}
    limits = set(Limit.__args__) | NEW_LIMITS
    for case in cases():
        assert {*case.answer.limits, *case.answer.partly} <= limits, case.name
        for pattern in (*case.answer.says, *case.answer.advice, *case.answer.never):
            re.compile(filled(pattern, case.draw(1)))


def test_held_out_cases_have_another_server_or_strength() -> None:
    for kind in answers():
        of_kind: dict[str, list[Case]] = {part: [] for part in get_args(Part)}
        for case in cases():
            if case.kind == kind:
                of_kind[case.part].append(case)
        for one in of_kind["develop"]:
            for other in (*of_kind["held-out"], *of_kind["fresh"], *of_kind["fresh-2"]):
                servers = [[each.kind for each in case.stack] for case in (one, other)]
                assert servers[0] != servers[1] or one.strength != other.strength, kind


@pytest.mark.parametrize("seed", range(1, 20))
def test_strengths_are_drawn_within_their_range_and_reproducibly(seed: int) -> None:
    for case in cases():
        drawn = case.draw(seed)
        assert drawn == case.draw(seed)
        for name, (low, high) in case.strength.items():
            assert low * 0.99 <= float(drawn[name]) <= high * 1.01
            assert not isinstance(low, int) or drawn[name].isdigit()


def test_headcount_reads_the_workload_of_each_case(tmp_path: Path) -> None:
    for case in cases():
        file = tmp_path / "foreign.toml"
        drawn = case.draw(1)
        steps = tuple(filled(step, drawn) for step in case.steps)
        whole = replace(case, steps=steps, more=filled(case.more, drawn))
        client = {key: filled(text, {"post": "127.0.0.1:25"}) for key, text in case.client.items()}
        text = workload(whole, filled(case.statement, drawn), client)
        file.write_text(text, "utf-8")
        found = workloads.load(str(file))
        assert len(found.scenarios[0].steps) == (1 if case.statement else len(case.asks or steps))


POOL = {
    "limit": "pool",
    "detail": None,
    "size": 5.0,
    "confidence": 0.9,
    "confidence_word": "high",
    "sentence": "A full pool: 5 at a time.",
    "advice": [{"id": "pool-more", "text": "Allow more workers."}],
}


def test_the_right_limit_with_its_size_is_right() -> None:
    one = judged(played("a semaphore in Go", k="5"), POOL, "")
    assert (one.mark, one.is_advised, one.missing) == ("right", True, ())


def test_a_size_that_is_wrong_by_half_is_partly_right() -> None:
    one = judged(played("a semaphore in Go", k="4"), {**POOL, "size": 6.0}, "")
    assert (one.mark, one.missing) == ("partly", ("its size",))


def test_another_limit_is_wrong_and_advice_on_workers_misleads_about_a_mutex() -> None:
    one = judged(played("a mutex in Go", ms="10"), POOL, "")
    assert (one.mark, one.is_advised) == ("WRONG", False)
    assert one.misleading == ("(?i)allow more workers",)


def test_without_a_diagnosis_the_mark_is_cannot_tell() -> None:
    one = judged(played("a mutex in Go", ms="10"), {}, "")
    assert (one.mark, one.word, one.confidence) == ("cannot tell", "low", 0.0)


def test_what_only_hides_the_cause_is_partly_right() -> None:
    name = "nginx before a server with a pool"
    one = judged(played(name, k="5", back="127.0.0.1:7"), POOL, "")
    assert one.mark == "partly"


def test_an_upstream_is_right_only_with_its_address() -> None:
    run = played("nginx before a server with a pool", k="5", back="127.0.0.1:70")
    answer = {**POOL, "limit": "upstream", "sentence": "It waits for 127.0.0.1:70."}
    assert judged(run, answer, "").mark == "right"
    other = judged(run, {**answer, "sentence": "It waits for 127.0.0x1:70."}, "")
    assert (other.mark, other.missing) == ("partly", ("<back>",))


def test_what_the_run_printed_counts_for_failures_only() -> None:
    run = played("HAProxy turns users away", k="20")
    refusal = {**POOL, "limit": "refusal", "sentence": "Users failed."}
    assert judged(run, refusal, "status 503").mark == "right"
    assert judged(run, refusal, "").mark == "partly"
    mutex = played("a mutex in Go", ms="5")
    lock = {**POOL, "limit": "lock", "sentence": "Something."}
    assert judged(mutex, lock, "one at a time").missing == ("(?i)one .*at a time|serial|lock",)


@pytest.mark.parametrize(("count", "total"), [(0, 7), (3, 7), (53, 54), (54, 54)])
def test_intervals_are_those_of_wilson(count: int, total: int) -> None:
    interval = binomtest(count, total).proportion_ci(method="wilson")
    assert score(count, total).endswith(f"({interval.low:.0%} to {interval.high:.0%})")


def test_the_summary_counts_marks_confidence_and_classes() -> None:
    right = judged(played("a semaphore in Go", k="5"), POOL, "")
    wrong = judged(played("a mutex in Go", ms="10"), POOL, "")
    text = shown([right, wrong, replace(wrong, mark="cannot tell", word="low")])
    assert "  right                        1 of 3" in text
    assert "  wrong at high confidence     1 of 3" in text
    assert "  advice misleads              2 of 3" in text
    assert re.search(r"^high +2 +1 +0 +0\.90$", text, re.MULTILINE)
    assert re.search(r"^serial section +2 +\. +\. +1 +1$", text, re.MULTILINE)
