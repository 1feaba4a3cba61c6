"""Files beside a workload that users send, to a real Gunicorn, nginx, Caddy and Apache."""

import hashlib
import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

import caddy
import digest_site
import upload_site
from headcount import workloads
from headcount.cli import run_line
from headcount.errors import ExitCode
from headcount.plan import sent_files
from processes import Headcount

WORKLOAD = """
name = "uploads"
title = "Uploads"
protocol = "http"
criteria = ["errors<1%"]
pace = {{ kind = "closed", time = {{ draw = "fixed", mean = "0.1s" }} }}
run = {{ duration = "2s", settle = "1s", ramp = "0s" }}

[[scenarios]]
name = "upload"
weight = 1
limit = "10s"
steps = [{steps}]
"""
REPORT = random.Random(7).randbytes(300_001)
PUT = '{ name = "put", op = "put", path = "/upload", body_file = "report.pdf", expect = 201 }'


def digest_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.fixture(scope="module")
def site() -> Iterator[upload_site.UploadSite]:
    """One for all tests."""
    with upload_site.served() as site:
        yield site


@pytest.fixture(autouse=True)
def _forgetful(site: upload_site.UploadSite) -> None:
    site.forget()


def workload(folder: Path, *steps: str) -> str:
    """The workload file, and beside it a report that may hold any byte."""
    (folder / "report.pdf").write_bytes(REPORT)
    file = folder / "uploads.toml"
    file.write_text(WORKLOAD.format(steps=", ".join(steps)), "utf-8")
    return str(file)


def test_a_file_is_sent_as_it_is(
    headcount: Headcount, site: upload_site.UploadSite, tmp_path: Path
) -> None:
    again = PUT.replace('"put"', '"own-type"', 1).replace(
        "expect", 'headers = { content-type = "a/b" }, expect'
    )
    done = headcount.run("try", workload(tmp_path, PUT, again), "--target", site.url)
    assert done.code == 0, done.out + done.err
    assert "(report.pdf, 300001 bytes)" in done.out
    first, second = site.seen()
    assert [one["sha256"] for one in (first, second)] == [digest_of(REPORT)] * 2
    assert [one["Content-Type"] for one in (first, second)] == ["application/pdf", "a/b"]
    assert first["Content-Length"] == "300001"


def test_fields_and_files_are_sent_together(
    headcount: Headcount, site: upload_site.UploadSite, tmp_path: Path
) -> None:
    step = """{ name = "form", op = "post", path = "/form", expect = 201, multipart = {
  note = "of user {n}", report = { file = "report.pdf" }, empty = { file = "empty.csv" },
  photo = { file = "report.pdf", filename = "me.jpg", content_type = "image/jpeg" } } }"""
    step = " ".join(step.splitlines())
    file = workload(tmp_path, step)
    (tmp_path / "empty.csv").write_bytes(b"")
    done = headcount.run("try", file, "--target", site.url)
    assert done.code == 0, done.out + done.err
    assert (
        "(report.pdf, 300001 bytes)"
        in headcount.run("try", file, "--target", site.url, "--json").out
    )
    entry = site.seen()[0]
    assert entry["fields"] == {"note": "of user 0"}
    assert entry["files"] == {
        "report": ["report.pdf", "application/pdf", digest_of(REPORT)],
        "photo": ["me.jpg", "image/jpeg", digest_of(REPORT)],
        "empty": ["empty.csv", "text/csv", digest_of(b"")],
    }


@pytest.mark.parametrize("status", [307, 308])
def test_a_redirect_gets_the_file_again(
    headcount: Headcount, site: upload_site.UploadSite, tmp_path: Path, status: int
) -> None:
    step = PUT.replace("/upload", f"/moved-{status}")
    done = headcount.run("try", workload(tmp_path, step), "--target", site.url)
    assert done.code == 0, done.out + done.err
    assert [one["sha256"] for one in site.seen()] == [digest_of(REPORT)]


@pytest.mark.parametrize("version", ["HTTP/1.1", "HTTP/2.0", "HTTP/3.0"])
def test_every_version_of_http_sends_the_file(
    headcount: Headcount, site: upload_site.UploadSite, tmp_path: Path, version: str
) -> None:
    option = {"HTTP/2.0": ("http2=on",), "HTTP/3.0": ("http3=on",)}.get(version, ())
    client = [word for one in option for word in ("--client", one)]
    with caddy.before(site.url, tmp_path / "caddy") as server:
        options = ("--target", server.url, *client, *server.trust)
        done = headcount.run("run", workload(tmp_path, PUT), *options, "--users", "4", "--json")
        versions = {proto for proto, path, _ in server.requests() if path == "/upload"}
    assert done.code in (0, 4), done.out + done.err
    (level,) = json.loads((Path(done.json["bundle"]) / "levels.json").read_bytes())["levels"]
    assert (level["faults"], versions) == ([], {version})
    assert {one["sha256"] for one in site.seen()} == {digest_of(REPORT)}


