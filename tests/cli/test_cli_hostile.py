"""Bundles and logs that were made to harm: one sentence that names the file, and nothing more."""

import gzip
import json
import os
import shutil
import stat
import subprocess
import sys
import zlib
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path

import pytest

from headcount.bundle import files, hlog, stacks
from headcount.cli import run_line
from headcount.counters.log import own
from headcount.counters.log.perfmon import header, rows
from headcount.errors import ExitCode

Damage = Callable[[Path], object]
SPARSE_BYTES = 40 << 30
MEMORY_BYTES = 2 << 30
"""Of addresses, for a process that reads a hostile file; numpy and DuckDB take half of it."""
COOKIE, DEFLATED = 0x1C849313, 0x1C849314


def written(name: str, contents: bytes) -> Damage:
    return lambda folder: (folder / name).write_bytes(contents)


def sparse(name: str) -> Damage:
    return lambda folder: os.truncate(folder / name, SPARSE_BYTES)


def replaced(name: str, make: Damage) -> Damage:
    def replace(folder: Path) -> None:
        (folder / name).unlink(missing_ok=True)
        make(folder / name)

    return replace


def linked(name: str, to: str) -> Damage:
    return replaced(name, lambda path: path.symlink_to(to))


def histogram_line(plain: bytes, length: int | None = None) -> bytes:
    """A line of a log with these counts, and what the header says of their length."""
    head = [COOKIE, len(plain) if length is None else length, 0, 3, 0, 1, 0, 3_600_000_000]
    parts = [word.to_bytes(4, "big") for word in head] + [b"\x3f\xf0" + bytes(6)]
    packed = zlib.compress(b"".join(parts) + plain, 9)
    words = DEFLATED.to_bytes(4, "big") + len(packed).to_bytes(4, "big")
    text = b64encode(words + packed)
    return b"Tag=response/a,0.000,1.000,1.000," + text + b"\n"


DEEP = b"[" * 200_000
NESTED = DEEP + b"]" * 200_000
HUGE = b'{"schema_version": 1, "levels": ' + b"9" * 6000 + b"}"
FULL = histogram_line(b"\x02" * 22_000)
LINE_BYTES = 1 << 20
"""Of the longest line that tests of long lines allow: 16 MiB and more take a second to write."""


