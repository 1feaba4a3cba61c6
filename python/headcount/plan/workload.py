"""A workload: scenarios with weights, the pace of a user, the data set, the criteria. Data."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from headcount.plan.criteria import Criterion, parse_all
from headcount.plan.data import Data, Tree
from headcount.plan.discussion import Discussion
from headcount.plan.fields import Duration, Name, Strict, Users, within
from headcount.plan.groups import check_groups, matching
from headcount.plan.library import Library
from headcount.plan.mail import Mail
from headcount.plan.marks import Marks
from headcount.plan.mistakes import as_mistake, nearest
from headcount.plan.named_files import check_named
from headcount.plan.pages import Pages, Which, check_asked
from headcount.plan.program import Program
from headcount.plan.rules import check_rules
from headcount.plan.script import Script, weighted
from headcount.plan.target import FILE_SERVERS, PROTOCOLS
from headcount.plan.task_score import TaskScore
from headcount.plan.tasks import check_apart, tasks_of
from headcount.plan.units import seconds

MOST_PAUSE_S = 86_400.0
"""The longest pause the engine accepts."""
LEAST_SETTLE_S = 3.0
"""The engine reports each second, and a third of the settling needs a report."""
_OLDER_WORD = BeforeValidator(lambda value: "reported" if value == "told" else value)


class Think(Strict):
    """A distribution of a duration: `fixed` (mean), `uniform` (low, high), `exponential` (mean)."""

    draw: Literal["fixed", "uniform", "exponential"]
    mean: Duration | None = None
    low: Duration | None = None
    high: Duration | None = None

    @model_validator(mode="after")
    def _complete(self) -> "Think":
        given = (self.mean is not None, self.low is not None, self.high is not None)
        if given != ((False, True, True) if self.draw == "uniform" else (True, False, False)):
            raise ValueError("uniform needs low and high; fixed and exponential need mean")
        if seconds(self.low or "0s") > seconds(self.high or self.low or "0s"):
            raise ValueError(f"low ({self.low}) must not be above high ({self.high})")
        if max(seconds(text or "0s") for text in (self.mean, self.low, self.high)) > MOST_PAUSE_S:
            raise ValueError("a pause may last up to 24h")
        return self

    @property
    def text(self) -> str:
        """How long and how it is drawn, for people."""
        spread = f"{self.low} to {self.high}" if self.draw == "uniform" else self.mean
        return f"{spread} ({self.draw})"

    @property
    def mean_s(self) -> float:
        """The mean of the distribution."""
        if self.mean is not None:
            return seconds(self.mean)
        return (seconds(self.low or "0s") + seconds(self.high or "0s")) / 2


class Pace(Strict):
    """When a user's scenarios are due.

    `closed`: a think time after the last one ended. `open`: on a schedule drawn in advance.
    """

    kind: Literal["closed", "open"]
    time: Think = Field(description="The think time (closed) or the interval (open)")

    @model_validator(mode="after")
    def _possible(self) -> "Pace":
        if self.kind == "open" and self.time.mean_s <= 0:
            raise ValueError("an open pace needs an interval above 0")
        return self


class Step(BaseModel):
    """One protocol operation; the keys beside `name` and `op` are the protocol's own."""

    model_config = ConfigDict(frozen=True, extra="allow")

    name: Name
    op: str

    @property
    def options(self) -> dict[str, Any]:
        """What the protocol needs to know."""
        return {"op": self.op, **(self.model_extra or {})}

    @property
    def text(self) -> str:
        """The operation and its options in one line, for people."""
        return " ".join([self.op, *_options(self.model_extra or {}, "")])


def _options(values: Mapping[str, Any], above: str) -> list[str]:
    """`key=value` of each option; of options that are tables `key.inner=value`."""
    texts: list[str] = []
    for key, value in values.items():
        if isinstance(value, Mapping):
            texts += _options(value, f"{above}{key}.")
        else:
            texts.append(f"{above}{key}={_value(value)}")
    return texts


