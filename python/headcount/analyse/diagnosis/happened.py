"""What the events of a run show about the server, in addition to its counters."""

from collections.abc import Iterable, Mapping
from typing import Any


def alone_s(events: Iterable[Mapping[str, Any]]) -> float | None:
    """Time of a scenario with a single user, from the latest trial; None if there was none."""
    found = [event.get("service_ms") for event in events if event.get("event") == "trial"]
    return found[-1] / 1000 if found and found[-1] is not None else None


def counters_before(events: Iterable[Mapping[str, Any]]) -> Mapping[str, float]:
    """The server's counters before the first user; empty if none were read."""
    found = [event.get("counters") for event in events if event.get("event") == "before"]
    return found[-1] if found and isinstance(found[-1], Mapping) else {}


def programs_behind(events: Iterable[Mapping[str, Any]]) -> Mapping[str, str]:
    """The programs at addresses that the server is connected to; empty if none is known."""
    found = [event.get("programs") for event in events if event.get("event") == "behind"]
    return found[-1] if found and isinstance(found[-1], Mapping) else {}
