"""A journey as a workload file: TOML as a person would have written it, with comments."""

import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from headcount.importers.journey import (
    LAST,
    Capture,
    Check,
    Entry,
    File,
    Journey,
    Made,
    Page,
    Pause,
    Scenario,
    Source,
    Step,
    template,
)
from headcount.importers.percent_encoding import escaped_path
from headcount.importers.toml_text import comment, key_text, quoted, value_text

WIDTH = 120
"""Most columns of a step in one line; a longer one is a table."""


def workload_text(journey: Journey) -> str:
    """The whole file; what it says is TOML, or an error of Headcount's own."""
    lines = [*_head(journey), *_variables(journey), *_setup(journey)]
    for scenario in journey.scenarios:
        lines += _scenario(scenario)
    written = "\n".join(lines) + "\n"
    tomllib.loads(written)  # a defect here must not reach a run
    return written


def _head(journey: Journey) -> Iterator[str]:
    yield comment(f"{journey.title}: imported, so read it before you run it.")
    if journey.target:
        user = f" --user {journey.log_on}" if journey.log_on else ""
        yield comment(f"headcount run {journey.name}.toml --target {journey.target}{user}")
    if journey.log_on:
        kind = "Digest" if journey.has_digest else "Basic"
        yield comment(f"The server asks for a name and a password (HTTP {kind}): export")
        yield comment("HEADCOUNT_PASSWORD=... for that user, or use --logins FILE for many.")
    for note in journey.notes:
        yield comment(note)
    yield from _left_out(journey.left_out)
    yield ""
    yield f"name = {quoted(journey.name)}"
    yield f"title = {quoted(journey.title)}"
    yield 'protocol = "http"'
    users = f"users of {journey.target} do" if journey.target else "its users do"
    yield f"description = {quoted(f'{journey.title}, as {users} it.')}"
    yield f"criteria = {value_text(journey.criteria)}"
    yield 'pace = { kind = "closed", time = { draw = "exponential", mean = "5s" } }'
    yield 'run = { duration = "60s" }'
    client = {}
    if journey.headers:
        client["headers"] = " | ".join(
            f"{name}: {value}" for name, value in journey.headers.items()
        )
    if journey.has_digest:
        client["auth"] = "digest"
    if journey.has_new_visitors:
        client["new_visitors"] = "on"
    if client:
        yield f"client = {value_text(client)}"


def _left_out(lines: list[str]) -> Iterator[str]:
    if lines:
        yield comment("Left out:")
        for line in lines:
            yield comment(f"- {line}")


def _variables(journey: Journey) -> Iterator[str]:
    if not journey.variables:
        return
    yield ""
    yield "[variables]"
    for variable in journey.variables:
        for line in variable.comment.splitlines():
            yield comment(line)
        value = variable.value
        shown = template(value) if isinstance(value, str) else value
        yield f"{key_text(variable.name)} = {value_text(shown)}"


def _setup(journey: Journey) -> Iterator[str]:
    for entry in journey.setup:
        yield ""
        yield from _long(entry, "setup")


def _scenario(scenario: Scenario) -> Iterator[str]:
    yield ""
    yield "[[scenarios]]"
    for line in scenario.comments:
        yield comment(line)
    yield f"name = {quoted(scenario.name)}"
    yield "weight = 1"
    yield 'limit = "5s"'
    short = [_short(entry, "  ") for entry in scenario.entries]
    if all(max(map(len, lines)) <= WIDTH for lines in short):
        yield "steps = ["
        for lines in short:
            yield from lines
        yield "]"
        return
    for entry in scenario.entries:
        yield ""
        yield from _long(entry)


def _short(entry: Entry, indent: str) -> list[str]:
    """An entry as an inline table, one line if it is a single step."""
    if isinstance(entry, Pause):
        return [f"{indent}{{ pause = {quoted(_duration(entry.seconds))} }},"]
    if isinstance(entry, Made):
        return [f"{indent}{{ set = {_made(entry)} }},"]
    if isinstance(entry, Page):
        inner = [line for step in entry.steps for line in _short(step, indent + "  ")]
        first = f"{indent}{{ page = {quoted(entry.name)}, steps = ["
        return [first, *inner, f"{indent}] }},"]
    above = [indent + comment(line) for line in entry.comments]
    return [*above, f"{indent}{value_text(_fields(entry))},"]


