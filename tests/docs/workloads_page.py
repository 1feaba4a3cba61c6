"""Writes docs/workloads.md from the workload files: `python tests/docs/workloads_page.py`."""

from collections.abc import Iterable
from pathlib import Path

from headcount import workloads
from headcount.plan.workload import Scenario, Workload

PAGE = Path(__file__).parents[2] / "docs" / "workloads.md"

INTRODUCTION = """\
# Workloads

What comes with Headcount. Each re-creates a published benchmark as far as it was published; what
was not is ours, and each workload says which. **No result is a score of the original.**

`headcount workloads` lists them, `headcount workloads show NAME` shows one. Workloads are [TOML
files](plan-and-workload-files.md#workloads); copy one from `python/headcount/workloads` to make
your own. The operations are explained with [the application
server](app-protocol.md#what-clients-ask-for) and [the SMB client](smb.md#steps).

This page is made from the workload files: `python tests/docs/workloads_page.py`.

| workload | what it is | how it is run |
|---|---|---|
"""


def page() -> str:
    """The page as it must stand in the documentation."""
    found = [workloads.load(name) for name in workloads.names()]
    lines = [f"| [`{w.name}`](#{w.name}) | {w.title} | {_how(w)} |" for w in found]
    return "\n\n".join([INTRODUCTION + "\n".join(lines), *(_section(w) for w in found)]) + "\n"


def _how(workload: Workload) -> str:
    ladder = workload.run.ladder
    if not ladder:
        return "search for the capacity"
    return f"ladder of {len(ladder)} levels, {ladder[0]} to {ladder[-1]} users"


def _section(workload: Workload) -> str:
    run = workload.run
    facts = [
        f"Levels: {', '.join(map(str, run.ladder)) if run.ladder else 'the search'}",
        f"Measured in each: {run.duration}" if run.ladder else "",
        f"Pace: {workload.pace.kind}, {_pause(workload)}",
        f"Criteria: {', '.join(f'`{text}`' for text in workload.criteria)}",
        f"Data: {workload.data.file_size} a user, of which {workload.data.io_range} are read and "
        "written"
        if workload.data
        else "",
        f"Data: {workload.tree.text}" if workload.tree else "",
        f"Data: {workload.library.text}" if workload.library else "",
        *(
            f"`{group}`: the scenarios {', '.join(f'`{each}`' for each in patterns)} together"
            for group, patterns in workload.groups.items()
        ),
        f"Data: {workload.pages.text}" if workload.pages else "",
        _client(workload),
        f"On a server of the lab: `--scale {run.lab_scale:g}` unless one is given"
        if run.lab_scale < 1
        else "",
        f"Users play {workload.program.text}, in order" if workload.program else "",
        *(
            f"`--rule {rule}`: {' '.join(f'`{text}`' for text in texts)}"
            for rule, texts in workload.rules.items()
        ),
        f"Users play {workload.script.text}" if workload.script else "",
        f"Pauses pass {run.compress:g} times faster than life" if run.compress != 1 else "",
        "Users log on when they join" if run.log_on == "join" else "",
        f"Score: {workload.score.name}, in {workload.score.unit}" if workload.score else "",
        f"Score: {workload.task_score.text}" if workload.task_score else "",
        f"Marks: {workload.marks.text}" if workload.marks else "",
    ]
    total = sum(scenario.weight for scenario in workload.scenarios)
    table = [
        "| scenario | share | limit | steps | what it is | origin |",
        "|---|---|---|---|---|---|",
    ]
    # A load file decides how often each of its operations comes.
    unknown = workload.program is not None and workload.program.needs_file
    table += [_row(scenario, 0 if unknown else total) for scenario in workload.scenarios]
    return "\n\n".join(
        [
            f"## {workload.name}",
            f"**{workload.title}.** {' '.join(workload.description.split())}",
            _list(fact for fact in facts if fact),
            "\n".join(table),
            f"Re-creates {workload.recreates}. Differs from it:",
            _list(workload.deviations),
            "Sources:",
            _list(workload.sources),
        ]
    )


def _client(workload: Workload) -> str:
    told = ", ".join(f"`{key} = {value}`" for key, value in workload.client.items())
    return f"Client: {told}" if told else ""


def _pause(workload: Workload) -> str:
    kind = "think time" if workload.pace.kind == "closed" else "a scenario every"
    return f"{kind} {workload.pace.time.text}"


def _row(scenario: Scenario, total: float) -> str:
    steps = "; ".join(f"`{step.text}`" for step in scenario.steps)
    share = f"{scenario.weight / total:.0%}" if total else ""
    cells = [
        f"`{scenario.name}`",
        share,
        scenario.limit_text,
        steps,
        scenario.title + (f"; then a pause of {scenario.pause.text}" if scenario.pause else ""),
        scenario.origin,
    ]
    return f"| {' | '.join(cells)} |"


def _list(texts: Iterable[str]) -> str:
    return "\n".join(f"- {text}" for text in texts)


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
