"""A setting of a lab server: what a plan's `[server]` table may say, and what it does."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from headcount.errors import InputError


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting.

    Attributes:
        default: The program's own default unless `why` gives a reason.
        values: What it can be among words.
        most: Numbers from 1 (0, if that is the default or among the words) to this are allowed.
        parameter: What it is called in the program's configuration.
        why: What it does to a capacity.
        is_stock: Whether the profile `stock` takes it, too: it is not part of the configuration.

    """

    default: str
    values: tuple[str, ...]
    parameter: str
    why: str
    most: int | None = None
    is_stock: bool = False

    @property
    def text(self) -> str:
        """What it can be, for people."""
        numbers = [f"1 to {self.most:,}"] if self.most else []
        return ", ".join([*self.values, *numbers])


ON_OFF = ("on", "off")
STOCK = "stock"
"""The profile that takes the settings of Debian instead of ours."""
PROFILE = Setting(
    "lab",
    ("lab", STOCK),
    "none",
    "stock: the configuration that Debian ships, with only paths and ports rewritten, and none of "
    "the other settings; lab: as below.",
    is_stock=True,
)


def check_profile(given: Mapping[str, str], beside: Collection[str]) -> None:
    """Raise InputError for settings that the profile `stock` does not take."""
    others = [key for key in given if key not in beside]
    if given.get("profile") == STOCK and others:
        raise InputError(
            f"profile=stock takes the settings Debian ships; leave out {', '.join(others)}"
        )


def complete(server: str, known: Mapping[str, Setting], given: Mapping[str, str]) -> dict[str, str]:
    """All settings, with defaults for what is not given; raises InputError for wrong ones.

    With the profile `stock`, those that are not part of the configuration.
    """
    for key, value in given.items():
        if key not in known:
            raise InputError(f"lab:{server} has no setting {key}; it has: {', '.join(known)}")
        setting = known[key]
        number = int(value) if re.fullmatch(r"[1-9][0-9]{0,9}", value) else 0
        if value not in setting.values and not 0 < number <= (setting.most or 0):
            raise InputError(f'{key} is "{value}"; it can be: {setting.text}')
    stock = [key for key, setting in known.items() if setting.is_stock]
    check_profile(given, stock)
    keys = stock if given.get("profile") == STOCK else list(known)
    return {key: given.get(key, known[key].default) for key in keys}
