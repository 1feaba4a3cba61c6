"""Collections of Postman become journeys that hold on a real server."""

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flask import Flask, abort, jsonify, request
from player import Player

from headcount.cli import run_line
from headcount.errors import ExitCode, InputError
from headcount.importers.journey import Journey
from headcount.importers.postman import postman_journey
from headcount.importers.postman_tests import statements
from headcount.importers.workload_text import workload_text


def scripted(*lines: str) -> list[dict[str, Any]]:
    return [{"listen": "test", "script": {"exec": list(lines)}}]


def collection(address: str) -> dict[str, Any]:
    body = {"options": {"raw": {"language": "json"}}, "mode": "raw"}
    return {
        "info": {"name": "My Shop", "schema": "v2.1.0"},
        "variable": [
            {"key": "host", "value": address},
            {"key": "baseUrl", "value": "{{host}}/api"},
            {"key": "user", "value": "ada"},
            {"key": "quantity", "value": "2"},
        ],
        "auth": {"type": "bearer", "bearer": [{"key": "token", "value": "{{token}}"}]},
        "item": [
            {
                "name": "Log in",
                "event": scripted(
                    'pm.test("Status is 200", function () {',
                    "    pm.response.to.have.status(200);",
                    "});",
                    "const jsonData = pm.response.json();",
                    'pm.environment.set("token", jsonData.auth.token);',
                    "console.log('hello');",
                ),
                "request": {
                    "method": "POST",
                    "auth": {"type": "noauth"},
                    "url": {"raw": "{{baseUrl}}/login"},
                    "body": {**body, "raw": '{"user": "{{user}}", "password": "hunter2x"}'},
                },
            },
            {
                "name": "Orders",
                "item": [
                    {
                        "name": "Order",
                        "event": scripted(
                            "pm.test('created', () => pm.response.to.have.status(201));",
                            "var data = JSON.parse(responseBody);",
                            'pm.expect(data.status).to.eql("open");',
                            "pm.collectionVariables.set('orderId', data.id);",
                        ),
                        "request": {
                            "method": "POST",
                            "url": "{{baseUrl}}/orders",
                            "body": {**body, "raw": '{"sku": "a", "quantity": {{quantity}}}'},
                        },
                    },
                    {
                        "name": "Show",
                        "event": scripted(
                            "pm.test('x', function () { "
                            "pm.expect(pm.response.text()).to.include('\"open\"'); });"
                        ),
                        "request": {
                            "method": "GET",
                            "url": {
                                "raw": "{{baseUrl}}/orders/:id",
                                "variable": [{"key": "id", "value": "{{orderId}}"}],
                            },
                        },
                    },
                    {"name": "Elsewhere", "request": {"url": "https://other.example/x"}},
                ],
            },
        ],
    }


def server() -> Flask:
    app = Flask("api")

    @app.post("/api/login")
    def log_in():
        if request.get_json() != {"user": "ada", "password": "hunter2x"}:
            abort(401)
        return jsonify(auth={"token": "fresh-token"})

    @app.before_request
    def bearer() -> None:
        allowed = request.headers.get("Authorization") == "Bearer fresh-token"
        if request.path != "/api/login" and not allowed:
            abort(401)

    @app.post("/api/orders")
    def order():
        if request.get_json() != {"sku": "a", "quantity": 2}:
            abort(400)
        return jsonify(id=9137, status="open"), 201

    @app.get("/api/orders/9137")
    def show():
        return jsonify(status="open")

    return app


def imported(tmp_path: Path, value: Any) -> tuple[Journey, dict[str, Any], str]:
    path = tmp_path / "collection.json"
    path.write_text(json.dumps(value), "utf-8")
    journey = postman_journey(path)
    text = workload_text(journey)
    return journey, tomllib.loads(text), text


