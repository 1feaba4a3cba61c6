"""What became of each tip, formula and threshold of the documents of the nineties."""

import pytest

from headcount.analyse.rules import tips
from headcount.analyse.rules.library import builtin
from headcount.analyse.rules.reference import ids

NOT_RULES = [name for name, place in ids().items() if place["as"] != "rule"]


@pytest.mark.parametrize("name", NOT_RULES)
def test_each_id_has_an_answer(name: str) -> None:
    found = tips.tip(name)
    assert found is not None
    assert found.kind in tips.KINDS
    assert found.text.endswith((".", ")"))
    if found.kind in {"formula", "program"}:
        assert found.at
    else:
        assert found.today.endswith(".")
        assert found.source


def test_rules_are_explained_as_rules() -> None:
    rules = [name for name, place in ids().items() if place["as"] == "rule"]
    assert all(tips.tip(name) is None for name in rules)
    assert set(rules) <= set(builtin().rules)


def test_only_historic_advice_says_what_it_is_today() -> None:
    for advice in builtin().advice.values():
        assert bool(advice.today) == (advice.era == "historic"), advice.id


def test_a_tip_names_the_rules_that_give_it() -> None:
    found = tips.tip("a-05")
    assert found is not None
    assert (found.id, found.kind) == ("A-05", "advice")
    assert [rule.id for rule in found.rules] == ["I-01"]
    assert "SAS Institute" in found.source


def test_modern_advice_is_explained_too() -> None:
    found = tips.tip("N-10")
    assert found is not None
    assert (found.kind, found.today) == (None, "")
    assert "I-01" in {rule.id for rule in found.rules}


def test_an_unknown_id_has_no_answer() -> None:
    assert tips.tip("A-99") is None


def test_names_are_unique() -> None:
    known = tips.names()
    assert len(known) == len(set(known))
    assert {"M-01", "A-05", "N-10", "U-01", "PAL-01"} <= set(known)
