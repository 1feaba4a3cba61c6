"""Commands of cURL become steps."""

import json
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flask import Flask, jsonify, request
from player import Player
from typer.testing import CliRunner

from command_line import app
from headcount.errors import InputError
from headcount.importers.curl_commands import commands
from headcount.importers.recorded_journey import commands_journey
from headcount.importers.workload_text import workload_text
from headcount.workloads import load


def imported(text: str) -> list[dict[str, Any]]:
    written = workload_text(commands_journey(commands(text, "the command"), "visit"))
    return tomllib.loads(written)["scenarios"][0]["steps"]


def test_a_command_as_chrome_copies_it() -> None:
    text = r"""curl 'https://shop.example/api/orders?x=1' \
      -H 'accept: application/json' -H 'content-type: application/json' \
      -H 'user-agent: Mozilla/5.0' -H 'sec-fetch-mode: cors' -b 'sid=abc' \
      --data-raw $'{"note":"it\'s\\n{here}","sku":"a-1"}' --compressed -k -sSL"""
    (step,) = imported(text)
    assert step == {
        "name": "post-api-orders",
        "op": "post",
        "path": "/api/orders?x=1",
        "headers": {"accept": "application/json"},
        "json": {"note": "it's\n{{here}", "sku": "a-1"},
    }


def test_several_commands_are_steps_in_their_order() -> None:
    text = """curl https://a.example/one; curl -X DELETE https://a.example/two
        curl -I https://a.example/three && curl https://a.example/four"""
    found = imported(text)
    assert [(one["op"], one["path"]) for one in found] == [
        ("get", "/one"),
        ("delete", "/two"),
        ("head", "/three"),
        ("get", "/four"),
    ]


def echo() -> Flask:
    server = Flask("echo")
    seen: list[dict[str, Any]] = []

    @server.route("/<path:path>", methods=["GET", "POST", "PUT", "PATCH", "DELETE"])
    def any_path(path: str):  # noqa: ARG001
        seen.append(
            {
                "method": request.method,
                "path": request.path,
                "query": request.args.to_dict(),
                "form": request.form.to_dict(),
                "json": request.get_json(silent=True),
                "files": {key: one.filename for key, one in request.files.items()},
                "authorization": request.headers.get("Authorization"),
                "data": None if request.form or request.files else request.get_data(as_text=True),
            }
        )
        return jsonify(seen)

    return server


COMMANDS = (
    "-d 'a=1&b=two words' {}/form",
    "-d a=1 -d b=%7Bx%7D --data-urlencode 'c=d e&f' {}/more",
    """--json '{{"a": [1, null, {{"b": true}}]}}' {}/json""",
    "-G -d q=chair --data-urlencode 'r=a b' '{}/find?s=1'",
    "-F name=Ada -F 'note=x=y' {}/parts",
    """-F 'meta={{"a": 1}};type=application/json' -F 'q="a; \\"b\\""' {}/typed""",
    "-X PUT -H 'Content-Type: text/plain' --data-binary 'plain text' {}/text",
    "-u ada:secretword {}/basic",
    "-H 'Authorization: Bearer t0k' -XPATCH -da=1 {}/bearer",
)


