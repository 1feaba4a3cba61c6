"""Values of an API description that need more than its type: parts, files, captured keys."""

import json
import tomllib
from pathlib import Path
from typing import Any

from headcount.importers.openapi import openapi_journey
from headcount.importers.workload_text import workload_text


def steps(tmp_path: Path, paths: dict[str, Any]) -> list[dict[str, Any]]:
    """The steps of a description's first scenario."""
    path = tmp_path / "api.json"
    path.write_text(json.dumps({"openapi": "3.0.3", "paths": paths}), "utf-8")
    workload = tomllib.loads(workload_text(openapi_journey(path)))
    return list(workload["scenarios"][0]["steps"])


def test_the_key_of_a_reply_in_parts_is_captured(tmp_path: Path) -> None:
    base = {"allOf": [{"type": "object", "properties": {"id": {"type": "integer"}}}]}
    schema = {"allOf": [base, {"type": "object", "properties": {"name": {"type": "string"}}}]}
    made = {"201": {"content": {"application/json": {"schema": schema}}}}
    parameters = [{"in": "path", "name": "id", "required": True}]
    paths = {
        "/orders": {"post": {"responses": made}},
        "/orders/{id}": {"get": {"parameters": parameters}},
    }
    assert steps(tmp_path, paths)[0]["capture"] == {"id": {"json": "$.id"}}


def test_files_of_a_form_are_files_and_lists_are_fields(tmp_path: Path) -> None:
    file = {"type": "string", "format": "binary"}
    page = {"type": "string", "contentMediaType": "text/html"}
    words = {"type": "array", "items": {"type": "string"}}
    properties = {"scan": file, "more": {"type": "array", "items": file}, "page": page}
    parts = {"schema": {"properties": {**properties, "words": words}}}
    form = {"schema": {"properties": {"words": words}}}
    paths = {
        "/up": {
            "post": {"requestBody": {"content": {"multipart/form-data": parts}}},
            "put": {"requestBody": {"content": {"application/x-www-form-urlencoded": form}}},
        }
    }
    post, put = steps(tmp_path, paths)
    kinds = {name: one["content_type"] for name, one in post["multipart"].items() if one != "text"}
    unknown = "application/octet-stream"
    assert kinds == {"scan": unknown, "more": unknown, "page": "text/html"}
    assert post["multipart"]["scan"]["filename"] == "scan"
    assert (post["multipart"]["words"], put["form"]["words"]) == ("text", "text")


def test_a_part_of_a_path_without_a_description_is_a_variable(tmp_path: Path) -> None:
    (step,) = steps(tmp_path, {"/users/{userId}/posts/{n}": {"get": {}}})
    assert step["path"] == "/users/{user_id}/posts/{user_n}"


def test_plain_values_are_those_of_yaml_1_2(tmp_path: Path) -> None:
    example = "[NO, off, 12:30, 010, 1_000, 2026-01-02, =, 0.5, -7, 1e3, true, 0x1F]"
    path = tmp_path / "api.yaml"
    path.write_text(
        "openapi: 3.0.3\npaths: { /x: { post: { requestBody: { content: { application/json: "
        f"{{ example: {{ a: {example}, b: ~, c: }} }} }} }} }} }} }}\n",
        "utf-8",
    )
    workload = tomllib.loads(workload_text(openapi_journey(path)))
    assert json.loads(workload["scenarios"][0]["steps"][0]["body"]) == {
        "a": [
            *("NO", "off", "12:30", "010", "1_000", "2026-01-02", "=", 0.5, -7),
            *(1000.0, True, "0x1F"),
        ],
        "b": None,
        "c": None,
    }


def test_an_operation_can_be_at_another_server(tmp_path: Path) -> None:
    path = tmp_path / "api.json"
    paths = {
        "/a": {"get": {}, "post": {"servers": [{"url": "https://files.example/v1"}]}},
        "/b": {"servers": [{"url": "/v2"}], "get": {}},
    }
    servers = [{"url": "https://shop.example/v1"}]
    path.write_text(json.dumps({"openapi": "3.0.3", "servers": servers, "paths": paths}), "utf-8")
    journey = openapi_journey(path)
    assert [step.path for one in journey.scenarios for step in one.steps()] == ["/v1/a", "/v2/b"]
    assert journey.left_out == ["post /a: it is at https://files.example"]
