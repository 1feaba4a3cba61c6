"""A gate for programs that run tests: JUnit's XML, and annotations of GitHub's workflows."""

from xml.sax.saxutils import escape, quoteattr

from headcount.analyse.compare.gate import Gate, Judgement
from headcount.text import clean

_COMMANDS = {"regression": "error", "inconclusive": "warning", "passed": "notice"}


def junit(found: Gate) -> str:
    """One test suite, a test case for each figure.

    A regression is a failure; an undecided figure is a skipped test with the reason, which CI
    servers show without failing.
    """
    judged = found.judgements
    failures = sum(one.outcome == "regression" for one in judged)
    skipped = sum(one.outcome == "inconclusive" for one in judged)
    head = (
        f'<testsuite name="headcount gate" tests="{len(judged)}" failures="{failures}" '
        f'errors="0" skipped="{skipped}">'
    )
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', head]
    lines += [_case(one) for one in judged]
    lines += [f"<system-out>{_text(found.sentence)}</system-out>", "</testsuite>"]
    return "\n".join(lines) + "\n"


def _case(one: Judgement) -> str:
    start = f'<testcase classname="headcount.gate" name={_attribute(one.name)}'
    message = _text(one.sentence)
    if one.outcome == "regression":
        reason = f"<failure type={_attribute(one.metric)} message={_attribute(one.sentence)}>"
        return f"{start}>{reason}{message}</failure></testcase>"
    if one.outcome == "inconclusive":
        return f"{start}><skipped message={_attribute(one.sentence)}/></testcase>"
    return f"{start}><system-out>{message}</system-out></testcase>"


def annotations(found: Gate) -> str:
    """Workflow commands: an error for each regression, a warning for what is undecided."""
    lines = [
        f"::{_COMMANDS[one.outcome]} title={_property(one.name)}::{_message(one.sentence)}"
        for one in found.judgements
        if one.outcome != "passed"
    ]
    lines.append(f"::{_COMMANDS['passed']} title=headcount gate::{_message(found.sentence)}")
    return "\n".join(lines) + "\n"


def _text(text: str) -> str:
    return escape(clean(text))


def _attribute(text: str) -> str:
    return quoteattr(clean(text))


def _message(text: str) -> str:
    """A message escaped as in the toolkit of GitHub's workflows."""
    return clean(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")