def test_a_collection_can_be_played(tmp_path: Path, served: Callable[[Flask], str]) -> None:
    address = served(server())
    journey, workload, text = imported(tmp_path, collection(address))
    assert "hunter2x" not in text
    Player(address, {"MY_SHOP_USER_PASSWORD": "hunter2x"}).play(workload)
    steps = workload["scenarios"][0]["steps"]
    assert [one["name"] for one in steps] == ["log-in", "order", "show"]
    assert steps[1]["json"] == {"sku": "a", "quantity": "{quantity:number}"}
    assert steps[1]["expect"] == 201
    assert steps[1]["check"] == [{"json": "$.status", "equals": "open"}]
    assert steps[2]["path"] == "/api/orders/{order_id}"
    assert steps[2]["check"] == [{"of": "body", "contains": '"open"'}]
    assert journey.left_out == [
        "log-in: in its tests: console.log('hello')",
        "Elsewhere: a request to https://other.example, another host",
    ]


@pytest.mark.parametrize(
    "line",
    [
        "pm.expect(pm.response.responseTime).to.be.below(200);",
        "pm.environment.set('x', CryptoJS.MD5('y'));",
        "if (pm.response.code === 200) { postman.setNextRequest('a') }",
        "pm.expect(jsonData.items.length).to.be.above(0);",
        "pm.expect(jsonData.items.map(x => x.id)).to.include(3);",
        "eval('" + "(" * 5000 + "');",
        "(" * 5000,
        "pm.test(" * 200_000,
    ],
)
def test_unread_statements_are_listed(line: str) -> None:
    found = statements(["const jsonData = pm.response.json();", line])
    assert found.captures == []
    assert found.checks == []
    assert found.left_out


def test_a_variable_follows_those_in_its_value(tmp_path: Path) -> None:
    values = [{"key": "a", "value": "x {{b}}"}, {"key": "b", "value": "y"}]
    item = {"name": "one", "request": {"url": "http://a.example/x?q={{a}}"}}
    _, workload, _ = imported(tmp_path, {"item": [item], "variable": values})
    assert list(workload["variables"].items()) == [("b", "y"), ("a", "x {b}")]


def test_tests_of_folders_count_for_each_of_their_requests(tmp_path: Path) -> None:
    asks = "pm.response.to.have.status(202);"
    inner = scripted("pm.expect(pm.response.json().ok).to.eql(true);", "postman.stop();")
    before = [{"listen": "prerequest", "script": {"exec": ["pm.sendRequest('/x');"]}}]
    requests = [{"name": name, "request": {"url": f"http://a.example/{name}"}} for name in "ab"]
    requests[1]["event"] = scripted("pm.response.to.have.status(200);")
    folder = {"name": "Orders", "item": requests, "event": [*inner, *before]}
    outside = {"name": "c", "request": {"url": "http://a.example/c"}}
    journey, workload, _ = imported(tmp_path, {"item": [folder, outside], "event": scripted(asks)})
    steps = workload["scenarios"][0]["steps"]
    assert [one.get("expect") for one in steps] == [202, None, 202]
    checks = [{"json": "$.ok", "equals": True}]
    assert [one.get("check") for one in steps] == [checks, checks, None]
    assert journey.left_out == [
        "the folder Orders: in its tests: postman.stop()",
        "the folder Orders: its script before each request",
    ]


def requested(tmp_path: Path, request: dict[str, Any], *lines: str) -> dict[str, Any]:
    """The step of a collection with one request."""
    item = {"name": "one", "request": request, "event": scripted(*lines)}
    _, workload, _ = imported(tmp_path, {"item": [item]})
    (step,) = workload["scenarios"][0]["steps"]
    return dict(step)


PARTS = {"protocol": "https", "host": ["shop", "example"], "port": "8443", "path": ["a b", ":id"]}


@pytest.mark.parametrize(
    ("url", "path"),
    [
        (PARTS | {"variable": [{"key": "id", "value": "x y"}]}, "/a%20b/x%20y"),
        (
            PARTS | {"query": [{"key": "q", "value": "ré"}, {"key": "n", "value": None}]},
            "?q=r%C3%A9&n",
        ),
        (PARTS | {"query": [{"key": "q", "value": "1", "disabled": True}]}, "/a%20b/:id"),
        ({"host": "{{base}}", "path": "/x"}, "/x"),
        ({"host": ["{{base}}"], "path": [{"type": "string", "value": "y"}, "z"]}, "/y/z"),
        ({"raw": "http://shop.example/a b#top"}, "/a%20b"),
    ],
)
def test_addresses_in_parts(tmp_path: Path, url: dict[str, Any], path: str) -> None:
    assert requested(tmp_path, {"url": url})["path"].endswith(path)


