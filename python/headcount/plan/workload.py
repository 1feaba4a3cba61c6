"""A workload as data: scenarios with weights, the pace of a user, the data set, the criteria."""

from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

from pydantic import (
    BeforeValidator,
    Field,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)

from headcount.fields.mistakes import MisplacedError, as_mistake, nearest
from headcount.fields.model import Duration, Name, Strict, Users, within
from headcount.fields.units import seconds
from headcount.plan.criteria import Criterion, parse_all
from headcount.plan.flow import Entry, check_entries, operations, transactions
from headcount.plan.groups import check_groups, matching
from headcount.plan.marks import Marks
from headcount.plan.named_files import check_named
from headcount.plan.pace import Pace
from headcount.plan.rules import check_rules
from headcount.plan.scenario import Scenario
from headcount.plan.script import Script, weighted
from headcount.plan.step import Step
from headcount.plan.task_score import TaskScore
from headcount.plan.tasks import check_apart, tasks_of
from headcount.plan.variables import Declared
from headcount.protocols.discussion import Discussion
from headcount.protocols.library import Library
from headcount.protocols.mail_profile import Mail
from headcount.protocols.pages import Pages, Which, check_asked
from headcount.protocols.program import Program
from headcount.protocols.protocol import Protocol
from headcount.protocols.registry import protocols
from headcount.protocols.tables import apart, check_tables, tables_model, together
from headcount.protocols.tree import Data, Tree

if TYPE_CHECKING:
    Tables = Strict
else:
    Tables = tables_model()

T = TypeVar("T", bound=Strict)
VariableName = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
LEAST_SETTLE_S = 3.0
"""The engine reports each second, and a third of the settling needs a report."""
_OLDER_WORD = BeforeValidator(lambda value: "reported" if value == "told" else value)


