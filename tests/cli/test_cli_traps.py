"""Bundles that a stranger has set traps in: no file outside is changed, and no verb hangs."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from headcount.cli import run_line
from headcount.errors import ExitCode

SECRET = b"a file of the reader's\n"


@pytest.fixture
def bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, finished_run: Path) -> Path:
    """A copy of a run that its owner may change, in the current folder, beside a file `mine`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").write_bytes(SECRET)
    shutil.copytree(finished_run, "b")
    return Path("b")


def gone(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)


def link(path: Path) -> None:
    gone(path)
    path.symlink_to(Path("mine").absolute())


def endless(path: Path) -> None:
    gone(path)
    path.symlink_to("/dev/zero")


def nowhere(path: Path) -> None:
    gone(path)
    path.symlink_to(Path("mine2").absolute())


def pipe(path: Path) -> None:
    gone(path)
    os.mkfifo(path)


def folder(path: Path) -> None:
    gone(path)
    path.mkdir()


def hard_link(path: Path) -> None:
    gone(path)
    path.hardlink_to("mine")


Trap = Callable[[Path], None]
WORDS: dict[Trap, str] = {
    link: "a symbolic link, not a file",
    endless: "a symbolic link, not a file",
    nowhere: "a symbolic link, not a file",
    pipe: "a pipe, not a file",
    folder: "a folder, not a file",
    hard_link: "a hard link",
}


