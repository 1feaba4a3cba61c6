"""`headcount workloads check`: every mistake of workload and plan files, without a server."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from headcount import workloads
from headcount.cli.console import print_json, print_text
from headcount.errors import FileError, InputError, Mistake
from headcount.fields.mistakes import nearest
from headcount.plan import plan as plans
from headcount.plan.line_numbers import below, line_numbers
from headcount.plan.plan import Plan
from headcount.plan.playable import check_playable, check_variables
from headcount.plan.resolve import Overrides, resolve
from headcount.plan.toml_file import toml_of, toml_text
from headcount.plan.workload import Workload
from headcount.protocols.registry import lab_target, protocol_of
from headcount.text import clean


def show(found: Mapping[str, Sequence[Mistake]], *, json: bool) -> None:
    """Print the mistakes of each file, or that there are none."""
    if json:
        print_json(
            [
                {"file": file, "line": one.line, "key": one.key, "message": one.message}
                for file, mistakes in found.items()
                for one in mistakes
            ]
        )
        return
    for file, mistakes in found.items():
        for one in mistakes:
            print_text(clean(one.text(file)))
        if not mistakes:
            print_text(f"{file}: no mistakes")


def mistakes_in(file: str, target: str | None = None) -> list[Mistake]:
    """All mistakes of a workload or plan file that can be found without a server."""
    try:
        _check(file, target)
    except FileError as error:
        return error.mistakes
    except InputError as error:
        return [Mistake("", str(error))]
    return []


def _check(file: str, target: str | None) -> None:
    path = Path(file)
    if path.suffix != ".toml":
        if file in workloads.names():
            _check_workload(workloads.load(file), file, target)
            return
        hint = nearest(file, workloads.names())
        raise InputError(f"{file} is not a workload or plan file; those end with .toml{hint}")
    text = toml_text(path, file)
    if not text.strip():
        raise InputError("it is empty; begin with the example of docs/web-servers.md")
    values: dict[str, Any] = toml_of(text, file)
    if "workload" in values and "scenarios" not in values:
        plan = plans.load(path)
        line_of = below(line_numbers(text), "workload")
        check_variables(plan.workload, file, line_of, with_secrets=False)
        check_playable(plan, file, line_of)
        return
    _check_workload(workloads.load(file), file, target)


def _check_workload(workload: Workload, file: str, target: str | None) -> None:
    line_of = line_numbers(workloads.text_of(file))
    check_variables(workload, file, line_of, with_secrets=False)
    check_playable(_planned(workload, target), file, line_of)


def _planned(workload: Workload, target: str | None) -> Plan:
    """The plan of a run; without a target, for a lab server or an address that fits the protocol.

    Raises InputError where the workload fits none of them.
    """
    chosen = Overrides(seed=0)
    if target is not None:
        return resolve(workload, target, chosen)
    protocol = protocol_of(workload.protocol)
    try:
        return resolve(workload, lab_target(protocol), chosen)
    except InputError as error:
        try:
            return resolve(workload, protocol.form, chosen)
        except InputError:
            raise error from None
