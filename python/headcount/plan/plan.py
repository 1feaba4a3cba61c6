"""The plan: everything a run needs to be repeated exactly, and nothing secret."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import tomli_w
from pydantic import Field, ValidationError, model_validator

from headcount.errors import InputError
from headcount.fields.mistakes import LineOf, as_mistake, found, refused
from headcount.fields.model import Duration, Strict, Users, within
from headcount.fields.units import MOST_USERS, seconds, size_bytes
from headcount.plan import criteria, target, variables
from headcount.plan.agents import Agents
from headcount.plan.client import check_client
from headcount.plan.cost import Cost
from headcount.plan.disclosure import Disclosure
from headcount.plan.flow import Choose, Pause, Played
from headcount.plan.limits import check_limits
from headcount.plan.line_numbers import line_numbers
from headcount.plan.lines import OTHERS, check_lines, user_lines
from headcount.plan.local_ips import addresses
from headcount.plan.pace import Think
from headcount.plan.rules import check_chosen
from headcount.plan.sources import check_sources
from headcount.plan.step import Step
from headcount.plan.tokens import token_steps
from headcount.plan.toml_file import toml_of, toml_text
from headcount.plan.workload import Workload
from headcount.protocols.discussion import Discussion
from headcount.protocols.library import Library
from headcount.protocols.mail_profile import Mail
from headcount.protocols.pages import Pages
from headcount.protocols.registry import forms, plays, protocol_of
from headcount.protocols.tree import BLOCK_BYTES, NO_TREE, Tree
from headcount.secret_text import holds_secret

T = TypeVar("T", bound=Strict)


class SearchOptions(Strict):
    """How the capacity is searched for."""

    quick: bool = Field(default=False, description="A first look of a few minutes")
    budget: Annotated[Duration, within("1s", "168h")] | None = Field(
        default=None, description="Time for the whole search"
    )
    start_users: int = Field(default=10, ge=1)
    max_users: int = Field(default=100_000, ge=1, le=MOST_USERS)
    official: Annotated[Duration, within("1s", "168h")] | None = Field(
        default=None, description="The full level at the capacity"
    )
    soak: Annotated[Duration, within("1s", "168h")] | None = Field(
        default=None, description="A long level at the capacity"
    )


StacksWanted = Literal["auto", "all", "off"]
"""Stacks of the server's threads: the nearly free ones, those of tools too, or none."""

FORMAT = 1
"""The version of plan files that is written and read."""


