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
