"""The disclosure: both sides' hardware, system and settings."""

from collections.abc import Mapping
from typing import Any

from headcount.bundle.environment import CounterOrigin
from headcount.report.content import ReportContent
from headcount.report.html.table import Cell, more, pairs
from headcount.report.html.table import folded as make_section
from headcount.report.machines import MOST_KINDS, Machines, machines
from headcount.report.markup import Html, element
from headcount.text import count, duration, memory, plural, storage

_ROLE = {
    "sut": "Server under test",
    "generator": "Load generator",
    "both": "Server under test and load generator, on one machine",
    "controller": "Controller, which plays no users",
}

LINES_SHOWN = 200
"""Most lines of the full description; a machine with very many disks would swamp the page."""


def section(content: ReportContent) -> Html:
    """Describe each side: the summary, and everything known folded below it."""
    environment = content.environment
    found = machines(environment.sides)
    sides = element("div", *(_side(one) for one in found[:MOST_KINDS]), class_="sides")
    over = len(found) - MOST_KINDS
    more_kinds = f"{plural('more machine', over)} of other kinds: see environment.json."
    build = f"Headcount {environment.headcount}, {environment.build} build of the load engine."
    counters = [element("p", origin(one), class_="note") for one in environment.counters]
    return make_section(
        "Environment",
        sides,
        element("p", more_kinds, class_="note") if over > 0 else None,
        *counters,
        element("p", build, class_="note"),
    )


def origin(one: CounterOrigin) -> str:
    """The source of counters of another machine, and how far its clock is off."""
    machine = f" of {one.host}" if one.host else ""
    text = f"Counters “{one.side}”: {one.address}, {one.program}{machine}."
    if one.clock_offset_s is None or one.clock_error_s is None:
        return (
            f"{text} Its clock could not be read; its figures have the time at which they arrived."
        )
    way = "ahead of" if one.clock_offset_s >= 0 else "behind"
    off_s, error_s = abs(one.clock_offset_s), one.clock_error_s
    return (
        f"{text} At the start its clock was {duration(off_s * 1000)} {way} the generator's, "
        f"give or take {duration(error_s * 1000)}; that is corrected."
    )


def _side(one: Machines) -> Html:
    side = one.side
    host = side.host or {}
    items: list[tuple[str, Cell]] = [
        (name, value) for name, value in summary(host) if value is not None
    ]
    if side.host is None:
        items.append(("Machine", "not known: the machine did not answer"))
    items += sorted(side.programs.items())
    settings = pairs(sorted(side.settings.items())) if side.settings else None
    lines = flattened(host)
    which = "the machine" if one.number == 1 else "the first of these machines"
    full = more(f"All facts about {which}", pairs(lines)) if lines else None
    return element(
        "div",
        element("h3", one.heading(_ROLE)),
        pairs(items),
        element("h4", "Settings") if settings else None,
        settings,
        full,
    )


def summary(host: Mapping[str, Any]) -> list[tuple[str, Cell | None]]:
    """The facts that a reader looks for first; facts of an unexpected shape are left out."""
    cpu, kernel, virtual = (_part(host, name) for name in ("cpu", "kernel", "virtual"))
    logical = cpu.get("logical")
    cores = plural("logical CPU", logical) if isinstance(logical, int) else None
    return [
        ("Host", _text(host.get("hostname"))),
        ("System", _text(host.get("operating_system"))),
        ("Kernel", _text(kernel.get("release"))),
        ("Processor", ", ".join(x for x in (_text(cpu.get("model")), cores) if x) or None),
        ("Memory", memory(total) if isinstance(total := host.get("memory_bytes"), int) else None),
        ("Disks", _listed(host.get("disks"), _disk)),
        ("Network", _listed(host.get("interfaces"), _interface)),
        ("Virtualisation", _text(virtual.get("hypervisor") or virtual.get("product"))),
        ("Container", _text(virtual.get("container"))),
    ]


def _part(host: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = host.get(name)
    return part if isinstance(part, Mapping) else {}


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def _listed(value: Any, written: Any) -> str | None:
    if not isinstance(value, list | tuple):
        return None
    parts = [written(part) for part in value if isinstance(part, Mapping)]
    return "; ".join(part for part in parts if part) or None


def _disk(disk: Mapping[str, Any]) -> str:
    size = disk.get("size_bytes")
    known = [_text(disk.get("name")), _text(disk.get("model"))]
    return " ".join(x for x in (*known, storage(size) if isinstance(size, int) else None) if x)


def _interface(interface: Mapping[str, Any]) -> str | None:
    if interface.get("name") == "lo":
        return None
    speed = interface.get("speed_mbit_s")
    fast = f"{count(speed)} Mbit/s" if isinstance(speed, int) else None
    return " ".join(x for x in (_text(interface.get("name")), fast) if x)


def flattened(host: Mapping[str, Any]) -> list[tuple[str, Cell]]:
    """All known facts, nested names joined by dots; unknown ones are left out."""
    lines: list[tuple[str, Cell]] = []

    def walk(name: str, value: Any) -> None:
        if isinstance(value, Mapping):
            for key, inner in value.items():
                walk(f"{name}.{key}" if name else str(key), inner)
        elif isinstance(value, list | tuple):
            if all(not isinstance(inner, Mapping | list | tuple) for inner in value):
                walk(name, ", ".join(str(inner) for inner in value) or None)
            else:
                for index, inner in enumerate(value):
                    walk(f"{name}.{index}", inner)
        elif value is not None:
            lines.append((name, _scalar(value)))

    walk("", host)
    over = len(lines) - LINES_SHOWN
    return [*lines[:LINES_SHOWN], *([("and more", plural("line", over))] if over > 0 else [])]


def _scalar(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
