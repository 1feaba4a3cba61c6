"""What the keys of plan and workload files hold: durations, sizes, names, and models of them."""

from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    WithJsonSchema,
)

from headcount.errors import InputError
from headcount.fields.mistakes import as_mistake
from headcount.fields.pattern import check_pattern
from headcount.fields.units import MOST_USERS, seconds, share, size_bytes, with_unit


def _duration(value: Any) -> str:
    with as_mistake():
        if not isinstance(value, str | int | float) or isinstance(value, bool):
            raise InputError(f"it is {value}; write it like 200ms, 30s, 5m or 1h30m")
        text = with_unit(str(value))
        seconds(text, "it")
    return text


def _size(value: Any) -> str | int:
    with as_mistake():
        if not isinstance(value, str | int) or isinstance(value, bool):
            raise InputError(f"it is {value}; write it like 4096, 16KiB or 20MB")
        size_bytes(value, "it")
    return value


def _on_or_off(value: Any) -> Any:
    if isinstance(value, str):
        if value not in ("on", "off"):
            raise ValueError(f'it is "{value}"; it can be on or off')
        return value == "on"
    return value


def _share(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    if value in ("on", "off"):
        return 1.0 if value == "on" else 0.0
    with as_mistake():
        return share(value, "it")


def _pattern(text: str) -> str:
    with as_mistake():
        check_pattern(text)
    return text


def trusted(verify_certificates: str) -> bool | str:
    """What the engine trusts: this machine's certificates (True), any (False), or a file's."""
    words: dict[str, bool | str] = {"on": True, "off": False}
    return words.get(verify_certificates, verify_certificates)


def within(low: str, high: str) -> AfterValidator:
    """A validator of durations from `low` to `high`, both included."""

    def check(text: str) -> str:
        if not seconds(low) <= seconds(text) <= seconds(high):
            raise ValueError(f'it is "{text}"; it must be from {low} to {high}')
        return text

    return AfterValidator(check)


Duration = Annotated[
    str,
    BeforeValidator(_duration),
    # A bare number is seconds.
    WithJsonSchema({"type": ["string", "number"]}, mode="validation"),
]
Size = Annotated[str | int, BeforeValidator(_size)]
Switch = Annotated[bool, BeforeValidator(_on_or_off)]
"""What tables of texts hold as `on` or `off`."""
Checked = Annotated[float, BeforeValidator(_share), Field(ge=0, le=1)]
"""A share of answers that are checked, which tables of texts hold as `on` or `off`, too."""
Pattern = Annotated[str, AfterValidator(_pattern)]
"""Names of users, with their number in it."""
Users = Annotated[int, Field(ge=1, le=MOST_USERS)]
Name = Annotated[str, Field(pattern=r"^[\w.-]+$")]
"""Names become tags in logs and keys of tables, where commas and spaces are separators."""


class Strict(BaseModel):
    """A frozen part of a plan; an unknown key is an error, and so is an endless number.

    Pydantic builds it when it is first used: a plan holds its parts, which few commands use alone.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, defer_build=True)
