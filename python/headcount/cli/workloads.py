"""`headcount workloads`: what can be run, and what it re-creates."""

from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from headcount.cli import options
from headcount.cli.console import out, print_json
from headcount.errors import ExitCode
from headcount.text import significant

if TYPE_CHECKING:
    from headcount.plan.workload import Workload

app = typer.Typer(
    help="List the workloads (headcount workloads show NAME explains one).",
    invoke_without_command=True,
)


@app.callback()
def listing(context: typer.Context, json: options.Json = False) -> None:
    """List the workloads (headcount workloads show NAME explains one)."""
    if context.invoked_subcommand is not None:
        return
    from headcount import workloads

    found = [workloads.load(name) for name in workloads.names()]
    if json:
        print_json([{"name": w.name, "title": w.title, "recreates": w.recreates} for w in found])
        return
    table = Table(box=None, header_style="bold")
    for column in ("workload", "what it is", "how it runs"):
        table.add_column(column)
    for workload in found:
        how = (
            "ladder, " + workload.run.duration if workload.run.ladder else "search for the capacity"
        )
        table.add_row(workload.name, Text(workload.title), how)
    out.print(table)


@app.command("check", no_args_is_help=True)
def check(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="Workload or plan files (.toml).")
    ],
    target: options.Target = None,
    json: options.Json = False,
) -> None:
    """Look for mistakes in workload and plan files, without a server.

    Each mistake is shown with its file, line and key, and what to write instead. The exit code is 0
    only if there is none. Environment variables with secrets need not be set.
    """
    from headcount.cli import workloads_check

    found = {file: workloads_check.mistakes_in(file, target) for file in files}
    workloads_check.show(found, json=json)
    if any(found.values()):
        raise typer.Exit(ExitCode.BAD_INPUT)


@app.command("schema")
def schema(
    plan: Annotated[
        bool, typer.Option("--plan", help="Of plan files, instead of workload files.")
    ] = False,
) -> None:
    """Print the JSON Schema of workload files, with which editors complete and check keys.

    headcount workloads schema > workload.schema.json
    """
    from headcount import schemas

    # Unredacted: a key called "cookie" is not a secret.
    print(schemas.text(schemas.SCHEMAS["plan" if plan else "workload"]()), end="", flush=True)


@app.command("show", no_args_is_help=True)
def show(
    name: Annotated[str, typer.Argument(help="A workload's name.")], json: options.Json = False
) -> None:
    """Show what a workload does, what it re-creates and how it differs from the original."""
    from headcount import workloads

    workload = workloads.load(name)
    if json:
        print_json(workload.model_dump(mode="json"))
        return
    out.print(Text(workload.title, "bold"))
    if workload.description:
        out.print(workload.description.strip(), markup=False)
    if workload.original is not None:
        out.print(
            f"\n[bold]Re-creates[/] {escape(workload.recreates)}; no result is a score of the "
            "original."
        )
    _print_list("Sources", workload.sources)
    _print_list("Deviations", workload.deviations)
    _print_run(workload)
    _print_scenarios(workload)


def _print_scenarios(workload: "Workload") -> None:
    from headcount.plan.flow import texts

    table = Table(box=None, header_style="bold")
    for column in ("scenario", "share", "what the user does", "limit"):
        table.add_column(column)
    total = sum(scenario.weight for scenario in workload.scenarios)
    for scenario in workload.scenarios:
        # A load file decides how often each of its operations comes.
        unknown = workload.program is not None and workload.program.needs_file
        share = "" if unknown else f"{scenario.weight / total:.1%}"
        table.add_row(scenario.name, share, Text(scenario.title), scenario.limit_text)
    out.print()
    out.print(table)
    steps = [
        f"{scenario.name}{'' if name == 'steps' else f', {name}'}: {texts(entries)}"
        for scenario in workload.scenarios
        for name, entries in scenario.sections
        if entries
    ]
    setup = [f"each user first: {texts(workload.setup)}"] if workload.setup else []
    _print_list("Steps", [*setup, *steps])
    origins: dict[str, list[str]] = {}
    for scenario in workload.scenarios:
        if scenario.origin:
            origins.setdefault(scenario.origin, []).append(scenario.name)
    _print_list("Origins", [f"{', '.join(names)}: {text}" for text, names in origins.items()])


def _print_run(workload: "Workload") -> None:
    from headcount.plan.tokens import oauth2_of

    run = workload.run
    out.print("\n[bold]How it runs[/]")
    levels = ", ".join(map(str, run.ladder)) if run.ladder else "search for the capacity"
    kind = "think time" if workload.pace.kind == "closed" else "a scenario every"
    out.print(f"  levels: {levels}", markup=False)
    out.print(f"  pace: {workload.pace.kind}, {kind} {workload.pace.time.text}", markup=False)
    _print_order(workload)
    _print_criteria(workload)
    if workload.data:
        data = workload.data
        out.print(f"  data: {data.file_size} per user, {data.io_range} of it read and written")
    data_sets = (workload.tree, workload.library, workload.pages, workload.mail)
    for described in (*data_sets, workload.discussion):
        if described:
            out.print(f"  data: {described.text}", markup=False)
    if (oauth2 := oauth2_of(workload)) is not None:
        out.print(f"  {oauth2.text}", markup=False)
    for group, patterns in workload.groups.items():
        out.print(f"  {group}: the scenarios {', '.join(patterns)} together", markup=False)
    if workload.client:
        options = ", ".join(f"{key} = {value}" for key, value in workload.client.items())
        out.print(f"  client: {options}", markup=False)
    if workload.program:
        out.print(f"  users play {workload.program.text}, in order", markup=False)
    if run.lab_scale < 1:
        out.print(f"  on a lab server: --scale {run.lab_scale:g} by default")
    _print_figures(workload)


def _print_criteria(workload: "Workload") -> None:
    out.print(f"  criteria: {' '.join(workload.criteria)}", markup=False)
    for rule, texts in workload.rules.items():
        out.print(f"  --rule {rule}: {' '.join(texts)}", markup=False)


def _print_order(workload: "Workload") -> None:
    pauses = [f"{s.name} {s.pause.text}" for s in workload.scenarios if s.pause]
    if pauses:
        out.print(f"  pauses of their own: {', '.join(pauses)}", markup=False)
    if workload.script:
        out.print(f"  users play {workload.script.text}", markup=False)
    if pauses or workload.script:
        mean_s = workload.pause_mean_s
        most = f"; at most {significant(3600 / mean_s)} scenarios/h of each" if mean_s else ""
        out.print(f"  mean pause: {significant(mean_s)} s{most}", markup=False)
    if workload.run.compress != 1:
        faster = f"{workload.run.compress:g}"
        out.print(
            f"  pauses pass {faster} times faster than in real life (--compress)", markup=False
        )
    if workload.run.log_on == "join":
        out.print("  users log on when they join, before their first scenario", markup=False)


def _print_figures(workload: "Workload") -> None:
    if workload.score:
        out.print(f"  score: {workload.score.name} ({workload.score.unit})", markup=False)
    if workload.task_score:
        out.print(f"  score: {workload.task_score.text}", markup=False)
    if workload.marks:
        out.print(f"  marks: {workload.marks.text}", markup=False)


def _print_list(title: str, texts: list[str]) -> None:
    if not texts:
        return
    out.print(f"\n[bold]{title}[/]")
    for text in texts:
        out.print(f"  - {text}", markup=False)
