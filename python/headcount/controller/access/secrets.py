"""What must not reach a bundle, a log or an error message."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Secrets:
    """Secrets of a target; never printed."""

    token: str | None = field(default=None, repr=False)
    password: str | None = field(default=None, repr=False)
