"""What the engine finds wrong with a plan before a run starts: steps, templates, values."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from headcount import _engine
from headcount.errors import InputError, Mistake
from headcount.fields.mistakes import LineOf, Place, nearest, refused
from headcount.plan import variables
from headcount.plan.flow import Condition
from headcount.plan.plan import Plan, engine_plan
from headcount.plan.sent_files import file_mistakes
from headcount.plan.tokens import token_steps
from headcount.plan.variables import Variable
from headcount.plan.workload import Workload

_UNKNOWN = re.compile(
    r"unknown (field|variant) `([^`]*)`, (?:expected (?:one of )?|there are no fields)(.*)$"
)
_MISSING = re.compile(r"missing field `([^`]*)`")
_WRONG_TYPE = re.compile(
    r"invalid (?:type|value): (?:integer|floating point|boolean|string) "
    r"(?:`([^`]*)`|\"([^\"]*)\"), expected (.*)"
)
_WRONG_KIND = re.compile(r"invalid type: (sequence|map), expected (.*)")
_WITHIN = re.compile(r"(\w+)(?:, ([\w-]+)| (\d+))?: ")
"""Prefixes of the engine's sentences: `capture, token: `, `check 2: `."""
_DECLARED = re.compile(r"\[variables\] (\w+): ")
NAMELESS = {
    "http": "give their names and passwords with --logins FILE, or --user and --password-file",
    "files": "nobody logs on to a folder; {n} is the user's number",
}
"""Protocols whose users may lack names, and what to do if a step sends one."""
_WORDS = {
    "a string": "a text in quotes",
    "a boolean": "true or false",
    "a map": "a table: { ... }",
    "a sequence": "a list",
    "u8": "a whole number from 0 to 255",
    "u16": "a whole number from 0 to 65535",
    "u32": "a whole number, 0 or above",
    "u64": "a whole number, 0 or above",
    "a nonzero usize": "a whole number from 1",
}
"""Rust's names for types, and people's."""
_FOR_PEOPLE = ("title", "description", "origin", "recreates", "sources", "deviations")
"""Keys of a workload and its scenarios."""


def check_variables(
    workload: Workload,
    where: str,
    line_of: LineOf = lambda _place: None,
    *,
    with_secrets: bool = True,
) -> None:
    """Raise FileError for files of variables or steps that cannot be read, and missing secrets.

    `where` is the file of the workload, and `line_of` finds its lines. Without `with_secrets`, the
    variables of the environment need not exist.
    """
    found = _of_variables(workload.variables or {}, with_secrets=with_secrets)
    found += file_mistakes(workload)
    try:
        token_steps(workload, with_secrets=with_secrets)
    except InputError as error:
        found.append((("oauth2",), str(error)))
    _refuse(found, where, line_of)


def check_playable(plan: Plan, where: str, line_of: LineOf = lambda _place: None) -> None:
    """Raise FileError with everything that the engine would not play, before the run starts.

    Secrets need not exist. Raises InputError for files of variables that cannot be read.
    """
    values = plan.workload.model_dump(mode="json", exclude_none=True)
    text = engine_plan(plan, with_secrets=False)
    mistakes = _engine.plan_mistakes(text, plan.protocol)
    found = [one for place, message in mistakes for one in _explained(place, message, values)]
    _refuse(found, where, line_of)


def check_identity(plan: Plan, where: str) -> None:
    """Raise FileError if steps send `{username}` or `{password}` and users have neither."""
    if plan.client.get("user") or plan.protocol not in NAMELESS:
        return
    values = plan.workload.model_dump(mode="json", exclude_none=True)
    found = []
    for name in ("username", "password"):
        message = f"users have no {{{name}}}: {NAMELESS[plan.protocol]}"
        found += [(place, message) for place in _mentions(_played(values), name, ())]
    _refuse(found, where, lambda _place: None)


def _refuse(found: Sequence[tuple[Place, str]], where: str, line_of: LineOf) -> None:
    if found:
        mistakes = [Mistake(".".join(place), text, line_of(place)) for place, text in found]
        raise refused(mistakes, where)


def _of_variables(
    declared: Mapping[str, Variable], *, with_secrets: bool
) -> list[tuple[Place, str]]:
    """Files that cannot be read, and secrets that do not exist."""
    found: list[tuple[Place, str]] = []
    for name, one in declared.items():
        try:
            variables.engine_form({name: one}, with_secrets=with_secrets)
        except InputError as error:
            key = "file" if one.file is not None else "secret"
            found.append((("variables", name, key), str(error)))
    return found


def _explained(place: str, message: str, values: Any) -> list[tuple[Place, str]]:
    """A mistake that the engine found: its places in the workload, and what to say."""
    if place.startswith("{"):
        places = _mentions(_played(values), place[1:-1], ()) or [()]
        return [(one, message) for one in places]
    if place == "variables" and (declared := _DECLARED.match(message)) is not None:
        return [(("variables", declared[1]), message.removeprefix(declared[0]))]
    at = _without_token(tuple(part for part in place.split(".") if part), values)
    while len(at) > 1 and _value_at(values, at) is None:  # of several values of `set`, say
        at = at[:-1]
    step = _value_at(values, at)
    return [_of_step(at, step, message) if isinstance(step, Mapping) else (at, message)]


