"""A page of PHP whose pool has one worker: a tuning finds it behind nginx, and proves it."""

import json
from pathlib import Path

import pytest
from test_tune_far import WORKLOAD

from headcount.bundle import reader
from php_site import php_site
from processes import Headcount

pytestmark = pytest.mark.timeout(600)
PAGE = "<?php usleep(20000); echo 'hello';"
LONGEST_S = 500.0
"""Some 40 turns of 3 s on a quiet machine."""
ONE = "pm = static\npm.max_children = 1\n"


@pytest.mark.e2e
def test_more_workers_behind_nginx_are_found_and_proved(
    headcount: Headcount, tmp_path: Path
) -> None:
    headcount.environment["XDG_STATE_HOME"] = str(tmp_path / "state")  # another may be at work
    workload = tmp_path / "hello.toml"
    workload.write_text(WORKLOAD)
    with php_site(ONE, PAGE) as site:
        before = site.conf.read_bytes()
        started = headcount.start(
            *("tune", "--target", f"http://127.0.0.1:{site.web}/", "--workload", str(workload)),
            *("--pid", str(site.nginx), "--pid", str(site.fpm), "--goal", "p95@8"),
            *("--budget", "1m", "--turn", "1s", "--trials", "1", "--seed", "1"),
            *("--allow", "pm.max_children", "--knob", "pm.max_children", "--json"),
        )
        ended = started.ended(LONGEST_S)
        assert ended.code == 0, ended.err
        found = json.loads(ended.out)
        assert site.conf.read_bytes() == before
        assert site.page() == "hello"
    assert {"nginx", "php-fpm"} == {*found["server"].split(" and ")}
    (change,) = found["changes"]
    assert (change["knob"], change["server"], change["before"]) == (
        "pm.max_children",
        "php-fpm",
        "1",
    )
    # A worker sleeps for 20 ms: 8 users wait for 7 others, or for nobody. How wide the interval is
    # depends on what else the machine does.
    assert found["ratio"]["value"] > 2, found["ratio"]
    assert found["ratio"]["low"] > 1, found["ratio"]
    assert found["restored"]
    assert "+pm.max_children = " in found["files"]["changes.diff"]
    assert "php-fpm" in found["files"]["changes.yml"]
    assert reader.load(Path(found["bundle"])).levels
