"""Mistakes around a file server: each is one clear error, and files of others are untouched."""

import shutil
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from file_server import FileServer, events, serving
from headcount import cli
from headcount.bundle import reader
from headcount.lab import samba
from processes import Ended, Headcount

pytestmark = pytest.mark.e2e

RUN = ("--scale", "0.01", "--pace", "100ms", "--ramp", "0s", "--settle", "0s")
WRONG = "wr0ng"
MARKER_ONLY = {"headcount/", "headcount/.headcount"}


@pytest.fixture(scope="module")
def headcount(
    tmp_path_factory: pytest.TempPathFactory, file_server: FileServer
) -> Iterator[Headcount]:
    command = Headcount(tmp_path_factory.mktemp("smb_mistakes"))
    command.environment["HEADCOUNT_PASSWORD"] = file_server.password
    yield command
    command.close()


@pytest.fixture(autouse=True)
def share_is_unchanged(file_server: FileServer) -> Iterator[None]:
    """A mistake leaves at most a folder with Headcount's marker on the share."""
    assert file_server.files() == {}
    yield
    assert set(file_server.files()) <= MARKER_ONLY
    for name in sorted(MARKER_ONLY, reverse=True):
        path = file_server.shares / name
        if path.is_dir():
            path.rmdir()
        else:
            path.unlink(missing_ok=True)


def run(headcount: Headcount, target: str, *options: str, **environment: str) -> Ended:
    users = () if "--levels" in options else ("--users", "1")
    return headcount.run(
        *("run", "home-folders", "--target", target, *RUN, *users, "--duration", "1s", *options),
        **environment,
    )


def assert_refused(ended: Ended, code: int, *texts: str) -> None:
    assert ended.code == code, ended
    message = " ".join(ended.message.split())
    for text in texts:
        assert text in message, message
    assert ended.out == ""


def test_nobody_listens(headcount: Headcount) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"127.0.0.1:{listener.getsockname()[1]}"
    hint = "check that a file server is running there, on this port"
    for verb in ("prepare", "cleanup"):
        options = ("home-folders", "--users", "1") if verb == "prepare" else ()
        ended = headcount.run(verb, *options, "--target", f"smb://{address}/data")
        assert_refused(ended, 3, address, hint)
    before = headcount.bundles()
    assert_refused(run(headcount, f"smb://{address}/data"), 3, address, "no connection", hint)
    assert headcount.bundles() == before


def test_the_wrong_password(headcount: Headcount, file_server: FileServer) -> None:
    before = headcount.bundles()
    ended = run(headcount, file_server.target, HEADCOUNT_PASSWORD=WRONG)
    assert_refused(ended, 2, "user00000", "the user name is unknown or the password is wrong")
    assert WRONG not in ended.err
    assert headcount.bundles() == before


def test_a_share_that_is_not_there(headcount: Headcount, file_server: FileServer) -> None:
    before = headcount.bundles()
    target = file_server.target.replace("/data", "/dada")
    assert_refused(run(headcount, target), 3, "dada", "the server has no share of this name")
    assert headcount.bundles() == before


@pytest.mark.parametrize(
    ("settings", "client", "code", "texts"),
    [
        ({"read_only": "yes"}, (), 2, ["cannot be written to by user user00000", "read only = no"]),
        (
            {"signing": "mandatory"},
            ("signing=off",),
            3,
            ["the server requires signed messages", "set signing to offered or required"],
        ),
        (
            {"encryption": "required"},
            ("encryption=off",),
            2,
            ["It may require encrypted messages", "set encryption to offered or required"],
        ),
        (
            {"encryption": "off"},
            ("encryption=required",),
            3,
            ["requires encrypted messages, but the server offers no encryption"],
        ),
        (
            {"min_protocol": "SMB3_11"},
            ("dialects=2.1,3.0.2",),
            3,
            ["the server does not support this"],
        ),
    ],
    ids=["read-only", "signing=off", "encryption=off", "encryption=required", "dialects"],
)
def test_a_server_that_does_not_allow_it(
    headcount: Headcount,
    tmp_path_factory: pytest.TempPathFactory,
    settings: dict[str, str],
    client: tuple[str, ...],
    code: int,
    texts: list[str],
) -> None:
    with serving(tmp_path_factory.mktemp("samba"), **settings) as server:
        options = [option for text in client for option in ("--client", text)]
        ended = run(headcount, server.target, *options, HEADCOUNT_PASSWORD=server.password)
        assert_refused(ended, code, *texts)
        assert server.files() == {}


def test_a_server_without_signing_signs_for_a_client_that_insists(
    headcount: Headcount, tmp_path_factory: pytest.TempPathFactory
) -> None:
    # SMB 2 and newer cannot switch it off (MS-SMB2 3.3.5.4): smbd takes "disabled" for "auto".
    with serving(tmp_path_factory.mktemp("samba"), signing="disabled") as server:
        options = ("--client", "signing=required", "--json", "--duration", "2s")
        ended = run(headcount, server.target, *options, HEADCOUNT_PASSWORD=server.password)
        assert ended.code in (0, 1, 4), ended
        environment = (Path(ended.json["bundle"]) / "environment.json").read_text("utf-8")
        assert '"SMB signing": "AES-128-GMAC"' in environment


