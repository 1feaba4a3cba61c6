"""What `headcount run` does once its options are read."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn

import typer

from headcount import workloads
from headcount.bundle import reader
from headcount.bundle.verdict import Verdict
from headcount.cli import versus
from headcount.cli.agent_options import with_agents
from headcount.cli.console import err, out, print_json
from headcount.cli.display import Display
from headcount.cli.exits import exit_code
from headcount.cli.loadfile import load_file
from headcount.cli.logins import named_plan
from headcount.cli.outputs import check_runs
from headcount.cli.run_options import (
    Advanced,
    Criteria,
    Load,
    Output,
    Search,
    Second,
    Server,
    Target,
)
from headcount.cli.secrets import secrets_for
from headcount.cli.settings import client_settings, limit_of, setting
from headcount.controller.access import Secrets
from headcount.controller.lab_settings import check_lab_settings
from headcount.controller.versus.asked import SideAsked
from headcount.counters import address as addresses
from headcount.counters.proc.named import NOBODY, Named
from headcount.counters.views.find import split_view
from headcount.errors import InputError
from headcount.fields.units import MOST_USERS, count
from headcount.plan import plan as plans
from headcount.plan.consent import with_consent
from headcount.plan.cost import stated_cost
from headcount.plan.disclosure import Disclosure, load_disclosure
from headcount.plan.line_numbers import below, line_numbers
from headcount.plan.lines import lines_of
from headcount.plan.plan import StacksWanted
from headcount.plan.playable import check_identity, check_playable, check_variables
from headcount.plan.resolve import Overrides, check_searched, option_of, resolve
from headcount.plan.sources import split_source
from headcount.plan.target import parse
from headcount.plan.toml_file import toml_text, toml_values
from headcount.protocols.program import LoadFile, check_load_file
from headcount.protocols.registry import lab_target, protocol_of
from headcount.text import shell_path

__all__ = ["Overrides", "client_settings", "stated_cost"]

USUAL_HTTP = "web-static"
"""The workload to suggest if only a web server is given."""


@dataclass(frozen=True)
class Asked:
    """What runs, its target, the processes of the server, and whether to test the diagnosis."""

    what: str
    target: str | None
    named: Named = NOBODY
    confirm: bool | None = None


@dataclass(frozen=True)
class Files:
    """Files with secrets."""

    password: Path | None
    token: Path | None
    versus_password: Path | None
    logins: Path | None = None


def number(text: str | None, option: str) -> int | None:
    """The number of users in a text; None if there is no text."""
    return None if text is None else count(text, option, MOST_USERS)


def parts(text: str | None) -> list[str]:
    """The parts between commas, without blank ones."""
    return [part.strip() for part in (text or "").split(",") if part.strip()]


def criteria_of(texts_given: Sequence[str] | None) -> list[str]:
    """The single criteria; one argument may hold several, and blanks in them do not matter."""
    texts = [re.sub(r"\s*([<>=]+)\s*", r"\1", text) for text in texts_given or []]
    return [one for text in texts for one in re.findall(r"\S+(?:\s+for\s+\d\S*)?", text)]


def disclosed(path: Path | None) -> Disclosure | None:
    """The disclosure in a file; None without one."""
    return load_disclosure(path) if path else None


def settings(given: Sequence[str] | None, option: str) -> dict[str, str]:
    """Settings of a lab server."""
    return dict(setting(text, option) for text in given or [])


def limits(given: Sequence[str] | None) -> dict[str, str]:
    """Limits of a lab server."""
    return dict(limit_of(text) for text in given or [])


def stacks_wanted(text: str) -> StacksWanted:
    """Which stacks to record; raises InputError for an unknown word."""
    known: dict[str, StacksWanted] = {"auto": "auto", "all": "all", "off": "off"}
    if text not in known:
        raise InputError(f'--stacks is "{text}"; give {", ".join(known)}')
    return known[text]


def named(
    pids: Sequence[int] | None,
    units: Sequence[str] | None,
    cgroups: Sequence[str] | None,
    containers: Sequence[str] | None,
) -> Named:
    """The server as the user names it."""
    return Named(
        tuple(pids or ()), tuple(units or ()), tuple(cgroups or ()), tuple(containers or ())
    )


def played(path: Path | None, *, ignore_times: bool) -> LoadFile | None:
    """The load file; None without one."""
    if path is None:
        if ignore_times:
            raise InputError("--ignore-times belongs to --loadfile FILE")
        return None
    return load_file(path, ignore_times=ignore_times)


def overrides(
    target: Target,
    load: Load,
    search: Search,
    criteria: Criteria,
    server: Server,
    output: Output,
    advanced: Advanced,
) -> Overrides:
    """The options that override the workload or plan."""
    asked = Overrides(
        users=number(load.users, "--users"),
        levels=load.levels,
        search=search.search,
        duration=load.duration,
        ramp=load.ramp,
        settle=load.settle,
        think=load.think,
        pace=load.pace,
        compress=load.compress,
        seed=advanced.seed,
        criteria=criteria_of(criteria.criteria),
        rule=criteria.rule,
        disclosure=disclosed(output.disclosure),
        cost=stated_cost(output.cost, output.costs),
        workers=advanced.workers,
        scale=load.scale,
        authorised_by=target.authorised_by,
        quick=search.quick,
        budget=search.budget,
        soak=search.soak,
        start_users=number(search.start_users, "--start-users"),
        max_users=number(search.max_users, "--max-users"),
        server=settings(server.set_, "--set"),
        limits=limits(server.limit),
        lines=lines_of(server.line),
        client=client_settings(advanced.client, target.user),
        shares=target.shares,
        loadfile=played(load.loadfile, ignore_times=load.ignore_times),
        workspace=load.workspace,
        sources=advanced.source or [],
        views=advanced.view or [],
        stacks=stacks_wanted(advanced.stacks),
        trial=False if search.no_trial else None,
    )
    return with_agents(asked, advanced)


def given(second: Second) -> versus.Given:
    """What the command line says of the second target."""
    return versus.Given(
        target=second.versus_target,
        server=second.versus_set,
        limits=second.versus_limit,
        client=second.versus_client,
        user=second.versus_user,
        sources=second.versus_source,
        cost=second.versus_cost,
        named=named(
            second.versus_pid,
            second.versus_unit,
            second.versus_cgroup,
            second.versus_container,
        ),
        pairs=second.pairs,
        order=second.pair_order,
    )


def run(
    asked: Asked,
    overrides: Overrides,
    other: versus.Given,
    files: Files,
    runs: Path,
    *,
    plan_only: bool,
    json: bool,
) -> None:
    """Run a workload or a plan on its target, or on two in turn."""
    what, target = asked.what, asked.target
    _check_addresses(overrides.sources, overrides.views)
    plan = _plan(what, target, overrides)
    plan, rows = named_plan(plan, files.logins)
    check_identity(plan, what)
    second = versus.second_plan(plan, target, other)
    both = [plan] if second is None else [plan, second]
    for one in both:
        _check_addresses(one.sources, one.views)
        check_lab_settings(one)
        _check_views(one)
    for one, its_named in zip(both, (asked.named, other.named), strict=False):
        _check_named(its_named, one)
    if plan_only:
        for one in both:
            print(one.to_toml(), end="")  # unredacted, so that it can be run again
        return
    if asked.confirm and second is not None:
        raise InputError(
            "--confirm is for one target; test one run of the pair afterwards: headcount diagnose "
            "BUNDLE --confirm"
        )
    check_runs(runs)
    check_load_file(plan.workload.program)
    secrets = secrets_for(plan, files.token, files.password, rows)
    if second is None:
        _alone(plan, runs, secrets, asked, json=json)
    theirs = versus.secrets_of(second, secrets, files.versus_password)
    wanted = versus.wanted(other.pairs, other.order)
    first = SideAsked(plan, secrets, asked.named)
    versus.run(first, SideAsked(second, theirs, other.named), wanted, runs, json=json)


def _check_addresses(sources: Sequence[str], views: Sequence[str]) -> None:
    """Refuse addresses that cannot be read, or have a secret, before a plan with them is kept."""
    for text in sources:
        addresses.parse(split_source(text)[1])
    for text in views:
        split_view(text)


def _check_views(plan: plans.Plan) -> None:
    """Refuse --view for a lab server, whose figures are read anyway."""
    if plan.views and parse(plan.target).lab is not None:
        raise InputError(
            f"--view is for a server that you started; {plan.target} is asked for its figures "
            "anyway"
        )


def _check_named(named: Named, plan: plans.Plan) -> None:
    """Refuse --pid and similar options for a lab server, whose processes are known."""
    if named and parse(plan.target).lab is not None:
        raise InputError(
            f"{named.options[0]} is for a server that you started; the processes of {plan.target} "
            "are known"
        )


def _alone(plan: plans.Plan, runs: Path, secrets: Secrets, asked: Asked, *, json: bool) -> NoReturn:
    """Run a plan, print its answer and exit."""
    # What levels need, statistics above all, takes half a second to load; other verbs do not.
    from headcount.controller import run as controller
    from headcount.controller.confirm_run import confirm_run

    with Display(err, quiet=json) as display:
        folder, verdict = controller.start(plan, runs, secrets, display, asked.named)
        owner = plan.authorised_by
        confirm_run(folder, secrets, display, wanted=asked.confirm, authorised_by=owner)
    conclude(folder, verdict, json=json)


def conclude(folder: Path, verdict: Verdict, *, json: bool) -> NoReturn:
    """Write the report, print the answer, and exit with its code."""
    from headcount.report import assemble, terminal
    from headcount.report.agents import fleets_of

    bundle = reader.load(folder)
    report = assemble.write(bundle) if bundle.levels else None
    if json:
        answer = verdict.model_dump(mode="json")
        proof = bundle.confirmation
        answer["confirmation"] = proof.model_dump(mode="json") if proof else None
        print_json({**answer, "bundle": str(folder), "report": str(report) if report else None})
    else:
        program = bundle.plan.workload.program
        played = program.text if program else None
        terminal.summary(
            verdict,
            bundle.levels,
            out,
            bundle.environment,
            played,
            bundle.confirmation,
            fleets_of(bundle),
        )
        out.print(f"Bundle: {folder}", markup=False)
        if report:
            out.print(f"Report: {report}", markup=False)
    raise typer.Exit(exit_code(verdict))


def _plan(what: str, target: str | None, overrides: Overrides) -> plans.Plan:
    """A plan file as it is, or a workload with options."""
    path = Path(what)
    _check_what(what, path, target)
    if path.suffix == ".toml" and path.is_file() and _is_plan(path):
        untouched = vars(Overrides())
        changed = [
            key
            for key, value in vars(overrides).items()
            if value != untouched[key] and key != "authorised_by"
        ]
        if changed or target is not None:
            option = option_of((changed or ["target"])[0])
            raise InputError(
                f"a plan is repeated exactly, so {option} cannot be combined with {path}; "
                "edit a copy of the plan instead"
            )
        plan = plans.load(path)
        line_of = below(line_numbers(toml_text(path, str(path))), "workload")
        check_variables(plan.workload, str(path), line_of)
        check_playable(plan, str(path), line_of)
        return with_consent(plan, overrides.authorised_by)
    workload = workloads.load(what)
    check_searched(workload, overrides)
    if target is None:
        protocol = protocol_of(workload.protocol)
        raise InputError(
            f"say what to measure: --target {lab_target(protocol)} starts a server here, "
            f"--target {protocol.form} is yours"
        )
    known = replace(overrides, workload_sha256=workloads.sha256(what))
    line_of = line_numbers(workloads.text_of(what))
    check_variables(workload, what, line_of)
    plan = resolve(workload, target, known)
    check_playable(plan, what, line_of)
    return plan


def _check_what(what: str, path: Path, target: str | None) -> None:
    """Refuse what is neither a workload nor a plan, and suggest the command probably meant."""
    if "://" in what or what.startswith("lab:") or re.fullmatch(r"[\w.-]+:\d+", what):
        where = what if "://" in what or what.startswith("lab:") else f"http://{what}"
        raise InputError(
            f'"{what}" is a target, and a run needs a workload before it: '
            f"headcount run {USUAL_HTTP} --target {where} (headcount workloads lists them)"
        )
    folder = path if path.is_dir() else path.parent
    if (folder / "plan.toml").is_file() and path.suffix != ".toml" and path.exists():
        raise InputError(
            f"{path} is a run that was made; repeat it with: headcount run "
            f"{shell_path(folder / 'plan.toml')}"
        )
    if path.is_dir() and (path.suffix == ".toml" or what not in workloads.names()):
        raise InputError(f"{path} is a folder; give a workload (headcount workloads) or a plan")
    if path.is_file() and path.suffix != ".toml" and what not in workloads.names():
        raise InputError(f"{path} is not a workload or plan file; those end with .toml")
    if path.suffix == ".toml" and not path.exists():
        raise InputError(f"there is no file {path}; headcount workloads lists those built in")
    if path.suffix == ".toml" and path.is_file():
        _check_text(path)
    if target is None and what.lower() != what and what.lower() in workloads.names():
        raise InputError(f'there is no workload "{what}"; did you mean "{what.lower()}"?')


def _check_text(path: Path) -> None:
    """Refuse a file without text in it."""
    if not toml_text(path, str(path)).strip():
        raise InputError(f"{path} is empty; headcount run WORKLOAD --target ... --plan prints one")


def _is_plan(path: Path) -> bool:
    """Whether a file is a plan, by its keys."""
    return workloads.is_plan(toml_values(path, str(path)))
