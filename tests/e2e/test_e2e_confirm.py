"""Diagnoses tested by experiments on real servers, each with one limit that is known.

On a busy machine experiments may leave a diagnosis undecided, but never give a wrong answer.
`make proof` requires them to decide.
"""

import os
import re
from dataclasses import replace
from pathlib import Path

import pytest

import database
import service_group
from headcount.analyse.diagnosis.diagnose import diagnose
from headcount.analyse.experiments.conclude import conclude
from headcount.bundle import confirmation, reader
from headcount.bundle.confirmation import Confirmation
from headcount.bundle.diagnosis import Diagnosis, Limit
from headcount.controller import confirm_run
from headcount.controller.access import Secrets
from headcount.controller.confirm import confirm
from headcount.controller.experiments.stage import Options
from headcount.controller.listener import Second, Silent
from headcount.errors import InputError, TargetError
from limited_server import PLACES, Serving, serving
from processes import Headcount

pytestmark = pytest.mark.e2e

WORKLOAD = """
name = "two"
title = "Two kinds of pages"
protocol = "http"
recreates = "nothing"
description = "Users of a server with one limit."
sources = []
deviations = []
criteria = ["p95<=60s"]
pace = { kind = "closed", time = { draw = "fixed", mean = "0ms" } }
run = { duration = "1s" }

[[scenarios]]
name = "cheap"
weight = 1
limit = "60s"
steps = [{ name = "get-cheap", op = "get", path = "/cheap" }]

[[scenarios]]
name = "dear"
weight = 1
limit = "60s"
steps = [{ name = "get-dear", op = "get", path = "/dear" }]
"""
TIME_S = 14.0
SHORT_S = 8.0
"""For an experiment with two arms."""


def short_run(headcount: Headcount, server: Serving, levels: str) -> Path:
    """The bundle of a short run on a server."""
    headcount.home.mkdir(exist_ok=True)
    file = headcount.home / "two.toml"
    file.write_text(WORKLOAD, "utf-8")
    ended = headcount.run(
        *("run", str(file), "--target", f"http://{server.address}", "--levels", levels),
        *("--ramp", "0s", "--settle", "0s", "--duration", "1s", "--json"),
    )
    assert ended.code in (0, 1, 4), ended  # on a busy machine a level may not count
    return headcount.bundles()[-1]


def diagnosed_as(bundle: Path, limit: Limit, size: float | None = None) -> Diagnosis:
    """The run's diagnosis, with another first limit: no program can be sure to name it."""
    found = diagnose(reader.load(bundle))
    assert found is not None
    update = {"limit": limit, "detail": None, "size": size, "joint": [], "candidates": []}
    return found.model_copy(update=update)


def answer_on(
    bundle: Path,
    asked: Diagnosis,
    seconds: float = TIME_S,
    beside: str | None = None,
    *,
    patient: bool = False,
    allow_nudge: bool = False,
) -> Confirmation:
    """The answer of experiments to a diagnosis; on a busy machine they get the time they ask for.

    If `patient`, they are repeated with more time while they leave it undecided, as they advise.
    """
    for times in (1, 2, 2) if patient else (1,):
        options = Options(times * seconds, beside, allow_nudge)
        try:
            proof = confirm(reader.load(bundle), asked, Secrets(), Silent(), options)
        except InputError as error:
            least = re.search(r"need at least (\d+) s", str(error))
            if least is None or seconds < SHORT_S:
                raise
            options = replace(options, seconds=2 * float(least[1]))
            proof = confirm(reader.load(bundle), asked, Secrets(), Silent(), options)
        if proof.answer != "undecided":
            break
    return proof


def is_decided(found: Confirmation, answer: str, *, must: bool) -> bool:
    """Whether experiments decided; if so, for this answer. `must`: whether they have to."""
    assert found.answer == answer or (found.answer == "undecided" and not must), found
    return found.answer == answer


def others(*limits: Limit) -> tuple[Limit, ...]:
    """Limits that the server does not have."""
    return limits


def supported(
    bundle: Path, found: Confirmation, limit: Limit, size: float | None = None, *, must: bool
) -> str | None:
    """What the same experiments support instead of a wrong diagnosis; None if undecided."""
    other = conclude(diagnosed_as(bundle, limit, size), found.findings)
    assert other.answer == "refuted" or (other.answer == "undecided" and not must), other.sentence
    assert other.supported is not None or not must, other.sentence
    return other.supported if other.answer == "refuted" else None


def test_a_semaphore_is_confirmed_as_a_pool(headcount: Headcount, proof: bool) -> None:
    with serving("pool") as server:
        bundle = short_run(headcount, server, "1,12")
        found = answer_on(bundle, diagnosed_as(bundle, "pool", PLACES), patient=proof)
    assert set(found.experiments) <= {"concurrency", "kinds"}
    if not is_decided(found, "confirmed", must=proof):
        return
    assert set(found.experiments) == {"concurrency", "kinds"}
    size = found.findings[0].size
    assert size is not None
    assert PLACES / 2 < size < 2 * PLACES
    for wrong in others("lock", "limiter", "delay"):
        assert supported(bundle, found, wrong, must=proof) in ("pool", None)


