"""The knobs that come along, and those of a file of one's own."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path

from pydantic import ValidationError

from headcount.errors import InputError
from headcount.fields.mistakes import describe
from headcount.plan.toml_file import toml_values
from headcount.tune.knobs.knob import Knob, KnobFile


@cache
def library() -> Mapping[str, KnobFile]:
    """All knobs that come along, by server."""
    folder = files("headcount.tune.knobs").joinpath("data")
    texts = {one.name: one.read_text("utf-8") for one in folder.iterdir()}
    found = [KnobFile(**tomllib.loads(texts[name])) for name in sorted(texts) if ".toml" in name]
    return {one.server: one for one in found}


def of_server(server: str) -> KnobFile:
    """The knobs of a server; raises InputError where there is none of this name."""
    known = library()
    if server not in known:
        raise InputError(f'there are no knobs of "{server}"; there are of: {", ".join(known)}')
    return known[server]


def own(path: Path) -> KnobFile:
    """The knobs of a file of one's own; raises InputError with what is wrong in it."""
    values = toml_values(path, f"the knobs of {path}")
    try:
        return KnobFile(**values)
    except ValidationError as error:
        raise InputError(describe(error, KnobFile, str(path))) from error


def merged(first: KnobFile, second: KnobFile) -> KnobFile:
    """Knobs of both; of one that is in both, that of `second`."""
    names = {knob.name for knob in second.knob}
    kept: list[Knob] = [knob for knob in first.knob if knob.name not in names]
    return first.model_copy(update={"knob": [*kept, *second.knob]})
