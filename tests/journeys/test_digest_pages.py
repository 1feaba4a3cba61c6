"""Pages with pictures of a real Apache that asks for Digest, over several connections."""

import json
from collections import Counter
from pathlib import Path

import pytest

import digest_site
from processes import Headcount

WORKLOAD = """
name = "pictures"
title = "Pictures"
protocol = "http"
criteria = ["errors<1%"]
pace = { kind = "closed", time = { draw = "fixed", mean = "0.1s" } }
run = { duration = "3s", settle = "1s", ramp = "0s" }

[[scenarios]]
name = "look"
weight = 1
limit = "10s"
steps = [
  { name = "page", op = "get", path = "/page.html", resources = "embedded", cache = false },
]
"""
USERS = 5


@pytest.mark.parametrize("counts", [False, True])
def test_connections_of_a_user_never_send_a_count_twice(
    headcount: Headcount, tmp_path: Path, counts: bool
) -> None:
    file = tmp_path / "pictures.toml"
    file.write_text(WORKLOAD, "utf-8")
    options = ("--user", "user{n}", "--client", "auth=digest", "--users", str(USERS), "--json")
    with digest_site.served(counts=counts) as apache:
        word = {"HEADCOUNT_PASSWORD": digest_site.PASSWORD}
        done = headcount.run("run", str(file), "--target", apache.url, *options, **word)
        requests, errors = apache.requests(1), apache.errors()
    assert done.code in (0, 4), done.out + done.err
    (level,) = json.loads((Path(done.json["bundle"]) / "levels.json").read_bytes())["levels"]
    assert level["faults"] == []
    assert level["total"]["completed"] > USERS
    statuses = Counter(status for _, path, status, _ in requests if path.endswith(".png"))
    assert statuses[200] >= level["total"]["completed"] * digest_site.PICTURES
    if not counts:
        # All connections answer the user's one challenge.
        assert statuses[401] == 0
        return
    # Those that were overtaken get a challenge of their own, once: a few in thousands.
    assert "nonce-count check failed" in errors
    assert statuses[401] < statuses[200] / 10
