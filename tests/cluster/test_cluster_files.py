"""Files that users send, with agents of a real Ray cluster: each agent gets its copy."""

import hashlib
import json
import random
from pathlib import Path

from ray_cluster import RayCluster

import upload_site
from processes import Headcount

WORKLOAD = """
name = "uploads"
title = "Uploads"
protocol = "http"
criteria = ["errors<1%"]
pace = { kind = "closed", time = { draw = "fixed", mean = "0.1s" } }
run = { duration = "2s", settle = "1s", ramp = "0s" }

[[scenarios]]
name = "upload"
weight = 1
limit = "10s"
steps = [{ name = "put", op = "put", path = "/upload", body_file = "large.bin", expect = 201 }]
"""
LARGE = random.Random(8).randbytes((9 << 20) + 5)
"""More than one piece."""


def test_agents_of_a_cluster_get_the_files_that_users_send(
    headcount: Headcount, tmp_path: Path
) -> None:
    (tmp_path / "large.bin").write_bytes(LARGE)
    file = tmp_path / "uploads.toml"
    file.write_text(WORKLOAD, "utf-8")
    cluster = RayCluster(2)
    try:
        with upload_site.served() as site:
            on = ("--agents", "2", "--cluster", cluster.address)
            ended = headcount.run(
                *("run", str(file), "--target", site.url, "--users", "4", *on, "--json"),
                **cluster.environment,
            )
            seen = site.seen()
    finally:
        cluster.close()
    assert ended.code in (0, 4), ended
    bundle = Path(ended.json["bundle"])
    (level,) = json.loads((bundle / "levels.json").read_bytes())["levels"]
    assert level["faults"] == []
    users = [level["counters"][f"agent-{number}"]["agent.users"]["mean"] for number in (1, 2)]
    assert min(users) > 0
    assert {one["sha256"] for one in seen} == {hashlib.sha256(LARGE).hexdigest()}
