"""`headcount tune` as a user runs it, on a real nginx."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from headcount.bundle import reader, tuning
from headcount.bundle.tuning import Tuning
from headcount.tune.host import ThisHost
from headcount.tune.left import journals_folder
from processes import Headcount

pytestmark = pytest.mark.timeout(600)  # some 36 turns of 3 s, on a quiet machine
TUNE = ("tune", "--target", "lab:nginx", "--workload", "web-mix", "--scale", "0.05")
SHORT = ("--budget", "1m", "--trials", "1", "--turn", "1s", "--goal", "p95@100", "--seed", "3")


@pytest.fixture(scope="module")
def headcount(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Headcount]:
    folder = tmp_path_factory.mktemp("tune")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(folder / "state"))  # another tuning may be under way
        made = Headcount(folder)
        try:
            yield made
        finally:
            made.close()


@dataclass(frozen=True)
class Tuned:
    """What a tuning printed, its bundle, and its journal."""

    answer: dict[str, object]
    folder: Path
    journal: Path


@pytest.fixture(scope="module")
def tuned(headcount: Headcount) -> Tuned:
    ended = headcount.run(
        *(*TUNE, *SHORT, "--set", "keepalive=0", "--json"),
        *("--knob", "keepalive_timeout", "--allow", "keepalive_timeout"),
    )
    assert ended.code == 0, ended.err
    answer = json.loads(ended.out)
    (journal,) = Path(journals_folder(ThisHost())).iterdir()
    return Tuned(answer, Path(answer.pop("bundle")), journal)


@pytest.mark.e2e
def test_keepalive_is_switched_on(tuned: Tuned, headcount: Headcount) -> None:
    folder, answer = tuned.folder, tuned.answer
    found = tuning.read(folder)
    assert found == Tuning.model_validate(answer)
    assert found.ending == "finished"
    assert found.restored
    assert not found.kept
    assert [one.name for one in found.knobs] == ["keepalive_timeout"]
    assert found.knobs[0].value == "0"
    race = found.races[0]
    assert race.configuration == {"keepalive_timeout": "75"}
    levels = reader.load(folder).levels
    assert {level.index for level in levels} >= {one.challenger for one in race.pairs}
    assert (tuned.journal / "done").exists()
    audited = headcount.run("audit", str(folder))
    assert audited.code == 0, audited.out


@pytest.mark.e2e
def test_values_set_by_hand_are_not_changed(tuned: Tuned, headcount: Headcount) -> None:
    baseline = tuned.folder.parent / str(tuned.answer["baseline"])
    ended = headcount.run(
        *(*TUNE, *SHORT, "--set", "keepalive=0", "--knob", "keepalive_timeout"),
        *("--from", str(baseline)),
    )
    assert ended.code == 2
    assert "no knob of nginx can be tried" in ended.err
    assert "it is set to 0" in ended.err
    assert "--allow 'keepalive_timeout'" in ended.err


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ((), "say what to tune and what its users do"),
        (("--target", "lab:nginx", "--workload", "web-mix", "--goal", "speed"), "give capacity"),
        (("--target", "lab:nginx", "--workload", "web-mix", "--budget", "5s"), "is too short"),
        (("--target", "lab:nginx", "--workload", "web-mix", "--turn", "0.1s"), "a turn is"),
        (("--target", "lab:nginx", "--workload", "none"), "none"),
        (("--knob", "keepalive_tiemout"), 'did you mean "keepalive_timeout"?'),
        (("--allow", "sendfiles"), 'did you mean "sendfile"?'),
    ],
)
def test_mistakes_are_errors(
    headcount: Headcount, options: tuple[str, ...], complaint: str
) -> None:
    ended = headcount.run("tune", *options, "--seed", "1")
    assert ended.code == 2
    assert complaint in ended.err
    assert "Traceback" not in ended.err


def test_knobs_are_listed_and_explained(headcount: Headcount) -> None:
    listed = headcount.run("knobs")
    assert listed.code == 0
    assert {"nginx", "samba", "postgresql"} <= set(listed.out.split())
    assert "worker_processes" in headcount.run("knobs", "nginx").out
    explained = headcount.run("knobs", "nginx", "worker_processes").out
    assert "what it does: Worker processes." in explained
    assert "rule of 1998: A-12 Get faster or more CPUs" in explained
    wrong = headcount.run("knobs", "nginx", "worker_process")
    assert wrong.code == 2
    assert 'did you mean "worker_processes"?' in wrong.err
    assert json.loads(headcount.run("knobs", "redis", "--json").out)["server"] == "redis"


@pytest.mark.e2e
def test_show_prints_a_tuning(tuned: Tuned, headcount: Headcount) -> None:
    shown = headcount.run("show", str(tuned.folder))
    assert shown.code == 0
    assert str(tuned.answer["sentence"])[:20] in shown.out
    assert "keepalive_timeout 75" in " ".join(shown.out.split())
