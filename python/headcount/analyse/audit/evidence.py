"""What a bundle's files say, read for an audit: damage is recorded with its place, never raised."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from headcount._engine import Histogram
from headcount.analyse.audit.result import Place
from headcount.analyse.audit.second import Names, Second, second_of
from headcount.analyse.window import Window
from headcount.bundle import confirmation, hlog, series, stacks, versus
from headcount.bundle.altered import Altered, differences
from headcount.bundle.environment import EnvironmentFile
from headcount.bundle.files import numbered_lines
from headcount.bundle.level import LevelResult, Levels, Record
from headcount.bundle.manifest import NAME, Manifest
from headcount.bundle.manifest import read as manifest_of
from headcount.bundle.reader import Bundle
from headcount.bundle.stored import MOST_BYTES
from headcount.bundle.verdict import Verdict
from headcount.errors import InputError
from headcount.foreign.file import content, has_regular, place_of
from headcount.foreign.json_text import json_value
from headcount.plan import plan as plans

R = TypeVar("R", bound=Record)


@dataclass(frozen=True)
class Evidence:
    """A bundle as an audit sees it.

    Attributes:
        folder: Where it is.
        plan: The plan; None if it is damaged.
        environment: The disclosure; None if it is damaged or missing.
        levels: The finished levels.
        raw_levels: The levels as stored, so that fields that an older Headcount did not write are
            not reported as missing.
        verdict: The answer; None if the run was killed, or the file is damaged.
        raw_verdict: The answer as stored.
        lines: Every line of the series, in order.
        answered: The response times of each second and scenario, and when that second began.
        seconds: Every second, in order, with its histograms.
        names: What the entries of the lists in a second stand for.
        strays: Histograms that belong to no second.
        rests: When the other of two targets was measured, from and to, in seconds of the run.
        events: What happened.
        damage: Where files are damaged.
        manifest: Sizes and checksums; None for older bundles, and for those not closed.
        altered: Where files differ from the manifest, including damage to it.
        windows: The measured parts of levels, by level, once they were summed up.

    """

    folder: Path
    plan: plans.Plan | None
    environment: EnvironmentFile | None
    levels: list[LevelResult]
    raw_levels: list[dict[str, Any]]
    verdict: Verdict | None
    raw_verdict: dict[str, Any] | None
    lines: list[dict[str, Any]]
    answered: list[tuple[float, Histogram]]
    seconds: list[Second]
    names: Names
    strays: list[Place]
    rests: list[tuple[float, float]]
    events: list[dict[str, Any]]
    damage: list[Place]
    manifest: Manifest | None
    altered: list[Altered]
    windows: dict[int, Window | None] = field(default_factory=dict)

    @property
    def bundle(self) -> Bundle | None:
        """The bundle as commands see it; None if its plan cannot be read.

        What the audit has read is not read again, unless it is damaged.
        """
        if self.plan is None:
            return None
        parts = (self.folder, self.plan, self.environment, self.levels, self.verdict)
        return Bundle(*parts) if self.damage else _Gathered(*parts, self.lines, self.answered)

    def steady(self, level: int) -> list[Second]:
        """The measured seconds of a level."""
        return [one for one in self.seconds if one.level == level and one.phase == "steady"]

    def before(self, first: Second) -> Second | None:
        """The second before; None at the beginning of a run."""
        place = next(i for i, one in enumerate(self.seconds) if one is first)
        return self.seconds[place - 1] if place else None


@dataclass(frozen=True)
class _Gathered(Bundle):
    """A bundle whose seconds and response times are in memory."""

    lines: list[dict[str, Any]]
    answered: list[tuple[float, Histogram]]

    def each_second(self) -> Iterator[dict[str, Any]]:
        return iter(self.lines)

    def each_answer(self) -> Iterator[tuple[float, Histogram]]:
        return iter(self.answered)


@dataclass
class _Found:
    """Collects the damage found while reading."""

    damage: list[Place] = field(default_factory=list)

    def model(self, path: Path, model: type[R]) -> tuple[R | None, Any]:
        """A JSON file as its model, and as stored.

        Raises InputError if the name is that of a link or a pipe.
        """
        if not has_regular(path):
            return None, None
        try:
            text = content(path, MOST_BYTES, follow=False)
            raw = json_value(text)
            return model.model_validate_json(text), raw
        except ValidationError as error:
            first = error.errors()[0]
            at = ".".join(str(part) for part in first["loc"]) or "the whole"
            self.damage.append(Place(file=path.name, at=at, text=str(first["msg"])))
        except InputError as error:
            self.damage.append(Place(file=path.name, at="the whole", text=str(error)))
        except ValueError as error:
            self.damage.append(Place(file=path.name, at="the whole", text=f"no JSON: {error}"))
        return None, None

    def plan(self, path: Path) -> plans.Plan | None:
        try:
            return plans.load(path, follow=False)
        except InputError as error:
            self.damage.append(Place(file=path.name, at="the whole", text=str(error)))
        return None

    def rests(self, folder: Path) -> list[tuple[float, float]]:
        """When the other side of a pairing was measured; empty for a run on its own."""
        try:
            pairing = versus.read(folder)
        except InputError as error:
            self.damage.append(Place(file=versus.FILE, at="the whole", text=str(error)))
            return []
        if pairing is None:
            return []
        own = [rest for rest in pairing.rests if rest.side == pairing.here]
        return [(rest.began_s, rest.ended_s) for rest in own]

    def others(self, folder: Path) -> None:
        """Check that the files which the audit does not use can be read."""
        for path in (folder / confirmation.FILE, *stacks.files(folder)):
            try:
                if path.name == confirmation.FILE:
                    confirmation.read(folder)
                else:
                    stacks.read_file(path)
            except InputError as error:
                self.damage.append(Place(file=path.name, at="the whole", text=str(error)))

    def lines(self, path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
        """Every whole line of JSON; a torn line is damage, unless it is the last of a killed run.

        Raises InputError if the name is that of a link or a pipe.
        """
        has_regular(place_of(path))
        try:
            for number, last, value in numbered_lines(path):
                if isinstance(value, dict):
                    yield number, value
                elif not last:
                    self.damage.append(Place(file=path.name, at=f"line {number}", text="no JSON"))
        except InputError as error:
            self.damage.append(Place(file=path.name, at="the whole", text=str(error)))

    def histograms(self, path: Path) -> Iterator[hlog.Line]:
        """Every line of a histogram log; raises InputError if it is a link or a pipe."""
        has_regular(place_of(path))
        try:
            yield from hlog.lines(path)
        except InputError as error:
            self.damage.append(Place(file=path.name, at="the whole", text=str(error)))


def gather(folder: Path) -> Evidence:
    """Read a bundle; raises InputError if the folder is not a bundle."""
    if not has_regular(folder / "plan.toml"):
        raise InputError(
            f"{folder} is not a bundle: it has no plan.toml (headcount runs lists them)"
        )
    found = _Found()
    plan = found.plan(folder / "plan.toml")
    levels, raw_levels = found.model(folder / "levels.json", Levels)
    verdict, raw_verdict = found.model(folder / "verdict.json", Verdict)
    environment, _ = found.model(folder / "environment.json", EnvironmentFile)
    lines = list(found.lines(folder / series.LINES))
    names = _names(plan, lines)
    answered: list[tuple[float, Histogram]] = []
    times, strays = _histograms(folder / "histograms.hlog", found, answered)
    seconds = _seconds(lines, times, names, found)
    found.others(folder)
    manifest, altered = _checksums(folder)
    return Evidence(
        folder=folder,
        plan=plan,
        environment=environment,
        levels=list(levels.levels) if levels else [],
        raw_levels=raw_levels["levels"] if levels else [],
        verdict=verdict,
        raw_verdict=raw_verdict,
        lines=[line for _, line in lines],
        answered=answered,
        seconds=seconds,
        names=names,
        strays=[*strays, *_orphans(times, seconds, is_over=raw_verdict is not None)],
        rests=found.rests(folder),
        events=[event for _, event in found.lines(folder / "events.ndjson")],
        damage=found.damage,
        manifest=manifest,
        altered=altered,
    )


def _names(plan: plans.Plan | None, lines: list[tuple[int, dict[str, Any]]]) -> Names:
    first = lines[0][1] if lines else {}
    tasks: dict[str, None] = {}
    for _, line in lines:
        tasks.update(dict.fromkeys(_keys(line, "tasks")))
    of_plan = [scenario.name for scenario in plan.workload.scenarios] if plan else []
    ways = plan.line_names if plan else _keys(first, "lines")
    return Names(of_plan or _keys(first, "scenarios"), _keys(first, "steps"), [*tasks], ways)


def _keys(line: dict[str, Any], name: str) -> list[str]:
    """The names for which a line has figures; empty if it is damaged."""
    of = line.get(name)
    return list(of) if isinstance(of, dict) else []


Times = dict[tuple[str, str], dict[str, tuple[int, Histogram]]]
"""Histograms by interval (start, length as the log writes them) and tag, each with its line."""


def _histograms(
    path: Path, found: _Found, answered: list[tuple[float, Histogram]]
) -> tuple[Times, list[Place]]:
    """The log's histograms, and those that are out of place; response times go to `answered`."""
    times: Times = {}
    strays = []
    interval, start_s, of = ("", ""), None, {}
    for line in found.histograms(path):
        if line.histogram is None:
            if not line.last:
                damaged = Place(file=path.name, at=f"line {line.number}", text="no histogram")
                found.damage.append(damaged)
            continue
        if line.interval is not interval:
            interval = line.interval
            start_s, of = _number(interval[0]), times.setdefault(interval, {})
        if line.tag in of:
            at = f"line {line.number}"
            strays.append(Place(file=path.name, at=at, text=f"a second histogram of {line.tag}"))
        of[line.tag] = (line.number, line.histogram)
        if start_s is not None and line.tag.startswith(hlog.RESPONSE):
            answered.append((start_s, line.histogram))
        if line.longest != hlog.longest(line.histogram):
            text = f"{line.longest} ms stated as the longest, {hlog.longest(line.histogram)} held"
            strays.append(Place(file=path.name, at=f"line {line.number}", text=text))
    return times, strays


