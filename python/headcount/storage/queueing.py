"""How long transfers wait at a disk: by the paper's product, and by Little's law."""

from headcount.storage import sources
from headcount.storage.checks import not_negative, positive
from headcount.storage.formula import Formula

CONGESTED = 2
"""Transfers in the queue of one disk above which the paper assumes congestion (D-07)."""


def queue_time_ms(queue_length: float, transfer_ms: float) -> float:
    """Time to work off the queue, one transfer after the other (D-07).

    Holds for one disk that serves one transfer at a time, with `transfer_ms` the time of service
    alone. The counter Avg. Disk sec/Transfer, which the paper names, includes the wait already:
    with it, the product counts the wait again for each transfer in the queue.
    """
    not_negative("the queue length", queue_length, "2")
    not_negative("the time of a transfer in ms", transfer_ms, "15")
    return queue_length * transfer_ms


def response_ms(queue_length: float, transfers_per_s: float) -> float:
    """Mean time from a transfer's arrival to its end, by Little's law: length / throughput.

    Holds for any disk or array whose queue is as long at the end as at the beginning, whatever it
    serves at a time. `queue_length` counts the transfers in service too.
    """
    not_negative("the queue length", queue_length, "2")
    positive("the number of transfers per second", transfers_per_s, "130")
    return queue_length / transfers_per_s * 1000


QUEUE_TIME = Formula(
    rule="D-07",
    name="queue_time_ms",
    title="average queue time",
    unit="ms",
    template="{queue_length} * {transfer_ms}",
    source=sources.COUNTERS,
    function=queue_time_ms,
)
RESPONSE = Formula(
    rule="D-07 (Little's law)",
    name="response_ms",
    title="mean response time",
    unit="ms",
    template="{queue_length} / {transfers_per_s} * 1000",
    source=sources.LITTLE,
    function=response_ms,
)
