"""Scripts of k6 in their plain forms: requests, checks, pauses, values of replies."""

import json
import re
from pathlib import Path
from typing import Any

from headcount.errors import InputError
from headcount.importers.exchange import origin, split_url
from headcount.importers.journey import (
    Capture,
    Check,
    Entry,
    Journey,
    Pause,
    Scenario,
    Source,
    Step,
    Variable,
    mark,
)
from headcount.importers.js_expression import Binary, Call, Member, Name, Template, keys_of
from headcount.importers.k6_statements import Script, Statement, is_call, one_parameter, script
from headcount.importers.names import free_name, step_name, variable_name, workload_name
from headcount.importers.request_step import put_json
from headcount.importers.selector import json_path
from headcount.importers.stranger import text_of
from headcount.importers.typed import is_password, is_secret

_METHODS = {name: name for name in ("get", "post", "put", "patch", "head", "options")} | {
    "del": "delete"
}
_BODILESS = ("get", "head")
_LIMIT = re.compile(r"p\((\d{2}(?:\.\d)?)\)\s*<=?\s*(\d+)")
_FAILED = re.compile(r"rate\s*<=?\s*(0?\.\d+)")


class _UnknownError(ValueError):
    """A value that only the running script knows."""


def k6_journey(path: Path, name: str = "") -> Journey:
    """The journey of a script; raises InputError that names the file."""
    found = script(text_of(path), str(path))
    return _Reader(found, name or workload_name(path.stem)).journey()


