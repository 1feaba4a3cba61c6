"""What people who know other programs type first: one error each, and what to type instead."""

from pathlib import Path

import pytest

from headcount.cli import run_line, start
from headcount.errors import ExitCode

WEB = ("run", "web-mix", "--target", "lab:nginx", "--plan")
FILES = ("run", "home-folders", "--plan", "--target")

MISTAKES: list[tuple[tuple[str, ...], str]] = [
    (("http://127.0.0.1:8080",), "headcount run WORKLOAD --target http://127.0.0.1:8080"),
    (("localhost:8080",), "--target http://localhost:8080"),
    (("lab:nginx",), "--target lab:nginx"),
    (("run", "http://host"), "headcount run web-static --target http://host"),
    (("run", "lab:nginx"), "--target lab:nginx"),
    (("run", "web-mix", "--url", "http://h"), "did you mean --target?"),
    (("run", "-u", "10"), "did you mean --users?"),
    (("run", "web-mix", "--vus", "10"), "did you mean --users?"),
    (("run", "web-mix", "-c", "10"), "did you mean --users?"),
    (("run", "web-mix", "--concurrency", "10"), "did you mean --users?"),
    (("run", "web-mix", "-d", "10"), "did you mean --duration?"),
    (("run", "web-mix", "-T", "10"), "did you mean --duration?"),
    (("run", "web-mix", "--rate", "10"), "did you mean --pace?"),
    (("run", "web-mix", "--stages", "10"), "did you mean --levels?"),
    (("run", "web-mix", "--dry-run"), "did you mean --plan?"),
    (("run", "web-mix", "-k"), "--client verify_certificates=off"),
    (("run", "web-mix", "--targt", "lab:nginx"), "did you mean --target?"),
    (("run", "web-mix", "lab:nginx"), "write --target lab:nginx"),
    ((*WEB, "--levels", "10", "20", "30"), "--levels 10,20,30"),
    ((*WEB, "--levels", "10-100"), 'did you mean "10..100/10"'),
    ((*WEB, "--levels", "10..100"), 'did you mean "10..100/10"'),
    ((*WEB, "--levels", "10:100:30"), 'did you mean "10..100/30"'),
    ((*WEB, "--levels", "0,10"), "from 1 to 1,000,000"),
    ((*WEB, "--levels", "1,2", "--quick"), "--quick is for a search, and --levels says which"),
    ((*WEB, "--users", "9", "--soak", "1m"), "--soak is for a search, and --users says which"),
    (("run", "web-static", "-t", "lab:nginx", "--quick", "--plan"), "has a ladder: add --search"),
    (("run", "ycsb-a", "-t", "lab:redis", "--plan", "--max-users", "9"), "--max-users is for"),
    ((*WEB, "--users", "0"), "--users is 0; it must be from 1"),
    ((*WEB, "--users", "-5"), "--users is -5; it must be from 1"),
    ((*WEB, "--users", "ten"), "write a whole number"),
    ((*WEB, "--users", "10.5"), "write a whole number"),
    ((*WEB, "--scale", "10%"), '--scale is "10%"; write a number'),
    ((*WEB, "--seed", "x"), '--seed is "x"; write a whole number'),
    ((*WEB, "--duration", "10x"), "write it like 200ms, 30s, 5m or 1h30m"),
    ((*WEB, "--duration", "0"), "it must be from 1s"),
    ((*WEB, "--think", "1-3s"), "write it like 200ms"),
    ((*WEB, "--pace", "10/s"), "write it like 200ms"),
    ((*WEB, "--criteria", "p95<500"), '"p95<500ms"'),
    ((*WEB, "--criteria", "p(95)<500"), 'did you mean "p95<500ms"'),
    ((*WEB, "--criteria", "p95%<1s"), 'did you mean "p95<1s"'),
    ((*WEB, "--criteria", "P95<=1S"), 'did you mean "p95<=1s"'),
    ((*WEB, "--criteria", "p95 =< 1s"), 'did you mean "p95<=1s"'),
    ((*WEB, "--criteria", "avg<1s"), 'did you mean "mean<1s"'),
    ((*WEB, "--criteria", "error_rate<1%"), 'did you mean "errors<1%"'),
    ((*WEB, "--criteria", "errors<1"), '"errors<1%" is 1%'),
    ((*WEB, "--set", "nonsense=1"), "it has: profile, workers"),
    ((*WEB, "--set", "nonsense"), "write it like --set threads=4"),
    ((*WEB, "--limit", "gpu=1"), 'did you mean "cpu"?'),
    ((*FILES, r"\\fs1\data"), "write smb://fs1/data"),
    ((*FILES, "//fs1/data"), "write smb://fs1/data"),
    ((*FILES, "/mnt/x"), "write file:///mnt/x"),
    ((*FILES, "~/x"), "write file:///"),
    ((*FILES, "~nobody-here/x"), "write file:///"),
    (
        ("run", "replay", "-t", "lab:samba", "--plan", "--loadfile", "~nobody-here/x"),
        "there is no load file",
    ),
    ((*FILES, "fs1:/export"), "file:///mnt/data"),
    ((*FILES, "cifs://fs1/data"), "write smb://fs1/data"),
    ((*FILES, "smb://fs1"), "must name one share"),
    ((*FILES, "https//host"), "write https://host"),
    ((*FILES, "localhost"), "write http://localhost"),
    ((*FILES, "http://::1:8080"), "write http://[::1]:8080"),
    ((*FILES, "http://host:abc/"), '"abc" is not a port'),
    ((*FILES, "nginx"), "write lab:nginx"),
    ((*FILES, "lab:"), "names no server; the lab has lab:app"),
    ((*FILES, "postgres://h/d"), "write postgresql://h/d"),
    ((*FILES, "smb://bob:s3cret@fs1/data"), "--password-file"),
    (("run", "web-mix", "--password", "s3cret"), "--password-file"),
    (("run", "web-mix", "--password=s3cret"), "--password-file"),
    (("run", "WEB-MIX"), 'did you mean "web-mix"?'),
    (("run", "."), "is a folder; give a workload"),
    (("run", "none.toml"), "there is no file none.toml"),
    (("run", "empty.toml"), "empty.toml is empty"),
    (("run", "latin.toml"), "line 2 is not UTF-8 text"),
    (("run", "syntax.toml"), "line 2, column 10"),
    (("run", "folder.toml"), "folder.toml is a folder"),
    (("run", "notes.txt"), "those end with .toml"),
    (("run", "--target", "lab:nginx"), "needs WORKLOAD|PLAN"),
    (("run", "web-mix", "--target"), "requires an argument"),
    (("rum",), "did you mean headcount run?"),
    (("bench",), "did you mean headcount run?"),
    (("preflight",), "did you mean headcount doctor?"),
    (("help",), "did you mean headcount --help?"),
    (("version",), "did you mean headcount --version?"),
    (("notes.txt",), "headcount diagnose notes.txt"),
    (("b/report.html",), "headcount show b"),
    (("run", "b"), "headcount run b/plan.toml"),
    (("run", "b/report.html"), "headcount run b/plan.toml"),
    (("run", "b/plan.toml", "--set", "threads=4"), "--set cannot be combined with b/plan.toml"),
    (("run", "b/plan.toml", "--limit", "cpu=1"), "--limit cannot be combined with b/plan.toml"),
    (("run", "b/plan.toml", "--source", "ssh://h"), "--source cannot be combined with b/plan.toml"),
    (("run", "b/plan.toml", "--no-trial"), "--no-trial cannot be combined with b/plan.toml"),
    (("report", "b", "-o", "."), "this is a folder; name a file in it"),
    (("report", "b", "-o", "/nodir/x.html"), "there is no folder /nodir; create it first"),
    (("report", "b", "-o", "x.pdf"), "headcount report BUNDLE --pdf x.pdf"),
    (("report", "b", "-o", "x.xls"), "headcount export BUNDLE x.xlsx"),
    (("report", "b", "--pdf", "x.html"), "headcount report BUNDLE -o x.html"),
    (("report", "b", "--html", "x.html"), "did you mean --output?"),
    (("export", "b", "x.pdf"), "headcount report BUNDLE --pdf x.pdf"),
    (("export", "b", "x.xls"), "headcount export BUNDLE x.xlsx"),
    (("export", "b", "/nodir/x.md"), "there is no folder /nodir"),
    (("export", "b"), "needs FILE..."),
    (("gate", "b"), "needs --baseline BUNDLE"),
    (("show", "nowhere"), "nowhere"),
    (("runs", "nowhere"), "write --runs nowhere"),
    (("disk", "notes.txt", "--bs", "4k"), "did you mean --blocks?"),
    (("watch", "--interval", "0"), "--interval"),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with what people have lying about."""
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "plan.toml").write_text("format = 1\n")
    (tmp_path / "b" / "report.html").write_text("x")
    (tmp_path / "folder.toml").mkdir()
    (tmp_path / "empty.toml").write_text("\n")
    (tmp_path / "notes.txt").write_text("x")
    (tmp_path / "latin.toml").write_bytes(b'format = 1\ntitle = "caf\xe9"\n')
    (tmp_path / "syntax.toml").write_text("format = 1\ntarget = lab:app\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("line", "message"), MISTAKES, ids=[" ".join(line) for line, _ in MISTAKES]
)
def test_a_mistake_is_answered_with_one_error_and_the_next_step(
    folder: Path, capsys: pytest.CaptureFixture[str], line: tuple[str, ...], message: str
) -> None:
    assert folder.is_dir()
    assert run_line(line) == ExitCode.BAD_INPUT
    shown = capsys.readouterr()
    assert shown.out == ""
    assert message in " ".join(shown.err.split())
    assert shown.err.count("error:") == 1
    assert "Traceback" not in shown.err
    assert "s3cret" not in shown.err


@pytest.mark.parametrize(
    "options",
    [
        ("--duration", "10"),
        ("--levels", "10 20 30"),
        ("--users", "1k"),
        ("--users", "1e3"),
        ("--users", "1,000"),
        ("--limit", "memory=256M"),
        ("--criteria", "p95 < 0.5s"),
    ],
    ids=" ".join,
)
def test_unambiguous_input_is_accepted(
    capsys: pytest.CaptureFixture[str], options: tuple[str, str]
) -> None:
    assert run_line([*WEB, *options]) == ExitCode.PASSED
    assert 'target = "lab:nginx"' in capsys.readouterr().out


def test_the_guide_fits_a_terminal_and_its_verbs_exist() -> None:
    lines = start.GUIDE.splitlines()
    assert len(lines) <= 23
    assert max(map(len, lines)) <= 80
    for command in (
        "headcount run app-server",
        "headcount diagnose LOG",
        "--authorised-by",
        "headcount doctor",
    ):
        assert command in start.GUIDE
