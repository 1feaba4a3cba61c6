"""Numbers of knobs that depend on the machine and on other knobs: `users / ThreadsPerChild`."""

import math
import re
from collections.abc import Iterable, Mapping
from decimal import DecimalException

from headcount.analyse.published.expression import FormulaError, evaluate
from headcount.errors import InputError

Names = Mapping[str, int]
_NONE = (
    *(FormulaError, DecimalException),
    *(TypeError, AttributeError, LookupError, RecursionError, OverflowError, ValueError),
)
"""What is raised for invalid formulas."""


def number(formula: str, names: Names) -> int:
    """The value of a formula, rounded down; raises InputError if it is invalid."""
    try:
        found: int = math.floor(evaluate(formula, names))
    except _NONE as error:
        raise InputError(f"the formula {formula}: {error}") from error
    return found


def words(formulas: Iterable[str]) -> frozenset[str]:
    """All names in some formulas."""
    return frozenset(word for formula in formulas for word in re.findall(r"[A-Za-z_]\w*", formula))