@pytest.mark.parametrize(
    ("method", "body", "given"),
    [
        ("GET", {"mode": "formdata", "formdata": []}, {}),
        ("GET", {"mode": "raw", "raw": ""}, {}),
        ("HEAD", {"mode": "raw", "raw": "x"}, {}),
        ("GET", {"mode": "raw", "raw": '{"a": 1}'}, {"json": {"a": 1}}),
        (
            "POST",
            {"mode": "raw", "raw": '{"a": [{{b}},{{c}}], "d": "for \\"{{b}}\\", {{c}}, all"}'},
            {"json": {"a": ["{b:number}", "{c:number}"], "d": 'for "{b}", {c}, all'}},
        ),
        (
            "DELETE",
            {"mode": "urlencoded", "urlencoded": [{"key": "a", "value": "1"}]},
            {"form": {"a": "1"}},
        ),
        (
            "POST",
            {"mode": "urlencoded", "urlencoded": [{"key": "a", "value": one} for one in "12"]},
            {"body": "a=1&a=2"},
        ),
    ],
)
def test_bodies_of_any_method(
    tmp_path: Path, method: str, body: dict[str, Any], given: dict[str, Any]
) -> None:
    step = requested(tmp_path, {"method": method, "url": "http://a.example/x", "body": body})
    assert {key: step[key] for key in ("json", "form", "multipart", "body") if key in step} == given


@pytest.mark.parametrize(
    ("address", "target"),
    [
        ("http://localhost:{{port}}/x", "http://localhost:8080"),
        ("https://{{shop}}.example/x", "https://north.example"),
        ("{{scheme}}://{{shop}}.example:{{port}}/x", "https://north.example:8080"),
        ("{{base}}/x", "http://north.example:8080"),
        ("https://{{nobody}}.example/x", "the address of nobody"),
    ],
)
def test_variables_anywhere_in_the_address_of_a_host(
    tmp_path: Path, address: str, target: str
) -> None:
    values = {"port": "8080", "shop": "north", "scheme": "https"}
    values["base"] = "http://{{shop}}.example:{{port}}"
    variables = [{"key": key, "value": value} for key, value in values.items()]
    item = {"name": "one", "request": {"url": {"raw": address}}}
    journey, workload, _ = imported(tmp_path, {"item": [item], "variable": variables})
    assert journey.target == target
    assert [step["path"] for step in workload["scenarios"][0]["steps"]] == ["/x"]


def test_methods_of_webdav_can_be_played(tmp_path: Path) -> None:
    step = requested(tmp_path, {"method": "PROPFIND", "url": "http://a.example/files/"})
    assert step["op"] == "propfind"


def test_parts_with_a_type_and_several_files_are_all_sent(tmp_path: Path) -> None:
    fields = [
        {"key": "meta", "value": '{"a": 1}', "type": "text", "contentType": "application/json"},
        {"key": "scans", "type": "file", "src": ["/home/ada/one.pdf", "/home/ada/two.pdf"]},
    ]
    body = {"mode": "formdata", "formdata": fields}
    step = requested(tmp_path, {"method": "POST", "url": "http://a.example/x", "body": body})
    assert 'name="meta"\r\nContent-Type: application/json\r\n\r\n{"a": 1}\r\n' in step["body"]
    for name in ("one.pdf", "two.pdf"):
        assert f'name="scans"; filename="{name}"' in step["body"]


@pytest.mark.parametrize(
    ("line", "keys"),
    [
        ('tests["Status code is 201"] = responseCode.code === 201;', {"expect": 201}),
        (
            "tests['It is open'] = responseBody.has(\"open\");",
            {"check": [{"of": "body", "contains": "open"}]},
        ),
        ('tests["id"] = data.id == 7', {"check": [{"json": "$.id", "equals": 7}]}),
        ('postman.setEnvironmentVariable("id", data.id);', {"capture": {"id": {"json": "$.id"}}}),
        ("pm.response.to.be.ok;", {}),
    ],
)
def test_scripts_older_than_pm_are_read(tmp_path: Path, line: str, keys: dict[str, Any]) -> None:
    lines = ("var data = JSON.parse(responseBody);", line)
    step = requested(tmp_path, {"url": "http://a.example/x"}, *lines)
    assert {key: step[key] for key in ("expect", "check", "capture") if key in step} == keys


