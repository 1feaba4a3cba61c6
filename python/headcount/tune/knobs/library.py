"""The built-in knobs, those of installed packages, and those of a file of your own."""

import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import ModuleType

from pydantic import ValidationError

from headcount.errors import InputError
from headcount.fields.mistakes import describe, nearest
from headcount.installed import added, refusal
from headcount.plan.toml_file import toml_values
from headcount.tune.knobs.knob import Knob, KnobFile

GROUP, NOUN = "knobs", "file of knobs"
"""The group of entry points, and what one of them leads to."""
FIXED = ("process",)
"""Names whose knobs are all built in: packages cannot add any."""


@cache
def library() -> Mapping[str, KnobFile]:
    """All knobs by server: the built-in ones, and those of installed packages.

    Raises InputError for a package whose knobs cannot be used.
    """
    found = _built_in()
    for name, package in added(GROUP, NOUN, ModuleType).items():
        more = _of_package(name, package)
        known = found.get(more.server)
        if known is None or more.server in FIXED:
            servers = ", ".join(one for one in found if one not in FIXED)
            why = f'it is for "{more.server}", and there can be knobs of: {servers}'
            raise refusal(GROUP, name, NOUN, why)
        there = {knob.name for knob in known.knob}
        if twice := [knob.name for knob in more.knob if knob.name in there]:
            raise refusal(GROUP, name, NOUN, f"{more.server} has {', '.join(twice)} already")
        found[more.server] = merged(known, more)
        try:
            found[more.server].check_formulas()
        except InputError as error:
            raise refusal(GROUP, name, NOUN, str(error)) from error
    return found


def _of_package(name: str, package: ModuleType) -> KnobFile:
    """The file `NAME.toml` of a package."""
    file = files(package).joinpath(f"{name}.toml") if hasattr(package, "__path__") else None
    if file is None or not file.is_file():
        raise refusal(GROUP, name, NOUN, f"there is no {name}.toml in {package.__name__}")
    try:
        return KnobFile(**tomllib.loads(file.read_text("utf-8")))
    except ValidationError as error:
        why = describe(error, KnobFile, f"{name}.toml")
        raise refusal(GROUP, name, NOUN, why) from error
    except ValueError as error:  # not TOML, or not UTF-8
        raise refusal(GROUP, name, NOUN, str(error)) from error


def _built_in() -> dict[str, KnobFile]:
    folder = files("headcount.tune.knobs").joinpath("data")
    texts = {one.name: one.read_text("utf-8") for one in folder.iterdir()}
    found = [KnobFile(**tomllib.loads(texts[name])) for name in sorted(texts) if ".toml" in name]
    for one in found:
        one.check_formulas()
    return {one.server: one for one in found}


def of_server(server: str) -> KnobFile:
    """The knobs of a server; raises InputError where there is none of this name."""
    known = library()
    if server not in known:
        raise InputError(f'there are no knobs of "{server}"; there are of: {", ".join(known)}')
    return known[server]


def own(path: Path) -> KnobFile:
    """The knobs of a file of your own; raises InputError with what is wrong in it."""
    values = toml_values(path, f"the knobs of {path}")
    try:
        found = KnobFile(**values)
    except ValidationError as error:
        raise InputError(describe(error, KnobFile, str(path))) from error
    known = library().get(found.server)
    try:
        (found if known is None else merged(known, found)).check_formulas()
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    return found


def check_names(option: str, names: Iterable[str], own: KnobFile | None) -> None:
    """Raise InputError for a knob that no server has, nor a file of your own."""
    files = [*library().values(), *([own] if own is not None else [])]
    alone = [knob.name for file in files for knob in file.knob]
    # Knobs that two servers have carry the server's name if both are tuned together.
    known = {*alone, *(f"{file.server} {knob.name}" for file in files for knob in file.knob)}
    for name in names:
        if name not in known:
            raise InputError(f"{option} {name}: no server has this knob{nearest(name, alone)}")


def merged(first: KnobFile, second: KnobFile) -> KnobFile:
    """The knobs of both; if both have one, that of `second`."""
    names = {knob.name for knob in second.knob}
    kept: list[Knob] = [knob for knob in first.knob if knob.name not in names]
    return first.model_copy(update={"knob": [*kept, *second.knob]})
