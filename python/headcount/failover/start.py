"""Failover of a plan's target: a fault under load, as often as asked for."""

from dataclasses import replace
from pathlib import Path

from headcount.bundle import failover as record
from headcount.bundle.failover import Failover, Outage
from headcount.bundle.writer import new_folder
from headcount.controller.access import Secrets
from headcount.controller.listener import Listener, Outlook
from headcount.controller.run import check_engine
from headcount.controller.sut import Sut, connect
from headcount.errors import InputError
from headcount.failover.answer import Ending, answer, outage_text
from headcount.failover.disk_fault import Fill
from headcount.failover.fault import Fault, FaultTarget
from headcount.failover.kinds import KINDS, fault_of
from headcount.failover.repetition import Timing
from headcount.failover.stage import Stage
from headcount.failover.wanted import Wanted
from headcount.fields.units import seconds
from headcount.generator.handles import ensure_handles
from headcount.plan import target as targets
from headcount.plan.plan import Plan
from headcount.protocols.registry import protocol_of, protocols
from headcount.text import listed

ALLOWED = 0.05
"""Share of scenarios, if the plan's criteria do not bound the overload: FSCT's figure."""
WRITERS = 4
"""Default number of writers of numbered rows, if the server can keep them."""
LAB_RECOVER_S = 5.0
"""Default time until a lab server without another node is started again."""


def failover(
    plan: Plan, wanted: Wanted, runs: Path, secrets: Secrets, listener: Listener
) -> tuple[Path, Failover]:
    """Repeat the fault under the plan's load; returns the bundle and what users felt.

    The plan has one level. An error or Ctrl-C recovers the server, too, and what was measured is
    kept.

    Raises HeadcountError; KeyboardInterrupt does not leave this function.
    """
    check_engine()
    users = plan.levels[0]
    levels = {"mode": "ladder", "levels": [users] * wanted.repeat}
    run = plan.workload.run.model_copy(update={"steady": "reported"})
    workload = plan.workload.model_copy(update={"run": run})
    plan = plan.model_copy(update={**levels, "workload": workload, "stacks": "off"})
    if plan.agents is None:
        ensure_handles(plan.protocol, users, plan.local_ips)
    with connect(plan, secrets, named=wanted.named) as connected:
        sut = replace(connected, is_followed=True)  # also after a restart
        target = _fault_target(plan, sut, wanted.node)
        fault = fault_of(wanted.fault, wanted.recover, target)
        if isinstance(fault, Fill):
            fault.check_beside(runs)
        timing = wanted.timing
        if timing.recover_s is None and wanted.fault in KINDS and sut.restart is not None:
            timing = with_lab_recovery(timing)
        folder = new_folder(runs, f"{plan.workload.name}-failover", plan.target)
        allowed = allowed_share(plan)
        stage = Stage(
            plan,
            sut,
            fault,
            timing,
            wanted.questions,
            wanted.ready,
            allowed,
            writers_of(plan, wanted),
            folder,
            listener,
        )
        return folder, _repeated(plan, wanted, stage, fault, allowed, listener)


def with_lab_recovery(timing: Timing) -> Timing:
    """When things happen at a lab server; raises InputError if users could not be seen back."""
    least_s = LAB_RECOVER_S + timing.calm_s
    if timing.longest_s < least_s:
        raise InputError(
            f"--longest {timing.longest_s:g}s is too short: a lab server is started again "
            f"{LAB_RECOVER_S:g} s after the fault, and users must be served for --calm; give "
            f"--longest {least_s:g}s, or a shorter --recover-after"
        )
    return replace(timing, recover_s=LAB_RECOVER_S)


def writers_of(plan: Plan, wanted: Wanted) -> int:
    """How many write numbered rows; raises InputError if the protocol has none."""
    can = bool(protocol_of(plan.protocol).ledger)
    if wanted.writers and not can:
        have = listed([one.form for one in protocols().values() if one.ledger])
        raise InputError(
            f"--writers {wanted.writers}: rows can be written and read back at {have} only; leave "
            "--writers out"
        )
    can = can and _has_place(plan)
    if wanted.writers and not can:
        raise InputError(
            f"--writers {wanted.writers}: rows are written beside a data set of Headcount's, and "
            f'the workload "{plan.workload.name}" has none; leave --writers out'
        )
    if wanted.writers is None:
        return WRITERS if can else 0
    return wanted.writers


def _has_place(plan: Plan) -> bool:
    """Whether the server gets a schema or a folder of Headcount's, which has room for rows."""
    made = {"sql": plan.discussion, "smb": plan.data_set}
    return plan.protocol not in made or made[plan.protocol] is not None


def allowed_share(plan: Plan) -> float:
    """The share of scenarios that may be slow, late or failed."""
    found = [c.limit for c in plan.criteria if c.metric == "overload" and c.scenario is None]
    return min(found, default=ALLOWED)


def _fault_target(plan: Plan, sut: Sut, node: str | None) -> FaultTarget | None:
    """The server whose processes a fault hits; None if they are not on this machine.

    Raises InputError for a node that it does not have.
    """
    if sut.nodes:
        found = [one for one in sut.nodes if node in (None, one.name)]
        if not found:
            names = listed([one.name for one in sut.nodes])
            raise InputError(
                f"--node {node}: there is no such node of {plan.target}; it has {names}"
            )
        one = found[0]
        return FaultTarget(
            f"the {one.name} node",
            pids=one.pids,
            restart=one.restart,
            network=one.network,
            others=one.others,
            move=one.move,
            lines=one.lines,
        )
    if node is not None:
        raise InputError(f"--node {node}: {plan.target} has no nodes with names")
    server = sut.server
    if server is not None:
        return FaultTarget(plan.target, lambda: list(server.find().pids), None)
    if not sut.pids:
        return None
    lab = targets.parse(plan.target).lab
    return FaultTarget(f"lab:{lab}" if lab else plan.target, lambda: sut.pids or [], sut.restart)


def _repeated(
    plan: Plan, wanted: Wanted, stage: Stage, fault: Fault, allowed: float, listener: Listener
) -> Failover:
    outages: list[Outage] = []
    slot_s = stage.slot_s
    ending: Ending = "failed"
    listener.started(plan, stage.folder)
    recovery = "" if fault.recovery is None else f"; recovery: {fault.recovery}"
    listener.noted(f"fault: {fault.text}{recovery}")
    try:
        stage.open()
        listener.outlook(outlook(plan, stage.timing, 0, wanted.repeat))
        for number in range(1, wanted.repeat + 1):
            outage = stage.repeat()
            outages.append(outage)
            listener.noted(f"{number} of {wanted.repeat}: {outage_text(outage)}")
            listener.outlook(outlook(plan, stage.timing, number, wanted.repeat))
            stage.check_recovered()
            if number < wanted.repeat:
                stage.wait_until_ready()
        ending = "finished"
    except KeyboardInterrupt:
        ending = "interrupted"
    finally:
        found = answer(plan, wanted, fault, allowed, slot_s, outages, ending)
        try:
            record.write(found, stage.folder)
        finally:
            stage.close("finished" if ending == "finished" else "interrupted")
    return found


def outlook(plan: Plan, timing: Timing, done: int, repeat: int) -> Outlook:
    """About how long it will take, if users are back as early as possible."""
    each_s = seconds(plan.workload.run.settle) + timing.at_s
    each_s += max(timing.after_s, (timing.recover_s or 0.0) + timing.calm_s)
    return Outlook(done, (repeat - done) * each_s, 0.0, float("inf"), None)
