"""Collections of Postman (v2.1): folders, variables, auth, bodies, tests."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from headcount.errors import InputError
from headcount.foreign.json_text import DEEPEST, json_value
from headcount.importers.exchange import METHODS, origin, split_url
from headcount.importers.journey import (
    File,
    Journey,
    Scenario,
    Step,
    Variable,
    mark,
    unmarked_value,
)
from headcount.importers.names import free_name, label_name, variable_name, workload_name
from headcount.importers.payload import Payload
from headcount.importers.percent_encoding import query_pair
from headcount.importers.postman_address import address_text
from headcount.importers.postman_tests import Statements, statements
from headcount.importers.request_step import put_json, put_payload
from headcount.importers.stranger import json_of, rows, table, text
from headcount.importers.typed import is_password, is_secret

WHAT = "a Postman collection (v2.1)"
ENVIRONMENT = "an environment of Postman"
MOST_REQUESTS = 5000
LONGEST_HOST = 1000
"""Variables that hold each other grow without end."""
_PLACE = re.compile(r"\{\{\s*([^{}\s]+)\s*\}\}")
_TEXT_OR_PLACE = re.compile(r'"(?:[^"\\]|\\.)*"|(\{\{[^{}]+\}\})')
"""A text of JSON, or a variable outside of one."""
_HOST = re.compile(r"(?:[^/?#]*://)?[^/?#]*")
"""Scheme, host and port of an address, which may all be variables."""
_DYNAMIC = {"$guid": "uuid", "$randomUUID": "uuid", "$timestamp": "now_s", "$isoTimestamp": "now"}


def postman_journey(path: Path, name: str = "", environment: Path | None = None) -> Journey:
    """The journey of a collection, with the values of an environment; raises InputError."""
    collection = table(json_of(path, WHAT))
    if not isinstance(collection.get("item"), list):
        raise InputError(f'{path} is not {WHAT}: it has no "item"; export it again as v2.1')
    title = text(table(collection.get("info")).get("name")) or path.stem
    reader = _Reader(collection, name or workload_name(title), title)
    if environment is not None:
        reader.add_environment(environment)
    return reader.journey()


@dataclass(frozen=True)
class _Inherited:
    """What a request inherits from the collection and its folders, the outermost first."""

    auth: dict[str, Any]
    tests: tuple[Statements, ...] = ()


class _Reader:
    def __init__(self, collection: dict[str, Any], name: str, title: str) -> None:
        self.collection, self.title = collection, title
        self.secrets: set[str] = set()
        """Variables that Postman keeps secret."""
        self.values: dict[str, str] = {}
        for one in rows(collection.get("variable")):
            if one.get("disabled") is not True:
                self._set_value(one)
        self.prefix = name.replace("-", "_")
        self.made = Journey(name, title, "", [])
        self.taken: set[str] = set()
        self.captured: set[str] = set()
        self.used: dict[str, str] = {}
        """Names of variables by how the collection calls them."""

    def add_environment(self, path: Path) -> None:
        """Take the values of an exported environment, which go before those of the collection."""
        values = table(json_of(path, ENVIRONMENT)).get("values")
        if not isinstance(values, list):
            raise InputError(f'{path} is not {ENVIRONMENT}: it has no "values"')
        for one in rows(values):
            if one.get("enabled") is not False:
                self._set_value(one)

    def _set_value(self, variable: dict[str, Any]) -> None:
        key = text(variable.get("key") or variable.get("id"))
        self.values[key] = text(variable.get("value"))
        if variable.get("type") == "secret":
            self.secrets.add(key)

    def journey(self) -> Journey:
        made = self.made
        entries: list[Step] = []
        for item, inherited in self._items(
            self.collection, self._within(self.collection, _Inherited({})), 0
        ):
            step = self._step(item, inherited)
            if step is not None:
                entries.append(step)
            if len(entries) > MOST_REQUESTS:
                raise InputError(
                    f"the collection has more than {MOST_REQUESTS:,} requests; split it"
                )
        if not entries:
            raise InputError("the collection has no request that can be played")
        made.scenarios = [Scenario("collection", list(entries))]
        made.variables = self._variables()
        return made

    def _variables(self) -> list[Variable]:
        """The variables that requests use, each after those that its value uses."""
        found: dict[str, Variable] = {}
        waiting = list(self.used)
        while waiting:
            for key in waiting:
                found[key] = self._variable(key, self.used[key])
            waiting = [key for key in self.used if key not in found]
        # A value uses variables that were found later, so the order is reversed.
        return [one for one in reversed(found.values()) if one.name not in self.captured]

    def _items(
        self, owner: dict[str, Any], inherited: _Inherited, depth: int
    ) -> Iterator[tuple[dict[str, Any], _Inherited]]:
        if depth > DEEPEST:
            raise InputError("the collection's folders are nested too deeply")
        for item in rows(owner.get("item")):
            if isinstance(item.get("item"), list):
                yield from self._items(item, self._within(item, inherited), depth + 1)
            elif "request" in item:
                own = table(table(item.get("request")).get("auth")) or table(item.get("auth"))
                yield item, replace(inherited, auth=own or inherited.auth)

    def _within(self, owner: dict[str, Any], outer: _Inherited) -> _Inherited:
        """What requests inherit from a folder; Postman runs its scripts for each of them."""
        name = text(owner.get("name")) or "the collection"
        tests = self._tests(owner, f"the folder {name}" if owner.get("name") else name)
        return _Inherited(table(owner.get("auth")) or outer.auth, (*outer.tests, *tests))

    def _step(self, item: dict[str, Any], inherited: _Inherited) -> Step | None:
        request = item.get("request")
        request = {"url": request} if isinstance(request, str) else table(request)
        label = text(item.get("name")) or "request"
        method = (text(request.get("method")) or "GET").upper()
        target, path = self._address(request.get("url"))
        if method not in METHODS or not target:
            why = f"the method {method[:20]}" if target else "no address that can be read"
            self.made.left_out.append(f"{label}: {why}")
            return None
        self.made.target = self.made.target or target
        if target != self.made.target:
            self.made.left_out.append(f"{label}: a request to {target}, another host")
            return None
        step = Step(free_name(label_name(label), self.taken), method.lower(), self._marked(path))
        self.taken.add(step.name)
        for one in rows(request.get("header")):
            if one.get("disabled") is not True and text(one.get("key")):
                step.headers[text(one.get("key"))] = self._marked(
                    text(one.get("value")), text(one.get("key"))
                )
        self._authorise(step, inherited.auth)
        self._put_body(step, table(request.get("body")))
        for found in (*inherited.tests, *self._tests(item, step.name)):
            step.captures += found.captures
            step.checks += found.checks
            if found.expect is not None:
                step.expect = None if found.expect == 200 else found.expect
            self.captured |= {one.name for one in found.captures}
        return step

    def _address(self, url: Any) -> tuple[str, str]:
        """The target and the path of an address; empty where it cannot be read."""
        raw = address_text(url)
        if not raw:
            return "", ""
        for _ in range(10):  # variables may hold others
            host, path = _parted(raw)
            known = _PLACE.sub(self._host_value, host) if len(host) < LONGEST_HOST else host
            if known == host:
                break
            raw = known + path
        host, path = _parted(raw)
        unknown = _PLACE.search(host)
        if unknown is not None:
            path = path.partition("#")[0]
            return f"the address of {unknown[1]}", path if path.startswith("/") else f"/{path}"
        try:
            parts = split_url(raw if "://" in raw else f"http://{raw}")
        except ValueError:
            return "", ""
        query = f"?{parts.query}" if parts.query else ""
        return origin(parts), (parts.path or "/") + query

    def _host_value(self, found: re.Match[str]) -> str:
        """The value of a variable in the name of a host; its place if it has none."""
        value = self.values.get(found[1], "")
        return value if value and len(value) < LONGEST_HOST else found[0]

    def _marked(self, value: str, field: str = "") -> str:
        """A text with its `{{variables}}` as marks; a secret in it becomes one, too."""
        if field and value and (is_password(field) or is_secret(field)):
            places = _PLACE.findall(value)
            self.secrets.update(places)
            if not places:
                self.used.setdefault(field, self._free(field))
                self.values[field] = ""
                return mark(self.used[field])
        return _PLACE.sub(lambda found: mark(self._name(found[1])), value)

    def _name(self, key: str) -> str:
        if key in _DYNAMIC:
            return _DYNAMIC[key]
        if key not in self.used:
            self.used[key] = self._free(key)
        return self.used[key]

    def _free(self, key: str) -> str:
        return free_name(variable_name(key), set(self.used.values()) - self.captured)

    def _variable(self, key: str, name: str) -> Variable:
        value = self.values.get(key, "")
        if self._is_secret(key):
            environment = re.sub(r"\W", "_", f"{self.prefix}_{name}".upper())
            environment = environment if not environment[0].isdigit() else f"SITE_{environment}"
            of_basic = "; user:password in base64" if key == "basic token" else ""
            comment = f"From the environment: export {environment}=...{of_basic}"
            return Variable(name, {"secret": environment}, comment)
        if key.startswith("$random"):
            return Variable(name, {"int": [0, 1000]}, f"stands for {key}")
        comment = "" if value else "has no value in the collection: write one"
        return Variable(name, self._marked(value), comment)

    def _is_secret(self, key: str) -> bool:
        is_kept = key in self.secrets or "token" in key.lower()
        return is_kept or is_password(key) or is_secret(key)

    def _authorise(self, step: Step, auth: dict[str, Any]) -> None:
        kind = text(auth.get("type"))
        given = auth.get(kind)
        values = {text(one.get("key")): text(one.get("value")) for one in rows(given)}
        values = values or {key: text(one) for key, one in table(given).items()}
        match kind:
            case "bearer":
                token = self._marked(values.get("token", ""), "token")
                step.headers.setdefault("Authorization", f"Bearer {token}")
            case "apikey" if values.get("in") == "query":
                join = "&" if "?" in step.path else "?"
                value = self._marked(values.get("value", ""), "api_key")
                step.path += join + query_pair(values.get("key", "api_key"), value)
            case "apikey":
                value = self._marked(values.get("value", ""), "api_key")
                step.headers[values.get("key") or "X-Api-Key"] = value
            case "basic":
                token = self.used.setdefault("basic token", self._free("basic token"))
                step.headers["Authorization"] = f"Basic {mark(token)}"
            case "" | "noauth":
                pass
            case _:
                self._leave_out(step, f"authorisation of type {kind[:40]}")

    def _put_body(self, step: Step, body: dict[str, Any]) -> None:
        if not body or body.get("disabled") is True:
            return
        mode = text(body.get("mode"))
        if not body.get(mode):
            return  # older exports give every request an empty one
        if step.op == "head":
            self._leave_out(step, "its body, which HEAD cannot have")
            return
        fields = [one for one in rows(body.get(mode)) if one.get("disabled") is not True]
        match mode:
            case "raw":
                self._put_raw(step, text(body.get("raw")), body)
            case "urlencoded":
                pairs = tuple((text(one.get("key")), self._field(one)) for one in fields)
                put_payload(step, Payload(form=pairs))
            case "formdata":
                parts = tuple(part for one in fields for part in self._parts(step, one))
                put_payload(step, Payload(parts=parts))
            case "graphql":
                query = table(body.get("graphql"))
                variables = text(query.get("variables")) or "{}"
                raw = (
                    f'{{"query": {json.dumps(text(query.get("query")))}, "variables": {variables}}}'
                )
                self._put_raw(step, raw, {"options": {"raw": {"language": "json"}}})
            case "":
                pass
            case _:
                self._leave_out(step, f"a body of type {mode[:40]}")

    def _put_raw(self, step: Step, raw: str, body: dict[str, Any]) -> None:
        language = text(table(table(body.get("options")).get("raw")).get("language"))
        given = next((key for key in step.headers if key.lower() == "content-type"), "")
        kind = step.headers.pop(given) if given else ""
        if language == "json" or "json" in kind or raw.lstrip().startswith(("{", "[")):
            # A variable without quotes would not be JSON, so it gets quotes while it is parsed.
            quoted = _TEXT_OR_PLACE.sub(
                lambda found: f'"{found[1]}#number"' if found[1] else found[0], raw
            )
            try:
                value = unmarked_value(json_value(quoted.encode("utf-8")))
            except ValueError:
                step.body, step.content_type = self._marked(raw), kind or "application/json"
                return
            put_json(step, self._filled(value, ""), kind or "application/json")
            return
        step.body, step.content_type = self._marked(raw), kind or "text/plain"

    def _filled(self, value: Any, name: str) -> Any:
        if isinstance(value, dict):
            return {key: self._filled(one, key) for key, one in value.items()}
        if isinstance(value, list):
            return [self._filled(one, name) for one in value]
        if not isinstance(value, str):
            return value
        number = re.fullmatch(r"\{\{\s*([^{}\s]+)\s*\}\}#number", value)
        return mark(self._name(number[1]), ":number") if number else self._marked(value, name)

    def _field(self, one: dict[str, Any]) -> str:
        return self._marked(text(one.get("value")), text(one.get("key")))

    def _parts(self, step: Step, one: dict[str, Any]) -> Iterator[tuple[str, str | File]]:
        """A field of a form in several parts; one with several files is as many parts."""
        name, kind = text(one.get("key")), text(one.get("contentType"))
        if text(one.get("type")) != "file":
            yield name, File(None, kind, self._field(one)) if kind else self._field(one)
            return
        given = one.get("src")
        for source in map(text, given if isinstance(given, list) else [given]):
            self._leave_out(step, f"the contents of the file {source[:100]}")
            filename = source.rpartition("/")[2] or "file"
            kind = kind or "application/octet-stream"
            yield name, File(filename, kind, "the contents of the file")

    def _tests(self, owner: dict[str, Any], label: str) -> list[Statements]:
        """The test scripts of a request, a folder or the collection."""
        tests = []
        for event in rows(owner.get("event")):
            lines = table(event.get("script")).get("exec")
            lines = [lines] if isinstance(lines, str) else lines
            if not isinstance(lines, list) or not any(text(one).strip() for one in lines):
                continue
            if text(event.get("listen")) != "test":
                before = "the" if owner.get("request") else "each"
                self.made.left_out.append(f"{label}: its script before {before} request")
                continue
            tests.append(statements([text(one) for one in lines]))
            self.made.left_out += [f"{label}: in its tests: {one}" for one in tests[-1].left_out]
        return tests

    def _leave_out(self, step: Step, what: str) -> None:
        self.made.left_out.append(f"{step.name}: {what}")


def _parted(address: str) -> tuple[str, str]:
    """The scheme, host and port of an address, and what follows them."""
    found = _HOST.match(address)
    end = found.end() if found else 0
    return address[:end], address[end:]
