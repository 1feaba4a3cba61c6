"""Descriptions of APIs: OpenAPI 3.0 and 3.1, in JSON or YAML."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from headcount.errors import InputError
from headcount.importers.exchange import origin
from headcount.importers.journey import (
    Capture,
    Entry,
    File,
    Journey,
    Scenario,
    Source,
    Step,
    Variable,
    mark,
    unmarked_value,
)
from headcount.importers.names import free_name, label_name, step_name, variable_name, workload_name
from headcount.importers.openapi_files import whole_description
from headcount.importers.openapi_sample import Description
from headcount.importers.percent_encoding import query_pair
from headcount.importers.request_step import put_json
from headcount.importers.selector import json_path
from headcount.importers.stranger import rows, table, text

WHAT = "an API description (OpenAPI 3)"
MOST_OPERATIONS = 5000
_METHODS = ("post", "get", "head", "put", "patch", "delete", "options")
"""Methods in the order in which a user needs them: create, read, change, delete."""
_FORM = "application/x-www-form-urlencoded"
_JSON = "application/json"


@dataclass(frozen=True, slots=True)
class Operation:
    """A method of a path."""

    method: str
    path: str
    item: dict[str, Any]
    """The path's own table, with parameters of all its methods."""
    table: dict[str, Any]

    @property
    def tag(self) -> str:
        """The group it belongs to: its first tag, else the first part of its path."""
        tags = self.table.get("tags")
        first = text(tags[0]) if isinstance(tags, list) and tags else ""
        return first or next((one for one in self.path.split("/") if one), "root")


def openapi_journey(path: Path, name: str = "", *, by_operation: bool = False) -> Journey:
    """A scenario for each tag, or for each operation; raises InputError that names the file."""
    document, outside = whole_description(path, WHAT)
    version = text(document.get("openapi"))
    if not version.startswith("3."):
        found = text(document.get("swagger")) or version
        raise InputError(
            f'{path} is not {WHAT}: its version is "{found[:20]}"; convert it to 3.0 first'
            if found
            else f'{path} is not {WHAT}: it has no "openapi"'
        )
    title = text(table(document.get("info")).get("title")) or path.stem
    reader = _Reader(document, name or workload_name(title), title)
    try:
        journey = reader.journey(by_operation=by_operation)
    except InputError as error:
        if outside:
            raise InputError(f"{error}; it refers to {outside[0]}, which was not read") from error
        raise
    journey.left_out += (f"what {one} refers to: it was not read" for one in outside)
    return journey


