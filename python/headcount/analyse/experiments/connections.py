"""`connections`: connections that stay open, compared with a new one for each request.

Work costs the same either way. The difference is the cost of connections: accepting them, TLS, a
backlog that is too short.
"""

from collections.abc import Sequence

from headcount.analyse.experiments.rounds import Round, mean, quotient, ratio, rounds_of
from headcount.bundle.confirmation import Estimate, Finding, Turn
from headcount.text import share, significant

NAME = "connections"
KEPT, NEW = "kept connections", "new connections"
ARMS = (KEPT, NEW)
RATIO, FAILED = "throughput.new_connections.share", "failures.new_connections.share"
MUCH = 0.1
"""How much larger the share of failed scenarios must be with new connections than with kept ones to
show that users are refused: ten times what a criterion usually allows."""


def judge(turns: Sequence[Turn]) -> Finding | None:
    """The finding; None with too few rounds."""
    rounds = rounds_of(turns, ARMS)
    rate = ratio(rounds, lambda one: quotient(one[NEW].rate_per_s, one[KEPT].rate_per_s))
    more = mean(rounds, _more_failures)
    failing = mean(rounds, lambda one: _failed_share(one[NEW]))
    if rate is None or more is None or failing is None:
        return None
    estimates = [
        Estimate(
            name=RATIO,
            value=rate.value,
            low=rate.low,
            high=rate.high,
            unit="1",
            sentence=f"with a new connection for each request, throughput is "
            f"{share(rate.value)} of that with kept ones "
            f"({significant(100 * rate.low)} to {significant(100 * rate.high)})",
        ),
        Estimate(
            name=FAILED,
            value=more.value,
            low=more.low,
            high=more.high,
            unit="1",
            sentence=f"{share(more.value)} more of the scenarios fail with new connections",
        ),
    ]
    refused, served = more.low > MUCH, failing.high < MUCH
    return Finding(
        experiment=NAME,
        supports=["refusal"] if refused else [],
        contradicts=["refusal"] if served else [],
        direct=["refusal"] if refused else [],
        size=None,
        size_unit=None,
        estimates=estimates,
        sentence="; ".join(one.sentence for one in estimates),
        turns=list(turns),
    )


def _more_failures(one: Round) -> float | None:
    """How much larger the share of failed scenarios is with new connections."""
    kept, new = _failed_share(one[KEPT]), _failed_share(one[NEW])
    return None if kept is None or new is None else new - kept


def _failed_share(turn: Turn) -> float | None:
    """The share of the scenarios that failed; None if none ended."""
    ended = turn.completed + turn.failed
    return turn.failed / ended if ended else None