@pytest.fixture(autouse=True)
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits of a tenth and less; a process of its own has the real ones."""
    monkeypatch.setattr(files, "MOST_LINE_BYTES", LINE_BYTES)
    for reader in (own, header, rows):
        monkeypatch.setattr(reader, "MOST_LINE_BYTES", LINE_BYTES)
    monkeypatch.setattr(stacks, "MOST_UNPACKED", 1 << 20)
    monkeypatch.setattr(hlog, "_BUCKETS", 400_000)


HOSTILE: dict[str, tuple[str, Damage]] = {
    "levels deep": ("levels.json", written("levels.json", NESTED)),
    "levels open": ("levels.json", written("levels.json", DEEP)),
    "levels huge number": ("levels.json", written("levels.json", HUGE)),
    "levels infinite": ("levels.json", written("levels.json", HUGE.replace(b"9" * 6000, b"1e400"))),
    "levels no number": ("levels.json", written("levels.json", HUGE.replace(b"9" * 6000, b"NaN"))),
    "levels half a character": ("levels.json", written("levels.json", b'"\\ud800"')),
    "levels no text": ("levels.json", written("levels.json", b'"\xff\xfe"')),
    "levels sparse": ("levels.json", sparse("levels.json")),
    "levels pipe": ("levels.json", replaced("levels.json", os.mkfifo)),
    "levels link": ("levels.json", linked("levels.json", "/etc/passwd")),
    "levels device": ("levels.json", linked("levels.json", "/dev/zero")),
    "levels nowhere": ("levels.json", linked("levels.json", "nowhere")),
    "verdict deep": ("verdict.json", written("verdict.json", NESTED)),
    "environment deep": ("environment.json", written("environment.json", NESTED)),
    "plan deep": ("plan.toml", written("plan.toml", b"a = " + DEEP)),
    "plan dotted": ("plan.toml", written("plan.toml", b"a." * 500_000 + b"a = 1")),
    "plan tables": ("plan.toml", written("plan.toml", b"[" + b"a." * 900 + b"a]\n")),
    "plan huge number": ("plan.toml", written("plan.toml", b"seed = " + b"9" * 6000)),
    "plan sparse": ("plan.toml", sparse("plan.toml")),
    "plan link": ("plan.toml", linked("plan.toml", "levels.json")),
}
"""What may be done to a bundle, and the file that is then named."""

OF_SECONDS: dict[str, tuple[str, Damage]] = {
    "series list": ("series.ndjson", written("series.ndjson", b"[1]\n" * 3)),
    "series deep": ("series.ndjson", written("series.ndjson", b"{}\n" + NESTED + b"\n{}\n")),
    "series sparse": ("series.ndjson", sparse("series.ndjson")),
    "series long line": (
        "series.ndjson",
        written("series.ndjson", b" " * (LINE_BYTES + 1) + b"\n{}\n"),
    ),
    "series pipe": ("series.ndjson", replaced("series.ndjson", os.mkfifo)),
    "series device": ("series.ndjson", linked("series.ndjson", "/dev/zero")),
    "events pipe": ("events.ndjson", replaced("events.ndjson", os.mkfifo)),
    "histograms bomb": ("histograms.hlog", written("histograms.hlog", FULL * 100)),
    "histograms pipe": ("histograms.hlog", replaced("histograms.hlog", os.mkfifo)),
    "histograms sparse": ("histograms.hlog", sparse("histograms.hlog")),
    "stacks bomb": (
        "stacks-001-on-proc.folded.gz",
        written("stacks-001-on-proc.folded.gz", gzip.compress(bytes(2 << 20))),
    ),
    "stacks torn": (
        "stacks-001-on-proc.folded.gz",
        written("stacks-001-on-proc.folded.gz", gzip.compress(b"a;b 1\n")[:-4]),
    ),
    "stacks link": (
        "stacks-001-on-proc.folded.gz",
        linked("stacks-001-on-proc.folded.gz", "/dev/zero"),
    ),
}
"""The same, for files that a report reads and a summary does not."""


def copy(finished_run: Path, damage: Damage) -> Path:
    bundle = Path("b")
    shutil.copytree(finished_run, bundle)
    damage(bundle)
    return bundle


CASES = [("show", name) for name in HOSTILE] + [
    (verb, name)
    for verb in ("diagnose", "report", "export")
    for name in ("levels deep", "plan sparse")
]


@pytest.mark.parametrize(("verb", "name"), CASES)
def test_a_hostile_bundle_is_one_sentence(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    finished_run: Path,
    name: str,
    verb: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    file, damage = HOSTILE[name]
    copy(finished_run, damage)
    line = (verb, "b", "run.md") if verb == "export" else (verb, "b")
    assert run_line(line) == ExitCode.BAD_INPUT
    shown = capsys.readouterr()
    assert f"b/{file}" in shown.err
    assert shown.err.count("error:") == 1
    assert len(shown.err.splitlines()) == 1
    assert "Traceback" not in shown.err


@pytest.mark.parametrize("name", OF_SECONDS)
def test_a_report_of_hostile_seconds_is_one_sentence(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    finished_run: Path,
    name: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    file, damage = OF_SECONDS[name]
    copy(finished_run, damage)
    # A report has its diagnosis already, and events are for that.
    verb = "diagnose" if file.startswith("events") else "report"
    assert run_line((verb, "b")) == ExitCode.BAD_INPUT
    shown = capsys.readouterr()
    assert f"b/{file}" in shown.err
    assert len(shown.err.splitlines()) == 1


@pytest.mark.parametrize("name", [*HOSTILE, *OF_SECONDS])
def test_an_audit_lists_what_is_hostile(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    finished_run: Path,
    name: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    file, damage = {**HOSTILE, **OF_SECONDS}[name]
    bundle = copy(finished_run, damage)
    code = run_line(("audit", "b", "--json"))
    shown = capsys.readouterr()
    assert "Traceback" not in shown.err
    if not stat.S_ISREG((bundle / file).lstat().st_mode) and not file.startswith("stacks"):
        assert code == ExitCode.BAD_INPUT
        assert f"b/{file} cannot be read: it is a" in shown.err
        assert len(shown.err.splitlines()) == 1
        return
    assert code == ExitCode.FAILED
    failed = [one for one in json.loads(shown.out)["results"] if one["outcome"] == "failed"]
    if file.startswith("stacks"):  # nothing is computed from them
        return
    assert any(place["file"] == file for one in failed for place in one["places"])


def test_an_audit_finds_an_invalid_table(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    finished_run: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    copy(finished_run, written("series.parquet", b"PAR1" * 100))
    assert run_line(("audit", "b")) == ExitCode.FAILED
    assert "series.parquet, the file: it cannot be read" in capsys.readouterr().out


PDH = b'"(PDH-CSV 4.0) (UTC)(0)","\\\\H\\Memory\\Pages/sec"\n'
ROW = b'"01/01/2026 00:00:%02d.000","%d"\n'
ROWS = b"".join(ROW % (second, second) for second in range(5))
WATCH = (
    b'{"at_s":0,"kind":"header","format":"headcount watch","version":1,"headcount":"1",'
    b'"interval_s":1,"sources":[{"name":"server","address":"local"}]}\n'
)
MATRIX = b'{"status":"success","data":{"resultType":"matrix","result":['
SYSSTAT = b'{"sysstat":{"hosts":[{"nodename":"a","statistics":['
LOGS: dict[str, bytes] = {
    "perfmon years": PDH + b'"9999-12-99 00:00:00","1"\n',
    "perfmon long cell": PDH.replace(b"Pages/sec", b"x" * 200_000) + ROWS,
    "perfmon long line": PDH + b"x" * (LINE_BYTES + 1),
    "watch long line": WATCH + b" " * (LINE_BYTES + 1),
    "prometheus deep": MATRIX + DEEP,
    "prometheus huge number": MATRIX + b'{"metric":{"__name__":"a"},"values":[[' + b"9" * 6000,
    "prometheus large number": MATRIX
    + b'{"metric":{"__name__":"a"},"values":[['
    + b"9" * 4000
    + b',"1"]]}]}}',
    "sysstat deep": SYSSTAT + DEEP,
    "sysstat year": SYSSTAT + b'{"timestamp":{"date":"99999-01-01","time":"00:00:00"}}]}]}}',
    "sysstat list": SYSSTAT + b"[1]]}]}}",
    "sysstat binary": b"\xd5\x96" + bytes(4096),
}
"""Logs that cannot be read."""


@pytest.mark.parametrize("name", LOGS)
def test_a_hostile_log_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    path = tmp_path / "log"
    path.write_bytes(LOGS[name])
    assert run_line(("diagnose", str(path))) == ExitCode.BAD_INPUT
    shown = capsys.readouterr()
    assert str(path) in shown.err
    assert len(shown.err.splitlines()) == 1
    assert "Traceback" not in shown.err


READABLE = {
    "nulls": PDH + ROWS.replace(b"00:00:02", b"00:00:\0\0") + bytes(1000) + b"\n" + ROWS,
    "year one": PDH + ROWS + b'"01/01/0101 00:00:00","1"\n',
    "last year": PDH + ROWS + b'"12/31/9999 23:59:59","1"\n',
    "large numbers": PDH + ROWS + ROW.replace(b"%d", b"1e308") % 7,
}
"""Logs with damage in them that is passed over."""


@pytest.mark.parametrize("name", READABLE)
def test_damaged_parts_of_a_log_are_skipped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    path = tmp_path / "log"
    path.write_bytes(READABLE[name])
    assert run_line(("diagnose", str(path), "-o", str(tmp_path / "a.html"))) == ExitCode.PASSED
    assert "Traceback" not in capsys.readouterr().err


GUARDED = {
    "series sparse": ("audit", ExitCode.FAILED),
    "series device": ("report", ExitCode.BAD_INPUT),
    "levels deep": ("audit", ExitCode.FAILED),
    "levels pipe": ("show", ExitCode.BAD_INPUT),
    "histograms bomb": ("report", ExitCode.BAD_INPUT),
    "stacks bomb": ("report", ExitCode.BAD_INPUT),
}
BOMBS: dict[str, Damage] = {
    "histograms bomb": written("histograms.hlog", FULL * 5_000),
    "stacks bomb": written("stacks-001-on-proc.folded.gz", gzip.compress(bytes(100 << 20))),
}
"""As large as the real limits ask for."""
PROGRAM = """
import json, resource, sys
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[1]), int(sys.argv[1])))
from headcount.cli import run_line
print(json.dumps([int(run_line(line)) for line in json.loads(sys.argv[2])]), file=sys.stderr)
"""


def test_hostile_files_take_little_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, finished_run: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    lines: list[tuple[str, str]] = []
    for name, (verb, _) in GUARDED.items():
        bundle = Path(name.replace(" ", "-"))
        shutil.copytree(finished_run, bundle)
        BOMBS.get(name, {**HOSTILE, **OF_SECONDS}[name][1])(bundle)
        lines.append((verb, str(bundle)))
    Path("log").write_bytes(PDH + ROWS)
    os.truncate("log", SPARSE_BYTES)
    lines.append(("diagnose", "log"))
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(MEMORY_BYTES), json.dumps(lines)],
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        timeout=120,
        check=False,
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, ended.stderr
    assert "Traceback" not in ended.stderr
    assert "MemoryError" not in ended.stderr
    codes = json.loads(ended.stderr.splitlines()[-1])
    assert codes == [code for _, code in GUARDED.values()] + [ExitCode.BAD_INPUT], ended.stderr
    assert "log is damaged: line 7 has more than 67,108,864 bytes" in ended.stderr
