"""What a bundle records of machines, programs and settings, as far as comparisons need it."""

from collections.abc import Mapping
from typing import Any

from headcount.bundle.environment import Side
from headcount.bundle.reader import Bundle
from headcount.plan.lines import line_text
from headcount.text import memory

_OWN = "headcount"
"""Headcount among the programs of a side: kept apart from the server's."""


def server_of(bundle: Bundle) -> Mapping[str, Any]:
    """The server's machine: processor, memory, system, disks, kernel."""
    return _host(_side(bundle, "sut"))


def generator_of(bundle: Bundle) -> Mapping[str, Any]:
    """The load generator's machine; empty if it is the server's, which has the entry."""
    side = _side(bundle, "generator")
    if side is None:
        return {}
    if side.role == "both":
        return {"machine": "the server's own"}
    return {"machine": "its own", **_host(side)}


def programs_of(bundle: Bundle) -> Mapping[str, Any]:
    """The server's programs with their versions."""
    side = _side(bundle, "sut")
    programs = side.programs if side else {}
    return {name: version for name, version in programs.items() if name != _OWN}


def settings_of(bundle: Bundle) -> Mapping[str, Any]:
    """The server's settings as the run found them, and what the plan asked for, limits included."""
    side = _side(bundle, "sut")
    seen = dict(side.settings) if side else {}
    limits = {f"limit of {name}": value for name, value in bundle.plan.limits.items()}
    limits |= {f"line {name}": line_text(keys) for name, keys in (bundle.plan.lines or {}).items()}
    return {**bundle.plan.server, **limits, **seen}


def program(bundle: Bundle) -> str | None:
    """The server's programs in a few words; None if unknown."""
    found = programs_of(bundle)
    return ", ".join(f"{name} {version}" for name, version in found.items()) or None


def _side(bundle: Bundle, role: str) -> Side | None:
    sides = bundle.environment.sides if bundle.environment else []
    return next((side for side in sides if side.role in (role, "both")), None)


def _host(side: Side | None) -> Mapping[str, Any]:
    host = side.host if side and side.host else {}
    cpu, kernel = host.get("cpu") or {}, host.get("kernel") or {}
    disks = [disk.get("model") or disk.get("name") for disk in host.get("disks") or []]
    total = host.get("memory_bytes")
    return {
        key: value
        for key, value in {
            "host": host.get("hostname"),
            "processor": cpu.get("model"),
            "logical CPUs": cpu.get("logical"),
            "memory": memory(total) if isinstance(total, int) else None,
            "system": host.get("operating_system"),
            "kernel": kernel.get("release"),
            "disks": ", ".join(str(disk) for disk in disks) or None,
        }.items()
        if value is not None
    }
