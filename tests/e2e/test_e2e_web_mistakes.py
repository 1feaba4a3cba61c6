"""What goes wrong with web servers: one sentence that says what to do, and nothing is left over."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from headcount.lab.web import WebServer
from processes import Headcount, listening, phase
from web_server import damage, fill, serving

pytestmark = pytest.mark.e2e

PASSWORD = "known only to us"  # noqa: S105 - a password of the tests
SHORT = ("--users", "3", "--duration", "2s", "--ramp", "0s", "--think", "5ms", "--scale", "0.2")


@pytest.fixture(scope="module")
def headcount(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Headcount]:
    command = Headcount(tmp_path_factory.mktemp("web"))
    yield command
    command.close()


@pytest.fixture(scope="module")
def apache(headcount: Headcount, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    """Somebody's server, with the pages."""
    with serving("apache", tmp_path_factory.mktemp("apache")) as server:
        fill(headcount, server, "web-cgi20", "--scale", "0.2")
        yield server


def test_nobody_listens(headcount: Headcount) -> None:
    with listening() as taken:
        number = taken.getsockname()[1]
    ended = headcount.run("run", "web-static", "--target", f"http://127.0.0.1:{number}", *SHORT)
    assert ended.code == 3
    assert f"127.0.0.1:{number}: no connection" in ended.message
    assert "check that a web server is running there" in ended.message
    assert headcount.bundles() == []


def test_a_target_that_is_not_a_web_server(headcount: Headcount, tmp_path: Path) -> None:
    _, target = headcount.serve(tmp_path / "data")
    address = target.removeprefix("app://")
    ended = headcount.run("run", "web-static", "--target", f"http://{address}", *SHORT)
    assert ended.code == 3
    assert address in ended.message


def test_plain_http_where_tls_is_asked_for(headcount: Headcount, apache: WebServer) -> None:
    ended = headcount.run("run", "web-static", "--target", f"https://{apache.address}", *SHORT)
    assert ended.code == 3
    assert apache.address in ended.message


def test_a_server_elsewhere_needs_authorised_by(headcount: Headcount) -> None:
    ended = headcount.run("run", "web-static", "--target", "http://192.0.2.1/", *SHORT)
    assert ended.code == 2
    assert "give --authorised-by" in ended.message