def _long(entry: Entry, key: str = "scenarios.steps") -> Iterator[str]:
    """An entry as a table of its own."""
    if isinstance(entry, Step):
        for line in entry.comments:
            yield comment(line)
    yield f"[[{key}]]"
    if isinstance(entry, Pause):
        yield f"pause = {quoted(_duration(entry.seconds))}"
        return
    if isinstance(entry, Made):
        yield f"set = {_made(entry)}"
        return
    if isinstance(entry, Page):
        yield f"page = {quoted(entry.name)}"
        yield "steps = ["
        for step in entry.steps:
            yield from _short(step, "  ")
        yield "]"
        return
    yield from _long_step(entry, key)


def _long_step(step: Step, above: str) -> Iterator[str]:
    """The keys of a step, a line each; a table too long for a line follows them."""
    tables: list[tuple[str, Mapping[str, Any]]] = []
    for key, value in _fields(step).items():
        line = f"{key} = {value_text(value)}"
        if len(line) <= WIDTH:
            yield line
        elif isinstance(value, Mapping):
            tables.append((key, value))
        elif isinstance(value, list):
            yield f"{key} = ["
            yield from (f"  {value_text(one)}," for one in value)
            yield "]"
        else:
            yield line
    for key, content in tables:  # after the keys of the step, or those would belong to the table
        yield f"[{above}.{key}]"
        yield from (f"{key_text(name)} = {value_text(one)}" for name, one in content.items())


def _fields(step: Step) -> dict[str, Any]:
    """The keys of a step, in the order in which people read them."""
    found: dict[str, Any] = {"name": step.name, "op": step.op}
    found["path"] = template(escaped_path(step.path))
    if step.resources:
        found["resources"] = [template(escaped_path(one)) for one in step.resources]
    if step.headers:
        found["headers"] = {name: template(value) for name, value in step.headers.items()}
    if step.form is not None:
        found["form"] = {template(key): template(value) for key, value in step.form.items()}
    elif step.multipart is not None:
        fields = step.multipart.items()
        found["multipart"] = {template(key): _part(value) for key, value in fields}
    elif step.json is not None:
        found["json"] = _templates(step.json)
    elif step.body is not None:
        found["body"] = template(step.body)
        if step.content_type:
            found["content_type"] = step.content_type
    answer = {"expect": step.expect, "redirects": step.redirects}
    found |= {key: value for key, value in answer.items() if value is not None}
    if step.captures:
        found["capture"] = {one.name: _capture(one) for one in step.captures}
    if step.checks:
        found["check"] = [_check(one) for one in step.checks]
    return found


def _made(entry: Made) -> str:
    return value_text({entry.name: template(entry.text)})


def _part(value: str | File) -> Any:
    if isinstance(value, str):
        return template(value)
    return {
        "filename": template(value.filename or ""),
        "content_type": value.content_type,
        "content": template(value.content),
    }


def _templates(value: Any) -> Any:
    """A value of JSON with its texts as templates."""
    if isinstance(value, str):
        return template(value)
    if isinstance(value, list):
        return [_templates(one) for one in value]
    if isinstance(value, dict):
        return {key: _templates(one) for key, one in value.items()}
    return value


def source_table(source: Source) -> dict[str, Any]:
    """A source with its keys, as a step has it."""
    found: dict[str, Any] = {source.kind: source.place}
    if source.attribute:
        found["attribute"] = source.attribute
    if source.pick != 1:
        found["pick"] = "last" if source.pick == LAST else source.pick
    return found


def source_text(source: Source) -> str:
    """A source in a line, for people."""
    attribute = f", attribute {source.attribute}" if source.attribute else ""
    pick = f", number {source.pick}" if source.pick != 1 else ""
    if source.pick == LAST:
        pick = ", the last"
    decoded = ", without percent-encoding" if source.is_decoded else ""
    return f"{source.kind} {source.place}{attribute}{pick}{decoded}"


def _capture(capture: Capture) -> dict[str, Any]:
    return source_table(capture.source)


def _check(check: Check) -> dict[str, Any]:
    value = template(check.value) if isinstance(check.value, str) else check.value
    return {**(source_table(check.source) if check.source else {}), check.predicate: value}


def _duration(value_s: float) -> str:
    return f"{value_s:g}s"
