"""What belongs to a page, as somebody who tries a workload sees it."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource of a page: a style sheet, say.

    Attributes:
        resource: Its path, with its query.
        status: Of the reply, after redirects; 0 where none came.
        received_bytes: Length of the body as it came.
        took_ms: How long it took, beside others.
        is_known: Whether the user's cache has it, so that nothing was sent.

    """

    resource: str
    status: int
    received_bytes: int
    took_ms: float
    is_known: bool

    def lines(self, most: int, *, has_headers: bool = False) -> list[str]:
        """The resource for people, in one line."""
        del most, has_headers
        if self.is_known:
            came = "in the user's cache"
        elif self.status == 0:
            came = "no reply"
        else:
            came = f"{self.status}, {self.received_bytes:,} bytes, {self.took_ms:.1f} ms"
        return [f"+ {self.resource}  {came}"]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What belongs to a page but is on other servers, which are not asked.

    Attributes:
        left_out: How many resources, by server.

    """

    left_out: Mapping[str, int]

    def lines(self, most: int, *, has_headers: bool = False) -> list[str]:
        """The servers for people, in one line."""
        del most, has_headers
        servers = ", ".join(f"{count} of {name}" for name, count in self.left_out.items())
        return [f"+ left out: {servers}"]
