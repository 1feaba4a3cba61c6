"""`headcount failover` as users call it: lab servers, somebody's server, errors, Ctrl-C."""

import csv
import json
import signal
from pathlib import Path

import pytest
from failover_site import HELLO, hello_nginx

from headcount.bundle import failover as record
from headcount.bundle import moments
from processes import Headcount, processes_with, wait_for

QUICK = ("--at", "2s", "--after", "2s", "--calm", "2s", "--settle", "1s", "--ramp", "0s")
WEB = ("web-static", "--scale", "0.05", "--pace", "uniform:0.05s..0.15s")

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(240)]


@pytest.fixture
def hello(tmp_path: Path) -> str:
    workload = tmp_path / "hello.toml"
    workload.write_text(HELLO)
    return str(workload)


def state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def test_a_lab_server_that_is_killed_is_started_again(headcount: Headcount) -> None:
    ended = headcount.run(
        *("failover", *WEB, "--target", "lab:nginx", "--users", "20", "--repeat", "2", *QUICK),
        # Long enough for a busy machine: a silence is twice the longest pause before it.
        *("--fault", "kill", "--recover-after", "3s", "--json"),
    )
    assert ended.code == 0, ended
    found = json.loads(ended.out)
    assert (found["fault"], found["recover"]) == (
        "kill lab:nginx (SIGKILL)",
        "start lab:nginx again",
    )
    for one in found["outages"]:
        assert one["outcome"] == "measured", one
        assert 2.9 < one["silent_s"] < 20
        assert one["served_s"] >= one["silent_s"] - 0.3
        assert one["lost"] > 0
        assert one["log_ons"] >= 20
        assert one["users_lost"] == 0
    bundle = headcount.bundles()[-1]
    shown = headcount.run("show", str(bundle))
    assert "Nobody got an answer for" in " ".join(shown.out.split())
    assert headcount.run("audit", str(bundle)).code == 0
    page = headcount.run("report", str(bundle))
    assert page.code == 0, page
    assert "Each repetition" in (bundle / "report.html").read_text()
    files = [bundle.parent / name for name in ("f.xlsx", "f.md", "f.json", "outages.csv")]
    exported = headcount.run("export", str(bundle), *map(str, files))
    assert exported.code == 0, exported
    rows = list(csv.DictReader(files[3].read_text("utf-8").splitlines()))
    assert [float(row["silent_s"]) for row in rows] == [one["silent_s"] for one in found["outages"]]
    written = headcount.run("report", str(bundle), "--pdf", str(bundle.parent / "f.pdf"))
    assert written.code == 0, written


def test_a_node_of_two_may_fail(headcount: Headcount) -> None:
    """Checks each 100 ms, three of them: a node that hangs is given up after some 0.4 s."""
    settings = ("--set", "check_ms=100", "--set", "balance=standby")
    ended = headcount.run(
        *("failover", *WEB, "--target", "lab:ha-web", *settings, "--users", "20"),
        *("--repeat", "2", *QUICK, "--fault", "kill", "--json"),
    )
    assert ended.code == 0, ended
    found = json.loads(ended.out)
    assert found["fault"] == "kill the first node (SIGKILL)"
    for one in found["outages"]:
        assert one["outcome"] == "measured", one
        assert one["served_s"] is not None
        assert one["served_s"] < 10
        assert one["users_lost"] == 0


def test_a_stopped_node_of_two_delays_users(
    headcount: Headcount,
) -> None:
    ended = headcount.run(
        *("failover", *WEB, "--target", "lab:ha-web", "--set", "check_ms=200", "--users", "20"),
        *("--repeat", "1", *QUICK, "--fault", "stop", "--node", "second", "--json"),
    )
    assert ended.code == 0, ended
    (one,) = json.loads(ended.out)["outages"]
    assert one["outcome"] == "measured", one
    assert one["late"] + one["lost"] > 0
    assert one["served_s"] > 0.1


def test_ctrl_c_continues_a_stopped_server_and_keeps_the_record(
    headcount: Headcount, hello: str, tmp_path: Path
) -> None:
    with hello_nginx(tmp_path) as number:
        started = headcount.start(
            *("failover", hello, "--target", f"http://127.0.0.1:{number}/", "--users", "10"),
            *("--repeat", "5", "--at", "2s", "--after", "60s", "--fault", "stop", "--settle", "0s"),
        )
        pids = processes_with(str(tmp_path / "nginx.conf"))
        wait_for(lambda: all(state(pid) == "T" for pid in pids))
        started.send(signal.SIGINT)
        ended = started.ended()
        assert all(state(pid) != "T" for pid in pids)
    assert ended.code == 130, ended
    bundle = headcount.bundles()[-1]
    found = record.read(bundle)
    assert found is not None
    assert (found.ending, found.outages) == ("interrupted", [])
    assert moments.files(bundle) == []


def test_a_fault_that_fails_ends_the_run_with_the_reason(
    headcount: Headcount, hello: str, tmp_path: Path
) -> None:
    with hello_nginx(tmp_path) as number:
        ended = headcount.run(
            *("failover", hello, "--target", f"http://127.0.0.1:{number}/", "--users", "5"),
            *("--repeat", "2", *QUICK, "--fault", "echo no such node; exit 4"),
        )
    assert ended.code == 3, ended
    text = " ".join(ended.err.split())
    assert "--fault: the command ended with exit code 4: no such node" in text
    assert "Traceback" not in text


def test_an_outage_is_kept_if_its_recovery_fails(
    headcount: Headcount, hello: str, tmp_path: Path
) -> None:
    with hello_nginx(tmp_path) as number:
        ended = headcount.run(
            *("failover", hello, "--target", f"http://127.0.0.1:{number}/", "--users", "5"),
            *("--repeat", "3", *QUICK, "--fault", "true", "--recover", "echo disk full; exit 1"),
        )
    assert ended.code == 3, ended
    text = " ".join(ended.err.split())
    assert "--recover: the command ended with exit code 1: disk full" in text
    found = record.read(headcount.bundles()[-1])
    assert found is not None
    assert (found.ending, len(found.outages)) == ("failed", 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "say what breaks the server: --fault kill"),
        (("--fault", "kill", "--at", "0s"), "--at 0s: give a time from 2 s to an hour"),
        (("--fault", "kill", "--longest", "3s"), "--longest 3s is shorter than"),
        (
            ("--fault", "kill", "--node", "third"),
            "there is no such node of lab:ha-web; it has first and second",
        ),
    ],
)
def test_a_mistake_is_named(headcount: Headcount, arguments: tuple[str, ...], message: str) -> None:
    ended = headcount.run(
        "failover", "web-static", "--target", "lab:ha-web", "--users", "5", *arguments
    )
    assert ended.code == 2, ended
    assert message in " ".join(ended.err.split())


def test_kill_is_refused_if_the_server_cannot_be_started_again(
    headcount: Headcount, hello: str, tmp_path: Path
) -> None:
    with hello_nginx(tmp_path) as number:
        ended = headcount.run(
            *("failover", hello, "--target", f"http://127.0.0.1:{number}/", "--users", "5"),
            *("--fault", "kill"),
        )
    assert ended.code == 2, ended
    assert "Headcount cannot start the server again" in " ".join(ended.err.split())
