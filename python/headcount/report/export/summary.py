"""The answer of a run in lines of name and text, the title first."""

from headcount.bundle.reader import Bundle
from headcount.report import diagnosis
from headcount.report.answer_sentences import confidence, price_text, priced
from headcount.report.export.table import Value
from headcount.report.failures import failure_lines, telling


def summary_lines(bundle: Bundle) -> list[tuple[str, Value]]:
    """What a reader must know before any figure; the title first."""
    plan, verdict = bundle.plan, bundle.verdict
    lines: list[tuple[str, Value]] = [("Title", plan.workload.title)]
    if verdict is None:
        lines.append(("Answer", "none yet: the run ended before it had one"))
    else:
        lines += [("Answer", verdict.sentence), ("How sure", confidence(verdict.capacity))]
        lines.append(("What broke first", verdict.broke_first))
        lines += failure_lines(telling(verdict))
        if verdict.diagnosis is not None:
            proof = bundle.confirmation
            lines += [(name, text) for name, text in diagnosis.short(verdict.diagnosis, proof)]
        lines += [("Price", price) for price in priced(verdict)]
        lines.append(("Price of", price_text(verdict) or None))
        lines += [("Doubt", flag) for flag in verdict.flags]
    recreates = plan.workload.original
    lines += [
        ("Criteria", ", ".join(plan.workload.criteria)),
        ("Workload", plan.workload.name),
        ("Re-creates", recreates and f"{recreates}; no score of it"),
        ("System under test", plan.target),
    ]
    if bundle.environment is not None:
        lines += [
            ("Started (UTC)", bundle.environment.started_at),
            ("Headcount", bundle.environment.headcount),
        ]
    return [line for line in lines if line[1] is not None]
