"""What a tuning says about a proved gain, an unproved one, and none."""

import io
import math
import subprocess
from pathlib import Path

import pytest
from rich.console import Console
from scipy import stats
from tuned_server import Stage, switch, tuned

from headcount.bundle import tuning as record
from headcount.bundle.diagnosis import Diagnosis
from headcount.report.terminal import tuning as terminal
from headcount.tune.answer import Known, answer
from headcount.tune.choose import Choice
from headcount.tune.drop_in import DropIn
from headcount.tune.goal import Goal, gain
from headcount.tune.install import Service, install_command, service
from headcount.tune.servers.server import Setting
from headcount.tune.tuning import Tuning
from versus_levels import plan

KNOBS = [switch("a"), switch("b")]


class Files:
    """What `answer` asks of a tunable: one file with a line for each change."""

    def __init__(self) -> None:
        self.originals = {"/etc/x.conf": b"a off\nb off\n"}

    def files(self, changes: dict[object, str]) -> dict[str, bytes]:
        lines = [f"{knob.name} {changes.get(knob, 'off')}\n" for knob in KNOBS]
        return {"/etc/x.conf": "".join(lines).encode()}

    def kernel_values(self, changes: object) -> dict[str, str]:
        del changes
        return {}

    def services(self, changes: object) -> list[Service]:
        del changes
        return [service("nginx", None, restarts=False)]

    def drop_ins(self, changes: object) -> list[DropIn]:
        del changes
        return []


class Server:
    name = "server"


def answered(tuning: Tuning, diagnosis: Diagnosis, ending: str = "finished") -> record.Tuning:
    choices = [Choice(knob, "server", Setting("off", is_set=False), 1.0) for knob in KNOBS]
    known = Known(
        plan(users=100), Goal(), "rate", diagnosis, Path("runs/before"), Server(), choices
    )  # type: ignore[arg-type]
    return answer(known, tuning, Files(), ending)  # type: ignore[arg-type]


@pytest.fixture
def diagnosis() -> Diagnosis:
    lists = ("figures", "joint", "candidates", "ruled_out", "log_lines", "advice", "levels")
    return Diagnosis.model_validate(
        {
            **dict.fromkeys(("detail", "size", "size_unit", "saturation", "runner_up", "next")),
            **{key: [] for key in (*lists, "not_observed", "doubts")},
            "limit": "cpu",
            "confidence": 0.9,
            "confidence_word": "high",
            "sentence": "CPU.",
        }
    )


def test_a_proved_gain_is_claimed_with_its_changes(diagnosis: Diagnosis) -> None:
    tuning = tuned(Stage({("b", "on"): 1.5}, 4), KNOBS)
    found = answered(tuning, diagnosis)
    assert [(one.knob, one.before, one.after) for one in found.changes] == [("b", "off", "on")]
    assert found.ratio is not None
    logs = [gain(one, two, "rate") for one, two in tuning.results.proof]
    low, high = stats.t.interval(0.99, len(logs) - 1, sum(logs) / len(logs), stats.sem(logs))
    assert (found.ratio.low, found.ratio.high) == pytest.approx((math.exp(low), math.exp(high)))
    assert found.ratio.confidence == pytest.approx(0.99)
    text = f"{found.ratio.value:.2f} times the throughput"
    assert found.sentence.startswith(f"b on: {text} (")
    assert found.files["changes.diff"].splitlines()[2:] == [
        "@@ -1,2 +1,2 @@",
        " a off",
        "-b off",
        "+b on",
    ]
    assert found.before is not None
    assert found.after is not None
    assert found.after / found.before == pytest.approx(found.ratio.value)


def test_a_claim_says_that_the_load_generator_was_the_limit(diagnosis: Diagnosis) -> None:
    tuning = tuned(Stage({("b", "on"): 1.5}, 4), KNOBS)
    full = tuning.results.proof[0][1].generator.model_copy(update={"limited": True})
    tuning.results.proof = [
        (before, after.model_copy(update={"outcome": "invalid", "generator": full}))
        for before, after in tuning.results.proof
    ]
    text = "It may be more: with the changes, the load generator was the limit."
    assert answered(tuning, diagnosis).sentence.endswith(f" users. {text}")


def test_the_difference_installs_the_changes(diagnosis: Diagnosis, tmp_path: Path) -> None:
    found = answered(tuned(Stage({("b", "on"): 1.5}, 4), KNOBS), diagnosis)
    file = tmp_path / "x.conf"
    file.write_bytes(b"a off\nb off\n")
    diff = tmp_path / "changes.diff"
    diff.write_text(found.files["changes.diff"].replace("/etc/x.conf", str(file)))
    subprocess.run(["sh", "-c", install_command(diff)], check=True)
    assert file.read_text() == "a off\nb on\n"
    assert install_command(Path("90-headcount.conf")) == "cp 90-headcount.conf /etc/sysctl.d/"


def test_without_a_gain_the_smallest_that_would_show_is_stated(diagnosis: Diagnosis) -> None:
    found = answered(tuned(Stage({}, 4), KNOBS), diagnosis)
    assert not found.changes
    assert not found.files
    assert "was found in" in found.sentence
    assert found.noise is not None
    assert found.noise.smallest_gain is not None
    assert f"No gain of {found.noise.smallest_gain - 1:.0%} or more" in found.sentence


def test_what_is_not_proved_is_not_claimed(diagnosis: Diagnosis) -> None:
    tuning = tuned(Stage({("a", "on"): 1.5}, 4), KNOBS)
    tuning.results.proof = [(one, one) for one, _ in tuning.results.proof]
    found = answered(tuning, diagnosis)
    assert not found.changes
    assert found.sentence.startswith("No proof: with a on it was 1.00 times the throughput")


def test_an_interrupted_tuning_claims_nothing(diagnosis: Diagnosis) -> None:
    found = answered(tuned(Stage({("b", "on"): 1.5}, 4), KNOBS), diagnosis, "interrupted")
    assert found.sentence == "No claim: the tuning was interrupted before a gain was proved."


def test_the_answer_is_printed_with_all_trials(diagnosis: Diagnosis, tmp_path: Path) -> None:
    found = answered(tuned(Stage({("b", "on"): 1.5, ("a", "on"): 0.0}, 4), KNOBS), diagnosis)
    record.write(found, tmp_path)
    again = record.read(tmp_path)
    assert again == found
    assert (tmp_path / "changes.diff").read_text() == found.files["changes.diff"]
    out = io.StringIO()
    console = Console(file=out, width=120)
    terminal.answer(found.model_copy(update={"restored": True}), console)
    terminal.trials(found, console)
    text = out.getvalue()
    assert "b: off -> on" in text
    assert "refused: it does not start" in text
    assert "not everything was put back" not in text
    terminal.answer(found, console)
    assert "not everything was put back" in out.getvalue()