class _Reader:
    def __init__(self, found: Script, name: str) -> None:
        self.script = found
        self.lines = list(found.left_out)
        self.made = Journey(name, f"The k6 script {name}", "", [])
        self.entries: list[Entry] = []
        self.names: set[str] = set()
        self.values = dict(found.globals)
        self.replies: dict[str, Step] = {}
        self.bodies: dict[str, Step] = {}
        """Names of parsed bodies: `const data = res.json()`."""
        self.captured: dict[str, str] = {}

    def journey(self) -> Journey:
        for statement in self.script.statements:
            if not self._read(statement):
                self.lines.append(statement.text)
        if not any(isinstance(one, Step) for one in self.entries):
            raise InputError("the script has no request that can be played")
        self.made.scenarios = [Scenario("script", self.entries)]
        self.made.left_out = self.lines
        self._read_options()
        return self.made

    def _read(self, statement: Statement) -> bool:
        value = statement.value
        try:
            if self._request(statement):
                return True
            if is_call(value, "sleep"):
                self._sleep(value.arguments)
                return True
            if is_call(value, "check"):
                self._check(value.arguments, statement.line)
                return True
            if statement.name:
                self._assign(statement.name, value)
                return True
        except (_UnknownError, ValueError, TypeError, LookupError):
            return False
        return False

    def _request(self, statement: Statement) -> bool:
        value = statement.value
        if is_call(value, "http", "batch"):
            (listed,) = value.arguments
            for one in listed.values() if isinstance(listed, dict) else listed:
                method, url, *rest = one if isinstance(one, list) else ["GET", one]
                self._add_step(str(method).lower(), url, rest)
            return True
        for name, method in _METHODS.items():
            if is_call(value, "http", name):
                url, *rest = value.arguments
                step = self._add_step(method, url, [None, *rest] if method in _BODILESS else rest)
                if step is not None and statement.name:
                    self.replies[statement.name] = step
                return True
        return False

    def _add_step(self, method: str, url: Any, rest: list[Any]) -> Step | None:
        address = self._text(url)
        if method not in _METHODS.values():
            raise _UnknownError(method)
        parts = split_url(address)
        target = origin(parts)
        self.made.target = self.made.target or target
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        if target != self.made.target:
            self.lines.append(f"a request to {target}, another host")
            return None
        step = Step(free_name(step_name(method.upper(), path), self.names), method, path)
        options = self._value(rest[1]) if len(rest) > 1 else {}
        for key, one in (options.get("headers", {}) if isinstance(options, dict) else {}).items():
            step.headers[key] = self._header(key, self._text(one))
        if rest and rest[0] is not None:
            self._put_body(step, rest[0])
        self.names.add(step.name)
        self.entries.append(step)
        return step

    def _header(self, name: str, value: str) -> str:
        scheme, blank, rest = value.partition(" ")
        if name.lower() == "authorization" and blank:
            return f"{scheme} {self._without_secret(name, rest)}"
        return self._without_secret(name, value)

    def _without_secret(self, field: str, value: str) -> str:
        """A value as it is, or a variable in its place if it is a secret in clear text."""
        if not value or "\ue000" in value or not (is_password(field) or is_secret(field)):
            return value
        return self._secret("token" if field.lower() == "authorization" else field)

    def _secret(self, field: str, environment: str = "") -> str:
        name = variable_name(field)
        if not environment:
            environment = re.sub(r"\W", "_", f"{self.made.name}_{name}".upper())
        environment = environment if not environment[0].isdigit() else f"SITE_{environment}"
        if name not in {one.name for one in self.made.variables}:
            comment = f"From the environment: export {environment}=..."
            self.made.variables.append(Variable(name, {"secret": environment}, comment))
        return mark(name)

    def _put_body(self, step: Step, given: Any) -> None:
        kind = next((key for key in step.headers if key.lower() == "content-type"), "")
        content_type = step.headers.pop(kind) if kind else ""
        if is_call(given, "JSON", "stringify"):
            put_json(
                step,
                self._hidden(self._value(given.arguments[0])),
                content_type or "application/json",
            )
            return
        value = self._value(given)
        if isinstance(value, dict):
            step.form = {
                key: self._without_secret(key, self._text(one)) for key, one in value.items()
            }
            return
        step.body = self._text(value)
        step.content_type = content_type or "text/plain"

    def _hidden(self, value: Any, name: str = "") -> Any:
        if isinstance(value, dict):
            return {key: self._hidden(one, key) for key, one in value.items()}
        if isinstance(value, list):
            return [self._hidden(one, name) for one in value]
        return self._without_secret(name, value) if isinstance(value, str) else value

    def _sleep(self, arguments: tuple[Any, ...]) -> None:
        value = self._value(arguments[0]) if arguments else 1
        if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value <= 3600:
            raise _UnknownError("a pause")
        self.entries.append(Pause(float(value)))

    def _assign(self, name: str, value: Any) -> None:
        found = self._reply_value(value)
        if found is None:
            self.values[name] = self._value(value)
            return
        step, source = found
        if source is None:
            self.bodies[name] = step
        else:
            self._capture(step, source, name)

    def _capture(self, step: Step, source: Source, name: str) -> str:
        known = next((one.name for one in step.captures if one.source == source), "")
        short = known or free_name(variable_name(name), set(self.captured.values()))
        if not known:
            step.captures.append(Capture(short, source))
        self.captured[name] = short
        return short

    def _reply_value(self, value: Any) -> tuple[Step, Source | None] | None:
        """The step and source of a reply's value; without a source it is all of its JSON."""
        owner, keys = keys_of(value)
        if isinstance(owner, Call):
            function = owner.function
            if isinstance(function, Member) and function.key == "json":
                step = self.replies.get(getattr(function.owner, "name", ""))
                if step is not None:
                    inner = owner.arguments[0] if owner.arguments else ""
                    parts = (*_gjson(inner), *keys)
                    return step, Source("json", json_path(parts)) if parts else None
        if isinstance(owner, Name):
            if owner.name in self.bodies and keys:
                return self.bodies[owner.name], Source("json", json_path(keys))
            if owner.name in self.replies and len(keys) == 2 and keys[0] == "headers":
                return self.replies[owner.name], Source("header", str(keys[1]))
        return None

    def _check(self, arguments: tuple[Any, ...], line: int) -> None:
        reply, checks = arguments[:2]
        step = self.replies[reply.name] if isinstance(reply, Name) else None
        if step is None:
            if not self._request(Statement("", reply, line)):
                raise _UnknownError("a reply")
            step = next(one for one in reversed(self.entries) if isinstance(one, Step))
        for title, function in checks.items():
            one = one_parameter(function)
            if one is None or not self._put_check(step, *one):
                self.lines.append(f'line {line}: the check "{title[:80]}"')

    def _put_check(self, step: Step, parameter: str, body: Any) -> bool:
        if isinstance(body, Binary) and body.mark == "&&":
            left = self._put_check(step, parameter, body.left)
            return self._put_check(step, parameter, body.right) and left
        before = self.replies.get(parameter)
        self.replies[parameter] = step
        try:
            return self._put_one(step, parameter, body)
        except (_UnknownError, ValueError, LookupError):
            return False
        finally:
            if before is None:
                self.replies.pop(parameter, None)
            else:
                self.replies[parameter] = before

    def _put_one(self, step: Step, parameter: str, body: Any) -> bool:
        reply = Name(parameter)
        if isinstance(body, Call) and body.function == Member(Member(reply, "body"), "includes"):
            step.checks.append(Check("contains", self._text(body.arguments[0])))
            return True
        if not isinstance(body, Binary):
            return False
        value = self._value(body.right)
        if not isinstance(value, str | int | float):
            return False
        if body.left == Member(reply, "status") and body.mark in ("===", "=="):
            step.expect = int(value) if value != 200 else None
            return True
        predicate = {"===": "equals", "==": "equals", "!==": "differs", "!=": "differs"}
        predicate |= {">": "above", "<": "below"}
        found = self._reply_value(body.left)
        if found is None or found[1] is None or body.mark not in predicate:
            return False
        step.checks.append(Check(predicate[body.mark], value, found[1]))
        return True

    def _value(self, value: Any) -> Any:  # noqa: PLR0911 - a case for each kind
        """The value of an expression, with marks for values of replies."""
        if isinstance(value, dict):
            return {key: self._value(one) for key, one in value.items()}
        if isinstance(value, list):
            return [self._value(one) for one in value]
        if isinstance(value, Template):
            return "".join(self._text(one) for one in value.parts)
        if isinstance(value, Binary) and value.mark == "+":
            return self._text(value.left) + self._text(value.right)
        if isinstance(value, Name):
            return self._named(value.name)
        if isinstance(value, Member | Call):
            return self._computed(value)
        if isinstance(value, str | int | float) or value is None:
            return value
        raise _UnknownError("an expression")

    def _named(self, name: str) -> Any:
        if name in self.captured:
            return mark(self.captured[name])
        if name in self.values:
            value = self.values.pop(name)  # a name that refers to itself would recurse for ever
            try:
                return self._value(value)
            finally:
                self.values[name] = value
        numbers = {"__VU": "n", "__ITER": "iteration"}
        if name in numbers:
            return mark(numbers[name])
        raise _UnknownError(name)

    def _computed(self, value: Any) -> Any:
        owner, keys = keys_of(value)
        if owner == Name("__ENV") and len(keys) == 1:
            return self._secret(str(keys[0]), str(keys[0]))
        if is_call(value, "Date", "now"):
            return mark("now_ms")
        if is_call(value, "JSON", "stringify"):
            return json.dumps(self._value(value.arguments[0]), ensure_ascii=False)
        found = self._reply_value(value)
        step, source = found if found is not None else (None, None)
        if step is not None and source is not None:
            return mark(self._capture(step, source, source.place.rpartition(".")[2]))
        if isinstance(owner, Name) and owner.name in self.values and keys:
            inner = self._value(self.values[owner.name])
            for key in keys:
                inner = inner[key]
            return inner
        raise _UnknownError("an expression")

    def _text(self, value: Any) -> str:
        found = self._value(value)
        if isinstance(found, bool):
            return str(found).lower()
        if isinstance(found, str | int | float):
            return str(found)
        raise _UnknownError("a text")

    def _read_options(self) -> None:
        options = self.script.globals.get("options")
        if not isinstance(options, dict):
            return
        criteria = []
        thresholds = options.get("thresholds")
        for name, rules in (thresholds if isinstance(thresholds, dict) else {}).items():
            for rule in rules if isinstance(rules, list) else [rules]:
                criterion = _criterion(name, rule)
                if criterion:
                    criteria.append(criterion)
                else:
                    self.lines.append(f"the threshold {name[:60]}: {str(rule)[:60]}")
        self.made.criteria = tuple(criteria) or self.made.criteria
        load = {key: options[key] for key in ("stages", "vus", "duration") if key in options}
        if load:
            text = json.dumps(load, ensure_ascii=False, default=str)[:200]
            self.made.notes.append(f"The load of the script was {text}; here --users or a search.")
        self.lines += (
            f"the option {key[:60]}"
            for key in options
            if key not in ("stages", "vus", "duration", "thresholds")
        )


def _criterion(name: str, rule: Any) -> str:
    """A threshold as a criterion; empty for one that has none."""
    if not isinstance(rule, str):
        return ""
    limit, failed = _LIMIT.fullmatch(rule.strip()), _FAILED.fullmatch(rule.strip())
    if name == "http_req_duration" and limit:
        return f"p{limit[1]}<={limit[2]}ms"
    if name == "http_req_failed" and failed:
        return f"errors<{float(failed[1]) * 100:g}%"
    return ""


def _gjson(path: Any) -> tuple[str | int, ...]:
    """The keys of a path as k6 has it: `items.0.id`."""
    if not isinstance(path, str) or not re.fullmatch(r"(?:[\w-]+(?:\.[\w-]+)*)?", path):
        raise _UnknownError("a path")
    return tuple(int(one) if one.isdigit() else one for one in path.split(".") if one)
