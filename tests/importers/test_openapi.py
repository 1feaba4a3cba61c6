"""Descriptions of APIs become journeys that hold on a real server."""

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
from headcount.importers.journey import Journey, mark
from headcount.importers.openapi import openapi_journey
from headcount.importers.workload_text import workload_text

SHOP = """
openapi: 3.1.0
info: { title: Shop API, version: "1" }
servers: [{ url: "https://{where}.shop.example/api", variables: { where: { default: test } } }]
security: [{ key: [] }]
paths:
  /orders:
    get:
      tags: [orders]
      summary: List orders
      parameters:
        - { name: since, in: query, required: true, schema: { type: string, format: date } }
        - { name: page, in: query, schema: { type: integer } }
      responses: { "200": { description: fine } }
    post:
      tags: [orders]
      operationId: makeOrder
      requestBody: { content: { application/json: {
        schema: { $ref: "#/components/schemas/New" } } } }
      responses:
        "201": { description: made, content: { application/json: {
          schema: { $ref: "#/components/schemas/Order" } } } }
  /orders/{orderId}:
    parameters: [{ $ref: "#/components/parameters/OrderId" }]
    delete: { tags: [orders], summary: Cancel, responses: { "204": { description: gone } } }
    get: { tags: [orders], summary: Show, responses: { "200": { description: fine } } }
  /health:
    get: { security: [], responses: { default: { description: fine } } }
components:
  parameters:
    OrderId: { name: orderId, in: path, required: true, schema: { type: string, example: "17" } }
  securitySchemes: { key: { type: apiKey, in: header, name: X-Key } }
  schemas:
    New:
      type: object
      required: [sku, quantity, kind, contact, child]
      properties:
        sku: { type: string, example: a-1 }
        quantity: { type: integer, minimum: 3 }
        kind: { enum: [gift, own] }
        contact: { allOf: [{ $ref: "#/components/schemas/Contact" }] }
        child: { $ref: "#/components/schemas/Tree" }
        note: { type: string }
    Contact: { type: object, properties: { mail: { type: string, format: email } } }
    Tree: { type: object, properties: { tree: { $ref: "#/components/schemas/Tree" } } }
    Order: { type: object, properties: { id: { type: string, readOnly: true } } }
"""


def server() -> Flask:  # noqa: C901 - its views
    app = Flask("api")
    made: set[str] = set()

    @app.before_request
    def key() -> None:
        if request.path != "/api/health" and request.headers.get("X-Key") != "k-1":
            abort(401)

    @app.get("/api/health")
    def health():
        return "fine"

    @app.post("/api/orders")
    def make():
        sent = request.get_json()
        contact = {"mail": "user0@example.com"}
        if (sent["sku"], sent["quantity"], sent["kind"]) != ("a-1", 3, "gift"):
            abort(400)
        if sent["contact"] != contact or "note" in sent:
            abort(400)
        made.add("n-77")
        return jsonify(id="n-77"), 201

    @app.get("/api/orders")
    def orders():
        return jsonify(sorted(made)) if request.args["since"] else abort(400)

    @app.route("/api/orders/<key>", methods=["GET", "DELETE"])
    def one(key: str):
        if key not in made:
            abort(404)
        if request.method == "DELETE":
            made.remove(key)
            return "", 204
        return jsonify(id=key)

    return app


def imported(tmp_path: Path, text: str, **options: Any) -> dict[str, Any]:
    path = tmp_path / "api.yaml"
    path.write_text(text, "utf-8")
    return tomllib.loads(workload_text(openapi_journey(path, **options)))


def test_a_description_can_be_played(tmp_path: Path, served: Callable[[Flask], str]) -> None:
    workload = imported(tmp_path, SHOP)
    assert [one["name"] for one in workload["scenarios"]] == ["orders", "health"]
    assert workload["variables"] == {"api_key": {"secret": "SHOP_API_API_KEY"}}
    player = Player(served(server()), {"SHOP_API_API_KEY": "k-1"})
    player.values["n"] = "0"
    player.play(workload)
    assert player.played == ["makeorder", "list-orders", "show", "cancel", "health"]


def test_a_scenario_for_each_operation(tmp_path: Path) -> None:
    workload = imported(tmp_path, SHOP, by_operation=True)
    assert len(workload["scenarios"]) == 5
    assert workload["variables"]["order_id"] == "17"


def test_json_is_read_as_yaml_is(tmp_path: Path) -> None:
    document = {"openapi": "3.0.3", "paths": {"/a": {"get": {"responses": {"200": {}}}}}}
    workload = imported(tmp_path, json.dumps(document))
    assert workload["scenarios"][0]["steps"] == [{"name": "a", "op": "get", "path": "/a"}]