def test_a_folder_of_others_is_never_touched(headcount: Headcount, file_server: FileServer) -> None:
    folder = file_server.shares / "headcount"
    (folder / "user00000").mkdir(parents=True)
    (folder / "user00000" / "s0000.doc").write_text("the names are Headcount's, the file is not")
    (folder / "thesis.tex").write_text("five years of work")
    before = file_server.files()
    times = file_server.state()
    texts = ['the folder "headcount" of share "data"', "not made by Headcount", ".headcount"]
    assert_refused(run(headcount, file_server.target), 2, *texts)
    target = ("--target", file_server.target)
    for options in ((), ("--verify",)):
        prepared = headcount.run("prepare", "home-folders", "--users", "2", *target, *options)
        assert_refused(prepared, 2, *texts)
    assert_refused(headcount.run("cleanup", *target), 2, *texts)
    assert file_server.files() == before
    assert file_server.state() == times
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_dir():
            path.rmdir()
        else:
            path.unlink()
    folder.rmdir()


def test_a_data_set_that_does_not_fit(headcount: Headcount, file_server: FileServer) -> None:
    # Some 80 MB are prepared for each user, and 34 MB more come during a run.
    users = str(shutil.disk_usage(file_server.shares).free // 100_000_000 + 100)
    options = ("--users", users, "--target", file_server.target)
    texts = ['MB more on share "data", but only', "shrink it with --scale", "play fewer users"]
    before = file_server.files()
    assert_refused(headcount.run("prepare", "home-folders", *options, "--json"), 5, *texts)
    assert_refused(headcount.run("run", "home-folders", *options), 5, *texts)
    assert set(file_server.files()) - set(before) <= MARKER_ONLY
    (error,) = events(headcount.bundles()[-1], "error")
    assert "MB more on share" in error["message"]


def test_one_user_of_many_who_does_not_exist(headcount: Headcount, file_server: FileServer) -> None:
    known = [f"user{number:05}" for number in range(12) if number != 7]
    file_server.know_only(*known)
    try:
        ended = headcount.run(
            *("prepare", "home-folders", "--users", "12", "--scale", "0.01"),
            *("--target", file_server.target),
        )
        assert_refused(ended, 2, "user user00007", "the user name is unknown")
    finally:
        file_server.know_only("*")
    cleaned = headcount.run("cleanup", "--target", file_server.target)
    assert cleaned.code == 0
    assert file_server.files() == {}


def test_a_user_who_does_not_exist_in_a_later_level(
    headcount: Headcount, file_server: FileServer
) -> None:
    file_server.know_only("user00000", "user00001")
    try:
        ended = run(headcount, file_server.target, "--levels", "1,3")
    finally:
        file_server.know_only("*")
    bundle = headcount.bundles()[-1]
    assert_refused(ended, 2, "level 2 at 3 users could not be prepared", "user user00002")
    assert f"headcount resume {bundle}" in ended.message.replace("\n", "")
    assert [level.users for level in reader.load(bundle).levels] == [1]
    assert headcount.run("resume", str(bundle), "--json").code in (0, 1, 4)
    assert [level.users for level in reader.load(bundle).levels] == [1, 3]
    assert headcount.run("cleanup", "--target", file_server.target).code == 0
    assert file_server.files() == {}


def test_a_search_ends_with_its_answer_where_the_accounts_end(
    headcount: Headcount, file_server: FileServer
) -> None:
    file_server.know_only("user00000", "user00001")
    try:
        ended = headcount.run(
            *("run", "home-folders", "--target", file_server.target, *RUN, "--quick"),
            *("--start-users", "2", "--criteria", "p95<=20s errors<1%", "--json"),
        )
    finally:
        file_server.know_only("*")
    assert ended.code == 0, ended
    answer = ended.json
    assert answer["sentence"] == "At least 2 users: no level failed up to there."
    assert "level 2 at 8 users could not be prepared" in answer["stopped"]
    assert "user user00002" in answer["stopped"]
    assert answer["flags"][0] == answer["stopped"]
    bundle = headcount.bundles()[-1]
    assert [level.users for level in reader.load(bundle).levels] == [2]
    audited = headcount.run("audit", str(bundle), "--json")
    assert audited.code == 0, audited
    assert headcount.run("cleanup", "--target", file_server.target).code == 0


def test_samba_is_not_installed(
    headcount: Headcount, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # In this process, because smbd is also looked for outside PATH.
    monkeypatch.setattr(samba, "FOLDERS", ())
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.setattr(cli, "ENDS", ())
    arguments = ["run", "home-folders", "--target", "lab:samba", "--runs", str(headcount.runs)]
    monkeypatch.setattr("sys.argv", ["headcount", *arguments])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 5
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "lab:samba needs Samba" in printed.err
    assert "apt-get install" in printed.err
    assert "headcount doctor shows what this machine lacks" in printed.err


def test_settings_that_the_lab_does_not_have(headcount: Headcount) -> None:
    for setting, text in (("colour=red", "no setting colour"), ("signing=maybe", "mandatory")):
        assert_refused(run(headcount, "lab:samba", "--set", setting), 2, text)
    assert headcount.leftovers() == []
