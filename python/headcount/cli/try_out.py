"""`headcount try`: one user plays a workload once, and shows every request and reply."""

from typing import TYPE_CHECKING, Annotated

import typer

from headcount.cli import options
from headcount.cli.console import out, print_json
from headcount.cli.data import Access, Workload
from headcount.cli.grouped import grouped
from headcount.cli.secrets import secrets_for
from headcount.cli.settings import client_settings
from headcount.errors import InputError, TargetError
from headcount.secret_text import HIDDEN
from headcount.text import clean

if TYPE_CHECKING:
    from headcount.controller.tryout import Event, PlayedStep
    from headcount.plan.plan import Plan

MOST_SHOWN = 400
"""Characters of a body that are shown, unless all of it is asked for."""
ALL_SHOWN = 1 << 20
"""The same with all of it; no more is kept."""


@grouped
def try_out(
    workload: Workload,
    access: Access,
    target: options.Target = None,
    scenario: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Play this scenario only; may be repeated."),
    ] = None,
    bodies: Annotated[
        bool, typer.Option("--bodies", help="Show headers, and 2,000 bytes of each body.")
    ] = False,
    seed: options.Seed = None,
    scale: options.Scale = None,
    json: options.Json = False,
) -> None:
    """Play a workload once with one user, and show what is sent, received and captured.

    Each scenario is played once, without its pauses. The first thing to do with a new workload:
    headcount try shop.toml --target https://shop.test/ --authorised-by "Ada, IT"
    """
    from headcount import workloads
    from headcount.cli.logins import named_plan
    from headcount.controller.sut import connect
    from headcount.controller.tryout import try_out as play
    from headcount.plan.line_numbers import line_numbers
    from headcount.plan.playable import check_identity, check_playable, check_variables
    from headcount.plan.resolve import Overrides, resolve

    if target is None:
        raise InputError("give --target: the server that the user is played against")
    overrides = Overrides(
        users=1,
        seed=seed,
        scale=scale,
        shares=access.shares,
        client=client_settings(access.client, access.user),
        authorised_by=access.authorised_by,
    )
    loaded, line_of = workloads.load(workload), line_numbers(workloads.text_of(workload))
    check_variables(loaded, workload, line_of)
    plan = resolve(loaded, target, overrides)
    check_playable(plan, workload, line_of)
    _check_scenarios(plan, scenario)
    plan, rows = named_plan(plan, access.logins)
    check_identity(plan, workload)
    secrets = secrets_for(plan, access.token_file, access.password_file, rows)
    events: list[Event] = []
    with connect(plan, secrets) as sut:
        sut.access.prepare(1, lambda _done, _of: None)

        def show(event: "Event") -> None:
            events.append(event)
            if not json:
                print_event(event, bodies=bodies)

        succeeded = play(plan, sut.access.engine_target(), show, scenario)
    if json:
        print_json([_values(event) for event in events])
    if not succeeded:
        raise TargetError("the workload does not work for one user yet: see what failed above")
    if not json:
        out.print("Every scenario succeeded.")


def _check_scenarios(plan: "Plan", scenarios: list[str] | None) -> None:
    from headcount.fields.mistakes import nearest

    known = [one.name for one in plan.workload.scenarios]
    for name in scenarios or ():
        if name not in known:
            raise InputError(f'there is no scenario "{name}"{nearest(name, known)}')


def _values(event: "Event") -> dict[str, object]:
    from dataclasses import asdict

    from headcount.controller.tryout import PlayedStep

    shown = {"values": _values_of(event)} if isinstance(event, PlayedStep) else {}
    return {"event": type(event).__name__, **asdict(event), **shown}


def _values_of(step: "PlayedStep") -> dict[str, str]:
    """The values of a step, with passwords hidden."""
    from headcount.controller.tryout import SECRET

    return {name: HIDDEN if SECRET.search(name) else value for name, value in step.values.items()}


def print_event(event: "Event", *, bodies: bool) -> None:
    """Print an event for people; `bodies`: with headers, and more of each body."""
    from headcount.controller.tryout import OtherFault, PrintedLine, ScenarioEnd

    if isinstance(event, PrintedLine):
        out.print(f"  {clean(event.line)}", markup=False)
        return
    if isinstance(event, OtherFault):
        out.print(f"  [red]failed[/]: {_escaped(event.fault)}")
        return
    if isinstance(event, ScenarioEnd):
        verdict = "[red]failed[/]" if event.failed else "[green]succeeded[/]"
        out.print(f"[bold]{event.scenario}[/] {verdict}\n")
        return
    where = f"{event.scenario or 'setup'} / {event.step}"
    out.print(f"[bold]{_escaped(where)}[/]  {event.took_ms:.1f} ms")
    most = ALL_SHOWN if bodies else MOST_SHOWN
    for exchange in event.exchanges:
        for line in exchange.lines(most, has_headers=bodies):
            out.print(f"  {clean(line)}", markup=False)
    for name, value in _values_of(event).items():
        out.print(f"  {{{name}}} = {_cut(value, MOST_SHOWN)}", markup=False)
    if event.fault is not None:
        out.print(f"  [red]failed[/]: {_escaped(event.fault)}")


def _cut(text: str, most: int) -> str:
    text = clean(text)  # before it is cut: the beginning of a secret would be shown
    lines = text[:most].strip().split("\n")
    return "\n    ".join(lines) + (" ..." if len(text) > most else "")


def _escaped(text: str) -> str:
    from rich.markup import escape

    return escape(clean(text))
