"""The resources of a page, as shown when trying a workload."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource of a page: a style sheet, say.

    Attributes:
        resource: Its path, with its query.
        status: Status of the reply, after redirects; 0 if none came.
        received_bytes: Length of the body as received.
        took_ms: How long it took, in parallel with others.
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
    """Resources of a page on other servers, which are not requested.

    Attributes:
        left_out: How many resources, by server.

    """

    left_out: Mapping[str, int]

    def lines(self, most: int, *, has_headers: bool = False) -> list[str]:
        """The servers for people, in one line."""
        del most, has_headers
        servers = ", ".join(f"{count} of {name}" for name, count in self.left_out.items())
        return [f"+ left out: {servers}"]
