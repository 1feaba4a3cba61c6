"""Writes docs/workloads.md from the workload files: `python tests/docs/workloads_page.py`."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from headcount import workloads
from headcount.plan.workload import Scenario, Workload

PAGE = Path(__file__).parents[2] / "docs" / "workloads.md"

FEW_STEPS = 4
"""Scenarios of up to so many steps are shown with all options."""
FEW_ROWS = 4
"""Rows of another workload of the same benchmark are not repeated if there are more of them."""

INTRODUCTION = """\
# Workloads

The workloads that come with Headcount. Each re-creates a published benchmark as far as it was
published. The rest is ours, and each workload says what. **No result is a score of the original.**

`headcount workloads` lists them, `headcount workloads show NAME` shows one with every option of
every step; scenarios of more than four steps are shortened here. To make your own, copy
a [TOML file](plan-and-workload-files.md#workloads) from `python/headcount/workloads`. The
operations are explained with [the application server](app-protocol.md#what-clients-ask-for) and
[the SMB client](smb.md#steps).

This page is made from the workload files: `python tests/docs/workloads_page.py`.

| workload | what it is | how it runs |
|---|---|---|
"""


def page() -> str:
    """The page as it must stand in the documentation."""
    found = [workloads.load(name) for name in workloads.names()]
    lines = [f"| [`{w.name}`](#{w.name}) | {w.title} | {_how(w)} |" for w in found]
    families: dict[str, list[Workload]] = {}
    for workload in found:
        families.setdefault(_original(workload), []).append(workload)
    parts = [_family(original, members) for original, members in families.items()]
    return "\n\n".join([INTRODUCTION + "\n".join(lines), *parts]) + "\n"


def _original(workload: Workload) -> str:
    """The name of the benchmark, without the part of it that a workload re-creates."""
    name = re.split("[,:;]", workload.recreates)[0]
    return name[0].upper() + name[1:]


def _how(workload: Workload) -> str:
    ladder = workload.run.ladder
    if not ladder:
        return "search for the capacity"
    return f"ladder of {len(ladder)} levels, {ladder[0]} to {ladder[-1]} users"


def _family(original: str, members: list[Workload]) -> str:
    """The workloads that re-create one benchmark, then how they differ from it, and its sources."""
    facts = [_facts(member) for member in members]
    common = [fact for fact in facts[0] if len(facts) > 1 and all(fact in its for its in facts)]
    shared = ["All of these:", _list(common)] if common else []
    return "\n\n".join(
        [
            f"## {original}",
            *shared,
            *(
                _section(member, set(common), members[:index])
                for index, member in enumerate(members)
            ),
            "Differences from the original:",
            _by_owner({w.name: w.deviations for w in members}),
            "Sources:",
            _by_owner({w.name: w.sources for w in members}),
        ]
    )


def _by_owner(texts: Mapping[str, Sequence[str]]) -> str:
    """Each text once, after the names of those that have it unless all have."""
    owners: dict[str, list[str]] = {}
    for name, its in texts.items():
        for text in its:
            owners.setdefault(text, []).append(name)
    return _list(
        text if len(names) == len(texts) else f"{_code(names)}: {text}"
        for text, names in owners.items()
    )


def _section(workload: Workload, common: set[str], earlier: Sequence[Workload]) -> str:
    description = " ".join(workload.description.split())
    if workload.recreates != _original(workload):
        description += f" Re-creates {workload.recreates}."
    return "\n\n".join(
        [
            f"### {workload.name}",
            f"**{workload.title}.** {description}",
            _list(fact for fact in _facts(workload) if fact not in common),
            *_scenarios(workload, earlier),
        ]
    )


def _facts(workload: Workload) -> list[str]:
    run = workload.run
    levels = ", ".join(map(str, run.ladder or ()))
    facts = [
        f"Levels: {levels}; {run.duration} measured in each" if levels else "Levels: the search",
        f"Pace: {workload.pace.kind}, {_pause(workload)}",
        f"Criteria: {_code(workload.criteria)}",
        *(f"`--rule {rule}`: {_code(texts)}" for rule, texts in workload.rules.items()),
        *(
            f"`{group}`: the scenarios {_code(patterns)} together"
            for group, patterns in workload.groups.items()
        ),
        *(f"Data: {text}" for text in _data(workload)),
        f"Client: {_code(f'{key} = {value}' for key, value in workload.client.items())}"
        if workload.client
        else "",
        f"Scale on a lab server: {run.lab_scale:g} by default (`--scale`)"
        if run.lab_scale < 1
        else "",
        f"Users play {workload.program.text}, in order" if workload.program else "",
        f"Users play {workload.script.text}" if workload.script else "",
        f"Pauses pass {run.compress:g} times faster than in real life" if run.compress != 1 else "",
        "Users log on when they join" if run.log_on == "join" else "",
        f"Score: {workload.score.name}, in {workload.score.unit}" if workload.score else "",
        f"Score: {workload.task_score.text}" if workload.task_score else "",
        f"Marks: {workload.marks.text}" if workload.marks else "",
    ]
    return [fact for fact in facts if fact]


def _data(workload: Workload) -> Iterable[str]:
    if workload.data:
        yield f"{workload.data.file_size} per user, {workload.data.io_range} of it read and written"
    for part in (workload.tree, workload.library, workload.pages):
        if part:
            yield part.text


def _scenarios(workload: Workload, earlier: Sequence[Workload]) -> Iterable[str]:
    """What is the same for all scenarios as a fact, what differs as a table."""
    rows = _rows(workload)
    for sibling in earlier:
        known = {_apart_from_share(row) for row in _rows(sibling)}
        those = [row for row in rows if _apart_from_share(row) in known]
        if FEW_ROWS < len(those) < len(rows):
            rows = [row for row in rows if row not in those]
            listed = ", ".join(f"{row['scenario']} {row['share']}" for row in those)
            yield f"As in [{sibling.name}](#{sibling.name}), with these shares: {listed}. Besides:"
    same = [key for key in rows[0] if len(rows) > 1 and len({row[key] for row in rows}) == 1]
    few = len({row["origin"] for row in rows}) <= len(rows) / 2
    apart = {*same, "origin"} if few else set(same)
    yield _table([{key: row[key] for key in row if key not in apart} for row in rows])
    facts = [f"{key.capitalize()} of each: {rows[0][key]}" for key in same if rows[0][key]]
    if few and "origin" not in same:
        origins: dict[str, list[str]] = {}
        for row in rows:
            origins.setdefault(row["origin"], []).append(row["scenario"].strip("`"))
        facts += [f"Origin of {_code(names)}: {text}" for text, names in origins.items()]
    if facts:
        yield _list(facts)


def _rows(workload: Workload) -> list[dict[str, str]]:
    total = sum(scenario.weight for scenario in workload.scenarios)
    # A load file decides how often each of its operations comes.
    unknown = workload.program is not None and workload.program.needs_file
    return [_row(scenario, 0 if unknown else total) for scenario in workload.scenarios]


def _apart_from_share(row: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(cell for key, cell in row.items() if key != "share")


def _row(scenario: Scenario, total: float) -> dict[str, str]:
    pause = f"; then a pause of {scenario.pause.text}" if scenario.pause else ""
    return {
        "scenario": f"`{scenario.name}`",
        "share": f"{scenario.weight / total:.0%}" if total else "",
        "limit": scenario.limit_text,
        "steps": _steps(scenario),
        "what it does": scenario.title + pause,
        "origin": scenario.origin,
    }


def _steps(scenario: Scenario) -> str:
    """All of a few steps; of many the operations, how often each in a row."""
    if len(scenario.steps) <= FEW_STEPS:
        return "; ".join(f"`{step.text}`" for step in scenario.steps)
    runs = [(op, len(list(those))) for op, those in groupby(step.op for step in scenario.steps)]
    return ", ".join(f"{op} x{times}" if times > 1 else op for op, times in runs)


def _table(rows: Sequence[Mapping[str, str]]) -> str:
    head = [f"| {' | '.join(rows[0])} |", f"|{'---|' * len(rows[0])}"]
    return "\n".join([*head, *(f"| {' | '.join(row.values())} |" for row in rows)])


def _pause(workload: Workload) -> str:
    kind = "think time" if workload.pace.kind == "closed" else "a scenario every"
    return f"{kind} {workload.pace.time.text}"


def _code(texts: Iterable[str]) -> str:
    return ", ".join(f"`{text}`" for text in texts)


def _list(texts: Iterable[str]) -> str:
    return "\n".join(f"- {text}" for text in texts)


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
