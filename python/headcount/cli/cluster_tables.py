"""Tables of the machines of a cluster."""

import time
from collections.abc import Sequence

from rich.text import Text

from headcount.cli.console import out
from headcount.cluster.checks import Checked
from headcount.cluster.state import ClusterState
from headcount.cluster.status import NodeStatus
from headcount.text import DASH, clean, plural

DAY_S = 86_400.0


def show_checked(machines: Sequence[Checked], *, has_target: bool) -> None:
    """Print what was found on each machine, then what must be fixed."""
    heads = ["machine", "Python", "Headcount", "clock", "CPUs", "files", "local ports", "pinned"]
    rows = [_cells(one, has_target=has_target) for one in machines]
    _print_table([*heads, *(["target"] if has_target else []), "load"], rows)
    for one in machines:
        for text in one.problems:
            named = text if one.machine in text else f"{one.machine}: {text}"
            out.print(Text.assemble(("fix  ", "red"), clean(named)))
    for one in machines:
        for text in one.notes:
            out.print(Text.assemble(("note ", "yellow"), clean(f"{one.machine}: {text}")))
    wrong = sum(1 for one in machines if one.problems)
    if not wrong:
        out.print(f"All {len(machines)} machines are ready" if machines[1:] else "It is ready")
    else:
        verb = "is" if wrong == 1 else "are"
        out.print(f"{wrong} of {plural('machine', len(machines))} {verb} not ready")


def show_status(cluster: ClusterState, nodes: Sequence[NodeStatus]) -> None:
    """Print which machines live."""
    rows = []
    for one in nodes:
        state = f"{'head, ' if one.is_head else ''}{one.why or 'up'}"
        rows.append([one.machine, one.ip, str(one.cpus), state])
    _print_table(["machine", "address", "CPUs for agents", "state"], rows)
    left_s = cluster.expires_s - time.time()
    until = time.strftime("%Y-%m-%d %H:%M", time.localtime(cluster.expires_s))
    when = f"expire in {left_s / DAY_S:.1f} days, {until}" if left_s > 0 else f"expired {until}"
    out.print(
        f"{cluster.name}: ray://{cluster.head}, Headcount {cluster.version} "
        f"({cluster.build_hash}); its certificates {when}"
    )
    if not cluster.is_up:
        out.print(f"It was not fully started or ended: headcount cluster down {cluster.name}")


def _cells(one: Checked, *, has_target: bool) -> list[str]:
    if not one.is_reached:
        return [one.machine, "not reached", *([DASH] * (7 + has_target))]
    seen = one.figures
    sent = "up" if seen["is_up"] else "sent" if seen["has_build"] else "not sent"
    clock = f"{seen['clock_ahead_ms']:+.1f} ms, \N{PLUS-MINUS SIGN}{seen['clock_error_ms']:.1f}"
    target = f"{seen['connect_ms']:.1f} ms" if "connect_ms" in seen else "no way"
    return [
        one.machine,
        seen["python"],
        sent,
        clock,
        str(seen["cpus"]),
        f"{seen['handles']:,}",
        f"{seen['local_ports']:,}",
        "in use" if seen["pinned_taken"] else "up" if seen["is_up"] else "free",
        *([target] if has_target else []),
        f"{seen['load']:.1f}",
    ]


def _print_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print columns as wide as they must be; a narrow terminal breaks their lines."""
    widths = [max(len(row[column]) for row in [heads, *rows]) for column in range(len(heads))]
    for row in [heads, *rows]:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        out.print(clean("  ".join(cells).rstrip()), markup=False)
