"""Where experiments are played: the target, its users, and turns in rounds."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field

from headcount.bundle.confirmation import Turn
from headcount.bundle.diagnosis import Diagnosis
from headcount.bundle.reader import Bundle
from headcount.controller.access import Secrets
from headcount.controller.experiments.player import Lengths, Player, Values, single_values
from headcount.controller.listener import Listener, Phase, Second
from headcount.controller.liveness import check_answer
from headcount.controller.sut import Sut
from headcount.errors import EngineError, TargetError
from headcount.plan.plan import Plan


@dataclass(frozen=True)
class Load:
    """How many users experiments play.

    Attributes:
        users: Users of the saturated level with most throughput, with pauses of `compress`.
        most: Twice as many, but no more than the run has played.
        top: Users of the level with the very largest throughput, with the pauses of the run.
        per_s: Its scenarios/s.
        compress: Factor by which pauses are shorter than in the run.
        busy_s: Time of a scenario with `users`.

    """

    users: int
    most: int
    top: int
    per_s: float
    compress: float
    busy_s: float


@dataclass(frozen=True)
class Options:
    """What the user allows and names.

    Attributes:
        seconds: Time for all experiments together.
        beside: A second target that shares an upstream, or None.
        allow_nudge: Whether the server's CPU may be cut on this machine.

    """

    seconds: float
    beside: str | None = None
    allow_nudge: bool = False


@dataclass(frozen=True)
class Stage:
    """One target with what is known of it, for consecutive experiments."""

    bundle: Bundle
    plan: Plan
    diagnosis: Diagnosis
    load: Load
    secrets: Secrets
    options: Options
    listener: Listener
    turn_s: float = 0.0
    connected: Sut | None = None

    @property
    def sut(self) -> Sut:
        """The system under test, for experiments that do not start one of their own."""
        if self.connected is None:
            raise EngineError("an experiment was played without a connection to its target")
        return self.connected

    def lengths(self, users: int) -> Lengths:
        """How the time of a turn is divided.

        Users who leave first finish what is under way, which takes as long as a scenario.
        """
        ramp_s = min(users / self.plan.workload.run.ramp_per_s, self.turn_s / 5)
        busy_s = self.load.busy_s if users > 1 else 0.0
        settle_s = min(max(busy_s, self.turn_s / 5), max(self.turn_s, 1.0))
        wait_s = max(10 * self.load.busy_s, 10 * self.turn_s, 5.0)
        return Lengths(ramp_s, settle_s, self.turn_s, wait_s)

    def single(self, values: Values) -> Player:
        """One user of this target, with the scenarios of `values`."""
        return self.player(single_values(values, self.load.per_s))

    def player(self, values: Values, plan: Plan | None = None, target: str | None = None) -> Player:
        """Users of this target, or of another."""
        with self.sut.generating():
            on_lines = self.sut.users_addresses if target is None else ()
            where = target or self.sut.access.engine_target()
            return Player(plan or self.plan, values, where, on_lines)


@dataclass(frozen=True)
class Arm:
    """One of the conditions of an experiment.

    Attributes:
        name: Its name in the turns.
        player: The player whose users are measured.
        users: How many there are.
        others: Users who load something meanwhile, and are not measured.
        terms: Sets the conditions on the server once the users are present; None: no conditions.

    """

    name: str
    player: Player
    users: int
    others: Mapping[Player, int] = field(default_factory=dict)
    terms: Callable[[], None] | None = None


def play_rounds(stage: Stage, experiment: str, arms: Sequence[Arm], rounds: int) -> Iterator[Turn]:
    """Give turns: every arm once per round, in an order that reverses from round to round.

    Drift affects all arms alike (ABBA). Raises TargetError when nothing is answered any more.
    """
    players = {id(one): one for arm in arms for one in (arm.player, *arm.others)}.values()
    for round_ in range(1, rounds + 1):
        for arm in arms if round_ % 2 else reversed(arms):
            yield _play(stage, experiment, arm, list(players), round_)


def _play(stage: Stage, experiment: str, arm: Arm, players: Sequence[Player], round_: int) -> Turn:
    lengths = stage.lengths(arm.users)
    stage.listener.phase(
        Phase(f"{experiment}: {arm.name}", round_, "confirm", arm.users, stage.turn_s)
    )
    wanted = {id(arm.player): arm.users} | {id(one): n for one, n in arm.others.items()}
    # Users leave before others come, so that there are never more than one arm has.
    for player in sorted(players, key=lambda one: wanted.get(id(one), 0) - one.users):
        player.forget()
        player.bring(wanted.get(id(player), 0), lengths)
    if arm.terms is not None:
        arm.terms()
    arm.player.pass_over(lengths.settle_s)
    turn, faults = arm.player.measure(round_, arm.name, lengths.measure_s)
    stage.listener.second(Second(turn.users, turn.rate_per_s, turn.service_ms, turn.failed, None))
    if not turn.completed and not _answers(stage):
        raise TargetError(f"{stage.plan.target} stopped answering{_because(faults)}")
    if not turn.completed and turn.failed:
        raise TargetError(f"every scenario fails on {stage.plan.target}{_because(faults)}")
    return turn


def _because(faults: Sequence[str]) -> str:
    return f": {faults[0]}" if faults else ""


def _answers(stage: Stage) -> bool:
    try:
        check_answer(stage.sut.access.check, stage.plan)
    except TargetError:
        return False
    return True


@contextmanager
def players(*made: Callable[[], Player]) -> Iterator[list[Player]]:
    """Several players, closed together."""
    with ExitStack() as stack:
        yield [stack.enter_context(closing(one())) for one in made]
