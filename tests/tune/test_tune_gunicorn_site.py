"""A page of Python whose only worker sleeps: a tuning finds it behind nginx."""

import json
from pathlib import Path

import pytest
from test_tune_far import WORKLOAD

from gunicorn_site import gunicorn_site
from processes import Headcount

pytestmark = pytest.mark.timeout(600)
LONGEST_S = 500.0
"""Some 40 turns of 3 s on a quiet machine."""


@pytest.mark.e2e
def test_threads_behind_nginx_are_found(headcount: Headcount, tmp_path: Path) -> None:
    headcount.environment["XDG_STATE_HOME"] = str(tmp_path / "state")  # another may be at work
    workload = tmp_path / "hello.toml"
    workload.write_text(WORKLOAD)
    with gunicorn_site("# of the shop\n", sleep_s=0.05) as site:
        before = site.conf.read_bytes()
        started = headcount.start(
            *("tune", "--target", f"http://127.0.0.1:{site.web}/", "--workload", str(workload)),
            *("--pid", str(site.nginx), "--pid", str(site.gunicorn), "--goal", "p95@8"),
            *("--budget", "1m", "--turn", "1s", "--trials", "1", "--seed", "1"),
            *("--knob", "threads", "--json"),
        )
        ended = started.ended(LONGEST_S)
        assert ended.code == 0, ended.err
        found = json.loads(ended.out)
        assert site.conf.read_bytes() == before
        assert site.page()[1] == "False"
    assert {"nginx", "gunicorn"} == {*found["server"].split(" and ")}
    (knob,) = found["knobs"]
    assert (knob["name"], knob["server"], knob["value"]) == ("threads", "gunicorn", "1")
    (race,) = [one for one in found["races"] if one["origin"].startswith("a rule of thumb")]
    assert (race["configuration"], race["outcome"]) == ({"threads": "4"}, "better")
    # A thread sleeps for 50 ms: 8 users wait for 7 others, or for one. Whether six pairs prove that
    # depends on what else the machine does.
    assert found["ratio"]["value"] > 1.5, found["ratio"]
    assert found["restored"]
