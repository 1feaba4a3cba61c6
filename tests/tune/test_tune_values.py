"""What knobs can be on a machine, which are tried, and which are left alone, with reasons."""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from headcount.bundle.diagnosis import Diagnosis
from headcount.errors import InputError
from headcount.tune.change import Configuration
from headcount.tune.choose import MOST_KNOBS, Asked, check_own, check_tunable, choose, weightiest
from headcount.tune.goal import Goal
from headcount.tune.knobs.formula import number
from headcount.tune.knobs.knob import Knob
from headcount.tune.knobs.library import library, merged, of_server, own
from headcount.tune.notes import choice_texts
from headcount.tune.proposals import Proposals
from headcount.tune.servers.joint import numbers
from headcount.tune.servers.server import Setting
from headcount.tune.values import Values

NAMES = {"cpus": 4, "memory_mib": 8000, "users": 300}


def knob(name: str = "workers", **given: object) -> Knob:
    values = {"about": "x", "limits": ["cpu"], "default": "1", "apply": "reload", "source": "x"}
    if "words" not in given and "most" not in given:
        values |= {"least": "1", "most": "2 * cpus"}
    return Knob.model_validate({"name": name, **values, **given})


def diagnosis(limit: str, **given: object) -> Diagnosis:
    empty = {
        **dict.fromkeys(("detail", "size", "size_unit", "saturation", "runner_up", "next")),
        **{key: [] for key in ("figures", "joint", "candidates", "ruled_out", "log_lines")},
        **{key: [] for key in ("advice", "not_observed", "doubts", "levels")},
    }
    given_values = {
        "limit": limit,
        "confidence": 0.9,
        "confidence_word": "high",
        "sentence": "It is so.",
    }
    return Diagnosis.model_validate({**empty, **given_values, **given})


class Settings:
    """A server with these settings."""

    name = "server"

    def __init__(self, found: Mapping[str, Setting]) -> None:
        self._found = found

    def setting(self, knob: Knob) -> Setting:
        return self._found.get(knob.name, Setting(knob.default, is_set=False))


@pytest.mark.parametrize(
    ("formula", "value"),
    [("2 * cpus", 8), ("memory_mib / 3", 2666), ("max(users + 2, 100)", 302), ("7 / 2", 3)],
)
def test_formulas(formula: str, value: int) -> None:
    assert number(formula, NAMES) == value


@pytest.mark.parametrize("formula", ["gpus", "1 / 0", "__import__('os')", "cpus.x", "2 **", "a[0]"])
def test_invalid_formulas_are_errors(formula: str) -> None:
    with pytest.raises(InputError):
        number(formula, NAMES)


def test_rules_of_thumb_are_within_bounds_and_differ_from_the_value() -> None:
    values = Values(knob(rules=["cpus", "100", "1", "4"]), "1", NAMES)
    assert values.bounds == (1, 8)
    assert values.rules == ["4", "8"]


def test_every_builtin_knob_has_values_here() -> None:
    for one in library().values():
        defaults = {each.name: int(each.default) for each in one.knob if each.default.isdigit()}
        for each in one.knob:
            values = Values(each, each.default or None, {**defaults, **NAMES})
            assert values.rules or each.words or values.bounds, each.name
            assert each.default not in values.rules


def test_the_weightiest_knobs_are_tried() -> None:
    knobs = [knob(f"k{n}", limits=["disk", "cpu"] if n % 2 else ["cpu"]) for n in range(20)]
    knobs.append(knob("other", limits=["network"]))
    found = weightiest(choose(Settings({}), knobs, diagnosis("cpu"), Asked(), NAMES, frozenset()))
    tried = [one.knob.name for one in found if one.obstacle is None]
    assert tried == [f"k{n}" for n in range(0, 16, 2)]
    assert len(tried) == MOST_KNOBS
    assert "other" not in {one.knob.name for one in found}


def test_a_knob_at_its_rule_of_thumb_comes_after_one_that_is_not() -> None:
    knobs = [
        knob("as advised", rules=["4"]),
        knob("no rule", rules=[]),
        knob("other", rules=["8"]),
        knob("allowed", rules=["4"]),
    ]
    now = Settings({one.name: Setting("4", is_set=False) for one in knobs})
    asked = Asked(frozenset({"allowed"}))
    found = weightiest(choose(now, knobs, diagnosis("cpu"), asked, NAMES, frozenset()))
    assert [one.knob.name for one in found] == ["allowed", "other", "as advised", "no rule"]


