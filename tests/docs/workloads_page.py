"""Writes docs/workloads.md from the workload files: `python tests/docs/workloads_page.py`."""

import fnmatch
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from headcount import workloads
from headcount.plan.scenario import Scenario
from headcount.plan.workload import Workload

PAGE = Path(__file__).parents[2] / "docs" / "workloads.md"

LOADSIM = "Microsoft Exchange Load Simulator (LoadSim) 4.0/5.0"
SUCCESSORS = {"Microsoft MAPI Messaging Benchmark (MMB)": LOADSIM}
"""Benchmarks that are described with the one they come from."""
MANY_NAMES = 4
"""More scenarios than this are "the others" in a list."""
MANY_ROWS = 4
"""From this many scenarios of one kind on, they are one row."""
HIDDEN = "steps"
"""What tells scenarios apart and is not shown: `headcount workloads show` has it."""

INTRODUCTION = """\
# Workloads

Each workload re-creates a published benchmark as far as it was published; what is ours is under
"Differences". **No result is a score of the original.**

`headcount workloads show NAME` also has the steps of each scenario, which are explained with
[the application server](app-protocol.md#what-clients-ask-for) and
[the SMB client](smb.md#steps). To make your own, copy
a [TOML file](plan-and-workload-files.md#workloads) from `python/headcount/workloads`.

This page is generated: `python tests/docs/workloads_page.py`.

| original | workloads |
|---|---|
"""


def page() -> str:
    """The page as it must stand in the documentation."""
    found = [workloads.load(name) for name in workloads.names()]
    families: dict[str, list[Workload]] = {}
    for workload in found:
        families.setdefault(_original(workload), []).append(workload)
    for members in families.values():  # the fullest first, so that the others refer to it
        members.sort(key=lambda member: -len(member.scenarios))
    lines = [
        f"| {original} | {', '.join(f'[`{w.name}`](#{w.name})' for w in members)} |"
        for original, members in families.items()
    ]
    parts = [_family(original, members, found) for original, members in families.items()]
    return "\n\n".join([INTRODUCTION + "\n".join(lines), *parts]) + "\n"


def _original(workload: Workload) -> str:
    """The name of the benchmark, without the part of it that a workload re-creates."""
    name = re.split("[,:;]", workload.recreates)[0]
    name = SUCCESSORS.get(name, name)
    return name[0].upper() + name[1:]


def _family(original: str, members: list[Workload], everyone: Sequence[Workload]) -> str:
    """The workloads that re-create one benchmark, then how they differ from it, and its sources."""
    facts = {member.name: _facts(member) for member in members}
    counts = Counter(fact for its in facts.values() for fact in its)
    common = {fact for fact, count in counts.items() if count > 1}
    several = {name: [fact for fact in its if fact in common] for name, its in facts.items()}
    shared = ["In common:", _by_owner(several)] if common else []
    return "\n\n".join(
        [
            f"## {original}",
            *shared,
            *(_section(member, common, _earlier(member, members, everyone)) for member in members),
            "Differences:",
            _by_owner({w.name: w.deviations for w in members}),
            "Sources:",
            _by_owner({w.name: w.sources for w in members}),
        ]
    )


def _earlier(
    workload: Workload, members: Sequence[Workload], everyone: Sequence[Workload]
) -> list[Workload]:
    """Those whose scenarios a workload may refer to; with a load file also other programs."""
    before = list(members[: members.index(workload)])
    if _needs_file(workload):
        before += [each for each in everyone if each.program and not _needs_file(each)]
    return before


def _needs_file(workload: Workload) -> bool:
    return workload.program is not None and workload.program.needs_file


def _by_owner(texts: Mapping[str, Sequence[str]]) -> str:
    """Each text once: what all have, then the rest below the names of those that have it."""
    owners: dict[str, list[str]] = {}
    for name, its in texts.items():
        for text in its:
            owners.setdefault(text, []).append(name)
    groups: dict[tuple[str, ...], list[str]] = {}
    for text, names in owners.items():
        groups.setdefault(tuple(names), []).append(text)
    lines = groups.pop(tuple(texts), [])
    for those, its in groups.items():
        if len(its) == 1:
            lines.append(f"{_code(those)}: {its[0]}")
        else:
            lines.append("\n  - ".join([f"{_code(those)}:", *its]))
    return _list(lines)


def _section(workload: Workload, common: set[str], earlier: Sequence[Workload]) -> str:
    description = " ".join(workload.description.split())
    name = re.split("[,:;]", workload.recreates)[0]
    rest = (
        workload.recreates.removeprefix(name)
        if name not in SUCCESSORS
        else f", {workload.recreates}"
    )
    if rest.startswith("; "):
        description += f" {rest[2].upper()}{rest[3:]}."
    elif rest:
        description += f" Original: {rest[2:]}."
    parts = [
        f"### {workload.name}",
        f"**{workload.title}.** {description}",
        _list(fact for fact in _facts(workload) if fact not in common),
        *_scenarios(workload, earlier),
    ]
    return "\n\n".join(part for part in parts if part)


def _facts(workload: Workload) -> list[str]:
    run = workload.run
    levels = ", ".join(map(str, run.ladder or ()))
    facts = [
        f"Levels: {levels}; {run.duration} measured in each" if levels else "Levels: the search",
        f"Pace: {workload.pace.kind}, {_pause(workload)}",
        f"Criteria: {_code(workload.criteria)}",
        *(_rule(rule, texts, workload.criteria) for rule, texts in workload.rules.items()),
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
        workload.marks.text if workload.marks else "",
    ]
    return [fact for fact in facts if fact]


def _rule(name: str, texts: Sequence[str], criteria: Sequence[str]) -> str:
    return f"`--rule {name}`: {'the criteria' if texts == criteria else _code(texts)}"


