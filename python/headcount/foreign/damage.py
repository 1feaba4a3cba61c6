"""Exceptions in code that meets values which no file should have."""

DAMAGE = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
"""Exceptions that a damaged file may cause, if its reader does not check each value."""


def reason(error: Exception) -> str:
    """The message of an error in one line, with its type: `'users'` alone says little."""
    first = next(iter(str(error).splitlines()), "")
    if type(error) is ValueError and first:  # the message is a sentence
        return first
    return f"{type(error).__name__}: {first}" if first else type(error).__name__