def _number(text: str) -> float | None:
    """The number in a text; None if there is none."""
    try:
        return float(text)
    except ValueError:
        return None


def _seconds(
    lines: list[tuple[int, dict[str, Any]]], times: Times, names: Names, found: _Found
) -> list[Second]:
    seconds = []
    for number, figures in lines:
        try:
            key = hlog.key(figures["t_s"] - figures["seconds"], figures["seconds"])
            of = {tag: histogram for tag, (_, histogram) in times.pop(key, {}).items()}
            seconds.append(second_of(number, figures, of, names))
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
            text = f"no second of a run: {type(error).__name__} {error}"
            found.damage.append(Place(file=series.LINES, at=f"line {number}", text=text))
    return seconds


def _orphans(times: Times, seconds: list[Second], *, is_over: bool) -> Iterator[Place]:
    """Histograms of seconds that the series does not have.

    The histograms of a second are written before its line. A process that is killed before the end
    of its run may leave those of one last second without a line.
    """
    if not is_over and len(times) == 1 and _is_behind(next(iter(times))[0], seconds):
        return
    for (start, _), of in times.items():
        for tag, (number, _) in of.items():
            text = f"{tag} of {start} s has no second in {series.LINES}"
            yield Place(file="histograms.hlog", at=f"line {number}", text=text)


def _is_behind(start: str, seconds: list[Second]) -> bool:
    """Whether an interval begins at or after the end of the last second."""
    try:
        return not seconds or float(start) > (seconds[-1].from_s + seconds[-1].to_s) / 2
    except ValueError:
        return False


def _checksums(folder: Path) -> tuple[Manifest | None, list[Altered]]:
    try:
        manifest = manifest_of(folder)
    except InputError:
        return None, [Altered(NAME, "altered")]
    return manifest, [] if manifest is None else differences(folder, manifest)
