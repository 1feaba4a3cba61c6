"""The answer of a run as names and texts, the title first."""

from headcount.bundle.reader import Bundle
from headcount.report import diagnosis
from headcount.report.answer_sentences import confidence, price_text, priced
from headcount.report.export.failover import failover_lines
from headcount.report.export.table import Value
from headcount.report.export.tuning import tuning_lines
from headcount.report.failures import failure_lines, telling


def summary_lines(bundle: Bundle) -> list[tuple[str, Value]]:
    """What a reader must know before any figure; the title first."""
    plan = bundle.plan
    lines: list[tuple[str, Value]] = [("Title", plan.workload.title)]
    lines += _answer(bundle)
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


def _answer(bundle: Bundle) -> list[tuple[str, Value]]:
    if bundle.tuning is not None:
        return tuning_lines(bundle.tuning)
    return _verdict(bundle) if bundle.failover is None else failover_lines(bundle.failover)


def _verdict(bundle: Bundle) -> list[tuple[str, Value]]:
    """What a run came to."""
    verdict = bundle.verdict
    if verdict is None:
        return [("Answer", "none yet: the run ended before it had one")]
    lines: list[tuple[str, Value]] = [
        ("Answer", verdict.sentence),
        ("How sure", confidence(verdict.capacity)),
        ("What broke first", verdict.broke_first),
    ]
    lines += failure_lines(telling(verdict))
    if verdict.diagnosis is not None:
        proof = bundle.confirmation
        lines += [(name, text) for name, text in diagnosis.short(verdict.diagnosis, proof)]
    lines += [("Price", price) for price in priced(verdict)]
    lines.append(("Price of", price_text(verdict) or None))
    return [*lines, *(("Doubt", flag) for flag in verdict.flags)]
