"""Criteria: what a level must satisfy to pass, such as `p95<=1s` or `overload<1%`."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from headcount.errors import InputError
from headcount.fields.units import exact, seconds, share
from headcount.plan.tasks import check_named

Metric = Literal["percentile", "mean", "errors", "overload", "achieved", "score"]

_FORM = re.compile(
    r"(?:(?P<scenario>[\w.-]+):)?"
    r"(?P<metric>p(?P<percentile>\d+(?:\.\d+)?)|mean|errors|overload|achieved|score)"
    r"(?P<relation><=|<|>=|>)"
    r"(?P<limit>[\w.% ]+)"
)

EXAMPLES = "p95<=1s, p99<3s, mean<=500ms, errors<1%, overload<1%, achieved>=95%, read:p95<=50ms"
TIMES = ("percentile", "mean", "score")
"""Metrics whose limit is a time."""


@dataclass(frozen=True, slots=True)
class Criterion:
    """One criterion.

    `limit` is in seconds for times and a share (0 to 1) otherwise; `percentile` is 0 to 100 and
    only of a percentile criterion; `scenario` names a scenario, a group of them or a task, and is
    None when all scenarios count together.
    """

    text: str
    metric: Metric
    limit: float
    strict: bool
    percentile: float | None = None
    scenario: str | None = None

    @property
    def allowed_share(self) -> float | None:
        """The share of scenarios that may break the limit; None where it is not a share.

        "p95 <= 1 s" allows 5% to be slower than 1 s; "achieved >= 95%" allows 5% to be missing.
        """
        if self.percentile is not None:
            return exact(1 - self.percentile / 100)
        if self.metric == "achieved":
            return exact(1 - self.limit)
        return None if self.metric in TIMES else self.limit


def parse(text: str) -> Criterion:
    """Read one criterion; raises InputError when it cannot be understood or never be met."""
    match = _FORM.fullmatch(text.replace(" ", ""))
    if match is None:
        raise InputError(
            f'the criterion "{text}" cannot be read{_meant(text)}; criteria look like: {EXAMPLES}'
        )
    metric: Metric = "percentile" if match["percentile"] else match["metric"]  # type: ignore[assignment]
    wanted = (">=", ">") if metric == "achieved" else ("<=", "<")
    if match["relation"] not in wanted:
        raise InputError(f'the criterion "{text}" must be written with {wanted[0]}')
    strict = match["relation"] in ("<", ">")
    percentile = float(match["percentile"]) if match["percentile"] else None
    if percentile is not None and not 1 <= percentile < 100:
        raise InputError(f'the criterion "{text}": the percentile must be from 1 to below 100')
    if metric == "score" and match["scenario"]:
        raise InputError(f'the criterion "{text}": the score covers all tasks; write score<=1s')
    if metric in TIMES:
        limit = _time(text, match["limit"])
    else:
        limit = share(match["limit"], f'the limit of "{text}"')
    _check_possible(text, metric, limit, strict=strict)
    return Criterion(text.replace(" ", ""), metric, limit, strict, percentile, match["scenario"])


_ALIKE = (
    (r"p\((\d+(?:\.\d+)?)\)", r"p\1"),
    (r"\bp(\d+(?:\.\d+)?)%", r"p\1"),
    (r"\b(?:avg|average|mean_?time)\b", "mean"),
    (r"\b(?:med|median)\b", "p50"),
    (r"\bmax(?:imum)?\b", "p99.9"),
    (r"\b(?:error|error_?rate|err|failures?|failed|http_req_failed)\b", "errors"),
    (r"\bhttp_req_duration:", ""),
    (r"=<", "<="),
    (r"=>", ">="),
    (r"(?<![<>=])==?(?!=)", "<="),
)
"""How other programs write what criteria say; each is only a suggestion."""


def _meant(text: str) -> str:
    """What a criterion that cannot be read probably means; nothing where nothing comes close."""
    changed = text.replace(" ", "").lower()
    for pattern, ours in _ALIKE:
        changed = re.sub(pattern, ours, changed)
    match = _FORM.fullmatch(changed)
    if match is None:
        return ""
    if match["percentile"] or match["metric"] in TIMES:
        changed += "ms" if match["limit"].isdecimal() else ""
    return f'; did you mean "{changed}"?'


def _time(text: str, limit: str) -> float:
    """A limit in seconds; a bare number is asked back: k6 means ms, the rest of Headcount s."""
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
    if metric == "achieved" and not 0 < limit < 1:
        raise InputError(f'the criterion "{text}" can never be met or broken: use 1% to 99.9%')


def parse_all(
    texts: list[str],
    scenarios: list[str],
    tasks: Sequence[str] | None = (),
    *,
    scored: bool = False,
) -> list[Criterion]:
    """Read all criteria of a plan; a criterion may name only what the workload has.

    `scenarios` has its groups too; `tasks` are those of its protocol, None where they are not
    known; `scored`: whether it has a [task_score].
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
        if criterion.metric in ("overload", "achieved"):
            raise InputError(
                f"{what}: a task has no limit and no due time; use a percentile, mean or errors"
            )
    return criteria
