"""What is wrong with a file: every mistake, its place and the fix."""

import difflib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from headcount.errors import InputError

T = TypeVar("T", bound=BaseModel)
ENTRY_KINDS = frozenset({"step", "if", "repeat", "pause", "choose", "set", "page"})
"""What kinds of entries of `steps` are called in models; in files nothing names them."""
ROUND_KINDS = frozenset({"times", "between", "until"})
"""The same of the rounds of a loop."""
TABLES = "tables"
"""The field of a workload whose keys are, in its file, keys of the workload itself."""


@contextmanager
def as_mistake() -> Iterator[None]:
    """Within a validator: make an InputError one of the mistakes, with its place in the file."""
    try:
        yield
    except InputError as error:
        raise ValueError(str(error)) from error


def describe(error: ValidationError, model: type[BaseModel], where: str) -> str:
    """All mistakes of a validation, one a line."""
    lines = [_line(dict(mistake), model) for mistake in error.errors()]
    return "\n  ".join([f"{where} has {_count(len(lines))}:", *lines])


def read_table(model: type[T], given: Mapping[str, str], where: str) -> T:
    """The table of texts `where` as a model; raises InputError with every mistake in it."""
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


def _line(mistake: dict[str, Any], model: type[BaseModel]) -> str:
    location = _place(mistake["loc"])
    place = ".".join(str(part) for part in location if part != TABLES) or "the whole"
    if mistake["type"] == "extra_forbidden":
        hint = nearest(str(location[-1]), _keys(model, location[:-1]))
        return f"{place}: there is no such key{hint}"
    if mistake["type"] == "missing":
        return f"{place}: is missing"
    return f"{place}: {mistake['msg'].removeprefix('Value error, ')}"


def _place(location: tuple[Any, ...]) -> tuple[Any, ...]:
    """Where a mistake is in the file: without the names that models give to kinds of entries."""
    return tuple(
        part
        for before, part in zip((None, *location), location, strict=False)
        if not (isinstance(before, int) and part in ENTRY_KINDS)
        and not (before == "repeat" and part in ROUND_KINDS)
    )


def _keys(model: type[BaseModel], location: tuple[Any, ...]) -> list[str]:
    """The keys that are known at a place of the model."""
    current: type[BaseModel] | None = model
    for part in location:
        if isinstance(part, int) or current is None:
            continue
        field = current.model_fields.get(str(part))
        current = _model_in(field.annotation) if field else None
    if current is None:
        return []
    keys = [key for key in current.model_fields if key != TABLES]
    own = current.model_fields.get(TABLES)
    inner = _model_in(own.annotation) if own else None
    return [*keys, *inner.model_fields] if inner else keys


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for arg in get_args(annotation) if (found := _model_in(arg))), None)
