"""Trying a workload: one user plays each scenario once; every request and reply is recorded."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from headcount._engine import Engine
from headcount.controller.one_user import one_user
from headcount.controller.page_resources import LeftOut, Resource
from headcount.generator.real_time import real_time
from headcount.plan.plan import Plan
from headcount.plan.sent_files import sent_files
from headcount.secret_text import learn, redacted

SECRET = re.compile("pass|pwd|secret", re.IGNORECASE)
"""Variables with such names are not shown, and neither are their values in what is sent."""
LONGEST_SECRET = 1000
"""Characters of a value that can be a password; it is searched for in all that is shown."""
LONGEST_S = 120.0
"""Longest wait for all scenarios."""
MOST_SHOWN = 400
"""Most characters of a body in an error."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and its reply, or a statement and its rows.

    Attributes:
        method: Method of the request; `SQL` for a statement.
        path: Its path, with its query; the statement.
        sent: Its body, or the beginning of it.
        status: Status of the reply.
        headers: Its headers: names and values.
        received_bytes: Length of its body as received.
        received: The beginning of its body; None if it was not kept.
        outcome: The result of a statement; None for a request.

    """

    method: str
    path: str
    sent: str
    status: int
    headers: Sequence[tuple[str, str]]
    received_bytes: int
    received: str | None
    outcome: str | None = None

    def lines(self, most: int, *, has_headers: bool = False) -> list[str]:
        """The exchange for people, with at most `most` characters of a body."""
        what = f"{self.status}, {self.received_bytes:,} bytes"
        sent = "" if self.sent == "(0 bytes)" else self.sent
        headers = [f"  {name}: {value}" for name, value in self.headers] if has_headers else []
        return [
            f"> {self.method} {self.path}",
            *_indented(sent, most),
            f"< {what if self.outcome is None else self.outcome}",
            *headers,
            *_indented(self.received or "", most),
        ]


@dataclass(frozen=True, slots=True)
class Message:
    """A message of a WebSocket.

    Attributes:
        is_sent: Whether the user sent it; otherwise it came.
        text: The beginning of it.

    """

    is_sent: bool
    text: str

    def lines(self, most: int, *, has_headers: bool = False) -> list[str]:
        """The message for people, with at most `most` characters of it; it has no headers."""
        del has_headers
        return [f"{'>' if self.is_sent else '<'} {_cut(self.text, most)}"]


def _cut(text: str, most: int) -> str:
    """The beginning of a text without its secrets, of which a part could no longer be found."""
    text = redacted(text)
    return text[:most].strip() + (" ..." if len(text) > most else "")


def _indented(text: str, most: int) -> list[str]:
    """The beginning of a body, line by line."""
    return [f"  {line}" for line in _cut(text, most).split("\n")] if text else []


@dataclass(frozen=True, slots=True)
class PlayedStep:
    """A step that the user played.

    Attributes:
        scenario: Its scenario; None for the setup.
        step: Its name.
        took_ms: How long it took.
        fault: Why it failed; None if it did not.
        exchanges: What was sent and received, if the protocol shows it.
        values: The variables that the step set or changed.

    """

    scenario: str | None
    step: str
    took_ms: float
    fault: str | None
    exchanges: Sequence[Exchange | Message | Resource | LeftOut]
    values: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class OtherFault:
    """A fault outside any step: the session could not be opened, or a variable has no value."""

    fault: str


@dataclass(frozen=True, slots=True)
class ScenarioEnd:
    """The end of a scenario."""

    scenario: str
    failed: bool


@dataclass(frozen=True, slots=True)
class PrintedLine:
    """A line that Lua code printed."""

    line: str


Event = PlayedStep | OtherFault | ScenarioEnd | PrintedLine
OnEvent = Callable[[Event], None]


def try_out(
    plan: Plan, target: str, on_event: OnEvent, scenarios: Sequence[str] | None = None
) -> bool:
    """Let one user play each scenario once, or some of them; whether all succeeded.

    `on_event` gets each step as soon as it has been played. A scenario that has not ended after
    two minutes counts as failed.
    """
    names = dict.fromkeys(scenarios or [one.name for one in plan.workload.scenarios])
    with real_time():
        engine = Engine(
            one_user(plan, scenarios, trace=True),
            plan.protocol,
            target,
            files=sent_files(plan.workload),
        )
    ended: dict[str, bool] = {}
    known: dict[str, str] = {}
    try:
        engine.set_users(1, 0.0)
        while len(ended) < len(names) and engine.now_s() < LONGEST_S and not engine.ended:
            engine.next(0.2)
            for entry in engine.take_trace():
                _take(json.loads(entry), known, ended, on_event)
    finally:
        engine.close()
    for name in names:
        if name not in ended:
            on_event(OtherFault(f'scenario "{name}" did not end within {LONGEST_S:g} s'))
    return len(ended) == len(names) and not any(ended.values())


def failed_step_text(plan: Plan, target: str, scenario: str) -> str:
    """What one user sends and receives where a scenario fails, in the lines of `headcount try`.

    Empty if the protocol shows no requests, or the scenario succeeds this time.
    """
    events: list[Event] = []
    try_out(plan, target, events.append, [scenario])
    failed = [one for one in events if isinstance(one, PlayedStep) and one.fault is not None]
    if not failed or not failed[0].exchanges:
        return ""
    step = failed[0]
    title = f"{step.scenario or 'setup'} / {step.step}  {step.took_ms:.1f} ms"
    lines = [f"  {line}" for line in _wrong(step.exchanges).lines(MOST_SHOWN)]
    return "\n".join([title, *lines, ""])


def _wrong(
    exchanges: Sequence[Exchange | Message | Resource | LeftOut],
) -> Exchange | Message | Resource | LeftOut:
    """The exchange that most likely shows why a step failed: a refused resource, or the last."""
    refused = (one for one in exchanges if isinstance(one, Resource) and one.status >= 400)
    return next(refused, exchanges[-1])


def _take(
    entry: Mapping[str, Any], known: dict[str, str], ended: dict[str, bool], on_event: OnEvent
) -> None:
    """Hand on an entry of the engine's trace, of each scenario the first time only."""
    if (scenario := entry.get("end")) is not None:
        if scenario not in ended:
            ended[scenario] = bool(entry["failed"])
            on_event(ScenarioEnd(scenario, ended[scenario]))
    elif "printed" in entry:
        on_event(PrintedLine(str(entry["printed"])))
    elif "step" not in entry:
        on_event(OtherFault(str(entry["fault"])))
    elif entry["scenario"] not in ended:
        notes = entry["notes"]
        for note in notes:
            learn(note.get("secret"))  # before anything of the step is shown
        now = entry["values"]
        for name, value in now.items():
            if SECRET.search(name) and len(value) <= LONGEST_SECRET:
                learn(value)
        values = {name: value for name, value in now.items() if known.get(name) != value}
        known.update(values)
        on_event(
            PlayedStep(
                entry["scenario"],
                entry["step"],
                float(entry["took_ms"]),
                entry["fault"],
                [_exchange(note) for note in notes if "secret" not in note],
                values,
            )
        )


def _exchange(note: Mapping[str, Any]) -> Exchange | Message | Resource | LeftOut:
    if "resource" in note:
        return Resource(**note)
    if "left_out" in note:
        return LeftOut(**note)
    if (direction := note.get("message")) is not None:
        return Message(direction == "sent", str(note["text"]))
    headers = [(str(name), str(value)) for name, value in note["headers"]]
    return Exchange(**{**note, "headers": headers})
