"""Old rules and the knobs that are their counterparts today, as the command line prints them."""

from typing import TYPE_CHECKING

from rich.markup import escape

from headcount.cli.console import out

if TYPE_CHECKING:
    from headcount.analyse.rules.library import Library
    from headcount.analyse.rules.model import Rule
    from headcount.analyse.rules.tips import Tip
    from headcount.tune.knobs.knob import Knob


def counterparts(name: str) -> "list[tuple[str, Knob]]":
    """Servers and their knobs that are the counterpart of an old rule."""
    from headcount.tune.knobs.library import library

    return [
        (server, knob)
        for server, known in library().items()
        for knob in known.knob
        if name in knob.original
    ]


def print_tip(tip: "Tip") -> None:
    """Print an id of a document of the nineties, or an advice: what it was, and is today."""
    from headcount.analyse.rules.tips import KINDS

    out.print(f"[bold]{escape(f'{tip.id}: {tip.text}')}[/]")
    if tip.kind is not None:
        _print(f"What became of it: {KINDS[tip.kind]}.")
    if tip.today:
        _print(f"Today: {tip.today}")
    _print_knobs(counterparts(tip.id))
    if tip.rules:
        _print("Rules that give this advice:")
        for rule in tip.rules:
            _print(f"  {rule.id}  {rule.title}")
    if tip.command:
        _print(f"Command: {tip.command}")
    if tip.at:
        _print(f"In: {tip.at}")
    if tip.source:
        _print(f"Source: {tip.source}.")


def print_knobs_of(rule: "Rule", library: "Library") -> None:
    """Print the knobs of a rule's advice, each with its counterpart of today."""
    for name in (rule.id, *rule.advice):
        found = counterparts(name)
        today = library.advice[name].today if name in library.advice else ""
        if found:
            _print(f"{name} today: {today}" if today else f"{name} today:")
            _print_knobs(found)


def old_rules(knob: "Knob", library: "Library") -> list[str]:
    """The old rules that a knob is the counterpart of, each with its id and text."""
    from headcount.analyse.rules.tips import tip

    found = []
    for name in knob.original:
        one = tip(name, library)
        rule = library.rules.get(name)
        text = one.text if one is not None else rule.title if rule is not None else ""
        found.append(f"{name} {text}".strip())
    return found


def _print_knobs(found: "list[tuple[str, Knob]]") -> None:
    if not found:
        return
    _print("Knobs:")
    for server, knob in found:
        name = f'"{knob.name}"' if " " in knob.name else knob.name
        _print(f"  headcount knobs {server} {name}")


def _print(text: str) -> None:
    out.print(text, markup=False, highlight=False, soft_wrap=True)