def test_an_environment_gives_the_values(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    collection, environment = tmp_path / "c.json", tmp_path / "e.json"
    header = [{"key": "X-Who", "value": "{{who}} {{pin}} {{off}}"}]
    item = {"name": "a", "request": {"url": "{{base}}/x", "header": header}}
    variables = [{"key": "who", "value": "nobody"}, {"key": "off", "value": "kept"}]
    collection.write_text(json.dumps({"item": [item], "variable": variables}), "utf-8")
    values = [
        {"key": "base", "value": "http://shop.example/api", "enabled": True},
        {"key": "who", "value": "ada"},
        {"key": "pin", "value": "9137", "type": "secret"},
        {"key": "off", "value": "other", "enabled": False},
    ]
    environment.write_text(json.dumps({"name": "test", "values": values}), "utf-8")
    output = tmp_path / "shop.toml"
    asked = ["import", "postman", str(collection), "-o", str(output), "--environment"]
    assert run_line([*asked, str(environment)]) == ExitCode.PASSED
    text = output.read_text("utf-8")
    workload = tomllib.loads(text)
    assert "--target http://shop.example\n" in text
    assert "9137" not in text
    assert workload["variables"] == {"who": "ada", "pin": {"secret": "SHOP_PIN"}, "off": "kept"}
    assert workload["scenarios"][0]["steps"][0]["path"] == "/api/x"
    assert "To fix" not in capsys.readouterr().out
    assert run_line([*asked, str(collection)]) == ExitCode.BAD_INPUT
    assert 'is not an environment of Postman: it has no "values"' in capsys.readouterr().err


@pytest.mark.parametrize(
    "request_part",
    [
        {"auth": {"type": "bearer", "bearer": [{"key": "token", "value": "{{jwt}}"}]}},
        {"header": [{"key": "Authorization", "value": "Bearer {{jwt}}"}]},
        {
            "method": "POST",
            "body": {"mode": "urlencoded", "urlencoded": [{"key": "password", "value": "{{jwt}}"}]},
        },
    ],
)
def test_a_variable_that_is_sent_as_a_key_is_a_secret(
    tmp_path: Path, request_part: dict[str, Any]
) -> None:
    item = {"name": "a", "request": {"url": "http://a.example/x", **request_part}}
    variable = [{"key": "jwt", "value": "s3cr3t9"}]
    _, workload, text = imported(tmp_path, {"item": [item], "variable": variable})
    assert "s3cr3t9" not in text
    assert list(workload["variables"]["jwt"]) == ["secret"]


@pytest.mark.parametrize("kind", ["bearer", "apikey", "basic"])
def test_keys_are_not_written(tmp_path: Path, kind: str) -> None:
    values = {"token": "s3cr3t9", "key": "X-Key", "value": "s3cr3t9", "password": "s3cr3t9"}
    given = [{"key": key, "value": value} for key, value in values.items()]
    item = {
        "name": "a",
        "request": {"url": "http://a.example/x", "auth": {"type": kind, kind: given}},
    }
    _, workload, text = imported(tmp_path, {"item": [item]})
    assert "s3cr3t9" not in text
    (variable,) = workload["variables"].values()
    assert variable["secret"]
    (step,) = workload["scenarios"][0]["steps"]
    assert "{" in next(iter(step["headers"].values()))


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ([], 'has no "item"'),
        ({"item": 3}, 'has no "item"'),
        ({"item": [None, 7, {"request": None}, {"request": {"url": []}}]}, "no request"),
    ],
)
def test_what_is_not_a_collection_is_one_sentence(tmp_path: Path, value: Any, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        imported(tmp_path, value)


def test_the_verb(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "collection.json"
    path.write_text(json.dumps(collection("http://shop.example")), "utf-8")
    output = tmp_path / "shop.toml"
    asked = ["import", "postman", str(path), "-o", str(output)]
    assert run_line(asked) == ExitCode.PASSED
    assert "Left out: log-in: in its tests" in capsys.readouterr().out
    assert tomllib.loads(output.read_text("utf-8"))["name"] == "shop"