def state(top: Path) -> dict[str, tuple[int, int, int, int]]:
    """The metadata that a write would change, of a folder and everything in it."""
    found = {}
    for path in [top, *top.rglob("*")]:
        status = path.lstat()
        found[str(path)] = (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
    return found


WRITTEN = {
    "report": ("report.html", "manifest.json", "manifest.json.sig"),
    "resume": (
        *("events.ndjson", "histograms.hlog", "series.parquet", "report.html", "series.ndjson"),
        *("manifest.json", "manifest.json.sig", "verdict.json", "levels.json", "environment.json"),
    ),
}
CASES = [
    pytest.param(verb, name, trap, id=f"{verb}-{name}-{trap.__name__}")
    for verb, names in WRITTEN.items()
    for name in names
    for trap in (link, endless, nowhere, pipe, folder)
]


@pytest.mark.parametrize(("verb", "name", "trap"), CASES)
def test_traps_are_refused_before_anything_is_written(
    capsys: pytest.CaptureFixture[str], bundle: Path, verb: str, name: str, trap: Trap
) -> None:
    if verb == "resume":
        (bundle / "verdict.json").unlink()
    trap(bundle / name)
    before = state(bundle)
    assert run_line((verb, "b")) == ExitCode.BAD_INPUT
    shown = " ".join(capsys.readouterr().err.split())
    assert f"b/{name}" in shown
    assert WORDS[trap] in shown
    assert shown.count("error:") == 1
    after = state(bundle)
    before.pop("b")  # both verbs test whether there is room
    after.pop("b")
    assert after == before
    assert Path("mine").read_bytes() == SECRET
    assert not Path("mine2").exists()


@pytest.mark.parametrize("name", ["events.ndjson", "histograms.hlog"])
def test_resume_appends_to_no_hard_link(
    capsys: pytest.CaptureFixture[str], bundle: Path, name: str
) -> None:
    (bundle / "verdict.json").unlink()
    shutil.copyfile(bundle / name, "mine")
    kept = Path("mine").read_bytes()
    hard_link(bundle / name)
    assert run_line(("resume", "b")) == ExitCode.BAD_INPUT
    shown = " ".join(capsys.readouterr().err.split())
    assert f"cannot write b/{name}: the file has another name, too (a hard link)" in shown
    assert f"cp b/{name} b/{name}.own && mv b/{name}.own b/{name}" in shown
    assert Path("mine").read_bytes() == kept


def test_a_report_replaces_a_hard_link(bundle: Path) -> None:
    hard_link(bundle / "report.html")
    assert run_line(("report", "b")) == 0
    assert b"<html" in (bundle / "report.html").read_bytes()
    assert Path("mine").read_bytes() == SECRET


def test_links_at_predictable_names_are_not_followed(bundle: Path) -> None:
    old = [*(f".{path.name}.new" for path in bundle.iterdir()), ".series.long.ndjson"]
    for name in [*old, f".headcount-{os.getpid()}.new"]:
        link(bundle / name)
    assert run_line(("report", "b")) == 0
    assert run_line(("report", "b", "-o", "b/other.html")) == 0
    assert Path("mine").read_bytes() == SECRET
    for name in old:
        assert (bundle / name).is_symlink()


@pytest.mark.usefixtures("bundle")
@pytest.mark.parametrize("trap", [link, endless, nowhere, pipe], ids=lambda trap: trap.__name__)
@pytest.mark.parametrize(
    "line",
    [("report", "b", "-o", "b/x.html"), ("export", "b", "b/x.md"), ("export", "b", "b/levels.csv")],
    ids=["report", "markdown", "csv"],
)
def test_traps_at_a_file_that_the_user_names_are_refused(
    capsys: pytest.CaptureFixture[str], trap: Trap, line: tuple[str, ...]
) -> None:
    trap(Path(line[-1]))
    assert run_line(line) == ExitCode.BAD_INPUT
    shown = " ".join(capsys.readouterr().err.split())
    assert f"cannot write {line[-1]}: this is {WORDS[trap]}; remove it: rm {line[-1]}" in shown
    assert Path("mine").read_bytes() == SECRET


@pytest.mark.parametrize("name", ["manifest.json", "manifest.json.sig"])
@pytest.mark.parametrize("trap", [link, nowhere, pipe], ids=lambda trap: trap.__name__)
def test_signing_follows_no_trap(bundle: Path, name: str, trap: Trap) -> None:
    make = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", "key"]
    subprocess.run(make, check=True, timeout=60)
    trap(bundle / name)
    before = state(bundle)
    assert run_line(("audit", "b", "--sign", "key")) in (ExitCode.BAD_INPUT, ExitCode.FAILED)
    before.pop("b")  # it tests whether there is room
    after = state(bundle)
    after.pop("b")
    assert after == before
    assert Path("mine").read_bytes() == SECRET
    assert not Path("mine2").exists()


READ = {
    "plan.toml": ("show", "b"),
    "levels.json": ("show", "b"),
    "verdict.json": ("show", "b"),
    "environment.json": ("show", "b"),
    "confirmation.json": ("show", "b"),
    "series.ndjson": ("diagnose", "b"),
    "events.ndjson": ("diagnose", "b"),
    "stacks-001-off-proc.folded.gz": ("diagnose", "b"),
    "histograms.hlog": ("report", "b", "-o", "r.html"),
    "series.parquet": ("audit", "b"),
    "report.html": ("audit", "b"),
    "manifest.json.sig": ("audit", "b"),
}


@pytest.mark.parametrize("trap", [link, endless, pipe], ids=lambda trap: trap.__name__)
@pytest.mark.parametrize("name", READ)
def test_only_regular_files_are_read(
    capsys: pytest.CaptureFixture[str], bundle: Path, name: str, trap: Trap
) -> None:
    trap(bundle / name)
    before = state(bundle)
    assert run_line(READ[name]) == ExitCode.BAD_INPUT
    shown = " ".join(capsys.readouterr().err.split())
    assert f"b/{name} cannot be read: it is {WORDS[trap]}; put the file itself there" in shown
    assert state(bundle) == before
    assert not Path("r.html").exists()


@pytest.mark.parametrize("name", ["manifest.json", "versus.json", "another"])
@pytest.mark.parametrize("trap", [link, endless, pipe], ids=lambda trap: trap.__name__)
def test_an_audit_goes_on_without_irregular_files(
    capsys: pytest.CaptureFixture[str], bundle: Path, name: str, trap: Trap
) -> None:
    trap(bundle / name)
    run_line(("audit", "b"))
    assert name in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("name", ["series.ndjson", "events.ndjson"])
@pytest.mark.parametrize("trap", [link, endless, pipe], ids=lambda trap: trap.__name__)
def test_watching_follows_no_link(
    capsys: pytest.CaptureFixture[str], bundle: Path, name: str, trap: Trap
) -> None:
    trap(bundle / name)
    line = ("watch", "b", "--plain", "--interval", "100ms")
    assert run_line(line) == ExitCode.BAD_INPUT
    assert f"b/{name} cannot be read: it is" in " ".join(capsys.readouterr().err.split())


READING: dict[str, tuple[str, ...]] = {
    "show": ("show", "b"),
    "show --json": ("show", "b", "--json"),
    "runs": ("runs", "--runs", "."),
    "audit": ("audit", "b"),
    "diagnose": ("diagnose", "b"),
    "compare": ("compare", "b", "b"),
    "gate": ("gate", "b", "--baseline", "b"),
    "history": ("history", "."),
    "predict": ("predict", "b", "--cpus", "2x"),
    "price": ("price", "b", "--cost", "1000 USD"),
    "export": ("export", "b", "run.md", "levels.csv", "run.prom", "run.json"),
    "report -o": ("report", "b", "-o", "r.html"),
    "watch": ("watch", "b", "--plain", "--interval", "100ms"),
}


@pytest.mark.parametrize("verb", READING)
@pytest.mark.parametrize("killed", [False, True], ids=["whole", "killed"])
def test_reading_writes_nothing(bundle: Path, verb: str, killed: bool) -> None:
    if killed:
        (bundle / "verdict.json").unlink()
        (bundle / "manifest.json").unlink()
    before = state(bundle)
    assert run_line(READING[verb]) != ExitCode.DEFECT
    assert state(bundle) == before


def test_links_to_a_bundle_are_followed(bundle: Path) -> None:
    Path("disk").mkdir()
    bundle.rename("disk/b")
    Path("runs").symlink_to("disk")
    Path("last").symlink_to("runs/b")
    for path in ("runs/b", "last"):
        assert run_line(("report", path)) == 0
        assert run_line(("audit", path)) in (0, ExitCode.FAILED)
    assert [path.name for path in Path("disk/b").iterdir() if path.name.startswith(".")] == []
