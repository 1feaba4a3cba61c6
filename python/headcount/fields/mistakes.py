"""What is wrong with a file: every mistake, its place and the fix."""

import difflib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from headcount.errors import FileError, InputError, Mistake
from headcount.fields.mistake_words import plain_words

T = TypeVar("T", bound=BaseModel)
ENTRY_KINDS = frozenset(
    {"step", "if", "repeat", "pause", "choose", "set", "page", "lua", "transaction"}
)
"""Names that models give to kinds of entries of `steps`. They do not appear in files."""
ROUND_KINDS = frozenset({"times", "between", "until"})
"""Names that models give to kinds of rounds of a loop. They do not appear in files."""
TABLES = "tables"
"""The field of a workload whose keys stand in the file at the top level."""


Place = tuple[str, ...]
"""The keys and numbers that lead to a value of a file."""
LineOf = Callable[[Place], int | None]
"""Returns the line of a place in a file, None if unknown."""


class MisplacedError(ValueError):
    """Raised by a validator of a whole model that finds a mistake in one of its keys."""

    def __init__(self, message: str, *place: str | int) -> None:
        """`place`: the keys and numbers that lead to it from the model."""
        super().__init__(message)
        self.place = place


@contextmanager
def as_mistake(*place: str | int) -> Iterator[None]:
    """Within a validator, turn an InputError into a mistake with its place in the file.

    `place` leads from the model to the key; only validators of a whole model need it.
    """
    try:
        yield
    except InputError as error:
        raise MisplacedError(str(error), *place) from error


def describe(error: ValidationError, model: type[BaseModel], where: str) -> str:
    """All mistakes of a validation, one per line."""
    return summary(found(error, model), where)


def found(
    error: ValidationError, model: type[BaseModel], line_of: LineOf = lambda _place: None
) -> list[Mistake]:
    """All mistakes of a validation."""
    return [_mistake(dict(mistake), model, line_of) for mistake in error.errors()]


def summary(mistakes: Sequence[Mistake], where: str) -> str:
    """All mistakes of a file, one per line."""
    lines = [one.text(where) for one in mistakes]
    return "\n  ".join([f"{where} has {_count(len(lines))}:", *lines])


def refused(mistakes: Sequence[Mistake], where: str) -> FileError:
    """The error that names all mistakes of a file."""
    return FileError(summary(mistakes, where), mistakes)


def read_table(model: type[T], given: Mapping[str, str], where: str) -> T:
    """The table of texts called `where` as a model; raises InputError with all its mistakes."""
    try:
        return model.model_validate(dict(given))
    except ValidationError as error:
        raise InputError(describe(error, model, where)) from error


def nearest(name: str, known: list[str]) -> str:
    """A hint with the name that was probably meant, or nothing."""
    found = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    return f'; did you mean "{found[0]}"?' if found else ""


def nearest_of(name: str, known: list[str]) -> str:
    """A hint with up to three names that may have been meant, in any case, or nothing."""
    spelled = {one.lower(): one for one in known}
    found = difflib.get_close_matches(name.lower(), list(spelled), n=3, cutoff=0.6)
    return f"; the nearest are {', '.join(spelled[one] for one in found)}" if found else ""


def _count(mistakes: int) -> str:
    return "a mistake" if mistakes == 1 else f"{mistakes} mistakes"


def _mistake(mistake: dict[str, Any], model: type[BaseModel], line_of: LineOf) -> Mistake:
    location = _place(mistake["loc"])
    error = mistake.get("ctx", {}).get("error")
    if isinstance(error, MisplacedError):
        location += error.place
    place = tuple(str(part) for part in location if part != TABLES)
    key = ".".join(place) or "the whole"
    if mistake["type"] == "extra_forbidden":
        hint = nearest(str(location[-1]), _keys(model, location[:-1]))
        message = f"there is no such key{hint}"
    elif mistake["type"] == "missing":
        message = "is missing"
    else:
        message = plain_words(mistake)
    return Mistake(key, message, line_of(place))


def _place(location: tuple[Any, ...]) -> tuple[Any, ...]:
    """The place of a mistake in the file: without names that only models have."""
    around = zip((None, None, *location), (None, *location), location, strict=False)
    return tuple(
        part
        for above, before, part in around
        # A scenario has a pause of its own.
        if not (isinstance(before, int) and above != "scenarios" and part in ENTRY_KINDS)
        and not (before == "repeat" and part in ROUND_KINDS)
    )


def _keys(model: type[BaseModel], location: tuple[Any, ...]) -> list[str]:
    """The keys that the model knows at a place; if kinds of entries differ there, those of all."""
    current: list[type[BaseModel]] = [model]
    is_named = False
    for part in location:
        if isinstance(part, int) or is_named:
            is_named = False  # the name of a table, not a key of the model
            continue
        fields = [field for one in current for field in [_field(one, str(part))] if field]
        is_named = any(_is_of_names(field.annotation) for field in fields)
        current = [inner for field in fields for inner in _models_in(field.annotation)]
    keys: list[str] = []
    for one in current:
        for name, field in one.model_fields.items():
            tables = _models_in(field.annotation) if name == TABLES else []
            inner = [key for table in tables for key in table.model_fields]
            keys += inner if name == TABLES else [field.alias or name]
    return keys


def _field(model: type[BaseModel], key: str) -> FieldInfo | None:
    """The field with this name in files, None without one."""
    named = (field for name, field in model.model_fields.items() if (field.alias or name) == key)
    return next(named, None)


def _is_of_names(annotation: Any) -> bool:
    """Whether this is a table of tables, whose names the file chooses."""
    inner = [one for one in get_args(annotation) if one is not type(None)]
    return get_origin(annotation) is dict or any(get_origin(one) is dict for one in inner)


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [found for arg in get_args(annotation) for found in _models_in(arg)]
