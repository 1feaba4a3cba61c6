"""Criteria: what a level must satisfy to pass, such as `p95<=1s` or `overload<1%`."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from headcount.errors import InputError
from headcount.fields.units import exact, seconds, share
from headcount.plan.amounts import SIDES, bytes_limit, counter_limit, counter_named, rate_limit
from headcount.plan.tasks import check_named

Metric = Literal[
    "percentile",
    "mean",
    "errors",
    "overload",
    "achieved",
    "score",
    "rate",
    "bytes",
    "sent",
    "counter",
]

_RELATION = r"(?P<relation><=|<|>=|>)"
_FORM = re.compile(
    r"(?:(?P<scenario>[\w.-]+):)?"
    r"(?P<metric>p(?P<percentile>\d+(?:\.\d+)?)|mean|errors|overload|achieved|score|rate|bytes|sent)"
    rf"{_RELATION}(?P<limit>[\w.%/]+)"
)
_COUNTER = re.compile(
    rf"(?P<side>{'|'.join(SIDES)}):(?P<counter>[a-z][\w.]*(?:\{{[^}}]*\}})?)"
    rf"{_RELATION}(?P<limit>[\w.%/]+)"
)
_STRETCH = re.compile(r"(?P<rest>.*[<>].*?)for(?P<stretch>\d[\w.]*)")

EXAMPLES = (
    "p95<=1s, p99<3s, mean<=500ms, errors<1%, overload<1%, achieved>=95%, read:p95<=50ms, "
    "rate>=500/s, bytes>=30MB/s, sut:cpu<80%"
)
TIMES = ("percentile", "mean", "score")
"""Metrics whose limit is a time."""
SHARES = ("errors", "overload", "achieved")
"""Metrics whose limit is a share of the scenarios."""
AMOUNTS = ("rate", "bytes", "sent")
"""Metrics of throughput. A few users may be too few for them: more users can then meet them."""
GOALS = (*AMOUNTS, "counter")
"""Metrics of what the server does, not of what its users experience."""
STRETCH_S = (1.0, 3600.0)
"""The shortest and the longest stretch of a level that a criterion may apply to."""


@dataclass(frozen=True, slots=True)
class Criterion:
    """One criterion.

    `limit` is in seconds for times, scenarios or bytes per second for rates, in the counter's own
    unit for counters, and a share (0 to 1) otherwise; `percentile` is 0 to 100 and only set for a
    percentile criterion; `scenario` names a scenario, a group of them or a task, and is None if all
    scenarios count together; `counter` is the side and the full name of a counter, `unit` its UCUM
    unit; `stretch_s` is the length of the stretches of a level, each of which must meet the
    criterion, None for the level as a whole.
    """

    text: str
    metric: Metric
    limit: float
    strict: bool
    percentile: float | None = None
    scenario: str | None = None
    counter: tuple[str, str] | None = None
    unit: str = ""
    stretch_s: float | None = None

    @property
    def at_least(self) -> bool:
        """Whether the limit is a minimum, not a maximum."""
        return ">" in self.text

    @property
    def allowed_share(self) -> float | None:
        """The share of scenarios that may break the limit; None if it is not a share.

        "p95 <= 1 s" allows 5% to be slower than 1 s; "achieved >= 95%" allows 5% to be missing.
        """
        if self.percentile is not None:
            return exact(1 - self.percentile / 100)
        if self.metric == "achieved":
            return exact(1 - self.limit)
        return self.limit if self.metric in SHARES else None


def parse(text: str) -> Criterion:
    """Read one criterion; raises InputError if it cannot be read or can never be met."""
    compact, stretch = _apart(text.replace(" ", ""))
    match = _FORM.fullmatch(compact)
    counter = _COUNTER.fullmatch(compact) if match is None else None
    if match is None and counter is None:
        raise InputError(
            f'the criterion "{text}" cannot be read{_meant(text)}; criteria look like: {EXAMPLES}'
        )
    if match is not None:
        found = _of_scenarios(text, compact, match)
    elif counter is not None:
        found = _of_counter(text, compact, counter)
    return found if stretch is None else _of_stretches(found, stretch)


def _apart(compact: str) -> tuple[str, str | None]:
    """A criterion without its `for 30s`, and that time."""
    match = _STRETCH.fullmatch(compact)
    return (compact, None) if match is None else (match["rest"], match["stretch"])


def _of_scenarios(text: str, compact: str, match: re.Match[str]) -> Criterion:
    metric: Metric = "percentile" if match["percentile"] else match["metric"]  # type: ignore[assignment]
    wanted = (">=", ">") if metric in ("achieved", *AMOUNTS) else ("<=", "<")
    if match["relation"] not in wanted:
        raise InputError(f'the criterion "{text}" must be written with {wanted[0]}')
    strict = match["relation"] in ("<", ">")
    percentile = float(match["percentile"]) if match["percentile"] else None
    if percentile is not None and not 1 <= percentile < 100:
        raise InputError(f'the criterion "{text}": the percentile must be from 1 to below 100')
    if metric == "score" and match["scenario"]:
        raise InputError(f'the criterion "{text}": the score covers all tasks; write score<=1s')
    limit = _limit(text, metric, match["limit"])
    _check_possible(text, metric, limit, strict=strict)
    return Criterion(compact, metric, limit, strict, percentile, match["scenario"])


def _limit(text: str, metric: Metric, limit: str) -> float:
    if metric in TIMES:
        return _time(text, limit)
    read = {"rate": rate_limit, "bytes": bytes_limit}.get(metric, share)
    return read(limit, f'the limit of "{text}"')


def _of_counter(text: str, compact: str, match: re.Match[str]) -> Criterion:
    name, entry = counter_named(match["counter"], f'the criterion "{text}"')
    limit = counter_limit(match["limit"], entry.unit, f'the limit of "{text}"')
    if limit == 0 or (entry.unit == "1" and limit == 1):
        raise InputError(f'the criterion "{text}" can never be met or broken')
    strict = match["relation"] in ("<", ">")
    counter = match["side"], name
    return Criterion(compact, "counter", limit, strict, counter=counter, unit=entry.unit)


def _of_stretches(criterion: Criterion, stretch: str) -> Criterion:
    """The criterion, applied to each stretch of a level."""
    text = f"{criterion.text} for {stretch}"
    if criterion.metric not in GOALS:
        raise InputError(
            f'the criterion "{text}": only rate, bytes, sent and counters can be asked of each '
            f'stretch of a level; write "{criterion.text}"'
        )
    stretch_s = seconds(stretch, f'the stretch of "{text}"', bare=False)
    if not STRETCH_S[0] <= stretch_s <= STRETCH_S[1]:
        raise InputError(f'the criterion "{text}": the stretch must be from 1s to 1h')
    return replace(criterion, text=text, stretch_s=stretch_s)


def check_bounded(criteria: Sequence[Criterion]) -> None:
    """Raises ValueError if no criterion of a search can be broken by too many users."""
    if all(criterion.metric in AMOUNTS for criterion in criteria):
        raise ValueError(
            "a search needs a criterion that too many users break, such as p95<=1s; "
            f"{' and '.join(c.text for c in criteria)} alone may hold for any number. To see the "
            "throughput of some numbers of users, give --levels"
        )


_ALIKE = (
    (r"p\((\d+(?:\.\d+)?)\)", r"p\1"),
    (r"\bp(\d+(?:\.\d+)?)%", r"p\1"),
    (r"\b(?:avg|average|mean_?time)\b", "mean"),
    (r"\b(?:med|median)\b", "p50"),
    (r"\bmax(?:imum)?\b", "p99.9"),
    (r"\b(?:error|error_?rate|err|failures?|failed|http_req_failed)\b", "errors"),
    (r"\bhttp_req_duration:", ""),
    (r"\b(?:rps|qps|tps|iops|http_reqs|requests)\b", "rate"),
    (r"\b(?:throughput|bandwidth|bps)\b", "bytes"),
    (r"^(?=(?:cpu|disk|network)\b)", "sut:"),
    (r"=<", "<="),
    (r"=>", ">="),
    (r"(?<![<>=])==?(?!=)", "<="),
)
"""How other programs write what criteria say; each is only a suggestion."""


def _meant(text: str) -> str:
    """The likely meaning of a criterion that cannot be read; empty if nothing comes close."""
    compact = text.replace(" ", "")
    return _suggestion(compact) or _suggestion(compact.lower())


def _suggestion(changed: str) -> str:
    for pattern, ours in _ALIKE:
        changed = re.sub(pattern, ours, changed, flags=re.IGNORECASE)
    match = _FORM.fullmatch(changed)
    if match is None and _COUNTER.fullmatch(changed) is None:
        return ""
    if match is not None and match["limit"].isdecimal():
        timed = match["percentile"] or match["metric"] in TIMES
        changed += "ms" if timed else "/s" if match["metric"] == "rate" else ""
    return f'; did you mean "{changed}"?'


def _time(text: str, limit: str) -> float:
    """A limit in seconds; a bare number is refused: k6 means ms, the rest of Headcount s."""
    if re.fullmatch(r"\d+(?:\.\d+)?", limit):
        raise InputError(
            f'the limit of "{text}" has no unit; write it like 200ms or 30s: '
            f'"{text}ms" or "{text}s"'
        )
    return seconds(limit, f'the limit of "{text}"', bare=False)


def _check_possible(text: str, metric: Metric, limit: float, *, strict: bool) -> None:
    if metric in TIMES and not 1e-6 <= limit <= 3600:
        raise InputError(f'the criterion "{text}" can never be met or broken: use 1us to 1h')
    if metric in ("errors", "overload") and ((strict and limit == 0) or limit >= 1):
        percent = f' "{text}%" is 1%;' if re.search(r"<=?1$", text.replace(" ", "")) else ""
        raise InputError(
            f'the criterion "{text}" can never be met or broken:{percent} use 0.01% to 99%'
        )
    if metric in ("achieved", "sent") and not 0 < limit < 1:
        raise InputError(f'the criterion "{text}" can never be met or broken: use 1% to 99.9%')
    if metric in AMOUNTS and limit == 0:
        raise InputError(f'the criterion "{text}" can never be broken: ask for more than 0')


def parse_all(
    texts: list[str],
    scenarios: list[str],
    tasks: Sequence[str] | None = (),
    *,
    scored: bool = False,
) -> list[Criterion]:
    """Read all criteria of a plan; a criterion may name only what the workload has.

    `scenarios` includes its groups; `tasks` are those of its protocol, None if they are unknown;
    `scored` says whether it has a [task_score].
    """
    criteria = [parse(text) for text in texts]
    if not criteria:
        raise InputError(f"a plan needs at least one criterion, such as {EXAMPLES}")
    written = [criterion.text for criterion in criteria]
    twice = next((text for text in written if written.count(text) > 1), None)
    if twice is not None:
        raise InputError(f'the criterion "{twice}" is given twice; give it once')
    for criterion in criteria:
        what, name = f'the criterion "{criterion.text}"', criterion.scenario
        if criterion.metric == "score" and not scored:
            raise InputError(
                f"{what} needs the weights of tasks in a [task_score] table; the workload has none"
            )
        if name is None or name in scenarios:
            continue
        check_named(what, name, scenarios, tasks)
        if criterion.metric in ("overload", "achieved", "bytes", "sent"):
            raise InputError(
                f"{what}: a task has no limit, no due time and no bytes; use a percentile, mean, "
                "errors or rate"
            )
    return criteria
