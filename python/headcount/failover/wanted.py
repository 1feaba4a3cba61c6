"""What is asked of a failover: which fault, when, and how often."""

from dataclasses import dataclass, field

from headcount.counters.proc.named import NOBODY, Named
from headcount.failover.repetition import Questions, Timing


@dataclass(frozen=True)
class Wanted:
    """What is to be done.

    Attributes:
        fault: The name of a fault, or a command.
        recover: A command that recovers from it, if one is needed.
        ready: A command that succeeds when the fault can be repeated.
        timing: When things happen.
        repeat: How often.
        writers: How many write numbered rows, to see whether acknowledged ones are kept;
            None: WRITERS if the protocol has a ledger.
        planned: Whether it is a planned move.
        node: The node that the fault hits, of a server with several; None for the first.
        questions: Commands that show what has happened.
        named: What the server is, if its address does not show it.

    """

    fault: str
    recover: str | None
    ready: str | None
    timing: Timing
    repeat: int
    writers: int | None = None
    planned: bool = False
    node: str | None = None
    questions: Questions = field(default_factory=Questions)
    named: Named = NOBODY