def _without_token(at: Place, values: Any) -> Place:
    """A place of the engine's setup, whose first step may be the one that `[oauth2]` stands for."""
    if at[:1] != ("setup",) or len(at) < 2 or "oauth2" not in values:
        return at
    number = int(at[1])
    return ("oauth2",) if number == 0 else ("setup", str(number - 1), *at[2:])


def _of_step(at: Place, step: Mapping[str, Any], message: str) -> tuple[Place, str]:
    """A mistake of an entry of `steps`: its key, and what to say."""
    if (unknown := _UNKNOWN.search(message)) is not None:
        return _unknown(at, step, unknown)
    if (missing := _MISSING.search(message)) is not None:
        return (*at, missing[1]), f'is missing; give the step "{step.get("name", "")}" one'
    if (wrong := _WRONG_TYPE.search(message)) is not None:
        return _wrong_type(at, step, wrong)
    if (wrong := _WRONG_KIND.search(message)) is not None:
        return _wrong_kind(at, step, wrong)
    if (within := _WITHIN.match(message)) is not None and within[1] in step:
        number = [str(int(within[3]) - 1)] if within[3] else []
        more = number or ([within[2]] if within[2] else [])
        return (*at, within[1], *more), message.removeprefix(within[0])
    key = next((one for one in step if re.match(rf"{re.escape(one)}\b", message)), None)
    return (*at, key) if key else at, message


def _unknown(at: Place, step: Mapping[str, Any], unknown: re.Match[str]) -> tuple[Place, str]:
    """An unknown key or operation, with the nearest known one."""
    what, name, wanted = unknown[1], unknown[2], re.findall(r"`([^`]+)`", unknown[3])
    if "css" in wanted and re.search(rf"check.*{re.escape(name)}", str(step)):
        wanted += [key for key in Condition.model_fields if key != "value"]
    hint, known = nearest(name, wanted), ", ".join(wanted) or "no others"
    if what == "field":
        place = _place_of_key(step, name, at)
        return place, f"there is no such key{hint} (there is: {known})"
    place = next((p for p in _places_of_value(step, name, at)), at)
    kind = "operation" if place[-1] == "op" else "value"
    return place, f'there is no {kind} "{name}"{hint} (there is: {known})'


def _wrong_type(at: Place, step: Mapping[str, Any], wrong: re.Match[str]) -> tuple[Place, str]:
    given = wrong[1] if wrong[1] is not None else wrong[2]
    wanted = _WORDS.get(wrong[3], wrong[3])
    place = next((p for p in _places_of_value(step, given, at)), at)
    return place, f"it is {given}; write {wanted}"


def _wrong_kind(at: Place, step: Mapping[str, Any], wrong: re.Match[str]) -> tuple[Place, str]:
    """A list or a table where something else is needed: its key, if the step has one such."""
    kind: type = list if wrong[1] == "sequence" else dict
    keys = [key for key, value in step.items() if isinstance(value, kind)]
    place = (*at, keys[0]) if len(keys) == 1 else at
    name = "list" if kind is list else "table"
    return place, f"it is a {name}; write {_WORDS.get(wrong[2], wrong[2])}"


def _value_at(values: Any, place: Place) -> Any:
    """The value at a place; None if there is none."""
    for part in place:
        if isinstance(values, Mapping):
            values = values.get(part)
        elif isinstance(values, Sequence) and part.isdigit() and int(part) < len(values):
            values = values[int(part)]
        else:
            return None
    return values


def _children(value: Any) -> list[tuple[str, Any]]:
    if isinstance(value, Mapping):
        return [(str(key), one) for key, one in value.items()]
    return [(str(n), one) for n, one in enumerate(value)] if isinstance(value, list) else []


def _place_of_key(value: Any, name: str, at: Place) -> Place:
    """The topmost place of a key with this name; the starting place if there is none."""
    level = [(at, value)]
    while level:
        for place, one in level:
            if isinstance(one, Mapping) and name in one:
                return (*place, name)
        level = [((*p, key), inner) for p, one in level for key, inner in _children(one)]
    return at


def _places_of_value(value: Any, text: str, at: Place) -> list[Place]:
    """Places of values with this text."""
    found = []
    for key, one in _children(value):
        shown = str(one).lower() if isinstance(one, bool) else str(one)
        if shown == text:
            found.append((*at, key))
        found += _places_of_value(one, text, (*at, key))
    return found


def _played(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a workload without texts for people, in which braces mean nothing."""
    played = {key: one for key, one in values.items() if key not in _FOR_PEOPLE}
    scenarios = [
        {key: one for key, one in scenario.items() if key not in _FOR_PEOPLE}
        for scenario in values["scenarios"]
    ]
    return {**played, "scenarios": scenarios}


def _mentions(value: Any, name: str, at: Place) -> list[Place]:
    """Places of texts that have this name in braces, or of Lua code that has it."""
    if isinstance(value, str):
        known = re.escape(name)
        is_code = bool(at) and at[-1] == "lua"
        in_code = rf"\bvars(?:\.{known}\b|\[(['\"]){known}\1\])"
        mention = in_code if is_code else r"(?<!\{)(?:\{\{)*\{" + known + r"[|:}]"
        return [at] if re.search(mention, value) else []
    return [place for key, one in _children(value) for place in _mentions(one, name, (*at, key))]