class Plan(Strict):
    """A resolved plan. The overrides of the command line are already in its workload."""

    format: Literal[1] = 1
    target: str
    mode: Literal["level", "ladder", "search"]
    levels: list[Users] = Field(default_factory=list, description="Users; empty for a search")
    seed: int = Field(ge=0, lt=2**63)
    workers: int = Field(ge=1, le=1024)
    scale: float = Field(default=1.0, gt=0, le=1, description="Shrinks the data set")
    authorised_by: str | None = None
    cost: Cost | None = Field(default=None, description="What the system under test costs")
    disclosure: Disclosure | None = Field(
        default=None, description="What the tester states about the test"
    )
    workload_sha256: str | None = Field(
        default=None, pattern="^[0-9a-f]{64}$", description="Hash of the workload file"
    )
    rule: str | None = Field(default=None, description="The rule that gave the criteria")
    search: SearchOptions = SearchOptions()
    server: dict[str, str] = Field(default_factory=dict, description="Settings of a lab server")
    agents: Agents | None = Field(
        default=None, description="Who plays the users, where it is not one process"
    )
    local_ips: list[str] | None = Field(
        default=None,
        description="Addresses of the generator's machines that users connect from: each, a range "
        "or a network",
    )
    limits: dict[str, str] = Field(
        default_factory=dict,
        description="How much of the machine a lab server and the generator may use",
    )
    lines: dict[str, dict[str, str]] | None = Field(
        default=None,
        description="Groups of users who reach a lab server over a line of their own, by name",
    )
    client: dict[str, str] = Field(
        default_factory=dict, description="The users' names, and how they speak the protocol"
    )
    sources: list[str] = Field(
        default_factory=list, description="Where counters of other machines come from"
    )
    views: list[str] = Field(
        default_factory=list, description="The server's status page or socket: kind=address"
    )
    stacks: StacksWanted = Field(
        default="auto", description="Which stacks of the server's threads are recorded"
    )
    logins: int | None = Field(
        default=None, ge=1, description="How many users of a file there are (--logins)"
    )
    trial: bool | None = Field(
        default=None,
        description="Whether one user plays every scenario before the first level; yes by default",
    )
    moments: Annotated[Duration, within("1ms", "1s")] | None = Field(
        default=None, description="How finely it is kept when scenarios were due and ended"
    )
    workload: Workload

    @model_validator(mode="before")
    @classmethod
    def _with_settings(cls, values: Any) -> Any:
        """Move the settings in a lab server's target to `[server]`."""
        if not isinstance(values, dict) or not isinstance(values.get("server", {}), dict):
            return values  # validation of the fields reports what is wrong
        text = values.get("target")
        if not isinstance(text, str):
            return values
        text = target.spelled(text)
        has_lab = text.startswith("lab:") or "+lab:" in text
        if not has_lab or "?" not in text:
            return {**values, "target": text}
        with as_mistake():
            text, server = target.with_settings(text, values.get("server", {}))
        return {**values, "target": text, "server": server}

    @model_validator(mode="after")
    def _consistent(self) -> "Plan":
        if (self.mode == "search") != (not self.levels):
            raise ValueError("give levels for a ladder, and none for a search")
        if self.mode == "level" and len(self.levels) != 1:
            raise ValueError('the mode "level" has one level; for several use the mode "ladder"')
        with as_mistake():
            parsed = target.parse(self.target)
        if not plays(parsed.protocol, self.workload.protocol):
            raise ValueError(
                f'the workload speaks "{self.workload.protocol}", which the target '
                f'"{self.target}" does not; its targets look like '
                f"{forms(self.workload.protocol)}"
            )
        with as_mistake():
            check_sources(self.sources)
            addresses(self.local_ips or [])
        if self.local_ips and protocol_of(parsed.protocol).are_files:
            raise ValueError("local_ips needs a server on a network, and the target is a folder")
        for table, values in (("server", self.server), ("client", self.client)):
            for key, value in values.items():
                if holds_secret(value):
                    raise ValueError(
                        f"[{table}] {key}: it must not contain a password; give that with "
                        "--password-file or HEADCOUNT_PASSWORD"
                    )
        check_client(parsed, self.client, self.server)
        check_limits(self.limits, parsed.lab, self.target)
        others = {
            "--local-ips": bool(self.local_ips),
            "--cluster": self.agents is not None and self.agents.cluster is not None,
        }
        check_lines(self.lines or {}, parsed.lab, self.target, others)
        check_chosen(self.workload.rules, self.rule, self.workload.criteria)
        if self.mode == "search":
            criteria.check_bounded(self.criteria)
        # Debian's Apache comes without the module for them.
        is_stock = parsed.lab == "apache" and self.server.get("profile") == "stock"
        if self.asks_for_cgi and (parsed.lab == "nginx" or is_stock):
            which = f"lab:{parsed.lab}{'?profile=stock' if is_stock else ''}"
            raise ValueError(
                f'{which} runs no CGI programs, which the workload "{self.workload.name}" needs; '
                "give --target lab:apache"
            )
        return self

    @property
    def protocol(self) -> str:
        """The target's protocol; a workload for files runs over any that reaches them."""
        return target.parse(self.target).protocol

    @property
    def criteria(self) -> list[criteria.Criterion]:
        """The workload's criteria, parsed."""
        return self.workload.parsed_criteria

    @property
    def file_bytes(self) -> int:
        """Size of one user's file, scaled, in whole blocks of 4 KiB; 0 without a data set."""
        return _blocks(
            size_bytes(self.workload.data.file_size) * self.scale if self.workload.data else 0
        )

    @property
    def range_bytes(self) -> int:
        """The part of the file that is read and written, scaled, in whole blocks of 4 KiB."""
        return _blocks(
            size_bytes(self.workload.data.io_range) * self.scale if self.workload.data else 0
        )

    @property
    def tree(self) -> Tree | None:
        """The folders and files of a user, scaled; None without any."""
        return self.workload.tree.scaled(self.scale) if self.workload.tree else None

    @property
    def library(self) -> Library | None:
        """The files that all users of a share read, scaled; None without any."""
        return self.workload.library.scaled(self.scale) if self.workload.library else None

    @property
    def data_set(self) -> dict[str, Any] | None:
        """The tree and the library as the engine reads them; None without either."""
        tree, library = self.tree, self.library
        if tree is None and library is None:
            return None
        files = tree.engine_form() if tree else NO_TREE
        return {**files, "library": library.engine_form()} if library else dict(files)

    @property
    def mail(self) -> Mail | None:
        """The mail users, with scaled mailboxes; None without any."""
        return self.workload.mail.scaled(self.scale) if self.workload.mail else None

    @property
    def pages(self) -> Pages | None:
        """The pages of a web server, scaled; None without any."""
        return self.workload.pages.scaled(self.scale) if self.workload.pages else None

    @property
    def discussion(self) -> Discussion | None:
        """The documents and people in a database, scaled; None without any."""
        return self.workload.discussion.scaled(self.scale) if self.workload.discussion else None

    @property
    def line_names(self) -> list[str]:
        """The lines, starting with that of users without one; empty if the plan has none."""
        return [OTHERS, *self.lines] if self.lines else []

    @property
    def line_shares(self) -> list[float]:
        """The shares of the users on each line, from 0 to 1, in the order of `lines`."""
        return [line.share for line in user_lines(self.lines or {}).values()]

    @property
    def asks_for_cgi(self) -> bool:
        """Whether steps ask for pages that the CGI program makes."""
        pages = self.workload.pages
        asked = [] if pages is None else [pages.asked(which) for which in self.workload.asked]
        return any(one.cgi for classes in asked for one in classes)

    def to_toml(self) -> str:
        """The plan as a file that `load` reads."""
        return tomli_w.dumps(self.model_dump(mode="json", exclude_none=True))


