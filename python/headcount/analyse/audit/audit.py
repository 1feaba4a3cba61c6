"""All checks of a bundle, in the order in which they are reported."""

from collections.abc import Callable
from dataclasses import dataclass

from headcount import __version__
from headcount.analyse.audit import (
    checksums,
    clocks,
    counters,
    errors,
    figures,
    generator,
    law,
    offered,
    readable,
    report,
    signed,
    steady,
    table,
    totals,
    verdict,
)
from headcount.analyse.audit.evidence import Evidence
from headcount.analyse.audit.result import Audit, Outcome, Place, Result, result
from headcount.bundle.signing import Signature
from headcount.bundle.verdict import Verdict
from headcount.foreign.damage import DAMAGE, reason
from headcount.text import plural

CHECKS = (
    checksums.CHECK,
    signed.CHECK,
    readable.CHECK,
    clocks.CHECK,
    totals.CHECK,
    figures.CHECK,
    verdict.CHECK,
    verdict.DIAGNOSIS,
    report.CHECK,
    table.CHECK,
    law.CHECK,
    offered.CHECK,
    steady.CHECK,
    generator.CHECK,
    errors.CHECK,
    counters.CHECK,
)
"""The names of the checks, in order."""


@dataclass(frozen=True)
class Recomputed:
    """What other packages compute from the bundle now.

    Attributes:
        verdict: The answer, from plan and levels, with its diagnosis; None if there is none.
        report: The report, from the bundle's other files; None if there is none.
        lines: Totals of the lines of the series.
        table: Totals of the table; text if it cannot be read, None if it is missing.

    """

    verdict: Verdict | None
    report: str | None
    lines: table.Totals
    table: table.Totals | str | None


def audit(
    evidence: Evidence, again: Recomputed, signature: Signature | None, *, wanted: bool = False
) -> Audit:
    """Audit a bundle; with `wanted`, it must be signed."""
    checks: list[Callable[[], Result]] = [
        lambda: checksums.check(evidence),
        lambda: signed.check(evidence, signature, wanted=wanted),
        lambda: readable.check(evidence),
        lambda: clocks.check(evidence),
        lambda: totals.check(evidence),
        lambda: figures.check(evidence),
        lambda: verdict.check(evidence, again.verdict),
        lambda: verdict.check_diagnosis(evidence, again.verdict),
        lambda: report.check(evidence, again.report),
        lambda: table.check(evidence, again.lines, again.table),
        lambda: law.check(evidence),
        lambda: offered.check(evidence),
        lambda: steady.check(evidence),
        lambda: generator.check(evidence),
        lambda: errors.check(evidence),
        lambda: counters.check(evidence),
    ]
    results = [_check_result(name, check) for name, check in zip(CHECKS, checks, strict=True)]
    failed = any(one.outcome == "failed" for one in results)
    outcome: Outcome = "failed" if failed else "passed"
    return Audit(
        headcount=__version__,
        bundle=str(evidence.folder),
        written_by=evidence.environment.headcount if evidence.environment else None,
        outcome=outcome,
        sentence=_sentence(results),
        results=results,
    )


def _check_result(name: str, check: Callable[[], Result]) -> Result:
    """The result of a check; failed if a damaged bundle has values that it cannot compute with."""
    try:
        return check()
    except DAMAGE as error:
        place = Place(
            file="the bundle", at="its values", text=f"cannot be checked: {reason(error)}"
        )
        return result(name, "its values can be computed with", [place], "")


def _sentence(results: list[Result]) -> str:
    failed = [one.check for one in results if one.outcome == "failed"]
    unknown = [one.check for one in results if one.outcome == "unknown"]
    passed = len(results) - len(failed) - len(unknown)
    text = f"{passed} of {plural('check', len(results))} passed"
    if unknown:
        text += f", {len(unknown)} cannot be made ({', '.join(unknown)})"
    if failed:
        return f"{len(failed)} failed ({', '.join(failed)}); {text}."
    return f"No check failed; {text}."
