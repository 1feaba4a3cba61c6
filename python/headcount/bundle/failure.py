"""What went wrong in a run, by cause: the failures of `verdict.json`."""

from typing import Literal

from pydantic import Field

from headcount.bundle.level import Record

Cause = Literal[
    "turned-away",
    "request",
    "login",
    "application",
    "space",
    "data",
    "connection",
    "tls",
    "timeout",
    "protocol",
    "unknown",
]
"""Why something failed: the server has no place for another user (`turned-away`); the request does
not fit the server (`request`); it does not accept who asks (`login`); the application fails
(`application`); a disk, quota or mailbox is full (`space`); what is read is not what was written
(`data`); the connection broke or never came to be (`connection`); certificate or handshake (`tls`);
no answer in time (`timeout`); bytes that do not follow the protocol (`protocol`)."""


class Failure(Record):
    """Failures at one step with one message, names and figures in it aside."""

    cause: Cause
    id: str = Field(description="The rule that recognised the message")
    step: str = Field(description="The step's name, or `opening a session`")
    count: int = Field(description="How many, of all levels")
    users: int = Field(description="The fewest users of a level at which it happened")
    share: float = Field(description="How many of the scenarios that ended at that level failed so")
    message: str = Field(description="The first one: what was asked, and the answer, shortened")
    meaning: str = Field(description="What it means, in a sentence")
    advice: str = Field(description="What to do about it")
