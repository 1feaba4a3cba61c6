"""Files that steps send, on their way to agents."""

from collections.abc import Iterator

from headcount.generator.exchange import Exchange
from headcount.plan.sent_files import SentFiles

PIECE_BYTES = 1 << 20
"""Size of a piece: pings fit between two pieces, and only one is on its way at a time."""
PIECE_S = 30.0
"""How long an agent may take for a piece."""


def send_files(exchange: Exchange, files: SentFiles) -> None:
    """Send all agents the files for the engines that they start next.

    Raises AgentError if one does not take them in time.
    """
    for number, (path, piece) in enumerate(_pieces(files)):
        for member in exchange.members:
            member.answers.pop("filed", None)
            exchange.order(member, "file", body=piece, path=path, is_first=number == 0)
        exchange.answers("filed", PIECE_S, "did not take the files that steps send in time")


def _pieces(files: SentFiles) -> Iterator[tuple[str, bytes]]:
    """The path of each piece, and its bytes; an empty file is an empty piece."""
    for path, held in files.items():
        for at in range(0, max(len(held), 1), PIECE_BYTES):
            yield path, bytes(held[at : at + PIECE_BYTES])