BOMB = "a: &a [x,x,x,x]\nb: &b [*a,*a,*a,*a]\n"
WIDE = {
    f"S{number}": {
        "type": "object",
        "properties": {
            f"p{one}": {"$ref": f"#/components/schemas/S{number + 1}"} for one in range(9)
        },
    }
    for number in range(12)
}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (BOMB, r"line 2, column 8: aliases"),
        ("[" * 5000, "nested too deeply"),
        ("{" * 5000, "nested too deeply"),
        ("a: b: c", "line 1, column 5"),
        ("!!python/object/apply:os.system [id]", "could not determine a constructor"),
        ("swagger: '2.0'", 'version is "2.0"'),
        ("just text", 'no "openapi"'),
        ("openapi: 3.0.0", "no operation"),
        ("openapi: 3.0.0\nservers: [{ url: 'http://[bad' }]", "is not an address"),
        ("a: \x07", "unacceptable character|special characters"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        imported(tmp_path, text)


def test_references_that_multiply_are_bounded(tmp_path: Path) -> None:
    schema = {"$ref": "#/components/schemas/S0"}
    operation = {"requestBody": {"content": {"application/json": {"schema": schema}}}}
    document = {
        "openapi": "3.0.0",
        "paths": {"/a": {"post": operation}},
        "components": {"schemas": WIDE},
    }
    (scenario,) = imported(tmp_path, json.dumps(document))["scenarios"]
    assert len(json.dumps(scenario)) < 2_000_000


def in_files(folder: Path, files: dict[str, str]) -> Journey:
    """The journey of `api/openapi.yaml` among files."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, "utf-8")
    return openapi_journey(folder / "api" / "openapi.yaml")


def test_a_description_in_several_files(tmp_path: Path) -> None:
    journey = in_files(
        tmp_path,
        {
            "api/openapi.yaml": "openapi: 3.1.0\npaths: { $ref: paths/all.yaml }\n"
            "components: { schemas: { $ref: 'schemas.json' }, parameters: { Size: "
            "{ name: size, in: query, required: true, schema: { type: integer, minimum: 7 } } } }",
            "api/paths/all.yaml": "/pets: { $ref: './pets%20here.yaml' }\n"
            "/pets/{id}: { get: { parameters: [{ $ref: '../parameters.yaml#id' }, "
            "{ $ref: '../openapi.yaml#/components/parameters/Size' }] } }\n",
            "api/paths/pets here.yaml": "post: { requestBody: { content: { application/json: "
            "{ schema: { $ref: '../openapi.yaml#/components/schemas/Pet' } } } } }\n",
            "api/parameters.yaml": "id: { name: id, in: path, required: true, example: 5 }",
            "api/schemas.json": '{"Pet": {"type": "object", "properties": {"name": {"$ref": '
            '"#/Name"}, "mother": {"$ref": "#/Pet"}}}, "Name": {"example": "Rex"}}',
        },
    )
    (scenario,) = journey.scenarios
    post, get = scenario.steps()
    assert (post.path, get.path) == ("/pets", f"/pets/{mark('id')}?size=7")
    assert post.json["name"] == "Rex"
    assert post.json["mother"]["mother"]["name"] == "Rex"
    assert [(one.name, one.value) for one in journey.variables] == [("id", "5")]
    assert journey.left_out == []


def test_files_outside_its_folder_and_other_addresses_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret.yaml").write_text("get: { summary: inside }", "utf-8")
    references = ("../secret.yaml", "none.yaml", "https://other.example/a.yaml", "/etc/hostname")
    paths = ", ".join(f"/{index}: {{ $ref: '{one}' }}" for index, one in enumerate(references))
    journey = in_files(
        tmp_path, {"api/openapi.yaml": f"openapi: 3.0.0\npaths: {{ /a: {{ get: {{}} }}, {paths} }}"}
    )
    assert [step.path for one in journey.scenarios for step in one.steps()] == ["/a"]
    listed = sorted(references)
    assert journey.left_out == [f"what {one} refers to: it was not read" for one in listed]
    with pytest.raises(InputError, match=r"no operation .*; it refers to none.yaml, which was not"):
        in_files(
            tmp_path, {"api/openapi.yaml": "openapi: 3.0.0\npaths: { /a: { $ref: none.yaml } }"}
        )


@pytest.mark.parametrize(
    "paths",
    [
        "{ $ref: '#/paths/a' }",
        "{ $ref: 'openapi.yaml' }",
        "{ $ref: '#/paths' }",
        "{ /a: { $ref: '#/paths/~1b/get' }, /b: { $ref: '#/paths/~1a/get' } }",
    ],
)
def test_circles_of_references_end(tmp_path: Path, paths: str) -> None:
    with pytest.raises(InputError, match="no operation"):
        in_files(tmp_path, {"api/openapi.yaml": f"openapi: 3.0.0\npaths: {paths}"})


BODIES = """
openapi: 3.0.3
paths:
  /find:
    parameters:
      - { name: since, in: query, required: true, schema: { type: string, format: date-time } }
      - { name: "a&b", in: query, required: true, schema: { type: string, example: "x y&z" } }
      - { name: theme, in: cookie, required: true, schema: { type: string, example: dark } }
    get: { requestBody: { content: { application/json: { example: { q: 1 } } } } }
    head: { requestBody: { content: { application/json: { example: { q: 1 } } } } }
    delete: { requestBody: { content: { "*/*": { example: { q: 2 } } } } }
    put: { requestBody: { content: { text/plain: { example: "a b" } } } }
    post: { requestBody: { content: { application/xml: { schema: { type: object, properties: {
      a: { type: string } } } } } } }
  "/big dogs#top": { get: {} }
"""


def test_bodies_queries_and_cookies(tmp_path: Path) -> None:
    scenario, other = imported(tmp_path, BODIES)["scenarios"]
    steps = {step["op"]: step for step in scenario["steps"]}
    assert {step["path"] for step in steps.values()} == {"/find?since={now}&a%26b=x%20y%26z"}
    assert {step["headers"]["Cookie"] for step in steps.values()} == {"theme=dark"}
    assert (steps["get"]["json"], steps["delete"]["json"]) == ({"q": 1}, {"q": 2})
    assert (steps["put"]["body"], steps["put"]["content_type"]) == ("a b", "text/plain")
    assert not {"json", "body"} & (steps["head"].keys() | steps["post"].keys())
    assert other["steps"][0]["path"] == "/big%20dogs"


def test_the_verb(tmp_path: Path) -> None:
    (tmp_path / "api.yaml").write_text(SHOP, "utf-8")
    output = tmp_path / "api.toml"
    asked = ["import", "openapi", str(tmp_path / "api.yaml"), "-o", str(output)]
    assert run_line([*asked, "--by", "operation"]) == ExitCode.PASSED
    assert len(tomllib.loads(output.read_text("utf-8"))["scenarios"]) == 5


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ("{ type: integer, minimum: 5, exclusiveMinimum: true }", 6),
        ("{ type: integer, minimum: 5, exclusiveMinimum: false }", 5),
        ("{ type: integer, exclusiveMinimum: 5 }", 6),
        ("{ type: integer, exclusiveMaximum: 1 }", 0),
        ("{ type: integer, maximum: 0, exclusiveMaximum: true }", -1),
        ("{ type: number, exclusiveMinimum: 0, exclusiveMaximum: 1 }", 0.5),
        ("{ type: number, minimum: 0.25, maximum: 0.75 }", 0.25),
    ],
)
def test_numbers_are_within_their_limits(tmp_path: Path, schema: str, value: float) -> None:
    body = f"content: {{ application/json: {{ schema: {{ properties: {{ a: {schema} }} }} }} }}"
    text = f"openapi: 3.0.3\npaths: {{ /x: {{ post: {{ requestBody: {{ {body} }} }} }} }}\n"
    (scenario,) = imported(tmp_path, text)["scenarios"]
    assert scenario["steps"][0]["json"] == {"a": value}


def test_an_example_can_be_a_reference(tmp_path: Path) -> None:
    text = """
openapi: 3.0.3
paths:
  /x:
    post:
      requestBody:
        content:
          application/json: { examples: { one: { $ref: "#/components/examples/One" } } }
components: { examples: { One: { value: { a: 7 } } } }
"""
    (scenario,) = imported(tmp_path, text)["scenarios"]
    assert scenario["steps"][0]["json"] == {"a": 7}


def test_two_keys_are_two_secrets(tmp_path: Path) -> None:
    text = """
openapi: 3.0.3
security: [{ app: [], user: [] }]
paths: { /x: { get: {} }, /y: { get: {} } }
components:
  securitySchemes:
    app: { type: apiKey, in: header, name: X-App }
    user: { type: apiKey, in: header, name: X-User }
"""
    workload = imported(tmp_path, text, name="shop")
    assert workload["variables"] == {
        "api_key": {"secret": "SHOP_API_KEY"},
        "api_key_2": {"secret": "SHOP_API_KEY_2"},
    }
    for scenario in workload["scenarios"]:
        assert scenario["steps"][0]["headers"] == {"X-App": "{api_key}", "X-User": "{api_key_2}"}


@pytest.mark.parametrize(
    ("tags", "by_operation", "names"),
    [
        (("Заказы", "商品"), False, ["заказы", "商品"]),
        (("Orders (old)", "Orders [old]"), False, ["orders-old", "orders-old_2"]),
        (("a", "a"), False, ["a"]),
        (("a", "a"), True, ["same", "same_2"]),
    ],
)
def test_scenarios_have_names_of_their_own(
    tmp_path: Path, tags: tuple[str, str], by_operation: bool, names: list[str]
) -> None:
    paths = {
        f"/{place}": {"get": {"tags": [tag], "operationId": "same"}}
        for place, tag in enumerate(tags)
    }
    text = json.dumps({"openapi": "3.0.3", "paths": paths})
    workload = imported(tmp_path, text, by_operation=by_operation)
    assert [one["name"] for one in workload["scenarios"]] == names
