"""What the tester states about a test: hardware, drivers, tuning, prices, who audited it."""

from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, ValidationError

from headcount.errors import InputError
from headcount.fields.mistakes import describe
from headcount.fields.model import Strict
from headcount.plan.toml_file import toml_values

MOST_STATED = 200
"""Most statements in a group; more belong into a document of their own."""


def _text(value: Any) -> Any:
    """Texts as they are; numbers, switches and lists of them as text."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, list) and not any(isinstance(each, list | dict) for each in value):
        return ", ".join(str(_text(each)) for each in value)
    return value


Stated = Annotated[dict[str, Annotated[str, BeforeValidator(_text)]], Field(max_length=MOST_STATED)]
"""Names that the tester chooses, each with a statement."""


class Disclosure(Strict):
    """The disclosure sheet, as stated. Headcount adds what it records by itself."""

    sut: Stated = Field(default={}, description="The system under test")
    drivers: Stated = Field(default={}, description="The machines that generate the load")
    destinations: Stated = Field(default={}, description="Other machines that the test needs")
    tuning: Stated = Field(default={}, description="What was changed from the defaults")
    pricing: Stated = Field(default={}, description="Where the prices come from")
    auditor: Stated = Field(default={}, description="Who audited it, and when")


def load_disclosure(path: Path) -> Disclosure:
    """Read a disclosure file; raises InputError with every mistake in it."""
    values = toml_values(path, f"the disclosure {path}")
    try:
        return Disclosure.model_validate(values)
    except ValidationError as error:
        raise InputError(describe(error, Disclosure, f"the disclosure {path}")) from error
