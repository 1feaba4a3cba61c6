"""Knobs and the old rules that they are the counterparts of."""

import pytest

from headcount.analyse.rules.library import builtin
from headcount.analyse.rules.reference import ids
from headcount.analyse.rules.tips import tip
from headcount.cli.tips import counterparts, old_rules
from headcount.tune.knobs.knob import Knob
from headcount.tune.knobs.library import library

OLD = [knob for known in library().values() for knob in known.knob if knob.original]


@pytest.mark.parametrize("knob", OLD, ids=lambda knob: knob.name)
def test_a_knob_names_existing_old_rules_once(knob: Knob) -> None:
    assert set(knob.original) <= set(ids())
    assert len(set(knob.original)) == len(knob.original)
    assert all(len(line) > len("A-05 ") for line in old_rules(knob, builtin()))


def test_ids_and_knobs_agree() -> None:
    for name, place in ids().items():
        if place["as"] == "knob":
            assert counterparts(name), f"no knob is the counterpart of {name}"
        elif place["as"] not in {"advice", "rule"}:
            assert not counterparts(name), f"{name} has a knob, so it is not {place['as']}"


def test_a_tip_that_a_knob_has_replaced_says_so() -> None:
    found = tip("T-27")
    assert found is not None
    assert found.kind == "knob"
    names = {(server, knob.name) for server, knob in counterparts("T-27")}
    assert names == {
        ("linux", "net.ipv4.tcp_tw_reuse"),
        ("linux", "net.ipv4.ip_local_port_range"),
    }
