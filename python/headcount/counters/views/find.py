"""The views that a server has: those that somebody names, and those found where they usually are.

Each place is asked once, before the first level. What answers slowly, or something else, is left
alone from then on.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from headcount.counters.views.ask import SlowError
from headcount.counters.views.kinds import Around, Kind, kinds
from headcount.counters.views.reading import Reader
from headcount.errors import InputError, TargetError
from headcount.secret_text import holds_secret

MOST_GUESSES = 12
"""Places that are tried of a kind: a configuration may have many."""
MOST_VIEWS = 8
"""Views of a run; each is asked once a second."""


@dataclass(frozen=True)
class View:
    """A view that answered.

    Attributes:
        title: What it is, for people.
        where: Its address.
        read: Asks it.
        by: How it was found.

    What its reader has started ends with `close`.

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
    """A view that is there and is not read, and why, in a sentence."""

    text: str


def split_view(text: str) -> tuple[Kind, str]:
    """Split `KIND=ADDRESS`; raises InputError where it is none, or the address has a password."""
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
    """The views that somebody named.

    Raises InputError where a name cannot be read, TargetError where nothing answers there, too
    late, or something else.
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
    """The views that answer where a server usually has them, beside those that are known.

    Of a kind that somebody named no other is looked for.
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