def _value(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(str(each) for each in value)
    return str(value).lower() if isinstance(value, bool) else str(value)


class Scenario(Strict):
    """One thing a user does."""

    name: Name
    title: str = ""
    weight: float = Field(
        ge=1e-9,
        le=1e9,
        description="How often it is drawn, relative to the others; absent with a script",
    )
    limit: Annotated[Duration, within("1us", "1h")] = Field(
        description="A slower scenario counts as overload"
    )
    limit_per_mib: Annotated[Duration, within("1us", "1h")] | None = Field(
        default=None, description="The limit is at least this for each MiB moved"
    )
    late: Annotated[Duration, within("1us", "1h")] | None = Field(
        default=None, description="A scenario that starts later than this counts as overload"
    )
    pause: Think | None = Field(
        default=None, description="Think time after it, instead of the pace's (closed pace)"
    )
    origin: str = Field(default="", description="Where its figures come from")
    steps: list[Step] = Field(min_length=1)

    @property
    def limit_text(self) -> str:
        """What it may take, for people."""
        more = f", or {self.limit_per_mib} for each MiB if that is more"
        return self.limit + (more if self.limit_per_mib else "")


class Run(Strict):
    """How levels run, unless the command line changes it."""

    ladder: list[Users] | None = Field(
        default=None, min_length=1, description="Levels; none: search for the capacity"
    )
    ramp_per_s: float = Field(default=100.0, gt=0, description="Users that join per second")
    ramp: Annotated[Duration, within("0s", "24h")] | None = Field(
        default=None, description="Fixed length of every ramp"
    )
    settle: Annotated[Duration, within("0s", "24h")] = "10s"
    duration: Annotated[Duration, within("1s", "168h")] = Field(
        description="Measured part of a level of a ladder or of `--users`"
    )
    step_timeout: Annotated[Duration, within("1ms", "1h")] = "30s"
    log_on: Literal["first-scenario", "join"] = Field(
        default="first-scenario", description="When users open their sessions"
    )
    compress: float = Field(
        default=1.0,
        ge=1,
        le=1000,
        description="How many times shorter pauses are than in real life",
    )
    steady: Annotated[Literal["reported", "required"], _OLDER_WORD] = Field(
        default="reported",
        description="Whether an unsteady level is only reported, or does not count",
    )
    plateau: bool = Field(
        default=False, description="Whether a ladder's answer is its saturation point"
    )
    lab_scale: float = Field(default=1.0, gt=0, le=1, description="Default scale on a lab server")
    lab_compress: float | None = Field(
        default=None, ge=1, le=1000, description="Default of compress on a lab server"
    )
    lab_settle: Annotated[Duration, within("0s", "24h")] | None = Field(
        default=None, description="Default of settle on a lab server"
    )

    @model_validator(mode="after")
    def _long_enough(self) -> "Run":
        if self.steady == "required" and seconds(self.settle) < LEAST_SETTLE_S:
            raise ValueError(
                f'steady = "required" compares thirds of the settling, so settle must be at least '
                f"{LEAST_SETTLE_S:g}s; it is {self.settle}"
            )
        return self


class Score(Strict):
    """A score over the levels of a ladder.

    `harmonic-mean`: the weighted harmonic mean of their throughputs. `most-kb-per-s`: the most
    bytes read and written per second, in KB (1,024 bytes).
    """

    kind: Literal["harmonic-mean", "most-kb-per-s"] = "harmonic-mean"
    name: str
    unit: str
    weights: list[Annotated[float, Field(gt=0)]] | None = Field(
        default=None, description="One for each level; equal by default"
    )


class Workload(Strict):
    """One workload file."""

    name: str = Field(pattern=r"^[a-z0-9-]+$")
    title: str
    protocol: str
    recreates: str
    description: str
    sources: list[str]
    deviations: list[str]
    criteria: list[str]
    rules: dict[Name, list[str]] = Field(
        default={}, description="Named lists of criteria for --rule"
    )
    pace: Pace
    data: Data | None = Field(default=None, description="A file for each user (protocol app)")
    tree: Tree | None = Field(
        default=None, description="Folders and files (protocols smb and files)"
    )
    library: Library | None = Field(
        default=None,
        description="Files that all users read and upload (protocols smb and files)",
    )
    pages: Pages | None = Field(default=None, description="A tree of pages (protocol http)")
    mail: Mail | None = Field(default=None, description="Profile of a mail user (protocol mail)")
    discussion: Discussion | None = Field(
        default=None, description="Documents and people in a database (protocol sql)"
    )
    client: dict[str, str] = Field(
        default_factory=dict, description="Defaults of --client: how users speak the protocol"
    )
    program: Program | None = Field(
        default=None, description="Operations that users play in order instead of drawing scenarios"
    )
    script: Script | None = Field(
        default=None, description="Order in which users play scenarios, instead of weights"
    )
    run: Run
    score: Score | None = None
    task_score: TaskScore | None = Field(default=None, description="Score of every level")
    marks: Marks | None = Field(default=None, description="Completions to count per minute")
    groups: dict[Name, list[str]] = Field(
        default={}, description="Scenarios reported together: names, in which * stands for any text"
    )
    scenarios: list[Scenario] = Field(min_length=1)

    @model_validator(mode="before")
    @classmethod
    def _weighted(cls, values: Any) -> Any:
        return weighted(values)

    @model_validator(mode="after")
    def _consistent(self) -> "Workload":
        names = [scenario.name for scenario in self.scenarios]
        if len(set(names)) < len(names) or "all" in names:
            raise ValueError('scenario names must differ, and none may be "all"')
        if self.protocol not in PROTOCOLS:
            raise ValueError(
                f'there is no protocol "{self.protocol}"{nearest(self.protocol, list(PROTOCOLS))}'
                f" (there is: {', '.join(PROTOCOLS)})"
            )
        if ((self.tree or self.library) is not None) != (self.protocol in FILE_SERVERS):
            raise ValueError(
                'the protocols "smb" and "files", and only they, need a [tree] or a [library]'
            )
        if self.program is not None and self.protocol not in FILE_SERVERS:
            raise ValueError('[program] is only for the protocols "smb" and "files"')
        if self.data is not None and self.protocol != "app":
            raise ValueError('[data] is only for the protocol "app"')
        check_groups(self.groups, names)
        if self.pages is not None and self.protocol != "http":
            raise ValueError('[pages] is only for the protocol "http"')
        self._check_needed()
        if self.protocol == "http":
            check_asked(self.asked, self.pages)
        self._check_tasks(names)
        with as_mistake():
            _ = self.parsed_criteria
        check_rules(self.rules, self.read_criteria)
        self._check_files()
        self._check_order(names)
        ladder, score = self.run.ladder, self.score
        if score and score.weights is not None and len(score.weights) != len(ladder or ()):
            raise ValueError("[score] needs as many weights as the ladder has levels")
        return self

    def _check_tasks(self, names: list[str]) -> None:
        check_apart([*names, *self.groups], self.protocol)
        tasks = tasks_of(self.protocol)
        if self.task_score is not None:
            self.task_score.check(tasks)
            if self.score is not None:
                raise ValueError("[score] and [task_score] exclude each other: a run has one score")
        if self.marks is not None:
            self.marks.check(names, tasks)

    @property
    def parsed_criteria(self) -> list[Criterion]:
        """The criteria, read; raises InputError for those that cannot be."""
        return self.read_criteria(self.criteria)

    def read_criteria(self, texts: list[str]) -> list[Criterion]:
        """Criteria of this workload; raises InputError for those that cannot be read."""
        names = [scenario.name for scenario in self.scenarios]
        return parse_all(
            texts,
            [*names, *self.groups],
            tasks_of(self.protocol),
            scored=self.task_score is not None,
        )

    @property
    def named_tasks(self) -> set[str]:
        """What criteria, score and marks name, that is a task unless it is a scenario or group."""
        named = {each.scenario for each in self.parsed_criteria if each.scenario is not None}
        named |= set(self.task_score.weights) if self.task_score else set()
        named |= set(self.marks.count or ()) if self.marks else set()
        return named - {scenario.name for scenario in self.scenarios} - set(self.groups)

    def _check_needed(self) -> None:
        protocols = self.protocol.split("+")
        if (self.mail is not None) != ("mail" in protocols):
            raise ValueError('the protocol "mail", and only it, needs a [mail]')
        if (self.discussion is not None) != ("sql" in protocols):
            raise ValueError('the protocol "sql", and only it, needs a [discussion]')
        second = protocols[1] if len(protocols) > 1 else None
        allowed = f'on = "{second}", or nothing' if second else "no key on"
        for scenario in self.scenarios:
            for step in scenario.steps:
                if "on" in step.options and step.options["on"] != second:
                    raise ValueError(
                        f'scenario "{scenario.name}", step "{step.name}": on = '
                        f'"{step.options["on"]}"; it can have {allowed}'
                    )

    def _check_files(self) -> None:
        for scenario in self.scenarios:
            for step in scenario.steps:
                wrong = check_named(step.options, self.library, has_tree=self.tree is not None)
                if wrong and self.protocol in FILE_SERVERS:
                    raise ValueError(f'scenario "{scenario.name}", step "{step.name}": {wrong}')

    def _check_order(self, names: list[str]) -> None:
        if self.script is not None:
            if self.program is not None:
                raise ValueError(
                    "[script] and [program] exclude each other: users follow one order"
                )
            self.script.check(names)
        if self.pace.kind == "open":
            for scenario in self.scenarios:
                if scenario.pause is not None:
                    raise ValueError(
                        f'scenario "{scenario.name}": an open pace has a schedule and no pauses; '
                        "remove the pause, or use a closed pace"
                    )

    @property
    def pause_mean_s(self) -> float:
        """The mean of what passes between two scenarios of a user, in seconds of life.

        The intervals of an open pace; the think times of a closed one, each scenario's own where it
        has one, weighted by how often the scenario comes.
        """
        usual_s = self.pace.time.mean_s
        whole = sum(scenario.weight for scenario in self.scenarios)
        pauses = ((s.weight, s.pause.mean_s if s.pause else usual_s) for s in self.scenarios)
        return sum(weight * mean_s for weight, mean_s in pauses) / whole

    @property
    def members(self) -> dict[str, tuple[int, ...]]:
        """The indices of each group's scenarios, in the plan's order."""
        names = [scenario.name for scenario in self.scenarios]
        return {group: matching(patterns, names) for group, patterns in self.groups.items()}

    @property
    def asked(self) -> list[Which]:
        """Which pages steps draw, each way of asking once."""
        found: list[Which] = []
        for scenario in self.scenarios:
            for step in scenario.steps:
                which = step.options.get("page")
                if which is not None and which not in found:
                    found.append(which)
        return found
