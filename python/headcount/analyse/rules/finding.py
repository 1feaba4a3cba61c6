"""What the rules found in a recording."""

from dataclasses import dataclass

from headcount.analyse.rules.condition import Reading
from headcount.analyse.rules.facts import Facts
from headcount.analyse.rules.model import Area, Profile, Rule, Strength
from headcount.analyse.rules.series import Frame
from headcount.analyse.rules.windows import Span


@dataclass(frozen=True, slots=True)
class Other:
    """Another rule about the same counter, with another threshold.

    Attributes:
        rule: The other rule.
        holds: Whether it holds in the spans of the finding, too; None if undecided.

    """

    rule: Rule
    holds: bool | None


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule that holds.

    Attributes:
        rule: The rule.
        strength: How much it says on this machine.
        spans: When it holds, in seconds since 1970 (UTC).
        share: Share of the observed time that the spans cover.
        readings: The deciding figures, over the longest span.
        conflicts: Rules of other sources about the same.
        taken_back_by: The exceptions that hold; a finding with any does not count.

    """

    rule: Rule
    strength: Strength
    spans: tuple[Span, ...]
    share: float
    readings: tuple[Reading, ...]
    conflicts: tuple[Other, ...] = ()
    taken_back_by: tuple[Rule, ...] = ()


@dataclass(frozen=True, slots=True)
class NotJudged:
    """A rule that could not be evaluated, and what it lacks."""

    rule: Rule
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Examination:
    """The outcome of all rules for a recording.

    Attributes:
        frame: Its counters.
        span: The time covered.
        facts: What is known about the machine.
        profile: The kind of server whose rules were used.
        found: Findings that count, in the order of areas, the strongest first.
        taken_back: Findings that an exception took back.
        quiet: Rules that were evaluated and do not hold.
        not_judged: Rules that could not be evaluated.

    """

    frame: Frame
    span: Span
    facts: Facts
    profile: Profile
    found: tuple[Finding, ...]
    taken_back: tuple[Finding, ...]
    quiet: tuple[Rule, ...]
    not_judged: tuple[NotJudged, ...]

    def is_judged(self, area: Area) -> bool:
        """Whether any rule that could prove a bottleneck in the area was evaluated."""
        rules = [*self.quiet, *(one.rule for one in (*self.found, *self.taken_back))]
        return any(rule.area == area and rule.strength == "proof" for rule in rules)
