"""Finds the views of a server: those that the user names, and those in their usual places.

Each place is tried once, before the first level. A place that answers slowly, or with something
else, is not tried again.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from headcount.counters.views.ask import SlowError
from headcount.counters.views.kinds import Around, Kind, kinds
from headcount.counters.views.reading import Reader
from headcount.errors import InputError, TargetError
from headcount.secret_text import holds_secret

MOST_GUESSES = 12
"""Most places to try per kind: a configuration may have many."""
MOST_VIEWS = 8
"""Most views of a run; each is read once a second."""


@dataclass(frozen=True)
class View:
    """A view that answered.

    Attributes:
        title: What it is, for people.
        where: Its address.
        read: Reads it.
        by: How it was found.

    `close` ends what its reader has started.

    """

    title: str
    where: str
    read: Reader
    by: str = "found"

    @property
    def close(self) -> Callable[[], None] | None:
        """Ends what the reader holds between its answers; None if it holds nothing."""
        found = getattr(self.read, "close", None)
        return found if callable(found) else None

    @property
    def text(self) -> str:
        """What it is and where, for people."""
        return f"{self.title} at {self.where}"


@dataclass(frozen=True)
class Doubt:
    """A view that exists but is not read, and why, in a sentence."""

    text: str


def split_view(text: str) -> tuple[Kind, str]:
    """Split `KIND=ADDRESS`; raises InputError if it is malformed, or the address has a password."""
    name, is_given, address = text.partition("=")
    known = kinds()
    if name not in known or not is_given or not address:
        forms = ", ".join(f"{kind.name}={kind.form}" for kind in known.values())
        raise InputError(f'the view "{text}" cannot be read; write one of {forms}')
    has_user = "://" in address and "@" in address.partition("://")[2].partition("/")[0]
    if holds_secret(address) or has_user:
        raise InputError(
            f"a view is asked without credentials: leave user and password out of --view {name}=..."
        )
    if known[name].form.startswith("http") and not address.startswith(("http://", "https://")):
        raise InputError(f"--view {text}: the address begins with http:// or https://")
    return known[name], address


def asked_views(asked: Sequence[str]) -> list[View]:
    """The views that the user named.

    Raises InputError for a malformed name, TargetError if nothing answers there, or too late, or
    something else.
    """
    found = []
    for text in asked:
        kind, address = split_view(text)
        read = kind.opened(address)
        try:
            reading = read()
        except (OSError, ValueError) as error:
            raise TargetError(f"--view {text}: {error}") from error
        if not reading:
            raise TargetError(f"--view {text}: what answers there is not {kind.title}")
        found.append(View(kind.title, address, read, "given with --view"))
    return found


def find_views(around: Around, known: Sequence[View] = ()) -> tuple[list[View], list[Doubt]]:
    """The views that answer in the usual places of a server, besides the known ones.

    If the user named one of a kind, no others of that kind are searched for.
    """
    found: list[View] = []
    doubts: list[Doubt] = []
    taken = {view.title for view in known}
    for kind in kinds().values():
        if kind.title in taken:
            continue
        for _, (where, read) in zip(range(MOST_GUESSES), kind.guesses(around), strict=False):
            try:
                reading = read()
            except SlowError as error:
                doubts.append(Doubt(f"{kind.title} at {where} is not read: {error}"))
                break
            except (OSError, ValueError) as error:
                if "password" in str(error):
                    doubts.append(Doubt(f"{kind.title} at {where} is not read: {error}"))
                continue
            if reading:
                found.append(View(kind.title, where, read))
                break
    return found[: max(MOST_VIEWS - len(known), 0)], doubts
