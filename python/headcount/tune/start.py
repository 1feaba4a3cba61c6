"""A tuning of a plan's target: the run that finds the limit, the trials, and the way back."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path

from headcount.analyse.diagnosis.log_lines import logged_knobs
from headcount.bundle import reader
from headcount.bundle import tuning as record
from headcount.bundle.diagnosis import Diagnosis
from headcount.bundle.writer import new_folder
from headcount.controller import run as controller
from headcount.controller.access import Secrets
from headcount.controller.liveness import check_answer
from headcount.controller.sut import Sut, connect
from headcount.counters.address import Address
from headcount.counters.proc.cgroup import folders
from headcount.counters.proc.named import NOBODY, Named
from headcount.errors import InputError, TargetError
from headcount.fields.units import MOST_USERS
from headcount.lab.parameters import parameters
from headcount.plan import target as targets
from headcount.plan.plan import Plan
from headcount.tune.answer import Ending, Known, answer
from headcount.tune.baseline import best_per_s, is_late, measure_of, searched, trial_users
from headcount.tune.boot import boot_hook
from headcount.tune.choose import Asked, Choice, check_own, check_tunable, choose, weightiest
from headcount.tune.far_host import FarHost
from headcount.tune.goal import Goal
from headcount.tune.host import Host, ThisHost
from headcount.tune.knobs.knob import Knob, KnobFile
from headcount.tune.knobs.library import merged, of_server
from headcount.tune.left import check_nothing_left, new_folder_of_journal
from headcount.tune.listener import TuningListener
from headcount.tune.notes import choice_texts, few_users_text, measure_text
from headcount.tune.piloting import Piloting
from headcount.tune.processes.chosen import process_choices, reasons_text
from headcount.tune.processes.processes import NAME as PROCESS
from headcount.tune.processes.processes import Processes, Treated
from headcount.tune.proposals import Proposals
from headcount.tune.restart import ByCommand, OfLab, Restart, command_of
from headcount.tune.servers.joint import Joint, Part
from headcount.tune.servers.linux import NAME as LINUX
from headcount.tune.servers.linux import Kernel, Linux, device_of
from headcount.tune.servers.registry import find_all
from headcount.tune.stage import MEASURE_S, Stage
from headcount.tune.tunable import NotAccepted, Tunable
from headcount.tune.tuning import Tuning
from headcount.tune.values import Values, names_of

PilotOf = Callable[
    [Callable[[], Sequence[int]], Callable[[], Mapping[str, str]], Callable[[str], None]], Piloting
]


@dataclass(frozen=True)
class Wanted:
    """How a server is to be tuned.

    Attributes:
        goal: What to improve.
        budget_s: Time for the trials, without the run before them.
        turn_s: Measured part of a turn.
        trials: Most configurations to try; None for as many as there is time for.
        asked: What may be changed.
        own: Knobs of a file of your own.
        baseline: A run of the same target, instead of a new one.
        named: What the server is, if its address does not show it.
        apply: Whether the winner stays in force.
        host: The machine of the server, as `ssh://USER@HOST`; None for this one.
        table: Loads at which the winner is compared with the server as it was.
        restart_command: What restarts the server, if that is not known otherwise.
        kernel: Whether kernel settings of this machine may be tried.
        pilot: Makes the pilot that is compared beside the winner, from functions that return the
            server's present processes and its own control groups, and one that takes sentences;
            None for no such comparison.

    """

    goal: Goal
    budget_s: float
    turn_s: float = MEASURE_S
    trials: int | None = None
    asked: Asked = field(default_factory=Asked)
    own: KnobFile | None = None
    baseline: Path | None = None
    named: Named = NOBODY
    apply: bool = False
    host: Address | None = None
    table: Sequence[int] = ()
    restart_command: str | None = None
    kernel: bool = False
    pilot: PilotOf | None = None


def tune(
    plan: Plan, wanted: Wanted, runs: Path, secrets: Secrets, listener: TuningListener
) -> tuple[Path, record.Tuning]:
    """Tune the target of a plan; returns the bundle of the turns, and their result.

    The plan itself runs first: a search, or one level for a goal at a number of users.

    Everything is put back at the end, whatever ends it. Raises HeadcountError; KeyboardInterrupt
    does not leave this function.
    """
    with host_of(wanted.host) as host:
        return _tuned(plan, wanted, runs, secrets, listener, host)


def host_of(address: Address | None) -> AbstractContextManager[Host]:
    """A login to a machine, or this one."""
    return nullcontext(ThisHost()) if address is None else FarHost(address)


def _tuned(
    plan: Plan, wanted: Wanted, runs: Path, secrets: Secrets, listener: TuningListener, host: Host
) -> tuple[Path, record.Tuning]:
    check_nothing_left(host)
    most = min(plan.search.max_users, plan.logins or MOST_USERS)
    if max(wanted.table, default=0) > most:
        raise InputError(
            f"--table names {max(wanted.table):,} users, and there are {most:,}: name fewer, or "
            "add rows to the file of users"
        )
    if wanted.baseline is not None:
        bundle = reader.load(wanted.baseline)
    else:
        bundle = searched(plan, runs, secrets, listener, wanted.named)
    verdict = controller.with_verdict(bundle).verdict
    diagnosis = verdict.diagnosis if verdict is not None else None
    if verdict is None or diagnosis is None:
        raise InputError(f"{bundle.folder} has no diagnosis: nothing says which knobs matter")
    if not wanted.asked.only:
        has_behind = wanted.named.number > 1
        check_tunable(diagnosis, wanted.goal, is_late=is_late(verdict), has_behind=has_behind)
    measure = measure_of(wanted.goal, diagnosis.limit, bundle)
    users = wanted.goal.users or trial_users(verdict, diagnosis.limit, measure)
    if users > most:
        users = most
        listener.noted(few_users_text(users))
    # Turns are too short to wait for a steady state; pairs meet the same unsteadiness.
    of_run = {"steady": "reported", **({"log_on": "join"} if measure == "log_on" else {})}
    run = plan.workload.run.model_copy(update=of_run)
    workload = plan.workload.model_copy(update={"run": run})
    turns = {"mode": "ladder", "levels": [users], "stacks": "off", "workload": workload}
    levels = plan.model_copy(update=turns)
    with connect(levels, secrets, named=wanted.named) as connected:
        sut = replace(connected, is_followed=True)  # also after a restart
        servers = find_all(host, _pids(sut))
        kernel = [LINUX] if wanted.kernel else []
        check_own(wanted.own, [*(one.name for one in servers), *kernel])
        knobs = {one.name: _knobs(one.name, wanted.own) for one in servers}
        server = Joint(servers, knobs)
        restart = _restart(host, sut, server, wanted)
        asked = replace(wanted.asked, restarts=restart is not None)
        names = names_of(host, users, server.numbers)
        held, logged = _held(plan), logged_knobs(bundle.events)
        found = [
            choice
            for name, of_one in server.knobs.items()
            for choice in choose(Part(name, server), of_one, diagnosis, asked, names, held, logged)
        ]
        if wanted.kernel:
            found += _of_kernel(host, sut, diagnosis, asked, names, wanted.own)
        processes = Processes(host, server.servers)
        more, reasons = process_choices(processes, bundle.levels, diagnosis, asked, names)
        choices = weightiest([*found, *more])
        _check_some(choices, server, diagnosis)
        for text in (diagnosis.sentence, *choice_texts(choices)):
            listener.noted(text)
        if wanted.goal.kind == "capacity" and (why := measure_text(measure, users)) is not None:
            listener.noted(why)
        if (why := reasons_text(choices, reasons)) is not None:
            listener.noted(why)
        most_per_s = best_per_s(bundle.levels)
        known = Known(
            plan, wanted.goal, measure, diagnosis, bundle.folder, server, choices, most_per_s
        )
        return _trials(levels, sut, host, known, wanted, restart, users, most, runs, listener)


def _knobs(server: str, own: KnobFile | None) -> Sequence[Knob]:
    """The knobs of a server, with those of a file of your own."""
    knobs = of_server(server)
    return (merged(knobs, own) if own is not None and own.server == server else knobs).knob


def _of_kernel(
    host: Host,
    sut: Sut,
    diagnosis: Diagnosis,
    asked: Asked,
    names: Mapping[str, int],
    own: KnobFile | None,
) -> Sequence[Choice]:
    """Knobs of the kernel; raises InputError if this user may not set them."""
    if host.run(["id", "-u"]).output.strip() != "0":
        raise InputError("--kernel: only root may change kernel settings; run it as root")
    return choose(_linux(host, sut), _knobs(LINUX, own), diagnosis, asked, names)


def _linux(host: Host, sut: Sut) -> Linux:
    """The kernel, with the disk of a lab server's files; of others' servers no disk is known."""
    return Linux(host, device_of(host, str(sut.homes[0])) if sut.homes else None)


def _restart(host: Host, sut: Sut, server: Joint, wanted: Wanted) -> Restart | None:
    """How the server is restarted; None if that is not allowed, or its lab cannot do it."""
    if sut.restart is not None and not sut.forgets:
        return OfLab(host, sut.restart, lambda: sut.pids or [])  # it is on this machine
    if not sut.is_of_somebody or not wanted.asked.restarts:
        return None
    if len(server.servers) > 1:
        raise InputError(
            f"{server.name} are not restarted together: leave out --restarts, or tune one at a time"
        )
    command = command_of(host, server.running, wanted.restart_command)
    return ByCommand(host, command, lambda: _pids_now(sut))


def _pids(sut: Sut) -> Sequence[int]:
    if not sut.local and sut.far_server is None:
        raise InputError(
            "the server is on another machine: give a login to it, --host ssh://root@HOST, or run "
            "headcount tune there"
        )
    # A named server may have more processes than those that listen.
    is_named = sut.far_server is not None or (sut.server is not None and bool(sut.server.named))
    pids = _pids_now(sut) if is_named else sut.pids or _pids_now(sut)
    if not pids:
        raise InputError(
            "Headcount cannot see the server's processes: run as root, or name them with --pid"
        )
    return pids


def _pids_now(sut: Sut) -> Sequence[int]:
    """The server's processes, looked up again."""
    if sut.far_server is not None:
        return list(sut.far_server.source.find().pids)
    return [] if sut.server is None else list(sut.server.find().pids)


