"""Test scripts of Postman in their plain forms: captures, checks and the expected status."""

import re
from dataclasses import dataclass, field
from typing import Any

from headcount.importers.journey import Capture, Check, Source
from headcount.importers.js_expression import (
    Binary,
    Call,
    Member,
    Name,
    UnreadableError,
    keys_of,
    parsed,
)
from headcount.importers.names import variable_name
from headcount.importers.selector import json_path

_SKIPPED = re.compile(r"\}?\)?;?|//.*|pm\.test\(.*(?:\{|=>)\s*|\}\s*\)\s*;?|[\"']use strict[\"'];?")
_DECLARED = re.compile(
    r"(?:var|let|const)\s+(\w+)\s*=\s*(?:pm\.response\.json\(\)|JSON\.parse\(responseBody\))\s*;?"
)
_ONE_LINE = re.compile(
    r"pm\.test\(.*?(?:\(\s*\)\s*=>|function\s*\(\s*\))\s*\{?\s*(.*?)\s*\}?\s*\)\s*;?"
)
LONGEST_LINE = 2000
"""Most characters of a statement that a person wrote; a library in one line is longer."""
_OLD_TEST = re.compile(r"tests\[\s*(\"[^\"]*\"|'[^']*')\s*\]\s*=\s*(.*)")
"""A test as Postman had it before `pm`: `tests["name"] = condition`."""
_OLD_SETTERS = frozenset({"setEnvironmentVariable", "setGlobalVariable"})
_SCOPES = frozenset({"environment", "collectionVariables", "globals", "variables"})

_TO_BE = Member(Member(Member(Name("pm"), "response"), "to"), "be")
_IS_OK, _IS_SUCCESS = Member(_TO_BE, "ok"), Member(_TO_BE, "success")


@dataclass
class Statements:
    """What a script checks and captures, and the lines that were not understood."""

    captures: list[Capture] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    expect: int | None = None
    left_out: list[str] = field(default_factory=list)


def statements(lines: list[str]) -> Statements:
    """Read a script, a statement a line, as Postman's snippets are written."""
    found = Statements()
    bodies: set[str] = set()
    for raw in "\n".join(lines).splitlines():
        line = raw.strip()
        if len(line) > LONGEST_LINE:
            found.left_out.append(line[:100])
            continue
        declared = _DECLARED.fullmatch(line)
        if declared:
            bodies.add(declared[1])
            continue
        whole = _ONE_LINE.fullmatch(line)
        for statement in (whole[1] if whole and whole[1] else line).split(";"):
            text = statement.strip()
            if not text or _SKIPPED.fullmatch(text):
                continue
            old = _OLD_TEST.fullmatch(text)
            try:
                if old:
                    _apply_old(found, parsed(old[2]), bodies)
                else:
                    _apply(found, parsed(text), bodies)
            except UnreadableError:
                found.left_out.append(text[:100])
    return found


def _apply(found: Statements, statement: Any, bodies: set[str]) -> None:
    if statement in (_IS_OK, _IS_SUCCESS):
        return  # without a status of its own, a step expects 200
    if not isinstance(statement, Call):
        raise UnreadableError("not a call")
    owner, keys = keys_of(statement.function)
    values = statement.arguments
    if owner == Name("pm") and keys == ("response", "to", "have", "status"):
        if len(values) == 1 and isinstance(values[0], int):
            found.expect = values[0]
            return
    elif _sets_variable(owner, keys):
        if len(values) == 2 and isinstance(values[0], str):
            name = variable_name(values[0])
            found.captures.append(Capture(name, _source(values[1], bodies)))
            return
    elif isinstance(owner, Call) and owner.function == Member(Name("pm"), "expect"):
        _expect(found, owner.arguments[0], keys, values, bodies)
        return
    raise UnreadableError("not a form that is read")


def _sets_variable(owner: Any, keys: tuple[str | int, ...]) -> bool:
    if owner == Name("pm"):
        return len(keys) == 2 and keys[0] in _SCOPES and keys[1] == "set"
    return owner == Name("postman") and len(keys) == 1 and keys[0] in _OLD_SETTERS


def _apply_old(found: Statements, condition: Any, bodies: set[str]) -> None:
    """`tests["name"] = responseCode.code === 200`, or a text or value in the body."""
    if isinstance(condition, Binary) and condition.mark in ("===", "=="):
        value = condition.right
        if condition.left == Member(Name("responseCode"), "code") and isinstance(value, int):
            found.expect = value
            return
        if isinstance(value, str | int | float):
            found.checks.append(Check("equals", value, _source(condition.left, bodies)))
            return
    if isinstance(condition, Call) and condition.function == Member(Name("responseBody"), "has"):
        (value,) = condition.arguments or ("",)
        if isinstance(value, str) and value:
            found.checks.append(Check("contains", value, Source("of", "body")))
            return
    raise UnreadableError("not a form that is read")


def _expect(
    found: Statements,
    subject: Any,
    keys: tuple[str | int, ...],
    values: tuple[Any, ...],
    bodies: set[str],
) -> None:
    """`pm.expect(subject).to.eql(value)` and its variants."""
    words = [key for key in keys if key not in ("to", "be", "have", "deep", "an", "a")]
    value = values[0] if len(values) == 1 else None
    if words in (["eql"], ["equal"], ["eq"]) and subject == Member(
        Member(Name("pm"), "response"), "code"
    ):
        if isinstance(value, int):
            found.expect = value
            return
    elif len(words) == 1 and isinstance(value, str | int | float):
        predicate = {
            "eql": "equals",
            "equal": "equals",
            "eq": "equals",
            "include": "contains",
            "contain": "contains",
            "above": "above",
            "below": "below",
        }.get(str(words[0]))
        if predicate is not None:
            found.checks.append(
                Check(predicate, value, _source(subject, bodies, text_is_body=True))
            )
            return
        if words == ["property"] and isinstance(value, str):
            source = _source(Member(subject, value), bodies)
            found.checks.append(Check("exists", value=True, source=source))
            return
    raise UnreadableError("not a form that is read")


def _source(value: Any, bodies: set[str], *, text_is_body: bool = False) -> Source:
    """Where an expression finds its value in the reply."""
    owner, keys = keys_of(value)
    response = Member(Name("pm"), "response")
    if keys[-1:] == ("length",):
        raise UnreadableError("no path leads to the length of a list")
    if isinstance(owner, Name) and owner.name in bodies and keys:
        return Source("json", json_path(keys))
    if isinstance(owner, Call):
        if owner.function == Member(response, "json") and keys:
            return Source("json", json_path(keys))
        if text_is_body and owner.function == Member(response, "text") and not keys:
            return Source("of", "body")
        if owner.function == Member(Member(response, "headers"), "get") and not keys:
            (name,) = owner.arguments or ("",)
            if isinstance(name, str) and name:
                return Source("header", name)
    raise UnreadableError("not a value of the reply")
