"""The methodology: who was simulated, how levels were run and judged, how the number was found."""

from collections.abc import Iterator

from headcount.bundle.tuning import Tuning
from headcount.plan.plan import Plan
from headcount.plan.scenario import Scenario
from headcount.report.content import ReportContent
from headcount.report.document.blocks import (
    Block,
    Bullets,
    Column,
    Heading,
    Paragraph,
    Row,
    Section,
    Table,
    Text,
    cells,
    code,
    prose,
)
from headcount.report.document.prose import sentence
from headcount.text import DASH, count, plural, share, span

TITLE = "Methodology"
MOST_SCENARIOS = 30
"""More would not fit a table; the plan names all."""


def section(content: ReportContent, plan: Plan | None) -> Section:
    """Describe the test so that a reader can judge it; without the plan, parts are missing."""
    blocks: list[Block] = [
        Heading("The workload"),
        Paragraph(prose(sentence(" ".join(content.description.split())))),
        *_users(content, plan),
        *([_scenarios(plan)] if plan is not None and not plan.workload.program else []),
        *_levels_of(content, plan),
        Heading("What is measured"),
        Bullets(_measured()),
        *_deviations(content),
    ]
    return Section(TITLE, blocks)


def _levels_of(content: ReportContent, plan: Plan | None) -> Iterator[Block]:
    if content.tuning is not None:
        yield from _turns(content.tuning)
    elif content.failover is not None:
        yield from _repetitions()
    else:
        yield from _played(content, plan)


def _repetitions() -> Iterator[Block]:
    """How outages were measured."""
    yield Heading("Repetitions")
    yield Paragraph(
        prose(
            "Users play throughout. Each repetition begins without a fault. Then Headcount makes "
            "the fault, and watches until users have been served within their limits for a while. "
            "The server is recovered, and the next repetition begins. Users behave as always: "
            "they open a new session when they lose one, and what falls due meanwhile is late."
        )
    )
    yield Paragraph(
        prose(
            "Silence is the longest time without any success. A scenario is missed if it fails, or "
            "is slow or late. Users are served again when no more than the allowed share of them "
            "waits for a scenario that will be missed, and no more than that share of scenarios is "
            "missed (a cumulative sum says when that ended). The interval of a median follows from "
            "the order of the values alone (binomial)."
        )
    )


def _played(content: ReportContent, plan: Plan | None) -> Iterator[Block]:
    """The levels, how their users were chosen, and when they pass."""
    yield Heading("Levels")
    yield Paragraph(prose(*_levels(content)))
    yield from _search(content, plan)
    yield Heading("Criteria")
    yield from _criteria(content)


def _turns(found: Tuning) -> Iterator[Block]:
    """How configurations were compared."""
    yield Heading("Turns")
    yield Paragraph(
        prose(
            "A turn is a short time of load with one configuration of the server. Two turns, one "
            "right after the other, are a pair. The order turns around from pair to pair (ABBA), "
            "so that drift affects both configurations alike. A pair counts by the logarithm of "
            f"the ratio of its turns' figures: {found.measure}."
        )
    )
    yield Paragraph(
        prose(
            "Configurations race against the best so far, in two to eight pairs. Changes that do "
            "not matter are taken back. The winner is then compared with the server as it was, in "
            "pairs of their own. Only what holds there is a claim: its interval excludes no gain."
        )
    )


def _users(content: ReportContent, plan: Plan | None) -> Iterator[Block]:
    if plan is not None:
        pace = plan.workload.pace
        pacing = (
            "A user starts a scenario, waits for its end, thinks, and starts the next (closed "
            f"pace; think time {pace.time.text})."
            if pace.kind == "closed"
            else "A user's scenarios fall due on a schedule that is fixed in advance (open pace; "
            f"interval {pace.time.text}), whether or not the server keeps up."
        )
        yield Paragraph(
            prose(
                "Each user is simulated separately, with its own connection and random stream. "
                f"{pacing} The seed {plan.seed} makes the same users do the same things in the "
                "same order."
            )
        )
    if content.program:
        yield Paragraph(
            prose(
                f"Every user plays {content.program}, in order, over and over. Each kind of "
                "operation is a scenario here; a failed operation names its line."
            )
        )
    if content.shrunk:
        yield Paragraph(prose(sentence(content.shrunk)))


