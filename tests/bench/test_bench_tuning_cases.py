"""The faults of `python -m bench.tuning` can be planted, and their knobs can undo them."""

from collections.abc import Mapping

import pytest
from bench.tuning.case import Case, Server, cases, knobs_of, servers
from bench.tuning.planning import options_of, plan_of

from headcount.lab.parameters import parameters
from headcount.tune.values import Values

MACHINE = {"cpus": 2, "memory_mib": 16_000, "users": 500}
SEEDS = range(5)
BY_NAME = {one.name: one for one in cases()}
ROWS = {f"{table}: {one.name}": one for table in ("equal", "stock") for one in servers(table)}


def test_there_are_enough_cases_and_a_third_is_held_out() -> None:
    found = cases()
    assert len(BY_NAME) == len(found) >= 12
    assert len({one.server for one in found}) == 6
    held_out = sum(one.held_out for one in found)
    assert len(found) // 3 <= held_out <= len(found) // 3 + 1


@pytest.mark.parametrize("name", BY_NAME)
def test_the_lab_can_plant_the_fault(name: str) -> None:
    case = BY_NAME[name]
    for seed in SEEDS:
        planted = case.planted(seed)
        assert planted == case.planted(seed)
        assert "<" not in "".join([*planted.settings.values(), *planted.limits.values()])
        plan = plan_of(planted, seed)
        assert plan.server.items() >= planted.settings.items()
        assert plan.mode == "search"
        assert plan.search is not None


def test_the_mail_server_has_the_knobs_of_both_its_programs() -> None:
    mail = next(one.planted(1) for one in cases() if one.server == "mail")
    assert mail.knob("smtpd maxproc").name == "smtpd maxproc"
    assert mail.knob("service/lmtp/process_limit").name == "service/lmtp/process_limit"
    assert mail.knob("postfix default_process_limit").name == "postfix default_process_limit"


def test_seeds_draw_other_strengths() -> None:
    for case in cases():
        drawn = {tuple(case.drawn(seed).items()) for seed in range(50)}
        assert len(drawn) == max(map(len, case.strength.values())), case.name


@pytest.mark.parametrize("name", BY_NAME)
def test_knobs_undo_what_was_planted(name: str) -> None:
    case = BY_NAME[name]
    known = {one.name: one for one in knobs_of(case.server)}
    assert {*case.undo, *case.grid, *case.allow} <= known.keys()
    assert {*case.undo} & {*case.grid}, "the oracle cannot undo it"
    others = dict.fromkeys(known, 1)
    for knob, values in case.grid.items():
        known_values = Values(known[knob], None, {**others, **MACHINE})
        for value in values:
            if value not in known[knob].words:
                low, high = known_values.bounds or (1, 0)
                assert low <= int(value) <= high, f"{knob} {value}"


@pytest.mark.parametrize("name", BY_NAME)
def test_the_grid_is_not_what_was_planted(name: str) -> None:
    case = BY_NAME[name]
    known = {one.name: one for one in knobs_of(case.server)}
    for seed in SEEDS:
        planted = _by_parameter(case.planted(seed))
        for knob, values in case.grid.items():
            assert planted.get(known[knob].name) not in values


def _by_parameter(planted: Server) -> Mapping[str, str]:
    """Settings by the names that the server's own configuration has for them."""
    found = {}
    for key, value in planted.settings.items():
        for parameter in parameters(planted.server, [key]):
            found[parameter] = value
    return found


def test_the_grid_has_all_combinations() -> None:
    case = Case(
        name="a",
        server="nginx",
        workload="web-mix",
        strength={},
        settings={},
        undo=("sendfile",),
        grid={"sendfile": ("on", "off"), "aio": ("threads",)},
    )
    assert case.all_of_grid() == [
        {},
        {"aio": "threads"},
        {"sendfile": "on"},
        {"sendfile": "on", "aio": "threads"},
        {"sendfile": "off"},
        {"sendfile": "off", "aio": "threads"},
    ]


@pytest.mark.parametrize("name", ROWS)
def test_other_servers_have_plans_and_knobs(name: str) -> None:
    row = ROWS[name]
    assert plan_of(row, 1).target == row.target
    assert [row.knob(one).name for one in row.knobs] == [*row.knobs]
    assert {row.knob(one).risk for one in row.knobs} <= {"none"}


def test_options_say_what_the_plan_has() -> None:
    words = options_of(BY_NAME["nginx: each connection is closed"].planted(1), 7)
    text = " ".join(words)
    assert text.startswith("--target lab:nginx --workload web-mix --seed 7 --scale 0.05")
    assert "--set keepalive=0 --limit cpu=0." in text
    assert text.endswith("--allow keepalive_timeout")