def _groups(sut: Sut) -> Mapping[str, str]:
    """Control groups of the server alone, by controller."""
    return {} if sut.server is None else folders(Path("/sys"), sut.server.find().control_group)


def _held(plan: Plan) -> frozenset[str] | None:
    lab = targets.parse(plan.target).lab
    return None if lab is None else parameters(lab, plan.server)


def _check_some(choices: Sequence[Choice], server: Joint, diagnosis: Diagnosis) -> None:
    """Raise InputError where no knob can be tried."""
    if all(one.obstacle is not None for one in choices):
        why = "; ".join(f"{one.knob.name}: {one.obstacle}" for one in choices)
        raise InputError(
            f"no knob of {server.name} can be tried for this limit"
            f"{': ' + why if why else ''}. The diagnosis: {diagnosis.sentence}"
        )


def _unhooked_text(host: Host) -> str:
    return (
        f"nothing on {host.name} puts changes back at boot: after a power failure, run headcount "
        f"tune --restore{host.login}"
    )


def _trials(
    plan: Plan,
    sut: Sut,
    host: Host,
    known: Known,
    wanted: Wanted,
    restart: Restart | None,
    users: int,
    most: int,
    runs: Path,
    listener: TuningListener,
) -> tuple[Path, record.Tuning]:
    tried = [one for one in known.choices if one.obstacle is None]
    names = names_of(host, users, known.server.numbers)
    values = [Values(one.knob, one.setting.value, names) for one in tried]

    def answers() -> None:
        check_answer(sut.access.check, plan)

    mine = [one.knob for one in tried if one.server == LINUX]
    of_processes = [one.knob for one in tried if one.server == PROCESS]
    folder = new_folder(runs, f"{plan.workload.name}-tuning", plan.target)
    journal = new_folder_of_journal(host)
    # A lab server does not survive a power failure.
    hook = boot_hook(host, journal, known.server.servers) if sut.is_of_somebody else None
    tunable = Tunable(
        host,
        known.server,
        [one.knob for one in tried],
        journal,
        answers,
        followers=[knob for of_one in known.server.knobs.values() for knob in of_one],
        kernel=Kernel(_linux(host, sut), mine) if mine else None,
        treated=Treated(Processes(host, known.server.servers), of_processes)
        if of_processes
        else None,
        restart=restart,
        hook=hook,
    )
    try:
        if sut.is_of_somebody and not tunable.has_hook:
            listener.noted(_unhooked_text(host))
        comes = known.measure == "log_on"
        stage = Stage(plan, sut, tunable, folder, listener, wanted.turn_s, users_come=comes)
        listener.started(plan, folder)
        proposals = Proposals(values, plan.seed)
        pilot = wanted.pilot
        piloting = (
            pilot(lambda: _pids(sut), lambda: _groups(sut), listener.noted) if pilot else None
        )
        tuning = Tuning(
            stage,
            proposals,
            known.measure,
            users,
            wanted.budget_s,
            listener,
            wanted.table,
            piloting,
            most,
            known.best_per_s,
        )
        return folder, _played(known, tuning, tunable, stage, wanted)
    finally:
        if (left := tunable.close()) is not None:
            listener.noted(f"not everything could be put back: {left}; see {tunable.journal}")


