"""What must not reach a bundle, a log or an error message."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Secrets:
    """Secrets of a target; never printed.

    `second_password` is that of the second server, of a target that joins two.
    """

    token: str | None = field(default=None, repr=False)
    password: str | None = field(default=None, repr=False)
    second_password: str | None = field(default=None, repr=False)

    @property
    def of_second(self) -> "Secrets":
        """Those of the second of two servers: its own password, or that of the first."""
        return Secrets(self.token, self.second_password or self.password)