def _scenarios(plan: Plan) -> Table:
    found = plan.workload.scenarios
    total = sum(one.weight for one in found)
    rows = [_scenario(one, total) for one in found[:MOST_SCENARIOS]]
    over = len(found) - MOST_SCENARIOS
    return Table(
        "What users do",
        [
            Column("Scenario", text=True),
            Column("What it is", text=True),
            Column("Weight"),
            Column("Over the limit from", text=True),
        ],
        rows,
        note="Weight: the share of all scenarios that fall due. A scenario over its limit counts "
        "as overload." + (f" The plan has {plural('more scenario', over)}." if over > 0 else ""),
        widths=[3, 6, 1.3, 2.2],
    )


def _scenario(one: Scenario, total: float) -> Row:
    return Row(cells(one.name, one.title or one.name, share(one.weight / total), one.limit_text))


def _levels(content: ReportContent) -> Iterator[str]:
    yield (
        "A level is one load: a fixed number of users. They join in a ramp, work until the server "
        "has settled, and are then measured. No figure includes the ramp or the settling time."
    )
    lengths = sorted({round(level.steady_s) for level in content.levels})
    if len(lengths) == 1:
        yield f" The measured part was {span(lengths[0])} long."
    elif lengths:
        yield f" The measured parts were {span(lengths[0])} to {span(lengths[-1])} long."
    if content.levels:
        users = sorted({level.users for level in content.levels})
        numbers = f"from {count(users[0])} to {plural('user', users[-1])}"
        alone = f"at {plural('user', users[0])}"
        where = numbers if len(users) > 1 else alone
        yield f" {plural('level', len(content.levels))} {_were(content)} run, {where}."


def _were(content: ReportContent) -> str:
    return "was" if len(content.levels) == 1 else "were"


def _search(content: ReportContent, plan: Plan | None) -> Iterator[Block]:
    kind = content.verdict.kind
    if kind == "ladder":
        yield Paragraph(prose("The numbers of users were given in advance (a ladder)."))
    if kind != "capacity":
        return
    yield Paragraph(
        prose(
            "A search chose the numbers of users: it grows until a criterion breaks, narrows the "
            "bracket, and then places levels on both sides of the estimate. A logistic regression "
            "of the share of bad scenarios on the logarithm of the users, with the level as the "
            "unit of replication, gives the capacity and its 95% confidence interval."
        )
    )
    if plan is not None and plan.search.quick:
        yield Paragraph(
            prose(
                "This was a quick search: levels of a few seconds, a wide interval, and a short "
                "level at the capacity. It is a first look: do not buy a server by it."
            )
        )
    elif content.verdict.capacity is not None and content.verdict.capacity.official_passed:
        yield Paragraph(
            prose(
                "The number quoted is the lower end of the interval, at which a full level was "
                "then run to its end and passed."
            )
        )


def _criteria(content: ReportContent) -> Iterator[Block]:
    if not content.criteria:
        yield Paragraph(prose("There are none: levels are measured, not judged."))
        return
    yield Paragraph(prose("A level passes when all of these hold:"))
    yield Bullets([(code(one),) for one in content.criteria])
    if content.verdict.rule:
        yield Paragraph(prose(f'They are those of the rule "{content.verdict.rule}".'))
    yield Paragraph(
        prose(
            "A level in which the load generator or its machine was the limit is invalid: it "
            "neither passes nor fails, and no chart line or estimate uses it."
        )
    )


def _measured() -> list[Text]:
    return [
        prose(
            "Response time runs from the moment a scenario was due to its end, so that a server "
            "that stalls cannot hide it. Service time runs from its actual start."
        ),
        prose(
            "Percentiles come from merged histograms of all durations (three significant digits). "
            "Percentiles are never averaged."
        ),
        prose(
            "A failed scenario never counts as a fast one: failures count against every response "
            "time criterion."
        ),
        prose(
            "Intervals of a level's percentiles and rates are 95% confidence intervals by "
            "sectioning, which allows for neighbouring requests being alike."
        ),
        prose(
            "Counters of the server's machine are sampled every second of these levels. A figure "
            f"without a source is shown as {DASH}, never as zero."
        ),
    ]


def _deviations(content: ReportContent) -> Iterator[Block]:
    if content.sources:
        yield Heading("Sources")
        yield Bullets([prose(each) for each in content.sources])
    if content.deviations:
        yield Heading(f"Where it deviates from {content.recreates or 'its sources'}")
        yield Bullets([prose(each) for each in content.deviations])
