"""`headcount knobs`: what can be changed on servers, and what it does."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from headcount.cli import options
from headcount.cli.console import out, print_json
from headcount.errors import InputError

if TYPE_CHECKING:
    from headcount.tune.knobs.knob import Knob, KnobFile

EPILOG = """
Examples:

headcount knobs  # the servers

headcount knobs nginx  # its knobs, with defaults and ranges

headcount knobs nginx worker_processes  # one, explained

headcount knobs --file my-knobs.toml  # knobs of your own, checked
"""


def knobs(
    server: Annotated[str | None, typer.Argument(metavar="SERVER", help="Such as nginx.")] = None,
    knob: Annotated[str | None, typer.Argument(metavar="KNOB", help="One of its knobs.")] = None,
    file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Knobs of your own, as a TOML file.")
    ] = None,
    json: options.Json = False,
) -> None:
    """List and explain the settings that headcount tune can change."""
    from headcount.fields.mistakes import nearest
    from headcount.tune.knobs import library

    if file is not None:
        if server is not None:
            raise InputError("name a server, or give a --file, not both")
        _list(library.own(file), json=json)
    elif server is None:
        _servers(list(library.library().values()), json=json)
    elif knob is None:
        _list(library.of_server(server), json=json)
    else:
        known = library.of_server(server)
        found = next((one for one in known.knob if one.name == knob), None)
        if found is None:
            hint = nearest(knob, [one.name for one in known.knob])
            raise InputError(f'{known.title} has no knob "{knob}"{hint}')
        _explain(found, known, json=json)


def _servers(known: "list[KnobFile]", *, json: bool) -> None:
    if json:
        print_json([one.model_dump(mode="json") for one in known])
        return
    table = Table(box=None, header_style="bold")
    for column in ("server", "knobs", "for example"):
        table.add_column(column)
    for one in known:
        names = ", ".join(knob.name for knob in one.knob[:3])
        table.add_row(one.server, str(len(one.knob)), names)
    out.print(table)


def _list(known: "KnobFile", *, json: bool) -> None:
    if json:
        print_json(known.model_dump(mode="json"))
        return
    table = Table(box=None, header_style="bold")
    for column in ("knob", "default", "values", "applied by", "risk"):
        table.add_column(column)
    for one in known.knob:
        table.add_row(
            one.name,
            one.default or "computed",
            one.range_text,
            one.apply,
            one.risk.replace("none", ""),
        )
    out.print(table)


def _explain(knob: "Knob", known: "KnobFile", *, json: bool) -> None:
    from headcount.analyse.rules.library import builtin
    from headcount.cli.tips import old_rules
    from headcount.tune.knobs.knob import RISKS

    if json:
        print_json(knob.model_dump(mode="json"))
        return
    where = f" ({knob.where})" if knob.where else ""
    rows = [
        ("", f"{known.title}: {knob.name}{where}"),
        ("what it does", knob.about),
        ("default", knob.default or "computed"),
        ("values", knob.range_text),
        ("tried first", ", ".join(knob.rules)),
        ("for limits", ", ".join(knob.limits)),
        ("applied by", knob.apply),
        ("risk", "" if knob.risk == "none" else RISKS[knob.risk]),
        ("note", knob.note),
        *(("rule of 1998", text) for text in old_rules(knob, builtin())),
        ("source", knob.source),
    ]
    for title, text in rows:
        if text:
            out.print(f"{title + ':' if title else '':14}{text}".strip(), markup=False)