def test_a_challenged_user_sends_the_file_again(headcount: Headcount, tmp_path: Path) -> None:
    step = PUT.replace("/upload", "/dav/{n}.pdf")
    with digest_site.served() as apache:
        options = ("--target", apache.url, "--user", "user{n}", "--client", "auth=digest")
        word = {"HEADCOUNT_PASSWORD": digest_site.PASSWORD}
        done = headcount.run("try", workload(tmp_path, step), *options, **word)
        stored = (apache.folder / "dav" / "0.pdf").read_bytes()
        seen = apache.requests(4)
    assert done.code == 0, done.out + done.err
    assert stored == REPORT
    assert [status for method, _, status, _ in seen if method == "PUT"] == [401, 201]


def test_agents_get_the_file_and_a_plan_needs_it_again(
    headcount: Headcount, site: upload_site.UploadSite, tmp_path: Path
) -> None:
    more = PUT.replace('"put"', '"more"', 1).replace("report.pdf", "large.bin")
    large = random.Random(8).randbytes((2 << 20) + 5)
    (tmp_path / "large.bin").write_bytes(large)
    options = ("--users", "4", "--agents", "2", "--json")
    file = workload(tmp_path, PUT, more)
    done = headcount.run("run", file, "--target", site.url, *options)
    assert done.code in (0, 4), done.out + done.err
    bundle = Path(done.json["bundle"])
    assert json.loads((bundle / "levels.json").read_bytes())["levels"][0]["faults"] == []
    assert {one["sha256"] for one in site.seen()} == {digest_of(REPORT), digest_of(large)}
    # The plan can be played again from anywhere, as long as the file is where it was.
    assert f'body_file = "{tmp_path}/report.pdf"' in (bundle / "plan.toml").read_text("utf-8")
    (tmp_path / "report.pdf").unlink()
    done = headcount.run("run", str(bundle / "plan.toml"))
    assert done.code == 2, done.out + done.err
    assert f"the file {tmp_path}/report.pdf cannot be read: No such file" in done.err


def test_all_users_share_the_file(
    headcount: Headcount, site: upload_site.UploadSite, tmp_path: Path
) -> None:
    """Forty users of a file of 16 MiB would need 640 MiB if each had its own."""
    file = workload(tmp_path, PUT)
    (tmp_path / "report.pdf").write_bytes(bytes(16 << 20))
    options = ("--users", "40", "--no-trial", "--json")
    done = headcount.run("run", file, "--target", site.url, *options)
    (level,) = json.loads((Path(done.json["bundle"]) / "levels.json").read_bytes())["levels"]
    memory = level["counters"]["generator"]["process.memory.usage"]["max"]
    assert 0 < memory < 500 << 20, memory
    assert len(site.seen()) > 0


def test_mistakes_are_found_without_a_server(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "folder").mkdir()
    form = '{ name = "form", op = "post", path = "/", multipart = { f = { FIELD } } }'
    cases = {
        PUT.replace("report", "none"): ("body_file", "none.pdf cannot be read: No such file"),
        PUT.replace("report.pdf", "folder"): ("body_file", "it is a folder, not a file"),
        PUT.replace("report", "{n}"): ("body_file", '"{n}.pdf" has a placeholder'),
        PUT.replace("body_file", "body_fil"): ("body_fil", 'did you mean "body_file"?'),
        PUT.replace('"put", path', '"head", path'): ("", "HEAD has no body"),
        PUT.replace("expect", 'body = "x", expect'): ("", "only one of body, body_bytes"),
        form.replace("FIELD", 'file = "none.csv"'): ("multipart.f.file", "none.csv cannot be"),
        form.replace("FIELD", 'content = "x"'): ("multipart.f", "needs filename"),
    }
    for step, (key, sentence) in cases.items():
        code = run_line(["workloads", "check", workload(tmp_path, step)])
        printed = " ".join(capsys.readouterr().out.split())
        assert code == ExitCode.BAD_INPUT, printed
        assert "uploads.toml:13: " in printed, printed
        assert f"scenarios.0.steps.0{'.' if key else ''}{key}" in printed, printed
        assert sentence in printed, printed
    monkeypatch.setattr(sent_files, "MOST_BYTES", 400_000)
    other = PUT.replace('"put"', '"other"', 1).replace("report.pdf", "other.pdf")
    (tmp_path / "other.pdf").write_bytes(bytes(100_000))
    file = workload(tmp_path, PUT, PUT.replace('"put"', '"again"', 1), other)
    assert run_line(["workloads", "check", file]) == ExitCode.BAD_INPUT
    printed = " ".join(capsys.readouterr().out.split())
    assert "other.pdf has 100,000 bytes, and those before it 300,001; all files" in printed


def test_each_file_is_read_once(tmp_path: Path) -> None:
    loaded = workloads.load(workload(tmp_path, PUT, PUT.replace('"put"', '"again"', 1)))
    assert sent_files.sent_files(loaded) == {str(tmp_path / "report.pdf"): REPORT}
