"""The verbs, and the room of each: a table of contents that is read without opening the rooms.

What a verb imports takes up to a second of a CPU, and a command line has only one.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module

import typer


@dataclass(frozen=True, slots=True)
class Verb:
    """Where a verb is: a function of a file of `headcount.cli`, or an app of verbs of its own."""

    room: str
    function: str
    alone: bool = False
    """It means something without arguments; the others show their help."""


GROUP = "app"
"""The name of an app of verbs of its own."""

VERBS: Mapping[str, Verb] = {
    "run": Verb("run", "run"),
    "prepare": Verb("data", "prepare"),
    "cleanup": Verb("data", "cleanup"),
    "disk": Verb("disk", "disk"),
    "sort": Verb("sort", "sort"),
    "shares": Verb("shares", "shares"),
    "diagnose": Verb("diagnose", "diagnose"),
    "compare": Verb("compare", "compare"),
    "gate": Verb("gate", "gate"),
    "history": Verb("history", "history", alone=True),
    "predict": Verb("predict", "predict"),
    "watch": Verb("watch", "watch", alone=True),
    "audit": Verb("audit", "audit"),
    "published": Verb("published", "published", alone=True),
    "runs": Verb("bundles", "runs", alone=True),
    "show": Verb("bundles", "show"),
    "report": Verb("bundles", "report"),
    "export": Verb("export", "export"),
    "price": Verb("price", "price"),
    "resume": Verb("bundles", "resume"),
    "serve": Verb("serve", GROUP),
    "workloads": Verb("workloads", GROUP),
    "storage": Verb("storage", GROUP),
}
"""In the order of the help, where a verb's own examples stand in its room's `EPILOG`."""


def open_rooms(app: typer.Typer, names: Iterable[str] = VERBS) -> typer.Typer:
    """Give an app these verbs."""
    for name in names:
        verb = VERBS[name]
        room = import_module(f"headcount.cli.{verb.room}")
        if verb.function == GROUP:
            app.add_typer(room.app, name=name)
        else:
            examples = getattr(room, "EPILOG", None)
            command = app.command(name, no_args_is_help=not verb.alone, epilog=examples)
            command(getattr(room, verb.function))
    return app
