"""Scripts of k6 in their plain forms: requests, checks, pauses, values of replies."""

import json
import re
from pathlib import Path
from typing import Any

from headcount.errors import InputError
from headcount.importers.exchange import basic_token, origin, split_url
from headcount.importers.journey import (
    Capture,
    Check,
    Entry,
    Journey,
    Pause,
    Scenario,
    Source,
    Step,
    mark,
)
from headcount.importers.js_expression import (
    DEEPEST,
    Binary,
    Call,
    Member,
    Name,
    Template,
    keys_of,
)
from headcount.importers.k6_names import Names
from headcount.importers.k6_options import read_options, scenario_functions
from headcount.importers.k6_secrets import Secrets
from headcount.importers.k6_statements import (
    RETURN,
    Function,
    Script,
    Statement,
    is_call,
    one_parameter,
    script,
)
from headcount.importers.names import free_name, step_name, variable_name, workload_name
from headcount.importers.request_step import put_payload
from headcount.importers.selector import json_path
from headcount.importers.stranger import text_of

_METHODS = {name: name for name in ("get", "post", "put", "patch", "head", "options")} | {
    "del": "delete"
}
_PARAMETERS = ("headers", "tags", "timeout", "responseType", "responseCallback")
"""Parameters of requests that are read, or that change nothing that is sent."""
_BODILESS = ("get", "head")
MOST_CALLS = 1000
"""Calls of the script's own functions: a few that call each other make millions."""


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
        self.secrets = Secrets(self.made)
        self.entries: list[Entry] = []
        self.names: set[str] = set()
        self.known = Names(found.globals)
        self.capture_names: set[str] = set()
        self.depth = self.calls = 0
        """Of calls of the script's own functions."""

    def journey(self) -> Journey:
        self.made.left_out = self.lines
        for name, function in scenario_functions(self.script).items():
            self.entries, self.capture_names = [], set()
            with self.known.scope(self.script.functions[function].local):
                self._read_all(self.script.functions[function])
            if any(isinstance(one, Step) for one in self.entries):
                self.made.scenarios.append(Scenario(workload_name(name), self.entries))
        if not self.made.scenarios:
            raise InputError("the script has no request that can be played")
        read_options(self.script.globals.get("options"), self.made)
        return self.made

    def _read_all(self, function: Function) -> None:
        self.lines += (one for one in function.left_out if one not in self.lines)
        for statement in function.statements:
            if statement.name != RETURN and not self._read(statement):
                self.lines.append(statement.text)
                self.known.bind(statement.name, {})

    def _call(self, statement: Statement) -> bool:
        """Play the statements of a function of the script, where it is called."""
        function = self._function(statement.value)
        if function is None or self.depth >= DEEPEST:
            return False
        given = self._arguments(function, statement.value)
        self.depth += 1
        with self.known.scope(function.local):
            for parameter, meaning in given.items():
                self.known.bind(parameter, meaning)
            self._read_all(function)
            returned = next((one.value for one in function.statements if one.name == RETURN), None)
            answer = self._meaning(returned) if statement.name else {}
        self.depth -= 1
        if statement.name:
            self.known.bind(statement.name, answer)
        return True

    def _returned(self, call: Call) -> Any:
        """What a function that is only a `return` comes to; None for any other."""
        function = self._function(call)
        if function is None or [one.name for one in function.statements] != [RETURN]:
            return None
        given = self._arguments(function, call)
        with self.known.scope(function.local):
            for parameter, meaning in given.items():
                self.known.bind(parameter, meaning)
            return self._value(function.statements[0].value)

    def _function(self, value: Any) -> Function | None:
        """The function of the script that an expression calls."""
        called = value.function if isinstance(value, Call) else None
        return self.script.functions.get(called.name) if isinstance(called, Name) else None

    def _arguments(self, function: Function, call: Call) -> dict[str, dict[str, Any]]:
        """What the parameters of a function stand for in a call."""
        self.calls += 1
        if self.calls > MOST_CALLS:
            raise _UnknownError("too many calls")
        pairs = zip(function.parameters, call.arguments, strict=False)
        return {parameter: self._meaning(argument) for parameter, argument in pairs}

    def _meaning(self, value: Any) -> dict[str, Any]:
        """What a name would stand for that is given this value; empty if only k6 knows it."""
        known = self.known.meaning(value.name) if isinstance(value, Name) else {}
        if "replies" in known or "bodies" in known:
            return known
        try:
            return {"values": self._value(value)}
        except (_UnknownError, ValueError, TypeError, LookupError):
            return {}

    def _read(self, statement: Statement) -> bool:
        value = statement.value
        try:
            if self._request(statement) or self._call(statement):
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
                    self.known.bind(statement.name, {"replies": step})
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
            step.headers[key] = self.secrets.header(key, self._text(one))
        self.lines += (
            f"{step.name}: its parameter {key[:40]}"
            for key in (options if isinstance(options, dict) else ())
            if key not in _PARAMETERS
        )
        token = basic_token(parts)
        if token and "authorization" not in map(str.lower, step.headers):
            step.headers["Authorization"] = self.secrets.header("Authorization", f"Basic {token}")
        if rest and rest[0] is not None:
            self._put_body(step, rest[0])
        self.names.add(step.name)
        self.entries.append(step)
        return step

    def _put_body(self, step: Step, given: Any) -> None:
        kind = next((key for key in step.headers if key.lower() == "content-type"), "")
        content_type = step.headers.pop(kind) if kind else ""
        value = self._value(given)
        if isinstance(value, dict):
            step.form = {
                key: self.secrets.hidden_text(key, self._text(one)) for key, one in value.items()
            }
            return
        put_payload(step, self.secrets.hidden_body(self._text(value), content_type))

    def _sleep(self, arguments: tuple[Any, ...]) -> None:
        value = self._value(arguments[0]) if arguments else 1
        if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value <= 3600:
            raise _UnknownError("a pause")
        self.entries.append(Pause(float(value)))

    def _assign(self, name: str, value: Any) -> None:
        found = self._reply_value(value)
        if found is None:
            self.known.bind(name, {"values": self._value(value)})
            return
        step, source = found
        if source is None:
            self.known.bind(name, {"bodies": step})
        else:
            self.known.bind(name, {"captured": self._capture(step, source, name)})

    def _capture(self, step: Step, source: Source, name: str) -> str:
        """The name under which a step captures a value, new or as before."""
        known = next((one.name for one in step.captures if one.source == source), "")
        if known:
            return known
        new = free_name(variable_name(name), self.capture_names)
        self.capture_names.add(new)
        step.captures.append(Capture(new, source))
        return new

    def _reply_value(self, value: Any) -> tuple[Step, Source | None] | None:
        """The step and source of a reply's value; without a source it is all of its JSON."""
        owner, keys = keys_of(value)
        if keys[-1:] == ("length",):  # of a list or text: no path leads to it
            return None
        if isinstance(owner, Call):
            function = owner.function
            if isinstance(function, Member) and function.key == "json":
                step = self.known.replies.get(getattr(function.owner, "name", ""))
                if step is not None:
                    inner = owner.arguments[0] if owner.arguments else ""
                    parts = (*_gjson(inner), *keys)
                    return step, Source("json", json_path(parts)) if parts else None
        if isinstance(owner, Name):
            if owner.name in self.known.bodies and keys:
                return self.known.bodies[owner.name], Source("json", json_path(keys))
            if owner.name in self.known.replies and len(keys) == 2 and keys[0] == "headers":
                return self.known.replies[owner.name], Source("header", str(keys[1]))
        return None

    def _check(self, arguments: tuple[Any, ...], line: int) -> None:
        reply, checks = arguments[:2]
        step = self.known.replies[reply.name] if isinstance(reply, Name) else None
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
        with self.known.scope([parameter]):
            self.known.bind(parameter, {"replies": step})
            try:
                return self._put_one(step, parameter, body)
            except (_UnknownError, ValueError, LookupError):
                return False

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
            return self._sum(self._value(value.left), self._value(value.right))
        if isinstance(value, Binary) and value.mark == "||" and _is_of_environment(value.left):
            return self._value(value.right)  # `__ENV.BASE || "https://shop.example"`
        if isinstance(value, Name):
            return self._named(value.name)
        if isinstance(value, Member | Call):
            return self._computed(value)
        if isinstance(value, str | int | float) or value is None:
            return value
        raise _UnknownError("an expression")

    def _sum(self, left: Any, right: Any) -> Any:
        """What `+` comes to: of two numbers their sum, of anything else one text."""
        if all(isinstance(one, int | float) and not isinstance(one, bool) for one in (left, right)):
            return left + right
        return self._text(left) + self._text(right)

    def _named(self, name: str) -> Any:
        if name in self.known.captured:
            return mark(self.known.captured[name])
        if name in self.known.values:
            value = self.known.values.pop(
                name
            )  # a name that refers to itself would recurse for ever
            try:
                return self._value(value)
            finally:
                self.known.values[name] = value
        numbers = {"__VU": "n", "__ITER": "iteration"}
        if name in numbers:
            return mark(numbers[name])
        raise _UnknownError(name)

    def _computed(self, value: Any) -> Any:
        owner, keys = keys_of(value)
        if owner == Name("__ENV") and len(keys) == 1:
            return self.secrets.mark(str(keys[0]), str(keys[0]))
        if isinstance(owner, Call) and not keys:
            inner = self._returned(owner)
            if inner is not None:
                return inner
        if is_call(value, "Date", "now"):
            return mark("now_ms")
        if is_call(value, "JSON", "stringify"):
            return json.dumps(self._value(value.arguments[0]), ensure_ascii=False)
        found = self._reply_value(value)
        step, source = found if found is not None else (None, None)
        if step is not None and source is not None:
            return mark(self._capture(step, source, source.place.rpartition(".")[2]))
        if isinstance(owner, Name) and owner.name in self.known.values and keys:
            inner = self._value(self.known.values[owner.name])
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


def _is_of_environment(value: Any) -> bool:
    return isinstance(value, Member) and value.owner == Name("__ENV")


def _gjson(path: Any) -> tuple[str | int, ...]:
    """The keys of a path as k6 has it: `items.0.id`."""
    if not isinstance(path, str) or not re.fullmatch(r"(?:[\w-]+(?:\.[\w-]+)*)?", path):
        raise _UnknownError("a path")
    return tuple(int(one) if one.isdigit() else one for one in path.split(".") if one)
