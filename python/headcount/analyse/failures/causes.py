"""Why something failed, recognised by the kind of fault and its message: rules as data."""

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from pydantic import BaseModel, ConfigDict

from headcount.bundle.failure import Cause

NOBODY_ANSWERS = ("connection-refused", "http-no-server")
"""Rules for refusals on behalf of a server that does not answer: by the kernel, by HAProxy."""


class Rule(BaseModel):
    """What a message means.

    Attributes:
        id: Its name.
        match: A regular expression searched for in the message, whatever its case.
        body: Another, for the body of the answer that the message ends with; empty: any body.
        kinds: Kinds of faults it is about; empty: all.
        cause: The cause.
        under_load: The cause of what comes only with more users; None: the same.
        is_rate: Whether it turns away what comes above a rate, rather than above a number.
        meaning: What happened, in a sentence.
        advice: What to do, in a sentence.

    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    match: str = ""
    body: str = ""
    kinds: Sequence[str] = ()
    cause: Cause
    under_load: Cause | None = None
    is_rate: bool = False
    meaning: str
    advice: str

    @property
    def turns_away(self) -> bool:
        """Whether the server refuses for lack of places, at least under load."""
        return "turned-away" in (self.cause, self.under_load)


@cache
def rules() -> tuple[Rule, ...]:
    """All rules, in the order in which they are tried; the last one fits anything.

    Those from a protocol's own file come first, because they match its own messages.
    """
    here = files("headcount.analyse.failures")
    own = here.joinpath("protocols")
    found = [one for one in own.iterdir() if one.name.endswith(".toml")] if own.is_dir() else []
    texts = [one.read_text("utf-8") for one in sorted(found, key=lambda one: one.name)]
    texts.append(here.joinpath("causes.toml").read_text("utf-8"))
    entries = [entry for text in texts for entry in tomllib.loads(text)["cause"]]
    return tuple(Rule.model_validate(entry) for entry in entries)


@cache
def turning_away() -> frozenset[str]:
    """The ids of rules about a lack of places."""
    return frozenset(rule.id for rule in rules() if rule.turns_away)


def is_full(message: str) -> bool:
    """Whether a message is that of a server that answers, but has no place: it is not dead."""
    rule = cause_of("", message)
    return rule.cause == "turned-away" and rule.id not in NOBODY_ANSWERS


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], re.Pattern[str], Rule], ...]:
    return tuple(
        (re.compile(rule.match, re.IGNORECASE), re.compile(rule.body, re.IGNORECASE), rule)
        for rule in rules()
    )


BODY = '; body: "'
"""Where the body of an answer begins in a message. What a page says is no word of the protocol."""


def _is_about(rule: Rule, kind: str) -> bool:
    """Whether a rule may fit; what has no kind is known by its words, and by nothing else."""
    return not rule.kinds or kind in rule.kinds or (not kind and bool(rule.match or rule.body))


def cause_of(kind: str, message: str) -> Rule:
    """The first rule that fits a fault; an empty kind is that of an error of no user."""
    protocol, _, body = message.partition(BODY)
    return next(
        rule
        for in_message, in_body, rule in _patterns()
        if _is_about(rule, kind) and in_message.search(protocol) and in_body.search(body)
    )


def explained_message(message: str, kind: str = "") -> str:
    """An error's message with what it means and what to do; alone if no rule knows it."""
    rule = cause_of(kind, message)
    return message if rule == rules()[-1] else f"{message}\n{rule.meaning}. {rule.advice}"
