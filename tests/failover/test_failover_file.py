"""Two file servers and an address: what is done to one of them, and which one then serves."""

import json
from pathlib import Path

import pytest

from headcount.lab import segment
from processes import Ended, Headcount, wait_for

QUICK = ("--at", "2s", "--after", "2s", "--calm", "1s", "--settle", "1s", "--ramp", "0s")
FILES = ("home-folders", "--scale", "0.02", "--pace", "uniform:0.1s..0.3s", "--users", "8")
ADVERT_MS = 400
"""Three of them, and up to one more, until the other node takes over."""

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(240)]


def leftover_segments() -> list[str]:
    """Segments of runs that are over."""
    found = []
    for folder, pattern in ((segment.DEVICES, segment.DEVICE), (segment.NAMESPACES, segment.SPACE)):
        for place in folder.iterdir() if folder.is_dir() else ():
            match = pattern.fullmatch(place.name)
            if match and not Path(f"/proc/{match[2]}").exists():
                found.append(place.name)
    return found


@pytest.mark.parametrize(
    ("fault", "text", "least_s"),
    [
        ("kill", "kill the active node (SIGKILL)", 0.1),
        ("cut", "cut the active node off the network", 0.8),
        ("node", "fail the active node: its network and all its processes", 0.8),
        ("move", "move the service away from the active node", 0.05),
    ],
)
def test_the_other_node_takes_over(
    headcount: Headcount, fault: str, text: str, least_s: float
) -> None:
    ended = headcount.run(
        *("failover", *FILES, "--target", "lab:ha-file", "--set", f"advert_ms={ADVERT_MS}"),
        *("--repeat", "1", *QUICK, "--fault", fault, "--criteria", "overload<20%", "--json"),
    )
    assert ended.code == 0, why(ended)
    found = json.loads(ended.out)
    assert (found["fault"], found["planned"]) == (text, fault == "move")
    (one,) = found["outages"]
    assert one["outcome"] == "measured", one
    assert least_s < one["silent_s"] < 20, one
    assert one["served_s"] is not None
    assert one["log_ons"] > 0, "what was open is lost with the node"
    assert one["users_lost"] == 0
    assert one["writes"]["acknowledged"] > 50, one
    assert one["writes"]["gone"] == 0, "both nodes have the same folder"
    assert headcount.servers() == []
    assert headcount.leftovers() == []
    wait_for(lambda: leftover_segments() == [])


def test_users_with_durable_handles_only_wait(headcount: Headcount) -> None:
    ended = headcount.run(
        *("failover", *FILES, "--target", "lab:ha-file", "--set", f"advert_ms={ADVERT_MS}"),
        *("--repeat", "1", *QUICK, "--fault", "kill", "--criteria", "overload<20%"),
        *("--client", "durable=on", "--json"),
    )
    assert ended.code == 0, why(ended)
    (one,) = json.loads(ended.out)["outages"]
    assert one["outcome"] == "measured", one
    # Each of the eight would fail once; only those do who are about to rename, delete or lock.
    assert one["lost"] <= 3, one
    assert one["log_ons"] <= 3, one
    assert one["late"] > 0, one


def test_a_node_that_hears_nothing_keeps_the_address_until_it_is_joined_again(
    headcount: Headcount,
) -> None:
    """It still says that it is alive, so nobody takes over."""
    settings = ("--set", "front=keepalived", "--set", f"vrrp_advert_ms={ADVERT_MS}")
    ended = headcount.run(
        *("failover", "web-static", "--scale", "0.05", "--pace", "uniform:0.05s..0.15s"),
        *("--users", "8", "--target", "lab:ha-web", *settings, "--repeat", "1", *QUICK),
        *("--fault", "cut-in", "--recover-after", "3s", "--criteria", "overload<20%", "--json"),
    )
    assert ended.code == 0, why(ended)
    (one,) = json.loads(ended.out)["outages"]
    assert one["outcome"] == "measured", one
    assert one["silent_s"] > 2.5, one
    assert one["log_ons"] == 0, "their connections have waited"
    assert headcount.servers() == []


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (("front=keepalived", "check_ms=200"), "front=keepalived takes no check_ms"),
        (("vrrp_preempt=off",), "front=haproxy takes no vrrp_preempt"),
    ],
)
def test_settings_of_another_front_are_refused(
    headcount: Headcount, settings: tuple[str, ...], message: str
) -> None:
    given = [word for one in settings for word in ("--set", one)]
    ended = headcount.run(
        *("failover", "web-static", "--target", "lab:ha-web", *given),
        *("--users", "5", "--fault", "kill"),
    )
    assert ended.code == 2, ended
    assert message in " ".join(ended.err.split())


def test_a_network_limit_is_refused(headcount: Headcount) -> None:
    ended = headcount.run(
        *("failover", *FILES, "--target", "lab:ha-file", "--fault", "kill"),
        *("--limit", "network=80Mbit/s"),
    )
    assert ended.code == 2, ended
    assert "leave out --limit network" in " ".join(ended.err.split())


def why(ended: Ended) -> str:
    """What came of each repetition: the whole answer is too long for a failure's message."""
    if not ended.out.startswith("{"):
        return f"{ended.code}: {ended.err}"
    found = json.loads(ended.out)
    outcomes = [(one["outcome"], one.get("reasons"), one["lost"]) for one in found["outages"]]
    return f"{ended.code}: {found['sentence']} {outcomes}"
