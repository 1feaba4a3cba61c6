"""`headcount run --versus`: measures two targets in turn, and shows how they differ."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import typer

from headcount.bundle import reader
from headcount.bundle.verdict import Verdict
from headcount.bundle.versus import SIDES, SideName
from headcount.cli.console import err, out, print_json
from headcount.cli.display import Display
from headcount.cli.exits import exit_code
from headcount.cli.secrets import secret, secrets_for
from headcount.cli.settings import client_settings, limit_of, setting
from headcount.controller.access import Secrets
from headcount.controller.versus.asked import SideAsked
from headcount.counters.proc.named import NOBODY, Named
from headcount.errors import ExitCode, InputError
from headcount.plan import target as targets
from headcount.plan.plan import Plan
from headcount.plan.versus import Opponent, opponent

if TYPE_CHECKING:
    from headcount.analyse.compare.comparison import Comparison
    from headcount.controller.versus.run import Compared, Wanted

PASSWORD = "HEADCOUNT_VERSUS_PASSWORD"  # noqa: S105 - the variable's name
ORDERS = ("abba", "random")


@dataclass(frozen=True)
class Given:
    """The options of the second target; None if not given."""

    target: str | None
    server: list[str] | None
    limits: list[str] | None
    client: list[str] | None
    user: str | None
    sources: list[str] | None
    cost: str | None
    named: Named
    pairs: int | None
    order: str | None


def second_plan(plan: Plan, target: str | None, given: Given) -> Plan | None:
    """The second target's plan; None without a second target."""
    asked = [
        field.name for field in fields(given) if getattr(given, field.name) not in (None, NOBODY)
    ]
    if not asked:
        return None
    if not any(name not in {"pairs", "order", "cost", "sources", "named"} for name in asked):
        raise InputError(
            "there is no second target to compare with: give --versus TARGET, or --versus-set "
            "KEY=VALUE for a lab server like the first with another setting"
        )
    if given.order is not None and given.order not in ORDERS:
        raise InputError(f"--pair-order is {given.order}; it is one of: {', '.join(ORDERS)}")
    if plan.search.soak is not None:
        raise InputError("--soak is for one target; leave it out with --versus")
    settings = Opponent(
        target=given.target,
        server=dict(setting(text, "--versus-set") for text in given.server or []),
        limits=dict(limit_of(text, "--versus-limit") for text in given.limits or []),
        client=client_settings(given.client, given.user, "--versus-client"),
        sources=given.sources or [],
        cost=given.cost,
    )
    return opponent(plan, settings, targets.parse(target).settings if target else {})


def secrets_of(plan: Plan, first: Secrets, password_file: Path | None) -> Secrets:
    """The second target's secrets: its own password, or else the first's."""
    own = secret(password_file, "password", PASSWORD)
    if first.logins:
        _check_logins(plan, own)
        return first
    if own is not None:
        return Secrets(first.token, own, first.second_password)
    if first.password is not None:
        return first
    try:
        return secrets_for(plan, None, None)
    except InputError as error:
        raise InputError(f"B: {error}; or set {PASSWORD}, or give --versus-password-file") from None


def _check_logins(plan: Plan, own: str | None) -> None:
    """Refuse users with passwords of their own where the second target has others."""
    if own is not None:
        raise InputError(
            f"--logins gives each user a password on both targets: unset {PASSWORD}, and leave out "
            "--versus-password-file"
        )
    if targets.parse(plan.target).lab is not None:
        raise InputError(f"B: --logins is for a server of yours; {plan.target} makes its own users")


def wanted(pairs: int | None, order: str | None) -> "Wanted":
    """How many pairs to play, and in which order."""
    from headcount.controller.versus.run import PAIRS, Wanted

    return Wanted(pairs or PAIRS, "random" if order == "random" else "abba")


class VersusDisplay(Display):
    """The display of a run, with the side in front of each level."""

    _side = ""
    _started = 0

    def started(self, plan: Plan, folder: Path) -> None:
        """Print what runs, and on which two targets."""
        if self._started == 0:
            super().started(plan, folder)
        else:
            server = " ".join(f"{key}={value}" for key, value in plan.server.items())
            self._say(f"  versus {plan.target} {server}".rstrip(), markup=False)
            self._say(f"  bundle {folder}", markup=False)
        self._started += 1

    def turn(self, side: SideName) -> None:
        """Show whose turn it is."""
        self._side = side

    def _say(self, text: str, *, markup: bool = True) -> None:
        mark = f"{self._side} " if self._side and text.startswith("  ") else ""
        super()._say(f"{mark}{text}", markup=markup)


def run(
    first: SideAsked,
    second: SideAsked,
    how: "Wanted",
    runs: Path,
    *,
    json: bool,
) -> None:
    """Measure both targets, and print how they differ."""
    from headcount.controller.versus import run as controller

    with VersusDisplay(err, quiet=json) as display:
        compared = controller.start({"A": first, "B": second}, how, runs, display)
    conclude(compared, json=json)


def conclude(compared: "Compared", *, json: bool) -> NoReturn:
    """Write both reports, print how the targets differ, and exit."""
    from headcount.analyse.compare.compare import compare
    from headcount.analyse.compare.interleaved import interleaved_sides
    from headcount.analyse.compare.subject import side
    from headcount.report import assemble

    bundles = {name: reader.load(compared.folders[name]) for name in SIDES}
    reports = {
        name: assemble.write(bundle) if bundle.levels else None for name, bundle in bundles.items()
    }
    found = answer = None
    if all(bundle.levels for bundle in bundles.values()):
        sides = [side(name, [compared.folders[name]]) for name in SIDES]
        found, turns = compare(sides), interleaved_sides(sides)
        answer = turns.sentence() if turns else None
    if json:
        print_json(
            {
                "answer": answer,
                "comparison": found.model_dump(mode="json") if found else None,
                "versus": compared.versus.model_dump(mode="json"),
                "sides": {
                    name: {
                        "bundle": str(compared.folders[name]),
                        "report": str(report) if report else None,
                        "verdict": compared.verdicts[name].model_dump(mode="json"),
                    }
                    for name, report in reports.items()
                },
            }
        )
    else:
        _print(compared, found, answer, reports)
    raise typer.Exit(code(compared.verdicts.values()))


def _print(
    compared: "Compared",
    found: "Comparison | None",
    answer: str | None,
    reports: Mapping[SideName, Path | None],
) -> None:
    from headcount.report.compare import terminal

    if answer is not None:
        out.print(answer, markup=False)
    if found is not None:
        terminal.show(found, out)
    for name in SIDES:
        if found is None:
            out.print(f"{name}: {compared.verdicts[name].sentence}", markup=False)
        out.print(f"Bundle of {name}: {compared.folders[name]}", markup=False)
        if reports[name]:
            out.print(f"Report of {name}: {reports[name]}", markup=False)


def code(verdicts: Iterable[Verdict]) -> ExitCode:
    """0 if both sides were measured: that one holds fewer is an answer, not a failure."""
    codes = {exit_code(verdict) for verdict in verdicts}
    worst = (ExitCode.INTERRUPTED, ExitCode.INVALID)
    return next((one for one in worst if one in codes), ExitCode.PASSED)