class Run(Strict):
    """How levels run, unless the command line changes it."""

    ladder: list[Users] | None = Field(
        default=None, min_length=1, description="Levels; none: search for the capacity"
    )
    ramp_per_s: float = Field(default=100.0, gt=0, description="Users that join per second")
    ramp: Annotated[Duration, within("0s", "24h")] | None = Field(
        default=None, description="Fixed length of every ramp"
    )
    settle: Annotated[Duration, within("0s", "24h")] = Field(
        default="10s", description="Time between a ramp and what is measured"
    )
    duration: Annotated[Duration, within("1s", "168h")] = Field(
        description="Measured part of a level of a ladder or of `--users`"
    )
    step_timeout: Annotated[Duration, within("1ms", "1h")] = Field(
        default="30s", description="Time after which a step fails"
    )
    log_on: Literal["first-scenario", "join"] = Field(
        default="first-scenario",
        description="When users open their sessions; with `join`, and without `ramp`, about 50 do "
        "so at a time: the next ones come when they are in",
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


NO_ORIGINAL = "nothing"
"""What a user's own workload re-creates."""


class Workload(Strict):
    """One workload file."""

    name: str = Field(
        pattern=r"^[a-z0-9-]+$", description="In the names of results: small letters, digits, -"
    )
    title: str = Field(description="What it is, for people")
    protocol: str = Field(description="What its users speak: http, mail, smb, sql, redis or app")
    recreates: str = Field(default=NO_ORIGINAL, description="The benchmark that it re-creates")
    description: str = Field(default="", description="What it does, for people")
    sources: list[str] = Field(default=[], description="Where its figures come from")
    deviations: list[str] = Field(default=[], description="How it differs from the original")
    criteria: list[str] = Field(
        description='What every level must meet, such as "p95<=200ms" and "errors<1%"'
    )
    rules: dict[Name, list[str]] = Field(
        default={}, description="Named lists of criteria for --rule"
    )
    pace: Pace
    tables: Tables = Field(
        default_factory=Tables, description="Those of its protocol; in files each is a key"
    )
    client: dict[str, str] = Field(
        default_factory=dict, description="Defaults of --client: how users speak the protocol"
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
    variables: dict[VariableName, Declared] | None = Field(
        default=None, description="Values that steps send: texts, random values, rows of files"
    )
    setup: list[Entry] | None = Field(
        default=None, description="What each user does once its session is open, before all else"
    )
    scenarios: list[Scenario] = Field(min_length=1, description="What users do")

    @property
    def operations(self) -> list[Step]:
        """All steps, those of the setup first."""
        found = list(operations(self.setup or []))
        for scenario in self.scenarios:
            found += scenario.operations
        return found

    @property
    def original(self) -> str | None:
        """The benchmark that it re-creates; None if there is none."""
        return None if self.recreates in ("", NO_ORIGINAL) else self.recreates

    @model_validator(mode="before")
    @classmethod
    def _weighted(cls, values: Any) -> Any:
        return weighted(apart(values))

    @model_serializer(mode="wrap")
    def _as_in_files(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return together(handler(self))

    @model_validator(mode="after")
    def _consistent(self) -> "Workload":
        names = [scenario.name for scenario in self.scenarios]
        for place, name in enumerate(names):
            if name == "all" or name in names[:place]:
                why = "is defined twice" if name in names[:place] else "is the sum of them"
                raise MisplacedError(
                    f'scenario names must differ, and none may be "all": "{name}" {why}',
                    "scenarios",
                    place,
                    "name",
                )
        known = protocols()
        if self.protocol not in known:
            raise MisplacedError(
                f'there is no protocol "{self.protocol}"{nearest(self.protocol, list(known))}'
                f" (there is: {', '.join(known)})",
                "protocol",
            )
        its = known[self.protocol]
        steps = [step.options for step in self.operations]
        check_tables(its, [name for name, table in self.tables if table is not None], steps)
        check_groups(self.groups, names)
        self._check_servers(its)
        if "pages" in its.tables:
            check_asked(self.asked, self.pages)
        self._check_tasks(names)
        with as_mistake("criteria"):
            _ = self.parsed_criteria
        check_rules(self.rules, self.read_criteria)
        self._check_files()
        with as_mistake("setup"):
            check_entries(self.setup or [], "setup")
        self._check_order(names)
        ladder, score = self.run.ladder, self.score
        if score and score.weights is not None and len(score.weights) != len(ladder or ()):
            raise ValueError("[score] needs as many weights as the ladder has levels")
        return self

    def table(self, model: type[T]) -> T | None:
        """The table that this model reads; None if the workload has none."""
        return next((table for _, table in self.tables if isinstance(table, model)), None)

    @property
    def data(self) -> Data | None:
        """A file for each user of an application server."""
        return self.table(Data)

    @property
    def tree(self) -> Tree | None:
        """Folders and files of each user."""
        return self.table(Tree)

    @property
    def library(self) -> Library | None:
        """Files that all users read."""
        return self.table(Library)

    @property
    def program(self) -> Program | None:
        """The program that users play in order."""
        return self.table(Program)

    @property
    def pages(self) -> Pages | None:
        """The pages of a web server."""
        return self.table(Pages)

    @property
    def mail(self) -> Mail | None:
        """The mail users."""
        return self.table(Mail)

    @property
    def discussion(self) -> Discussion | None:
        """Documents and people in a database."""
        return self.table(Discussion)

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
        """The parsed criteria; raises InputError for invalid ones."""
        return self.read_criteria(self.criteria)

    def read_criteria(self, texts: list[str]) -> list[Criterion]:
        """Criteria of this workload; raises InputError for invalid ones."""
        names = [scenario.name for scenario in self.scenarios]
        return parse_all(
            texts,
            [*names, *self.groups],
            tasks_of(self.protocol),
            scored=self.task_score is not None,
        )

    @property
    def named_tasks(self) -> set[str]:
        """Names in criteria, score and marks that are tasks unless they are scenarios or groups."""
        named = {each.scenario for each in self.parsed_criteria if each.scenario is not None}
        named |= set(self.task_score.weights) if self.task_score else set()
        named |= set(self.marks.count or ()) if self.marks else set()
        return named - {scenario.name for scenario in self.scenarios} - set(self.groups)

    def _check_servers(self, protocol: Protocol) -> None:
        second = protocol.parts[1] if protocol.parts else None
        allowed = f'on = "{second}", or nothing' if second else "no key on"
        whole = [
            (f'scenario "{one.name}"', entries)
            for one in self.scenarios
            for _, entries in one.sections
        ]
        for where, entries in [("setup", self.setup or []), *whole]:
            for entry in transactions(entries):
                if not protocol.has_transactions:
                    wrong = "only a database has transactions (protocol sql)"
                elif entry.on != second:
                    wrong = f'it needs on = "{second}"' if second else "it can have no key on"
                else:
                    continue
                raise ValueError(f'{where}, transaction "{entry.transaction}": {wrong}')
        for scenario in self.scenarios:
            for step in scenario.operations:
                if "on" in step.options and step.options["on"] != second:
                    raise ValueError(
                        f'scenario "{scenario.name}", step "{step.name}": on = '
                        f'"{step.options["on"]}"; it can have {allowed}'
                    )

    def _check_files(self) -> None:
        for scenario in self.scenarios:
            for step in scenario.operations:
                wrong = check_named(step.options, self.library, has_tree=self.tree is not None)
                if wrong and "tree" in protocols()[self.protocol].tables:
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
        """The mean time between two scenarios of a user, in uncompressed seconds.

        The intervals of an open pace; the think times of a closed one, including each scenario's
        own, weighted by how often the scenario comes.
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
        """The distinct ways in which steps draw pages."""
        found: list[Which] = []
        for scenario in self.scenarios:
            for step in scenario.operations:
                which = step.options.get("page")
                if which is not None and which not in found:
                    found.append(which)
        return found