def test_a_mutex_is_confirmed_as_a_lock(headcount: Headcount, proof: bool) -> None:
    with serving("lock") as server:
        bundle = short_run(headcount, server, "1,4")
        found = answer_on(bundle, diagnosed_as(bundle, "lock"), patient=proof)
    is_decided(found, "confirmed", must=proof)
    for wrong in others("pool", "limiter", "delay"):
        assert supported(bundle, found, wrong, PLACES, must=proof) in ("lock", None)


def test_a_run_tests_its_diagnosis_when_asked(
    headcount: Headcount, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(confirm_run, "LONGEST_S", SHORT_S)
    with serving("delay") as server:
        folder = short_run(headcount, server, "1,6")
        found = reader.load(folder)
        assert found.confirmation is None
        assert confirm_run.confirm_run(folder, Secrets(), Silent()) is None, "a ladder is not asked"
        proof = confirm_run.confirm_run(folder, Secrets(), Silent(), wanted=True)
    assert proof is not None
    assert reader.load(folder).confirmation == proof
    shown = headcount.run("show", str(folder))
    assert "by experiment" in shown.out or "experiments left it undecided" in shown.out, shown.out


def test_a_token_bucket_is_confirmed_as_a_rate_limit(headcount: Headcount, proof: bool) -> None:
    with serving("limiter") as server:
        bundle = short_run(headcount, server, "1,4")
        found = answer_on(bundle, diagnosed_as(bundle, "limiter"), patient=proof)
    if is_decided(found, "confirmed", must=proof):
        assert "limiter" in found.findings[0].direct
    for wrong in others("pool", "lock", "cpu", "delay"):
        assert supported(bundle, found, wrong, PLACES, must=proof) in ("limiter", None)


def test_a_sleep_is_confirmed_as_a_delay(headcount: Headcount, proof: bool) -> None:
    with serving("delay") as server:
        bundle = short_run(headcount, server, "1,6")
        found = answer_on(bundle, diagnosed_as(bundle, "delay"), SHORT_S, patient=proof)
    if not is_decided(found, "confirmed", must=proof):
        return
    assert found.experiments == ["alone"]
    for wrong in others("pool", "lock", "limiter"):
        other = conclude(diagnosed_as(bundle, wrong, PLACES), found.findings)
        assert other.answer == "refuted", other.sentence


LOCKED = """
WITH taken AS MATERIALIZED (SELECT pg_advisory_xact_lock(7)) SELECT pg_sleep({}) FROM taken
"""
STATEMENTS = WORKLOAD.replace('protocol = "http"', 'protocol = "sql"').replace(
    "[[scenarios]]",
    "discussion = { documents = 50, categories = 5, body_size = 99, people = 9 }\n\n[[scenarios]]",
    1,
)
for path, slept_s in (("/cheap", 0.008), ("/dear", 0.024)):
    asking = f'op = "sql", statement = "{LOCKED.format(slept_s).strip()}"'
    STATEMENTS = STATEMENTS.replace(f'op = "get", path = "{path}"', asking)


def test_experiments_leave_a_database_as_it_was(headcount: Headcount, proof: bool) -> None:
    headcount.home.mkdir(exist_ok=True)
    file = headcount.home / "statements.toml"
    file.write_text(STATEMENTS, "utf-8")
    with database.serving() as postgres:
        reached = ("--target", postgres.target, "--user", postgres.server.user)
        password = {"HEADCOUNT_PASSWORD": postgres.password}
        for _ in range(3):  # beside other programs the level of four users may not count
            ended = headcount.run(
                *("run", str(file), *reached, "--levels", "1,4", "--ramp", "0s", "--settle", "0s"),
                "--json",
                **password,
            )
            assert ended.code in (0, 1, 4), ended
            folder = headcount.bundles()[-1]
            if all(level.outcome != "invalid" for level in reader.load(folder).levels):
                break
        asked = diagnosed_as(folder, "delay")
        cleaned = headcount.run("cleanup", *reached, **password)
        assert cleaned.code == 0, cleaned
        assert postgres.schemas() == {"public"}
        bundle, options = reader.load(folder), Options(SHORT_S)
        with pytest.raises(InputError, match="28P01"):
            confirm(bundle, asked, Secrets(password=postgres.password[:-1]), Silent(), options)
        for _ in range(3 if proof else 1):
            found = confirm(bundle, asked, Secrets(password=postgres.password), Silent(), options)
            if found.answer != "undecided":
                break
        assert postgres.schemas() == {"public"}
    # Of four users three always wait for the lock.
    if is_decided(found, "refuted", must=proof):
        assert found.experiments == ["alone"]


@pytest.mark.parametrize("shares", [True, False])
def test_load_beside_shows_whether_an_upstream_is_shared(
    headcount: Headcount, proof: bool, shares: bool
) -> None:
    with (
        serving("lock") as upstream,
        serving("delay") as apart,
        serving(f"upstream={upstream.address}") as first,
        serving(f"upstream={(upstream if shares else apart).address}") as second,
    ):
        bundle = short_run(headcount, first, "1,6")
        url = f"http://{second.address}/cheap"
        found = answer_on(bundle, diagnosed_as(bundle, "upstream"), TIME_S, url, patient=proof)
    # The other's users ask an upstream that only sleeps: that costs this server nothing.
    if is_decided(found, "confirmed" if shares else "refuted", must=proof):
        assert found.experiments == ["beside"]


@pytest.mark.parametrize(("limit", "answer"), [("cpu", "confirmed"), ("pool", "refuted")])
def test_a_nudge_shows_whether_the_cpu_is_the_limit_and_leaves_no_trace(
    headcount: Headcount, proof: bool, limit: str, answer: str
) -> None:
    cores = 0.15 if limit == "cpu" else 0.5
    with (
        serving(limit) as server,
        service_group.group(f"/headcount-nudged-{os.getpid()}-{limit}") as folders,
    ):
        service_group.move(server.process.pid, folders)
        before = quota(folders, cores)
        prefer(folders)
        bundle = short_run(headcount, server, "1,8")
        found = answer_on(bundle, diagnosed_as(bundle, "cpu"), patient=proof, allow_nudge=True)
        assert quota(folders) == before
    if any("other programs use" in one.reason for one in found.left_out):
        assert found.answer == "undecided"  # it may wait for the other programs
        return
    if is_decided(found, answer, must=proof):
        assert found.findings[0].experiment == "nudge"


def prefer(folders: list[Path]) -> None:
    """Let the group use its quota on a busy machine, too."""
    for name, weight in (("cpu.shares", "200000"), ("cpu.weight", "10000")):
        for path in (folder / name for folder in folders):
            if path.exists():
                path.write_text(weight)


def quota(folders: list[Path], cores: float | None = None) -> str:
    """A group's CPU quota as the kernel shows it, after setting it."""
    for name in ("cpu.cfs_quota_us", "cpu.max"):
        for folder in folders:
            path = folder / name
            if path.exists():
                if cores is not None:
                    path.write_text(f"{round(cores * 100_000)}")
                return path.read_text()
    raise AssertionError("no group limits CPU time here")


class Impatient(Silent):
    """A user who presses Ctrl-C after this many turns."""

    def __init__(self, turns: int) -> None:
        self.left = turns
        self.lines: list[str] = []

    def second(self, second: Second) -> None:
        """A turn has ended."""
        del second
        self.left -= 1
        if not self.left:
            raise KeyboardInterrupt

    def noted(self, text: str) -> None:
        """Keep what is shown."""
        self.lines.append(text)


def test_ctrl_c_keeps_what_was_measured(headcount: Headcount) -> None:
    with serving("pool") as server:
        bundle = short_run(headcount, server, "1,8")
        asked, impatient = diagnosed_as(bundle, "pool", PLACES), Impatient(20)
        options = Options(TIME_S)
        proof = confirm(reader.load(bundle), asked, Secrets(), impatient, options)
    # Three arms of five or six rounds are over by then, and the other experiment has begun.
    assert (proof.ending, proof.answer) == ("interrupted", "undecided")
    assert [one.experiment for one in proof.findings] == ["concurrency"]
    assert len(proof.findings[0].turns) >= 15
    assert proof.sentence.startswith("Undecided: ")
    assert "about" in impatient.lines[0]


def test_unreachable_servers_and_impossible_experiments_are_errors(headcount: Headcount) -> None:
    with serving("pool") as server:
        bundle = short_run(headcount, server, "1,8")
        with pytest.raises(InputError, match="need at least"):
            answer_on(bundle, diagnosed_as(bundle, "pool"), 1.0)
        with pytest.raises(InputError, match="no experiment can test"):
            answer_on(bundle, diagnosed_as(bundle, "errors"))
        with pytest.raises(TargetError, match=r"127\.0\.0\.1:1"):
            answer_on(bundle, diagnosed_as(bundle, "upstream"), beside="http://127.0.0.1:1/")
        alone = headcount.run("diagnose", str(bundle), "--beside", "http://127.0.0.1:1")
        assert alone.code == 2
        assert "add --confirm" in alone.message
    with pytest.raises(TargetError, match=server.address):
        answer_on(bundle, diagnosed_as(bundle, "pool"))
    assert not (bundle / confirmation.FILE).exists()


class Crash(Impatient):
    """Stops the server after this many turns."""

    def __init__(self, turns: int, server: Serving) -> None:
        super().__init__(turns)
        self.server = server

    def second(self, second: Second) -> None:
        """A turn has ended."""
        del second
        self.left -= 1
        if not self.left:
            self.server.stop()


def test_a_server_that_dies_during_an_experiment_is_an_error(headcount: Headcount) -> None:
    with serving("pool") as server:
        bundle = short_run(headcount, server, "1,8")
        asked, options = diagnosed_as(bundle, "pool"), Options(TIME_S)
        with pytest.raises(TargetError, match="stopped answering"):
            confirm(reader.load(bundle), asked, Secrets(), Crash(2, server), options)
