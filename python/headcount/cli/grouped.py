"""Verbs whose options are declared in groups.

Typer reads options from the parameters of a function. A verb with dozens of options takes
dataclasses instead, whose fields are the options.
"""

import inspect
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import wraps
from typing import Any, get_type_hints


def grouped(verb: Callable[..., None]) -> Callable[..., None]:
    """The verb with each field of its dataclasses as a parameter of its own, for Typer.

    Raises:
        ValueError: Two of them have the same name.

    """
    hints = get_type_hints(verb, include_extras=True)
    groups: dict[str, Any] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(verb).parameters.items():
        if name in groups:
            parameters += _options(groups[name])
        else:
            kind = inspect.Parameter.KEYWORD_ONLY
            parameters.append(parameter.replace(annotation=hints[name], kind=kind))

    @wraps(verb)
    def flat(**given: Any) -> None:
        for name, group in groups.items():
            mine = {field.name: given.pop(field.name) for field in fields(group)}
            given[name] = group(**mine)
        verb(**given)

    flat.__annotations__ = {one.name: one.annotation for one in parameters}
    setattr(flat, "__signature__", inspect.Signature(parameters))  # noqa: B010 - mypy knows no such
    return flat


def _options(group: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=field.default,
            annotation=hints[field.name],
        )
        for field in fields(group)
    ]
