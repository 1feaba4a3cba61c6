"""What users of mail are: `[mail]`, with the mailboxes that it makes of a server's."""

from typing import Annotated, Any, Literal

from pydantic import Field

from headcount.fields.model import Size, Strict
from headcount.fields.units import size_bytes

Share = Annotated[float, Field(ge=0, le=1)]

KINDS = {
    "text": "a text",
    "excel": "a spreadsheet",
    "word": "a document",
    "bitmap": "a picture inside the message",
    "binary": "anything",
}
"""What attachments claim to be."""


class MixRow(Strict):
    """Messages of one kind, and how often they are sent."""

    weight: float = Field(gt=0, le=1e9, description="Relative to the other rows")
    text: Size = Field(description="Size of its text")
    attached: Size = Field(default=0, description="Size of the attachment, before its encoding")
    kind: Literal["text", "excel", "word", "bitmap", "binary"] = "text"

    @property
    def size_bytes(self) -> int:
        """Text and attachment, in bytes."""
        return size_bytes(self.text) + size_bytes(self.attached)

    def engine_form(self) -> dict[str, Any]:
        """The row as the engine reads it."""
        return {
            "weight": self.weight,
            "text_bytes": size_bytes(self.text),
            "attached_bytes": size_bytes(self.attached),
            "attached": self.kind,
        }


class Popular(Strict):
    """Users who receive more than others: one in so many, and their share of all recipients."""

    one_in: int = Field(ge=1, le=1_000_000)
    mail: Share


class Recipients(Strict):
    """Who a new or forwarded message goes to."""

    mean: float = Field(
        default=1.0, ge=1, le=1000, description="Mean number, including members of lists"
    )
    list_share: Share = Field(
        default=0.0, description="Share of messages that also go to a distribution list"
    )
    list_members: Annotated[list[int], Field(min_length=2, max_length=2)] = Field(
        default=[2, 20], description="Fewest and most members of a list"
    )
    list_mean: int = Field(default=10, ge=1, le=1000, description="Mean number of members")
    popular: Popular | None = Field(default=None, description="Users who receive more than others")


class Start(Strict):
    """What a mailbox holds at the start of each run."""

    folders: int = Field(default=0, ge=0, le=10_000, description="Folders that the user has made")
    messages: int = Field(
        default=0, ge=0, le=1_000_000, description="Messages in each of those folders"
    )
    inbox: int = Field(default=0, ge=0, le=1_000_000, description="Messages in the inbox")
    deleted: int = Field(
        default=0, ge=0, le=1_000_000, description="Messages in the folder of deleted ones"
    )
    size: Size = Field(default=0, description="Size of each message; 0: drawn from the mix")

    @property
    def total(self) -> int:
        """Messages of a mailbox."""
        return self.folders * self.messages + self.inbox + self.deleted


class Mail(Strict):
    """What users of mail are, and what becomes of a message that they have read.

    Each message that is handled is answered, sent on, moved, copied or deleted, by these shares,
    or left as it is.
    """

    recipients: Recipients = Recipients()
    mix: list[MixRow] = Field(min_length=1, max_length=100)
    handled: Share = Field(
        default=1.0, description="Share of the messages read that the user acts on"
    )
    replied: Share = Field(default=0.0, description="Share of those answered to the sender")
    replied_to_all: Share = Field(
        default=0.0, description="Share answered to the sender and all recipients"
    )
    forwarded: Share = Field(
        default=0.0, description="Share forwarded, to as many as a new message"
    )
    moved: Share = Field(default=0.0, description="Share moved to a folder")
    copied: Share = Field(default=0.0, description="Share copied to a folder")
    deleted: Share = Field(default=0.0, description="Share moved to the folder of deleted ones")
    attachments_loaded: Share = Field(
        default=0.0, description="Share of the attachments of read messages that are loaded"
    )
    inbox_cap: int = Field(
        default=0,
        ge=0,
        le=1_000_000,
        description="Messages the inbox keeps; older ones are deleted; 0: all",
    )
    save_sent: bool = Field(default=True, description="Whether to keep a copy of sent messages")
    sent_away: Share = Field(
        default=0.0,
        description="Share of the recipients on destination servers, if there are any",
    )
    start: Start = Start()

    def engine_form(self, destinations: dict[str, float]) -> dict[str, Any]:
        """The profile as the engine reads it.

        `destinations`: domains of other servers, with their relative weights.
        """
        total = sum(destinations.values())
        start = self.start.model_dump(exclude={"size"})
        return {
            **self.model_dump(exclude={"mix", "start", "sent_away"}, exclude_none=True),
            "mix": [row.engine_form() for row in self.mix],
            "start": {**start, "bytes": size_bytes(self.start.size)},
            "destinations": [
                {"domain": domain, "share": self.sent_away * weight / total}
                for domain, weight in destinations.items()
            ],
        }

    def scaled(self, scale: float) -> "Mail":
        """The same with fewer messages in each mailbox at the start."""
        if scale == 1:
            return self
        start = self.start
        shrunk = {
            "folders": max(round(start.folders * scale), min(start.folders, 1)),
            "inbox": max(round(start.inbox * scale), min(start.inbox, 1)),
        }
        return self.model_copy(update={"start": start.model_copy(update=shrunk)})

    @property
    def mean_bytes(self) -> float:
        """Mean size of a message that is sent, in bytes, before anything is encoded."""
        total = sum(row.weight for row in self.mix)
        return sum(row.weight * row.size_bytes for row in self.mix) / total

    @property
    def text(self) -> str:
        """What a mailbox holds at the start, for people."""
        start = self.start
        return (
            f"{start.total:,} messages per mailbox: {start.folders} folders of {start.messages}, "
            f"{start.inbox} in the inbox, {start.deleted} deleted"
        )