@pytest.mark.parametrize("options", COMMANDS)
def test_a_step_sends_what_curl_sends(
    options: str, served: Callable[[Flask], str], tmp_path: Path
) -> None:
    address = served(echo())
    command = "curl " + options.format(address)
    script = tmp_path / "command.sh"
    script.write_text(command.replace("curl ", "curl -s ", 1), "utf-8")
    sent = json.loads(subprocess.check_output(["bash", str(script)], timeout=20))[-1]
    text = workload_text(commands_journey(commands(command, "the command"), "visit"))
    assert "secretword" not in text
    workload = tomllib.loads(text)
    secrets = {"VISIT_TOKEN": sent["authorization"].split()[1] if sent["authorization"] else ""}
    player = Player(address, secrets)
    player.play(workload)
    reply = player.session.get(address + "/seen", timeout=10).json()[-2]
    if sent["json"] is not None:  # white space is not part of the value
        reply["data"] = sent["data"] = None
    assert reply == sent


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("curl 'https://a.example", "a quote is not closed"),
        ("wget https://a.example", "only commands of curl"),
        ("curl -X", "no value"),
        ("curl --frobnicate https://a.example", "--frobnicate"),
        ("curl -H 'a: b'", "no address"),
        ("curl ftp://a.example/file", "not the address of a web server"),
        ("", "no command"),
        ('curl "https://a.example" ^\n -H "a: b"', "bash"),
        ("curl -X TRACE https://a.example", "TRACE"),
    ],
)
def test_a_wrong_command_is_one_sentence(text: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        commands(text, "the command")


def test_files_that_a_command_sends_are_not_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("inside", "utf-8")
    found = commands(f"curl -F photo=@{secret} https://a.example/up", "the command")
    text = workload_text(commands_journey(found, "visit"))
    assert "inside" not in text
    assert f"# - the file {secret}, whose contents a request sent" in text


def test_the_command_and_a_file_of_commands(tmp_path: Path) -> None:
    output = tmp_path / "shop.toml"
    for given in ("curl https://a.example/one", tmp_path / "requests.sh"):
        if isinstance(given, Path):
            given.write_text("curl https://a.example/one\n", "utf-8")
        shown = CliRunner().invoke(app, ["import", "curl", str(given), "-o", str(output)])
        assert shown.exit_code == 0, shown.output
        assert (
            tomllib.loads(output.read_text("utf-8"))["scenarios"][0]["steps"][0]["path"] == "/one"
        )


def test_the_written_workload_can_be_loaded(tmp_path: Path) -> None:
    found = commands("curl -d 'name=Ada {n' https://a.example/a/b; curl https://a.example", "it")
    path = tmp_path / "visit.toml"
    path.write_text(workload_text(commands_journey(found, "visit")), "utf-8")
    workload = load(str(path))
    assert [step.name for step in workload.scenarios[0].steps] == ["post-a-b", "home"]


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("curl 'https://a.example/p?a=5$' -H 'x: y'", {"path": "/p?a=5$", "headers": {"x": "y"}}),
        ("curl https://a.example/p#top -H 'x: y'", {"path": "/p", "headers": {"x": "y"}}),
        (
            r"""curl https://a.example/p --json $'{"a":"it\'s \ud83d\ude00"}'""",
            {"json": {"a": "it's \U0001f600"}},
        ),
        (r"curl https://a.example/p -d $'a=\ud83d\ude00!'", {"form": {"a": "\U0001f600!"}}),
    ],
)
def test_quotes_are_those_of_a_shell(text: str, keys: dict[str, Any]) -> None:
    (step,) = imported(text)
    assert {key: step.get(key) for key in keys} == keys


def test_a_comment_ends_with_its_line() -> None:
    text = "# it's all\ncurl https://a.example/one # don't\ncurl https://a.example/two"
    found = commands(text, "the command").exchanges
    assert [one.url.geturl() for one in found] == ["https://a.example/one", "https://a.example/two"]


def test_fields_of_one_name_are_all_sent() -> None:
    (step,) = imported("curl -F tag=a -F tag=b https://a.example/up")
    assert step["body"].count('form-data; name="tag"') == 2
    assert step["content_type"].startswith("multipart/form-data; boundary=")


@pytest.mark.parametrize(
    ("options", "op", "file"),
    [
        ("-d @body.json", "post", "body.json"),
        ("--json @body.json", "post", "body.json"),
        ("-T report.pdf", "put", "report.pdf"),
        ("-X PATCH -T report.pdf", "patch", "report.pdf"),
        ("-H @headers.txt", "get", "headers.txt"),
    ],
)
def test_a_file_that_is_not_read_does_not_change_the_method(
    options: str, op: str, file: str
) -> None:
    found = commands(f"curl {options} https://a.example/up", "the command")
    journey = commands_journey(found, "visit")
    assert [step.op for step in journey.scenarios[0].steps()] == [op]
    assert f"the file {file}, whose contents a request sent" in journey.left_out


def test_a_log_on_in_the_address_is_a_secret() -> None:
    found = commands("curl https://ada:secretword@a.example/x", "the command")
    text = workload_text(commands_journey(found, "visit"))
    assert "secretword" not in text
    (step,) = tomllib.loads(text)["scenarios"][0]["steps"]
    assert step["headers"] == {"Authorization": "Basic {token}"}


def test_methods_of_webdav_can_be_played() -> None:
    text = "curl -X PROPFIND -H 'Depth: 1' https://a.example/files/"
    (step,) = imported(text)
    assert (step["op"], step["headers"]) == ("propfind", {"Depth": "1"})


@pytest.mark.parametrize(
    ("options", "accept"), [("", "application/json"), ("-H 'accept: text/plain'", "text/plain")]
)
def test_json_asks_for_json(options: str, accept: str) -> None:
    (step,) = imported(f"curl --json '[1]' {options} https://a.example/x")
    assert list(step["headers"].values()) == [accept]


def test_where_the_output_goes_is_not_an_address() -> None:
    text = "curl https://a.example/one > /dev/null 2>&1\ncurl 'https://a.example/two?a=1>0' >>log"
    found = commands(text, "the command").exchanges
    assert [one.path for one in found] == ["/one", "/two?a=1>0"]