def test_a_knob_that_the_servers_log_names_comes_first() -> None:
    knobs = [knob(name) for name in ("a", "b")]
    knobs += [knob("server c", limits=["memory"]), knob("d", limits=["memory"])]
    found = choose(Settings({}), knobs, diagnosis("cpu"), Asked(), NAMES, None, {"b", "c"})
    assert [one.knob.name for one in weightiest(found)] == ["b", "server c", "a"]
    asked = Asked(frozenset({"a"}))
    found = choose(Settings({}), knobs, diagnosis("cpu"), asked, NAMES, None, {"b"})
    assert [one.knob.name for one in weightiest(found)] == ["a", "b"]


def obstacle(one: Knob, setting: Setting, asked: Asked, held: frozenset[str] | None) -> str | None:
    server = Settings({one.name: setting})
    return choose(server, [one], diagnosis("cpu"), asked, NAMES, held)[0].obstacle


def test_values_that_somebody_set_are_left_alone() -> None:
    is_set = Setting("3", is_set=True, place="/etc/x.conf")
    assert obstacle(knob(), is_set, Asked(), None) == (
        "it is set to 3 in /etc/x.conf (--allow 'workers' or --change-set)"
    )
    assert obstacle(knob(), is_set, Asked(change_set=True), None) is None
    assert obstacle(knob(), is_set, Asked(frozenset({"workers"})), None) is None
    assert obstacle(knob(shipped=["3"]), is_set, Asked(), None) is None
    assert obstacle(knob(default="3"), is_set, Asked(), None) is None
    assert obstacle(knob(), is_set, Asked(), frozenset()) is None
    assert obstacle(knob(), is_set, Asked(), frozenset({"workers"})) is not None


def test_risky_knobs_are_allowed_only_by_name() -> None:
    risky = knob(risk="data")
    unset = Setting("1", is_set=False)
    assert "lose data" in (obstacle(risky, unset, Asked(change_set=True), None) or "")
    assert obstacle(risky, unset, Asked(frozenset({"workers"})), None) is None


def test_knobs_that_are_left_alone_are_named_by_their_reasons() -> None:
    security = [knob(f"server {name}", risk="security") for name in ("signing", "encrypt")]
    knobs = [knob("log level"), knob("workers"), *security]
    now = Settings({"workers": Setting("3", is_set=True, place="/etc/x.conf")})
    found = weightiest(choose(now, knobs, diagnosis("cpu"), Asked(), NAMES))
    assert choice_texts(found) == [
        "tries log level",
        (
            "leaves alone, unless you allow one by name (--allow 'workers'): "
            "workers (it is set to 3 in /etc/x.conf); "
            "server signing, server encrypt (it weakens who may read or change what)"
        ),
    ]
    assert choice_texts(found[:1]) == ["tries log level"]


@pytest.mark.parametrize("limit", ["generator", "none", "upstream", "errors"])
def test_limits_that_no_knob_moves_are_refused(limit: str) -> None:
    with pytest.raises(InputError, match="nothing to tune"):
        check_tunable(diagnosis(limit), Goal())
    check_tunable(diagnosis("cpu"), Goal())
    check_tunable(diagnosis("none"), Goal("p95", 40))
    check_tunable(diagnosis("none"), Goal(), is_late=True)
    with pytest.raises(InputError, match="nothing to tune"):
        check_tunable(diagnosis("generator"), Goal(), is_late=True)
    check_tunable(diagnosis("upstream"), Goal(), has_behind=True)


def test_all_rules_of_thumb_come_first_and_nothing_twice() -> None:
    one, two = knob("a", rules=["4"]), knob("b", words=["on", "off"], rules=["on"], default="off")
    proposals = Proposals([Values(one, "1", NAMES), Values(two, "off", NAMES)], 1)
    best = Configuration()
    seen = []
    while (found := proposals.next(best)) is not None and len(seen) < 40:
        seen.append(found)
        proposals.learn(found, 0.1 if found.changes.get(one) == "4" else None)
    assert [dict(each.changes) for each in seen[:3]] == [
        {one: "4", two: "on"},
        {one: "4"},
        {two: "on"},
    ]
    keys = [each.key for each in seen]
    assert len(set(keys)) == len(keys)
    assert frozenset() not in keys
    assert all(each.changes.get(one) != "1" for each in seen)


