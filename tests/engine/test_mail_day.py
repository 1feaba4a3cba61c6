"""What mail users do in a day, as Python gets it from the engine."""

import json

import pytest

from headcount import _engine
from headcount.errors import PlanError

MEDIUM = {
    "recipients": {"mean": 4.0},
    "handled": 0.914,
    "replied": 0.15,
    "replied_to_all": 0.05,
    "forwarded": 0.07,
    "moved": 0.2,
    "deleted": 0.4,
    "start": {"folders": 40},
}


def test_a_day_of_loadsims_medium_user_is_near_what_was_published() -> None:
    """The makers computed 55.9 received and 19.8 sent; the model is 1.3 % above that."""
    day = json.loads(_engine.mail_day(json.dumps(MEDIUM), json.dumps({"new": 6.0})))
    assert day["gain"] == pytest.approx(0.15 + 0.12 * 4)
    assert day["received"] == pytest.approx(55.9, rel=0.014)
    assert day["sent"] == pytest.approx(19.8, rel=0.014)
    assert day["deleted"] == pytest.approx(day["received"] * 0.914 * 0.4)


def test_mail_without_end_is_refused_with_its_figures() -> None:
    endless = MEDIUM | {"handled": 1.0, "replied": 0.16, "forwarded": 0.17, "deleted": 0.0}
    with pytest.raises(PlanError, match=r"a message read makes 1\.04 others"):
        _engine.mail_day(json.dumps(endless), json.dumps({"new": 6.0}))


def test_mistakes_in_a_profile_are_named() -> None:
    with pytest.raises(PlanError, match="handled must be from 0 to 1"):
        _engine.mail_day(json.dumps(MEDIUM | {"handled": 2.0}), json.dumps({"new": 6.0}))
    with pytest.raises(PlanError, match=r"replied, replied_to_all, .* and deleted are 1\.530"):
        _engine.mail_day(json.dumps(MEDIUM | {"replied": 0.81}), json.dumps({"new": 6.0}))