def _blocks(size: float) -> int:
    return int(size // BLOCK_BYTES) * BLOCK_BYTES or (BLOCK_BYTES if size else 0)


def load(path: Path, *, follow: bool = True) -> Plan:
    """Read a plan file; raises InputError with every mistake in it.

    `follow`: whether it may be a symbolic link, which is fine for a file that the user named.
    """
    text = toml_text(path, f"the plan {path}", follow=follow)
    values = toml_of(text, f"the plan {path}")
    version = values.get("format")
    if isinstance(version, int) and version > FORMAT:
        raise InputError(
            f"the plan {path} was written by a newer Headcount: its format is {version}, and this "
            f"one reads {FORMAT}; upgrade Headcount"
        )
    return validate(Plan, values, str(path), line_numbers(text))


def validate(
    model: type[T], values: dict[str, Any], where: str, line_of: LineOf = lambda _place: None
) -> T:
    """Validate `values`, naming every mistake in one error, with the nearest name for a typo.

    `line_of`: the lines of the file `where` on which they stand.
    """
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise refused(found(error, model, line_of), where) from error


def engine_plan(
    plan: Plan, part: Mapping[str, Any] | None = None, *, with_secrets: bool = True
) -> str:
    """The plan as the engine reads it (JSON).

    `part`: which of its users an engine plays, if several machines play them together: the `lanes`
    of its workers, and how many there are in all, `of`. `with_secrets`: without them it can
    be checked, but not played.
    """
    workload, faster = plan.workload, plan.workload.run.compress
    key = "think" if workload.pace.kind == "closed" else "every"
    scenarios = [
        {
            "name": scenario.name,
            "weight": scenario.weight,
            "limit_ms": seconds(scenario.limit) * 1000,
            "limit_per_mib_ms": seconds(scenario.limit_per_mib or "0s") * 1000,
            "late_ms": seconds(scenario.late or scenario.limit) * 1000,
            "pause": _draw(scenario.pause, faster) if scenario.pause else None,
            **{
                name: [_entry(entry, faster) for entry in entries]
                for name, entries in scenario.sections
                if entries
            },
        }
        for scenario in workload.scenarios
    ]
    script = {"script": workload.script.engine_form()} if workload.script else {}
    journey: dict[str, Any] = {}
    if workload.variables:
        journey["variables"] = variables.engine_form(workload.variables, with_secrets=with_secrets)
    setup = token_steps(workload, with_secrets=with_secrets)
    setup += [_entry(entry, faster) for entry in workload.setup or ()]
    if setup:
        journey["setup"] = setup
    return json.dumps(
        {
            **script,
            **journey,
            **({"part": part} if part is not None else {}),
            **({"lines": plan.line_shares} if plan.lines else {}),
            "seed": plan.seed,
            "workers": plan.workers,
            "pace": {"pace": workload.pace.kind, key: _draw(workload.pace.time, faster)},
            "step_timeout_ms": round(seconds(workload.run.step_timeout) * 1000),
            "report_every_ms": 1000,
            **({"slot_ms": round(seconds(plan.moments) * 1000)} if plan.moments else {}),
            "log_on": workload.run.log_on,
            "scenarios": scenarios,
        }
    )


def _entry(entry: Played, faster: float) -> dict[str, Any]:
    """A step as it is played, or what decides which steps are."""
    if isinstance(entry, Step):
        return _step(entry, faster)
    if isinstance(entry, Pause):
        return {"pause": _draw(entry.pause, faster)}
    values: dict[str, Any] = entry.model_dump(mode="json", by_alias=True, exclude_none=True)
    inner: dict[str, Any] = {
        key: [_entry(one, faster) for one in getattr(entry, name)]
        for key, name in (("then", "then"), ("else", "otherwise"), ("steps", "steps"))
        if hasattr(entry, name)
    }
    if isinstance(entry, Choose):
        inner["choose"] = [
            {"weight": way.weight, "steps": [_entry(one, faster) for one in way.steps]}
            for way in entry.choose
        ]
    return {**values, **inner}


def _step(step: Step, faster: float) -> dict[str, Any]:
    """A step as it is played: its own pause (`lasting`) is shortened by the factor."""
    options = {"name": step.name, **step.options}
    lasting = options.get("lasting")
    if isinstance(lasting, dict):
        options["lasting"] = {
            key: value / faster if isinstance(value, int | float) else value
            for key, value in lasting.items()
        }
    return options


def _draw(time: Think, faster: float) -> dict[str, Any]:
    """A pause or an interval as it is played: shortened by the factor."""
    if time.draw == "uniform":
        return {
            "draw": "uniform",
            "low_s": seconds(time.low or "0s") / faster,
            "high_s": seconds(time.high or "0s") / faster,
        }
    name = "s" if time.draw == "fixed" else "mean_s"
    return {"draw": time.draw, name: time.mean_s / faster}