def _data(workload: Workload) -> Iterable[str]:
    if workload.data:
        yield f"{workload.data.file_size} per user, {workload.data.io_range} of it read and written"
    for part in (workload.tree, workload.library, workload.pages):
        if part:
            yield part.text


def _scenarios(workload: Workload, earlier: Sequence[Workload]) -> Iterable[str]:
    """What is the same for all scenarios as a fact, what differs as a table."""
    rows = _rows(workload)
    same = _same(rows)
    whole = rows
    for sibling in earlier:
        known = _rows(sibling)
        apart = ["share", *(["limit"] if "limit" in {*same, *_same(known)} else [])]
        apart += ["origin"] if _needs_file(workload) else []
        listed = {_without(row, apart) for row in known}
        those = [row for row in rows if _without(row, apart) in listed]
        if len(those) > 1 or (those and those == rows):
            rows = [row for row in rows if row not in those]
            shares = ", ".join(_share(row, same) for row in those)
            yield f"As in [{sibling.name}](#{sibling.name}): {shares}." + (" Besides:" * bool(rows))
    lifted = ["origin"] if "origin" not in same and _few(rows, "origin") else []
    if rows:
        apart = [HIDDEN, *same, *lifted]
        yield _table(_merged([{key: row[key] for key in row if key not in apart} for row in rows]))
    facts = [
        f"{key.capitalize()} of each: {whole[0][key]}"
        for key in same
        if key != HIDDEN and whole[0][key] and (rows or key in ("share", "limit"))
    ]
    if not rows and len(whole) == 1:
        facts.append(f"Limit: {whole[0]['limit']}")
    for key in lifted:
        facts += _lifted(rows, key)
    if facts:
        yield _list(facts)


def _merged(rows: Sequence[dict[str, str]]) -> list[dict[str, str]]:
    """Many neighbours that differ only in a part of what they do, in one row."""
    merged: list[dict[str, str]] = []
    for _, neighbours in groupby(rows, key=_kind):
        those = list(neighbours)
        if len(those) < MANY_ROWS:
            merged += those
            continue
        titles = [row["what it does"].split() for row in those]
        first, last = _begin(titles), _begin([title[::-1] for title in titles])[::-1]
        names = ", ".join(row["scenario"] for row in those)
        what = " ".join([*first, "...", *last])
        merged.append({**those[0], "scenario": names, "what it does": what})
    return merged


def _kind(row: Mapping[str, str]) -> tuple[str, ...]:
    """What neighbours in one row have in common, with the first and last word of what they do."""
    words = row["what it does"].split()
    cells = [cell for key, cell in row.items() if key not in ("scenario", "what it does")]
    return (*cells, words[0], words[-1]) if len(cells) > 1 else (row["scenario"],)


def _begin(lists: Sequence[Sequence[str]]) -> list[str]:
    """The words with which all begin."""
    return [words[0] for words in zip(*lists, strict=False) if len(set(words)) == 1]


def _lifted(rows: Sequence[Mapping[str, str]], key: str) -> Iterable[str]:
    """A column as facts, each with the scenarios that it is of; the most common one last."""
    names: dict[str, list[str]] = {}
    for row in rows:
        names.setdefault(row[key], []).append(row["scenario"].strip("`"))
    everyone = [row["scenario"].strip("`") for row in rows]
    groups = sorted(names.items(), key=lambda group: len(group[1]))
    for text, those in groups:
        owners = _code(_pattern(those, everyone))
        if len(owners.split()) > MANY_NAMES and those == groups[-1][1]:
            owners = "the others"
        yield f"{key.capitalize()} of {owners}: {text}"


def _pattern(names: Sequence[str], everyone: Sequence[str]) -> list[str]:
    """Names, or one pattern that fits them and nothing else."""
    first, last = names[0].split("-")[0], names[0].split("-")[-1]
    for pattern in (f"{first}-*", f"*-{last}"):
        if len(names) > 1 and fnmatch.filter(everyone, pattern) == list(names):
            return [pattern]
    return list(names)


def _same(rows: Sequence[Mapping[str, str]]) -> list[str]:
    """The columns in which all rows are the same."""
    return [key for key in rows[0] if len(rows) > 1 and len({row[key] for row in rows}) == 1]


def _few(rows: Sequence[Mapping[str, str]], key: str) -> bool:
    """Whether a column repeats itself so much that a list says it in fewer words."""
    return len(rows) > 1 and len({row[key] for row in rows}) <= len(rows) * 2 / 3


def _share(row: Mapping[str, str], same: Sequence[str]) -> str:
    return row["scenario"] + ("" if "share" in same or not row["share"] else f" {row['share']}")


def _rows(workload: Workload) -> list[dict[str, str]]:
    total = sum(scenario.weight for scenario in workload.scenarios)
    # A load file decides how often each of its operations comes.
    return [
        _row(workload, scenario, 0 if _needs_file(workload) else total)
        for scenario in workload.scenarios
    ]


def _without(row: Mapping[str, str], apart: Sequence[str]) -> tuple[str, ...]:
    """A row without these columns, and without the server that a step is for."""
    return tuple(cell.replace(" on=sql", "") for key, cell in row.items() if key not in apart)


def _row(workload: Workload, scenario: Scenario, total: float) -> dict[str, str]:
    pause = scenario.pause.text if scenario.pause else ""
    pause = "" if pause == workload.pace.time.text else pause
    return {
        "scenario": f"`{scenario.name}`",
        "share": f"{scenario.weight / total:.0%}" if total else "",
        "limit": scenario.limit_text,
        HIDDEN: "; ".join(step.text for step in scenario.steps),
        "what it does": scenario.title + (f"; then {pause}" if pause else ""),
        "origin": scenario.origin,
    }


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
