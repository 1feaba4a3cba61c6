"""The options of a k6 script: criteria, scenarios, and what is left out."""

import json
import re
from typing import Any

from headcount.importers.journey import Journey
from headcount.importers.k6_statements import DEFAULT, Script
from headcount.importers.stranger import table

_LIMIT = re.compile(r"p\((\d{2}(?:\.\d)?)\)\s*<=?\s*(\d+)")
_FAILED = re.compile(r"rate\s*<=?\s*(0?\.\d+)")
_LOAD = ("stages", "vus", "duration", "iterations", "scenarios")


def scenario_functions(script: Script) -> dict[str, str]:
    """The functions that the script's scenarios play, by the scenarios' names.

    A script without scenarios plays its default function; one whose scenarios cannot be read, all
    the functions that it has.
    """
    scenarios = table(table(script.globals.get("options")).get("scenarios"))
    found = {name: str(table(one).get("exec", DEFAULT)) for name, one in scenarios.items()}
    known = {name: one for name, one in found.items() if one in script.functions}
    if known:
        return known
    return (
        {"script": DEFAULT}
        if DEFAULT in script.functions
        else {name: name for name in script.functions}
    )


def read_options(options: Any, journey: Journey) -> None:
    """Give a journey the script's thresholds as criteria, and its load as a note."""
    if not isinstance(options, dict):
        return
    criteria = []
    thresholds = options.get("thresholds")
    for name, rules in (thresholds if isinstance(thresholds, dict) else {}).items():
        for rule in rules if isinstance(rules, list) else [rules]:
            criterion = _criterion(name, rule)
            if criterion:
                criteria.append(criterion)
            else:
                journey.left_out.append(f"the threshold {name[:60]}: {str(rule)[:60]}")
    journey.criteria = tuple(criteria) or journey.criteria
    load = {key: options[key] for key in _LOAD if key in options}
    if load:
        text = json.dumps(load, ensure_ascii=False, default=str)[:200]
        journey.notes.append(f"The load of the script was {text}; here --users or a search.")
    journey.left_out += (
        f"the option {key[:60]}" for key in options if key not in (*_LOAD, "thresholds")
    )


def _criterion(name: str, rule: Any) -> str:
    """A threshold as a criterion; empty for one that has none."""
    if not isinstance(rule, str):
        return ""
    limit, failed = _LIMIT.fullmatch(rule.strip()), _FAILED.fullmatch(rule.strip())
    if name == "http_req_duration" and limit:
        return f"p{limit[1]}<={limit[2]}ms"
    if name == "http_req_failed" and failed:
        return f"errors<{float(failed[1]) * 100:g}%"
    return ""