def test_few_words_without_a_rule_of_thumb_are_tried_alone() -> None:
    one = knob("a", rules=["4"])
    switch = knob("b", words=["on", "off"], default="off")
    few = knob("c", words=["x", "y", "z"], default="x")
    more = knob("d", words=["s", "t", "u", "v"], default="s")
    present = {switch: "on", one: "1", few: "y", more: "s"}
    proposals = Proposals([Values(each, value, NAMES) for each, value in present.items()], 1)
    first = [proposals.next(Configuration()) for _ in range(5)]
    found = [each for each in first if each is not None]
    expected = [{switch: "off"}, {one: "4"}, {few: "x"}, {few: "z"}]
    assert [dict(each.changes) for each in found[:4]] == expected
    assert found[0].origin == "the other value of b"
    assert found[2].origin == "another value of c"
    assert found[4].origin == "proposed by the optimiser"


def test_knobs_of_a_users_file_replace_others(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text(
        'server = "nginx"\ntitle = "nginx"\n[[knob]]\nname = "sendfile"\nabout = "x"\n'
        'limits = ["cpu"]\ndefault = "on"\nwords = ["on"]\napply = "reload"\nsource = "me"\n'
    )
    both = merged(of_server("nginx"), own(file))
    assert [one.default for one in both.knob if one.name == "sendfile"] == ["on"]
    assert len(both.knob) == len(of_server("nginx").knob)
    file.write_text('server = "nginx"\ntitle = "nginx"\n[[knob]]\nname = "x"\nlimit = ["cpu"]\n')
    with pytest.raises(InputError, match=r'limit: there is no such key; did you mean "limits"'):
        own(file)
    with pytest.raises(InputError, match="there are no knobs of"):
        of_server("lotus")


@pytest.mark.parametrize(
    ("key", "formula"),
    [("most", "memory_mb"), ("rules", "cpu"), ("most", "1e999"), ("least", "1/0")],
)
def test_a_wrong_formula_in_a_users_file_is_found_when_it_is_read(
    tmp_path: Path, key: str, formula: str
) -> None:
    values = {"least": "1", "most": "9", "rules": "2", key: formula}
    file = tmp_path / "own.toml"
    file.write_text(
        'server = "nginx"\ntitle = "nginx"\n[[knob]]\nname = "x"\nabout = "y"\nlimits = ["cpu"]\n'
        f'default = ""\napply = "reload"\nsource = "me"\nleast = "{values["least"]}"\n'
        f'most = "{values["most"]}"\nrules = ["{values["rules"]}"]\n',
        "utf-8",
    )
    with pytest.raises(InputError, match=f"the formula {re.escape(formula)}: "):
        own(file)


def test_formulas_may_use_other_numbers_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    knob_text = (
        '[[knob]]\nname = "{name}"\nabout = "y"\nlimits = ["cpu"]\ndefault = "2"\n'
        'apply = "reload"\nsource = "me"\nleast = "1"\nmost = "99"\n{more}\n'
    )
    more = 'rules = ["users / threads"]\ntogether = { spare = "threads * value" }'
    text = 'server = "nginx"\ntitle = "nginx"\n' + knob_text.format(name="processes", more=more)
    file.write_text(text + knob_text.format(name="threads", more=""))
    known = own(file).knob
    settings = Settings({"threads": Setting("25", is_set=True)})
    names = {**NAMES, **numbers(settings, known)}
    assert names == {**NAMES, "threads": 25}
    assert Values(known[0], "2", names).rules == ["12"]
    without = Settings({"threads": Setting(None, is_set=False)})
    assert numbers(without, known) == {"threads": 1}
    file.write_text(text)
    with pytest.raises(InputError, match="the formula users / threads: no threads is known"):
        own(file)
    file.write_text(text.replace('"nginx"', '"apache"').replace("threads", "ThreadsPerChild"))
    assert own(file).knob[0].rules == ["users / ThreadsPerChild"]


def test_a_users_file_for_another_server_is_an_error() -> None:
    check_own(None, ["nginx"])
    check_own(of_server("linux"), ["nginx", "linux"])
    with pytest.raises(InputError, match='is for "linux", and this tunes nginx and php-fpm; '):
        check_own(of_server("linux"), ["nginx", "php-fpm"])
