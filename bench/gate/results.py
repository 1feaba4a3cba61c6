"""The figures of a version in a file: every round's, so that all else can be computed again."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bench.example import ROOT

FOLDER = ROOT / "bench" / "results"
LINE_LEVELS = 4
"""The whole, the items, an item and its rounds."""
OURS = "headcount"
"""The side that every item has."""

Value = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Round = dict[str, dict[str, Value]]
"""What one round measured: values by side and by metric."""


class BadResultsError(Exception):
    """A file that does not hold results; the message says what is wrong and what to do."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Metric(_Frozen):
    """What is measured of an item; small is good. The bar is the most it may be."""

    name: str
    unit: str
    bar: Value | None = None


class Measured(_Frozen):
    """What the rounds of one item measured, and what the machine did meanwhile."""

    name: str
    title: str
    metrics: list[Metric]
    rounds: list[Round]
    repeated: list[Round] = []
    """The rounds of a repeat, made because the first ones were worse than another version's."""
    missing: dict[str, str] = {}
    """Peers that were not measured, each with the reason."""
    failure: str | None = None
    """Why Headcount itself was not measured, or not in all rounds."""
    load_before: float
    load_after: float
    stolen_s: float
    seconds: float


class Results(_Frozen):
    """What one run of the gate measured."""

    format: Literal[1] = 1
    version: str
    commit: str
    measured_at: str
    machine: dict[str, str | int]
    is_complete: bool
    items: list[Measured]

    def write(self, path: Path) -> None:
        """Write the file, which is either as before or whole."""
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        part.write_text(_json(self.model_dump(mode="json"), LINE_LEVELS) + "\n", "utf-8")
        part.replace(path)


def _json(value: object, levels: int, margin: str = "") -> str:
    """JSON of which so many outer levels take a line for each value: a round is one line."""
    if levels == 0 or not value or not isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    inner = f"{margin} "
    if isinstance(value, dict):
        lines = [
            f"{json.dumps(key, ensure_ascii=False)}: {_json(one, levels - 1, inner)}"
            for key, one in value.items()
        ]
    else:
        lines = [_json(one, levels - 1, inner) for one in value]
    first, last = "{}" if isinstance(value, dict) else "[]"
    return f"{first}\n{inner}" + f",\n{inner}".join(lines) + f"\n{margin}{last}"


def read(path: Path) -> Results:
    """The results in a file; raises BadResultsError."""
    again = "name a file that `python -m bench gate` wrote"
    try:
        return Results.model_validate_json(path.read_bytes())
    except OSError as error:
        raise BadResultsError(f"cannot read {path}: {error.strerror}; {again}") from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the whole"
        message = f"{path} does not hold results: {place}: {first['msg']}; {again}"
        raise BadResultsError(message) from error


def version_key(version: str) -> tuple[int, ...]:
    """What versions are ordered by: `0.10.0` comes after `0.9.1`."""
    return tuple(int(number) for number in re.findall(r"\d+", version))


def newest(folder: Path, other_than: str = "") -> Path | None:
    """The file of the highest version in a folder that is not `other_than`; None without one."""
    found = [path for path in folder.glob("*.json") if path.stem != other_than]
    return max(found, key=lambda path: version_key(path.stem), default=None)


@dataclass(frozen=True)
class Ratio:
    """Headcount's figure as a multiple of another, round by round.

    Attributes:
        item: The item's name.
        metric: What was measured.
        reference: The peer, or `bar`.
        ours: Headcount's values.
        values: Those by the peer's of the same round, or by the bar.
        load: The load average before the item was measured.
        repeated: The ratios of the repeat, if there was one.

    """

    item: str
    metric: Metric
    reference: str
    ours: tuple[float, ...]
    values: tuple[float, ...]
    load: float
    repeated: tuple[float, ...] = ()

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What the same ratio of another version has, too."""
        return self.item, self.metric.name, self.metric.unit, self.reference


def ratios(item: Measured) -> Iterator[Ratio]:
    """All ratios of an item: to each peer that was measured, and to the bar where there is one."""
    for metric in item.metrics:
        peers = {side: None for one in item.rounds for side in one if side != OURS}
        for reference in [*peers, *(["bar"] if metric.bar else [])]:
            values = _values(item.rounds, metric, reference)
            if values:
                ours = tuple(one[OURS][metric.name] for one in item.rounds if OURS in one)
                repeated = _values(item.repeated, metric, reference)
                yield Ratio(item.name, metric, reference, ours, values, item.load_before, repeated)


def _values(rounds: list[Round], metric: Metric, reference: str) -> tuple[float, ...]:
    found = []
    for one in rounds:
        ours = one.get(OURS, {}).get(metric.name)
        other = metric.bar if reference == "bar" else one.get(reference, {}).get(metric.name)
        if ours is not None and other is not None:
            found.append(ours / other)
    return tuple(found)
