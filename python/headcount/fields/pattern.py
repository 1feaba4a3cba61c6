"""Names with a number in them: `user{n:05}` is `user00007` for user 7."""

import re

from headcount.errors import InputError

NUMBER = r"\{n(?::0(?:[1-9]|1[0-9]|20))?\}"
"""The placeholder of the number, with its least number of digits."""


def check_pattern(text: str) -> None:
    """Raise InputError if a text has more than one placeholder, or other braces."""
    if not re.fullmatch(rf"[^{{}}]*(?:{NUMBER}[^{{}}]*)?", text):
        raise InputError(
            f'"{text}" is not a pattern of names: it may have one number, as in user{{n}} or '
            "user{n:05}, and no other braces"
        )


def check_folder(text: str) -> None:
    """Raise InputError unless a pattern gives each user a folder of their own inside another.

    The outer folder has the marker file; everything in it may be deleted.
    """
    check_pattern(text)
    around, _, own = text.rpartition("\\")
    if not around or "{" in around or "{" not in own or "/" in text or text.startswith("\\"):
        raise InputError(
            f'the folder of each user is "{text}"; it must be inside a folder that only '
            "Headcount uses, as in headcount\\user{n:05}"
        )