class _Reader:
    def __init__(self, document: dict[str, Any], name: str, title: str) -> None:
        self.document = document
        self.description = Description(document)
        self.server = _server(document) or ("", "")
        self.made = Journey(name, title, self.server[0], [])
        self.prefix = name.replace("-", "_")
        self.variables: dict[str, Variable] = {}
        self.names: set[str] = set()
        self.key_names: dict[str, str] = {}
        """Names of the variables for API keys, by their security schemes."""

    def journey(self, *, by_operation: bool) -> Journey:
        groups: dict[str, list[Operation]] = {}
        for number, operation in enumerate(self._operations()):
            if number == MOST_OPERATIONS:
                raise InputError(f"it has more than {MOST_OPERATIONS:,} operations; split it")
            place = f"{operation.method} {operation.path}"
            groups.setdefault(place if by_operation else operation.tag, []).append(operation)
        if not groups:
            raise InputError("the description has no operation that can be played")
        taken: set[str] = set()
        for key, found in groups.items():
            label = key
            if by_operation:
                label = text(found[0].table.get("operationId")) or key
            name = workload_name(label) if label.isascii() else label_name(label)
            name = free_name(name, taken)
            taken.add(name)
            self.made.scenarios.append(self._scenario(name, found))
        captured = {
            one.name
            for made in self.made.scenarios
            for step in made.steps()
            for one in step.captures
        }
        self.made.variables = [
            one for one in self.variables.values() if by_operation or one.name not in captured
        ]
        self.made.left_out += (
            f"a text for the pattern {one}: give one that it matches"
            for one in sorted(self.description.unmatched_patterns)
        )
        return self.made

    def _operations(self) -> Iterator[Operation]:
        for path, value in self.description.resolved(self.document.get("paths")).items():
            item = self.description.resolved(value)
            for method in _METHODS:
                if isinstance(item.get(method), dict) and isinstance(path, str):
                    found = Operation(method, path, item, item[method])
                    target = self._server_of(found)[0]
                    if target in ("", self.made.target) or not self.made.target:
                        yield found
                    else:
                        self.made.left_out.append(f"{method} {path}: it is at {target}")

    def _server_of(self, operation: Operation) -> tuple[str, str]:
        """Where an operation is: it or its path may name another server than the description."""
        return _server(operation.table) or _server(operation.item) or self.server

    def _scenario(self, name: str, operations: list[Operation]) -> Scenario:
        # What is created first can be shown, changed, and finally deleted.
        order = sorted(
            operations, key=lambda one: (one.method == "delete", _METHODS.index(one.method))
        )
        steps: list[Step] = []
        for one in order:
            step = self._step(one)
            self._capture_made(step, one, order)
            steps.append(step)
        entries: list[Entry] = list(steps)
        return Scenario(name, entries)

    def _step(self, operation: Operation) -> Step:
        label = text(operation.table.get("summary")) or text(operation.table.get("operationId"))
        label = label or step_name(operation.method.upper(), operation.path)
        step = Step(free_name(label_name(label), self.names), operation.method, "")
        self.names.add(step.name)
        step.path = self._server_of(operation)[1] + operation.path
        query: list[str] = []
        for parameter in self._parameters(operation):
            self._put_parameter(step, query, parameter)
        for name in re.findall(r"\{([^{}/]+)\}", step.path):  # described nowhere
            short = variable_name(name)
            self.variables.setdefault(short, Variable(short, "1", f"{name} in paths"))
            step.path = step.path.replace(f"{{{name}}}", mark(short))
        self._authorise(step, query, operation)
        step.path = (step.path if step.path.startswith("/") else f"/{step.path}") + (
            f"?{'&'.join(query)}" if query else ""
        )
        self._put_body(step, self.description.resolved(operation.table.get("requestBody")))
        good = sorted(
            int(key)
            for key in map(str, table(operation.table.get("responses")))
            if re.fullmatch(r"2\d\d", key)
        )
        step.expect = good[0] if good and good[0] != 200 else None
        return step

    def _parameters(self, operation: Operation) -> list[dict[str, Any]]:
        """Parameters of the path and of the method; the method's win."""
        found: dict[tuple[str, str], dict[str, Any]] = {}
        for owner in (operation.item, operation.table):
            for one in rows(owner.get("parameters")):
                parameter = self.description.resolved(one)
                found[text(parameter.get("in")), text(parameter.get("name"))] = parameter
        return list(found.values())

    def _put_parameter(self, step: Step, query: list[str], parameter: dict[str, Any]) -> None:
        name, place = text(parameter.get("name")), text(parameter.get("in"))
        if not name or (place != "path" and parameter.get("required") is not True):
            return
        value = self._example(parameter)
        if value is None:
            value = self.description.sample(parameter.get("schema"))
        value = value[0] if isinstance(value, list) and value else value
        plain = _plain(value)
        if place == "path":
            short = variable_name(name)
            self.variables.setdefault(short, Variable(short, plain or "1", f"{name} in paths"))
            step.path = step.path.replace(f"{{{name}}}", mark(short))
        elif place == "query":
            query.append(query_pair(name, plain))
        elif place == "header":
            step.headers[name] = plain
        elif place == "cookie":
            _add_cookie(step, name, plain)

    def _authorise(self, step: Step, query: list[str], operation: Operation) -> None:
        wanted = operation.table.get("security", self.document.get("security"))
        first = next(iter(rows(wanted)), {})
        components = self.description.resolved(self.document.get("components"))
        schemes = self.description.resolved(components.get("securitySchemes"))
        for key in first:
            scheme = self.description.resolved(schemes.get(key))
            kind = text(scheme.get("type"))
            if kind == "apiKey":
                name, place = text(scheme.get("name")), text(scheme.get("in"))
                own = self.key_names.setdefault(key, free_name("api_key", self.key_names.values()))
                value = self._secret(own, f"of {name}")
                if place == "header":
                    step.headers[name] = value
                elif place == "query":
                    query.append(query_pair(name, value))
                else:
                    _add_cookie(step, name, value)
            elif kind == "http" and text(scheme.get("scheme")).lower() == "basic":
                value = self._secret("basic_token", "user:password in base64")
                step.headers["Authorization"] = f"Basic {value}"
            elif kind in ("http", "oauth2", "openIdConnect"):
                step.headers["Authorization"] = (
                    f"Bearer {self._secret('token', 'the bearer token')}"
                )

    def _secret(self, name: str, what: str) -> str:
        environment = f"{self.prefix}_{name}".upper()
        environment = environment if environment[0].isalpha() else f"SITE_{environment}"
        comment = f"From the environment: export {environment}=... ({what})"
        self.variables.setdefault(name, Variable(name, {"secret": environment}, comment))
        return mark(name)

    def _put_body(self, step: Step, body: dict[str, Any]) -> None:
        content = table(body.get("content"))
        if content and step.op == "head":
            self.made.left_out.append(f"{step.name}: its body, which HEAD cannot have")
            return
        for given, media in content.items():
            kind = _JSON if "*" in str(given) else str(given)
            low = kind.partition(";")[0].strip().lower()
            value = self._example(table(media))
            if value is None:
                value = self.description.sample(table(media).get("schema"))
            if low.endswith(("/json", "+json")):
                put_json(step, value if value is not None else {}, kind)
                return
            if low in (_FORM, "multipart/form-data") and isinstance(value, dict):
                if low == _FORM:
                    step.form = {key: _field(one) for key, one in value.items()}
                    return
                schemas = self.description.properties(table(media).get("schema"))
                step.multipart = {
                    key: self._part(key, schemas.get(key), one) for key, one in value.items()
                }
                return
            if isinstance(value, str):
                step.body, step.content_type = value, kind
                return
        if content:
            kinds = ", ".join(map(str, content))[:100]
            self.made.left_out.append(f"{step.name}: its body of the type {kinds}")

    def _part(self, name: str, schema: Any, value: Any) -> str | File:
        """A field of a form in several parts; a file if the description says that it is binary."""
        found = self.description.resolved(schema)
        if found.get("type") == "array":
            found = self.description.resolved(found.get("items"))
        if found.get("format") != "binary" and "contentMediaType" not in found:
            return _field(value)
        kind = text(found.get("contentMediaType")) or "application/octet-stream"
        return File(name, kind, _field(value))

    def _capture_made(self, step: Step, operation: Operation, group: list[Operation]) -> None:
        """Capture the key of what a POST creates, if other paths of the group need it."""
        if operation.method != "post":
            return
        pattern = re.compile(re.escape(operation.path.rstrip("/")) + r"/\{([^{}/]+)\}(?:/|$)")
        wanted = {found[1] for one in group if (found := pattern.match(one.path))}
        properties = self.description.properties(self._reply(operation))
        for name in sorted(wanted):
            key = next(
                (one for one in (name, variable_name(name), "id") if one in properties), None
            )
            if key is not None:
                step.captures.append(
                    Capture(variable_name(name), Source("json", json_path((key,))))
                )

    def _reply(self, operation: Operation) -> Any:
        for key, value in table(operation.table.get("responses")).items():
            if str(key).startswith("2"):
                content = table(self.description.resolved(value).get("content"))
                return next((table(one).get("schema") for one in content.values()), None)
        return None

    def _example(self, owner: dict[str, Any]) -> Any:
        """The example of a parameter or of a body."""
        if owner.get("example") is not None:
            return unmarked_value(owner["example"])
        first = next(iter(table(owner.get("examples")).values()), None)
        return unmarked_value(self.description.resolved(first).get("value"))


def _server(owner: dict[str, Any]) -> tuple[str, str] | None:
    """The origin and the path of the first server that an object names; None if it names none."""
    server = next(iter(rows(owner.get("servers"))), None)
    if server is None:
        return None
    address = text(server.get("url"))
    for key, one in table(server.get("variables")).items():
        address = address.replace(f"{{{key}}}", text(table(one).get("default")))
    try:
        parts = urlsplit(address)
    except ValueError as error:
        raise InputError(f'servers: "{address[:80]}" is not an address') from error
    return origin(parts) if parts.netloc else "", parts.path.rstrip("/")


def _plain(value: Any) -> str:
    """A sample as text, with the marks that are in it."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    return str(value).lower() if isinstance(value, bool) else text(value)


def _field(value: Any) -> str:
    """A sample as a field of a form, in which a list is a field that comes once for each item."""
    return _plain(value[0] if isinstance(value, list) and value else value)


def _add_cookie(step: Step, name: str, value: str) -> None:
    given = step.headers.get("Cookie", "")
    step.headers["Cookie"] = f"{given}; {name}={value}" if given else f"{name}={value}"
