"""Who owes an answer on a connection, by the times at which TCP sent and received."""

from typing import NamedTuple


class Talk(NamedTuple):
    """What TCP knows about which end sent last, in the terms of tcp_info.

    Attributes:
        sent_ms, received_ms: Milliseconds since data was sent, and since it was received.
        acknowledged_ms: Since an acknowledgement was received.
        unacknowledged: Segments that the other end has not acknowledged.
        segments_in, segments_out: Segments with data, received and sent so far.

    """

    sent_ms: int
    received_ms: int
    acknowledged_ms: int
    unacknowledged: int
    segments_in: int
    segments_out: int

    @property
    def is_waiting(self) -> bool:
        """Whether the other end owes an answer.

        The end that sent last waits for one. Both times are in ticks of the kernel's clock (4 ms if
        CONFIG_HZ is 250), so a request right after an answer is indistinguishable from its answer.
        Then the acknowledgement decides: that of a request comes with its answer, or alone, up to
        40 ms later. If nothing was received yet, the time is when the connection was opened.
        """
        if not self.segments_in:
            return bool(self.segments_out)
        if self.sent_ms == self.received_ms:
            return self.unacknowledged > 0 or self.acknowledged_ms < self.sent_ms
        return self.sent_ms < self.received_ms
