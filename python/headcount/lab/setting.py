"""A setting of a lab server: what a plan's `[server]` table may say, and what it does."""

import re
from collections.abc import Mapping
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

    """

    default: str
    values: tuple[str, ...]
    parameter: str
    why: str
    most: int | None = None

    @property
    def text(self) -> str:
        """What it can be, for people."""
        numbers = [f"1 to {self.most:,}"] if self.most else []
        return ", ".join([*self.values, *numbers])


ON_OFF = ("on", "off")


def complete(server: str, known: Mapping[str, Setting], given: Mapping[str, str]) -> dict[str, str]:
    """All settings, with defaults for what is not given; raises InputError for what cannot be."""
    for key, value in given.items():
        if key not in known:
            raise InputError(f"lab:{server} has no setting {key}; it has: {', '.join(known)}")
        setting = known[key]
        number = int(value) if re.fullmatch(r"[1-9][0-9]{0,9}", value) else 0
        if value not in setting.values and not 0 < number <= (setting.most or 0):
            raise InputError(f'{key} is "{value}"; it can be: {setting.text}')
    return {key: given.get(key, setting.default) for key, setting in known.items()}