def _played(
    known: Known, tuning: Tuning, tunable: Tunable, stage: Stage, wanted: Wanted
) -> record.Tuning:
    """The result of the trials, with everything put back that is not to stay."""
    ending: Ending = "failed"
    try:
        stage.open(tuning.users)
        tuning.play(wanted.trials)
        if wanted.apply and tuning.is_proven:
            tunable.keep(tuning.results.winner)
        ending = "finished"
    except KeyboardInterrupt:
        ending = "interrupted"
    except NotAccepted as why:
        raise TargetError(f"a configuration that ran before no longer runs: {why}") from why
    finally:
        found = answer(known, tuning, tunable, ending)
        left = tunable.close()
        found = found.model_copy(
            update={"restored": left is None and not tunable.is_kept, "kept": tunable.is_kept}
        )
        record.write(found, stage.folder)
        stage.close("interrupted" if ending == "interrupted" else "finished")
    return _with_new_limit(found, tuning, stage)


def _with_new_limit(found: record.Tuning, tuning: Tuning, stage: Stage) -> record.Tuning:
    """Add the limit of the server with the claimed changes."""
    after = stage.diagnosis(tuning.winners) if found.changes else None
    if after is None:
        return found
    found = found.model_copy(update={"limit_after": after.limit, "diagnosis_after": after.sentence})
    record.write(found, stage.folder)
    return found
