"""Refuses quantities that no formula here accepts: zero, negative, infinite and immense ones."""

from headcount.errors import InputError

SMALLEST = 1e-12
LARGEST = 1e18
"""Bounds of every quantity: an exabyte is 1e18 bytes. Products within them stay finite."""


def positive(what: str, value: float, such_as: str) -> None:
    """Check a quantity that must be above zero.

    Raises InputError naming it, and what it may look like.
    """
    if value <= 0:
        raise InputError(f"{what} is {_number_text(value)}; it must be above 0, such as {such_as}")
    not_negative(what, value, such_as)
    if value < SMALLEST:
        raise InputError(f"{what} is {value:g}, which is too small; write it like {such_as}")


def not_negative(what: str, value: float, such_as: str) -> None:
    """Check a quantity that may be zero.

    Raises InputError naming it, and what it may look like.
    """
    if value > LARGEST:
        raise InputError(
            f"{what} is above {LARGEST:g}, which is too large; write it like {such_as}"
        )
    if value < 0:
        raise InputError(
            f"{what} is {_number_text(value)}; it must be 0 or more, for example {such_as}"
        )
    if not value >= 0:
        raise InputError(f"{what} is not a number; write it like {such_as}")


def share(what: str, value: float) -> None:
    """Check a share: 0 to 1.

    Raises InputError naming it.
    """
    if not 0 <= value <= 1:
        raise InputError(f"{what} is {_number_text(value)}; it must be from 0 to 1 (0% to 100%)")


def _number_text(value: float) -> str:
    """A number in a message; an immense one is only "above" the bound: it may not fit a float."""
    if abs(value) > LARGEST:
        return f"above {LARGEST:g}" if value > 0 else f"below {-LARGEST:g}"
    return f"{value:g}"
