"""The content of a file of rules: rules, conditions, advice, sources, test vectors."""

from collections.abc import Iterator
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

Area = Literal["memory", "disk", "network", "cpu", "service", "workload"]
"""What a rule is about. `service`: limits of server programs. `workload`: whether the load is as
intended; such rules name no bottleneck."""

AREAS: tuple[Area, ...] = ("memory", "disk", "network", "cpu", "service")
"""Areas that can be a bottleneck, in the order in which they are evaluated (rule M-10)."""

Profile = Literal["file-server", "app-server", "workstation"]
PROFILES: tuple[Profile, ...] = ("file-server", "app-server", "workstation")
Strength = Literal["proof", "sign", "note"]
"""`proof` names a bottleneck, `sign` points at one, `note` is only reported."""

Statistic = Literal["consistently", "mean", "max", "min", "last", "rises", "falls"]
Scale = Literal["absolute", "memory", "cpus", "spindles"]
Operator = Literal[">", ">=", "<", "<="]


class Strict(BaseModel):
    """Immutable, without unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class Condition(Strict):
    """All of several, any of several, not one, or one comparison.

    Attributes:
        all: Every one must hold.
        any: One must hold; those whose counters are absent are skipped, so that a rule can name
            the counters of several systems.
        no: It must not hold.
        counter: Name in the catalogue of counters; what it is summed with is in `plus`.
        plus: Counters added to it, where there are any.
        over: The counter that the sum is divided by; the comparison is then of the ratio.
        each: Whether each device or interface is evaluated alone, if the log has them.
        fact: Compare a fact of the machine instead of a counter.
        is_: How the samples of a window are evaluated; see :mod:`statistic`.
        op: How the figure compares with the threshold.
        value: The threshold, in `unit`; None for `rises` and `falls`.
        unit: Of the value; see :mod:`units`. None for the counter's own.
        scale: What the value is multiplied by.
        least_of: What the figure is a ratio of, or a time of each of: the counter that must not be
            near nothing. None: what it is divided by (`over`), if anything.
        least: How much of that there must be, in its own unit; None: see :mod:`least`.

    """

    all: tuple["Condition", ...] = ()
    any: tuple["Condition", ...] = ()
    no: "Condition | None" = None
    counter: str | None = None
    plus: tuple[str, ...] = ()
    over: str | None = None
    each: bool = False
    fact: Literal["cpus", "memory", "spindles"] | None = None
    is_: Statistic = Field("consistently", alias="is")
    op: Operator = ">"
    value: float | None = None
    unit: str | None = None
    scale: Scale = "absolute"
    least_of: str | None = None
    least: float | None = Field(None, gt=0)

    @model_validator(mode="after")
    def _one_form(self) -> "Condition":
        forms = [self.all, self.any, self.no, self.counter, self.fact]
        if sum(bool(form) for form in forms) != 1:
            raise ValueError("a condition has exactly one of all, any, no, counter, fact")
        compared = self.counter is not None or self.fact is not None
        if compared and (self.value is None) != (self.is_ in {"rises", "falls"}):
            raise ValueError("a comparison has a value; `rises` and `falls` have none")
        if self.least is not None and self.least_of is None and self.over is None:
            raise ValueError("`least` needs `least_of`, the counter that must reach it")
        return self

    def leaves(self) -> Iterator["Condition"]:
        """Every comparison in it, in order."""
        inner = (*self.all, *self.any, *([self.no] if self.no else []))
        if not inner:
            yield self
        for part in inner:
            yield from part.leaves()

    def counters(self) -> list[str]:
        """Every counter that it needs, each once."""
        found = [
            name
            for leaf in self.leaves()
            for name in (leaf.counter, *leaf.plus, leaf.over)
            if name is not None
        ]
        return list(dict.fromkeys(found))


class Vector(Strict):
    """An example that a test runs: values of counters, and the expected outcome.

    Attributes:
        given: Counter to its value in every sample, or to the values of all samples.
        fires: Whether the rule's condition holds; `unknown`: undecided.
        cpus: Fact of the machine.
        memory_bytes: Fact of the machine.
        spindles: Fact of the machine.
        why: What the example shows, or its source.

    """

    given: dict[str, float | tuple[float, ...]]
    fires: bool | Literal["unknown"]
    cpus: int | None = None
    memory_bytes: float | None = None
    spindles: int | None = None
    why: str = ""


class Rule(Strict):
    """One rule.

    Attributes:
        id: For example `M-01`, as in documentation and reports.
        title: A few words.
        area: What it is about.
        strength: How much it proves on a machine of its time.
        today: How much it proves on a modern machine; None: as much.
        direct: Whether it measures waiting or saturation itself; among signs, such come first.
        profiles: The kinds of server it is for; empty for any.
        era: When its threshold was published: the nineties, or later.
        system: Whose counters it reads.
        source: Key of `sources.toml`.
        where: Page, table or file in the source.
        when: The condition.
        exception: Whether it only takes back findings of other rules.
        excepted_by: Exceptions that take a finding back while they hold.
        conflicts: Rules with another threshold for the same counter; each names the other.
        verdict: Its meaning when it holds, as a sentence.
        remark: About the threshold: what Headcount added, and why it may be wrong.
        advice: Keys of `advice.toml`, the best first.
        vector: Examples; at least one that fires and one that does not.

    """

    id: str
    title: str
    area: Area
    strength: Strength
    today: Strength | None = None
    direct: bool = False
    profiles: tuple[Profile, ...] = ()
    era: Literal["historic", "modern"]
    system: Literal["windows", "linux", "any"] = "any"
    source: str
    where: str = ""
    when: Condition
    exception: bool = False
    excepted_by: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    verdict: str
    remark: str = ""
    advice: tuple[str, ...] = ()
    vector: tuple[Vector, ...] = ()

    def is_for(self, profile: Profile) -> bool:
        """Whether it is for servers of this kind."""
        return not self.profiles or profile in self.profiles


class Advice(Strict):
    """What to do.

    Attributes:
        id: For example `A-07`.
        text: A sentence or two.
        today: Of a historic one: what has replaced it on today's servers, or why nothing does.
        era: `historic` is the nineties.
        holds: Whether it is still valid; otherwise it is shown as history.
        source: Key of `sources.toml`.
        where: Page or number in the source.

    """

    id: str
    text: str
    today: str = ""
    era: Literal["historic", "modern"]
    holds: bool = True
    source: str
    where: str = ""


class Origin(Strict):
    """A source of rules: its full title and a short name."""

    title: str
    short: str
