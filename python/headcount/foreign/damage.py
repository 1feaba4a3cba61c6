"""What goes wrong in code that meets values which no file should have."""

DAMAGE = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
"""Exceptions that a damaged file may lead to, where its reader did not look at each value."""


def reason(error: Exception) -> str:
    """What an error says, in one line with its kind: texts such as `'users'` say little alone."""
    first = next(iter(str(error).splitlines()), "")
    if type(error) is ValueError and first:  # a sentence of its own
        return first
    return f"{type(error).__name__}: {first}" if first else type(error).__name__