def test_missing_pages_are_an_error_with_a_remedy(
    headcount: Headcount, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with serving("nginx", tmp_path_factory.mktemp("empty")) as server:
        ended = headcount.run("run", "web-static", "--target", server.url, *SHORT)
        assert ended.code == 3
        assert "does not serve the pages of web-static" in ended.message
        assert "GET /b256-0000.html: status 404" in ended.message
        remedy = "headcount prepare web-static --scale 0.2 --folder PAGES"
        assert f"create them with: {remedy}, and have the server serve that folder" in ended.message


def test_pages_of_another_scale_are_an_error(headcount: Headcount, apache: WebServer) -> None:
    ended = headcount.run(
        *("run", "web-static", "--target", apache.url, "--users", "1", "--duration", "1s")
    )
    assert ended.code == 3
    assert "does not serve the pages of web-static" in ended.message
    assert "--scale" not in ended.message


def test_a_wrong_path_below_the_server(headcount: Headcount, apache: WebServer) -> None:
    ended = headcount.run("prepare", "web-static", "--target", f"{apache.url}/x", "--scale", "0.2")
    assert ended.code == 3
    assert f"{apache.url}/x does not serve the pages" in ended.message
    assert "GET /x/b256-0000.html: status 404" in ended.message


def test_verify_checks_all_pages(headcount: Headcount, apache: WebServer) -> None:
    fine = headcount.run(
        *("prepare", "web-cgi20", "--target", apache.url, "--scale", "0.2", "--verify", "--json")
    )
    assert (fine.code, fine.json["all_pages"]) == (0, True)
    page = apache.data / "dir05" / "k8-0000.html"
    whole = page.read_bytes()
    damage(page)
    try:
        usual = ("prepare", "web-static", "--target", apache.url, "--scale", "0.2")
        assert headcount.run(*usual).code == 0  # it is not in the sample
        found = headcount.run(*usual, "--verify")
        assert found.code == 3
        message = "GET /dir05/k8-0000.html: wrong data at offset"
        assert message in found.message
        fill(headcount, apache, "web-cgi20", "--scale", "0.2")
        assert page.read_bytes() != whole  # its length is right
        fill(headcount, apache, "web-cgi20", "--scale", "0.2", "--verify")
        assert page.read_bytes() == whole
    finally:
        page.write_bytes(whole)


def test_a_page_damaged_on_the_disk_fails_the_level(
    headcount: Headcount, apache: WebServer
) -> None:
    pages = list((apache.data / "dir05").glob("k[124]-*.html"))
    kept = {page: page.read_bytes() for page in pages}
    for page in pages:
        damage(page)
    try:
        ended = headcount.run("run", "web-static", "--target", apache.url, *SHORT, "--json")
    finally:
        for page, content in kept.items():
            page.write_bytes(content)
    assert ended.code in (1, 4), ended
    (level,) = json.loads((headcount.bundles()[-1] / "levels.json").read_bytes())["levels"]
    assert [fault["kind"] for fault in level["faults"]] == ["wrong-data"]
    assert "/dir05/k" in level["faults"][0]["examples"][0]
    assert any(reason.startswith("wrong data was read") for reason in level["reasons"])


def replace_program(path: Path, text: str) -> None:
    """Give a program that may be running another text: in a new file, because its own is busy."""
    new = path.with_suffix(".new")
    new.write_text(text, "utf-8")
    new.chmod(path.stat().st_mode)
    new.replace(path)


def test_a_cgi_program_that_does_not_run(headcount: Headcount, apache: WebServer) -> None:
    program = apache.data / "cgi-bin" / "page"
    text = program.read_text("utf-8")
    replace_program(program, "#!/bin/sh\nexit 1\n")
    try:
        ended = headcount.run("run", "web-cgi20", "--target", apache.url, *SHORT)
        assert ended.code == 3
        assert "GET /cgi-bin/page?" in ended.message
        assert "status 500" in ended.message
        assert "with PAGES/cgi-bin/page as a CGI program" in ended.message
        static = headcount.run("run", "web-static", "--target", apache.url, *SHORT)
        assert static.code in (0, 4), static
    finally:
        replace_program(program, text)


def test_a_cgi_program_that_breaks_during_a_run(headcount: Headcount, apache: WebServer) -> None:
    program = apache.data / "cgi-bin" / "page"
    text = program.read_text("utf-8")
    before = len(headcount.bundles())
    command = headcount.start(
        *("run", "web-cgi20", "--target", apache.url, "--users", "3", "--duration", "5s"),
        *("--ramp", "0s", "--think", "5ms", "--scale", "0.2", "--json"),
    )
    try:
        command.reach(
            lambda: len(headcount.bundles()) > before and phase(headcount.bundles()[-1]) == "steady"
        )
        replace_program(program, "#!/bin/sh\nexit 1\n")
        ended = command.ended()
    finally:
        replace_program(program, text)
    assert ended.code in (1, 4), ended
    (level,) = json.loads((headcount.bundles()[-1] / "levels.json").read_bytes())["levels"]
    assert {fault["kind"] for fault in level["faults"]} == {"refused"}
    assert "status 500" in level["faults"][0]["examples"][0]


def test_folders_of_others_are_left_alone(headcount: Headcount, tmp_path: Path) -> None:
    theirs = tmp_path / "site"
    theirs.mkdir()
    (theirs / "index.html").write_text("precious")
    for command in (
        ("prepare", "web-static", "--folder", str(theirs)),
        ("cleanup", "--folder", str(theirs)),
    ):
        ended = headcount.run(*command)
        assert ended.code == 2
        assert "was not made by Headcount" in ended.message
    assert [one.name for one in theirs.iterdir()] == ["index.html"]


def test_a_folder_is_written_kept_and_deleted(headcount: Headcount, tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    made = headcount.run("prepare", "web-mix", "--folder", str(folder), "--scale", "0.05", "--json")
    assert (made.code, made.json["created_pages"], made.json["kept_pages"]) == (0, 72, 0)
    again = headcount.run("prepare", "web-mix", "--folder", str(folder), "--scale", "0.05")
    assert "72 pages are in" in again.out
    assert "0 written, 72 there" in again.out
    mine = folder / "dir00001" / "mine"
    mine.write_text("precious")
    swept = headcount.run("cleanup", "--folder", str(folder))
    assert swept.out.startswith(f"deleted 72 files in {folder}; left 1 that no data set has")
    assert mine.read_text() == "precious"
    mine.unlink()
    assert headcount.run("cleanup", "--folder", str(folder)).code == 0
    assert not folder.exists()
    nothing = headcount.run("cleanup", "--folder", str(folder), "--json")
    assert nothing.json == {"cleaned": f"there are no pages of Headcount's in {folder}"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("prepare", "home-folders", "--folder", "x"), "--folder is for workloads with [pages]"),
        (("prepare", "web-static"), "for the pages of a web server --folder"),
        (("prepare", "app-server", "--target", "app://127.0.0.1:9"), "give --users"),
        (("cleanup", "--target", "http://127.0.0.1:9"), "no connection"),
        (("run", "web-cgi20", "--target", "lab:nginx"), "lab:nginx runs no CGI programs"),
        (("run", "web-static", "--target", "lab:nginx", "--set", "x=1"), "has no setting x"),
    ],
)
def test_impossible_options_are_errors(
    headcount: Headcount, arguments: tuple[str, ...], message: str
) -> None:
    ended = headcount.run(*arguments)
    assert ended.code in (2, 3)
    assert message in ended.message


def test_nothing_can_be_deleted_over_http(headcount: Headcount, apache: WebServer) -> None:
    ended = headcount.run("cleanup", "--target", apache.url)
    assert ended.code == 2
    assert "headcount cleanup --folder PAGES" in ended.message


def test_named_users_need_a_password(headcount: Headcount, apache: WebServer) -> None:
    named = ("run", "web-static", "--target", apache.url, *SHORT, "--user", "u{n}")
    ended = headcount.run(*named)
    assert ended.code == 2
    assert "needs the password of its users" in ended.message
    # This server asks nobody for a password, so it accepts everybody.
    given = headcount.run(*named, HEADCOUNT_PASSWORD=PASSWORD)
    assert given.code in (0, 4), given
    kept = "".join(p.read_text("utf-8", "replace") for p in headcount.bundles()[-1].iterdir())
    assert PASSWORD not in kept + given.out + given.err
