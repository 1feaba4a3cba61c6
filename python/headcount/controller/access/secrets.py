"""What must not reach a bundle, a log or an error message."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from headcount.secret_text import learn


@dataclass(frozen=True)
class Secrets:
    """Secrets of a target; never printed, even if a server repeats them.

    `second_password` is that of the second server, if a target joins two. `logins` are names and
    passwords of users, by their numbers, instead of one password.
    """

    token: str | None = field(default=None, repr=False)
    password: str | None = field(default=None, repr=False)
    second_password: str | None = field(default=None, repr=False)
    logins: Sequence[tuple[str, str]] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        """Make all messages mask them."""
        for secret in (self.token, self.password, self.second_password):
            learn(secret)
        for _, password in self.logins:
            learn(password)

    @property
    def of_second(self) -> "Secrets":
        """The secrets of the second of two servers: its own password, or that of the first."""
        return Secrets(self.token, self.second_password or self.password)
