"""All checks of a bundle, in the order in which they are reported."""

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
from headcount.analyse.audit.result import Audit, Outcome, Result
from headcount.bundle.signing import Signature
from headcount.bundle.verdict import Verdict
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
"""The names of the checks, in their order."""


@dataclass(frozen=True)
class Recomputed:
    """What other rooms make of the bundle now.

    Attributes:
        verdict: The answer, from plan and levels, with its diagnosis; None where there is none.
        report: The report, from the bundle's other files; None where there is none.
        lines: What the lines of the series come to.
        table: What its table comes to; text if it cannot be read, None if it is not there.

    """

    verdict: Verdict | None
    report: str | None
    lines: table.Totals
    table: table.Totals | str | None


def audit(
    evidence: Evidence, again: Recomputed, signature: Signature | None, *, wanted: bool = False
) -> Audit:
    """Audit a bundle; `wanted`: it must be signed."""
    results = [
        checksums.check(evidence),
        signed.check(evidence, signature, wanted=wanted),
        readable.check(evidence),
        clocks.check(evidence),
        totals.check(evidence),
        figures.check(evidence),
        verdict.check(evidence, again.verdict),
        verdict.check_diagnosis(evidence, again.verdict),
        report.check(evidence, again.report),
        table.check(evidence, again.lines, again.table),
        law.check(evidence),
        offered.check(evidence),
        steady.check(evidence),
        generator.check(evidence),
        errors.check(evidence),
        counters.check(evidence),
    ]
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
