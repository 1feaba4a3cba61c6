"""Agents on several machines that play one plan's users together, and the sum of what they count.

One agent plays each user, who does the same on any of them. All engines begin at the same moment,
and so do ramps: an order states when to obey it, on each agent's clock.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from headcount import __version__
from headcount._engine import Gathering, Interval
from headcount.counters.source import Source
from headcount.errors import InputError, MachineLimitError
from headcount.generator.agent_counters import AgentSource, FleetSource
from headcount.generator.exchange import ANSWER_S, Exchange
from headcount.generator.file_pieces import send_files
from headcount.generator.line import Line
from headcount.generator.machine import AgentMachine, machines_of
from headcount.generator.member import Member, complete_until, lanes_of
from headcount.generator.message import Message
from headcount.generator.reach import check_reach
from headcount.generator.speed import Speed, workers_by_speed
from headcount.plan.plan import Plan, engine_plan
from headcount.plan.sent_files import sent_files

OPEN_S = 60.0
"""How long an agent may take to start: another machine may have to read its programs from disk."""
READY_S = 1.0
"""After this time most engines are ready. One that is not begins late, and reports that."""
START_S = 30.0
"""How long an engine may take to start."""


@dataclass(frozen=True)
class Wanted:
    """The agents that are wanted.

    Attributes:
        lines: The way to each.
        workers: Threads of each one's engine; fewer on slower machines.
        are_measured: Whether the speeds of their machines count; else `workers` stay as they are.
        most_users: Most users of one agent; None without a limit.
        places: Where the target listens, as `ip:port`.
        on_lines: Addresses of users: those on none of the plan's lines, then those on each.

    """

    lines: Sequence[Line]
    workers: Sequence[int]
    most_users: int | None = None
    places: Sequence[str] = ()
    are_measured: bool = False
    on_lines: Sequence[str] = ()


class Fleet:
    """Running agents, with the interface of an engine."""

    def __init__(self, plan: Plan, target: str, wanted: Wanted) -> None:
        """Start the agents and their engines, with no users yet.

        Raises HeadcountError if one cannot be started; none is left then.
        """
        self._plan, self._target, self._wanted = plan, target, wanted
        self.sum_s = 0.0
        """CPU time for summing up the last second."""
        self._zero_s = time.monotonic()
        both = zip(wanted.lines, wanted.workers, strict=True)
        self._exchange = Exchange(
            [Member(number, line, workers) for number, (line, workers) in enumerate(both, start=1)]
        )
        try:
            self._exchange.open()
            introduce(self._exchange)
            check_reach(self._exchange.members, plan.target, wanted.places)
            if wanted.are_measured and len(wanted.lines) > 1:
                self._measure()
            self._exchange.begin()
            self._zero_s = self._start()
        except BaseException:
            self.close()
            raise

    @property
    def members(self) -> list[Member]:
        """The agents that were not lost."""
        return self._exchange.members

    @property
    def ended(self) -> bool:
        """Whether all engines have ended and their last interval was taken."""
        return all(one.has_ended and not one.reports for one in self.members)

    @property
    def loss(self) -> str | None:
        """Which agents were lost since the beginning or the last recovery; None if none was."""
        return self._exchange.loss

    def now_s(self) -> float:
        """Seconds since the engines began."""
        return time.monotonic() - self._zero_s

    def next(self, patience_s: float) -> Interval | None:
        """The sum of all agents' next second.

        None when `patience_s` ran out, the run has ended, or an agent was lost: the others' counts
        after that belong to another number of users.
        """
        until_s = time.monotonic() + patience_s
        exchange = self._exchange
        while True:
            exchange.receive(0.0)
            exchange.note_lost()
            exchange.check()
            if exchange.loss is not None or self.ended:
                return None
            end_s = complete_until(self.members)
            if end_s is not None:
                return self._sum(end_s)
            left_s = until_s - time.monotonic()
            if left_s <= 0:
                return None
            exchange.receive(min(left_s, 0.1))

    def ensure(self, users: int) -> None:
        """Raise MachineLimitError if an agent cannot play its part of this many users.

        Lost agents are in `loss` afterwards.
        """
        protocol, most = self._plan.protocol, self._wanted.most_users
        exchange = self._exchange
        exchange.receive(0.0)
        exchange.note_lost()
        if exchange.loss is not None:
            return
        for member in self.members:
            its = member.users_of(users, self._workers)
            if most is not None and its > most:
                raise MachineLimitError(
                    f"{users:,} users are {its:,} for {member.name}, and --users-per-agent allows "
                    f"{most:,}: give more agents"
                )
            member.answers.pop("ensured", None)
            exchange.order(
                member, "ensure", protocol=protocol, users=its, local_ips=self._plan.local_ips
            )
        if silent := exchange.missing("ensured", ANSWER_S):
            exchange.lose(silent[0], f"{silent[0].name} was lost: it did not answer")

    def set_users(self, users: int, ramp_s: float) -> None:
        """Bring the population of all agents together to `users` over `ramp_s`."""
        self._exchange.order_all("users", users=users, ramp_s=ramp_s)

    def spread_s(self) -> float:
        """Send all users away; returns how far apart the agents obeyed that, in seconds."""
        for member in self.members:
            member.answers.pop("obeyed", None)
        self.set_users(0, 0.0)
        answers = self._exchange.answers("obeyed", ANSWER_S, "did not obey")
        late = [float(one["late_s"]) for one in answers]
        return max(late) - min(late)

    def stop(self, drain_s: float) -> None:
        """End the run; scenarios under way may finish within `drain_s`."""
        self._exchange.order_all("stop", drain_s=drain_s)

    def recover(self) -> str:
        """Begin again, without users, on the agents that are left; returns a sentence.

        Raises AgentError if nobody is left.
        """
        before = len(self.members)
        self._exchange.without_lost()
        self._start()
        return f"{len(self.members)} of {before} agents go on"

    def sources(self) -> list[Source]:
        """The counters of the generator as a whole, and of each agent."""
        return [FleetSource(self), *(AgentSource(one) for one in self.members)]

    def facts(self) -> dict[str, Any]:
        """Who plays which users, how late they were ready, and how their clocks differ."""
        begun = [one.begin_s + one.late_s for one in self.members]
        return {
            "workers": self._workers,
            "start_spread_ms": round((max(begun) - min(begun)) * 1000, 3),
            "agents": [
                {
                    "number": one.number,
                    "machine": one.line.name,
                    "host": one.about.get("host"),
                    "cpus": one.about.get("cpus"),
                    "workers": one.workers,
                    "speed": None if one.speed is None else round(one.speed, 1),
                    "lanes": list(one.lanes),
                    "late_ms": round(one.late_s * 1000, 3),
                    "clock_ahead_s": round(one.clock.ahead_s, 6),
                    "clock_error_ms": round(one.clock.error_s * 1000, 3),
                }
                for one in self.members
            ],
        }

    def machines(self) -> list[AgentMachine]:
        """The machines of the agents, as these described them."""
        return machines_of(self.members)

    def close(self) -> None:
        """End all agents; whatever is under way is dropped."""
        self._exchange.close()

    @property
    def _workers(self) -> int:
        return sum(one.workers for one in self.members)

    def _measure(self) -> None:
        """Give each machine workers in proportion to its speed, measured while none has a load."""
        for member in self.members:
            member.line.send(Message("measure", {"cpus": member.workers}))
        answers = self._exchange.answers("speed", ANSWER_S, "did not measure its speed")
        speeds = [Speed.of(one["blocks_per_s"]) for one in answers]
        workers = workers_by_speed([one.workers for one in self.members], speeds)
        for member, speed, number in zip(self.members, speeds, workers, strict=True):
            member.speed, member.workers = speed.middle, number

    def _start(self) -> float:
        """Start the engines of all agents for the same moment; returns it, on this clock."""
        exchange = self._exchange
        exchange.generation += 1
        send_files(exchange, sent_files(self._plan.workload))
        at_s = exchange.moment_s() + READY_S
        lanes = lanes_of([one.workers for one in self.members])
        for member, its in zip(self.members, lanes, strict=True):
            member.lanes = its
            member.reports.clear()
            member.answers.pop("started", None)
            member.has_ended = False
        for member in self.members:
            part = {"lanes": list(member.lanes), "of": self._workers}
            own = self._plan.model_copy(update={"workers": member.workers})
            member.began_s = member.its_s(at_s)
            exchange.order(
                member,
                "start",
                at_s=member.began_s,
                plan=engine_plan(own, part),
                protocol=self._plan.protocol,
                target=self._target,
                scenarios=len(self._plan.workload.scenarios),
                places=list(self._wanted.places),
                local_ips=self._plan.local_ips,
                on_lines=list(self._wanted.on_lines),
            )
        answers = exchange.answers("started", START_S, "did not start its engine")
        for member, started in zip(self.members, answers, strict=True):
            member.answers.pop("lapsed", None)  # of a load before this one
            member.late_s = max(float(started["ready_s"]) - member.began_s, 0.0)
            member.heard_s = max(time.monotonic(), at_s)
            names = started["names"]
            self.step_names: Sequence[str] = names["steps"]
            self.request_names: Sequence[str] = names["requests"]
            self.task_names: Sequence[str] = names["tasks"]
        time.sleep(max(at_s - time.monotonic(), 0.0))
        if exchange.generation == 1:
            self._sums = Gathering(len(self._plan.workload.scenarios), len(self.step_names))
        return at_s

    def _sum(self, end_s: float) -> Interval | None:
        sent = []
        for member in self.members:
            taken = member.take_until(end_s)
            if taken:
                member.counters = taken[-1].counters
                sent.append(([one.figures for one in taken], member.begin_s - self._zero_s))
        began_s = time.thread_time()
        found = self._sums.next(sent)
        self.sum_s = time.thread_time() - began_s
        return found


def introduce(exchange: Exchange) -> None:
    """Ask what the agents are. Raises HeadcountError if one is silent, or another build."""
    for member in exchange.members:
        member.line.send(Message("hello"))
    answers = exchange.answers("hello", OPEN_S, "did not start")
    for member, about in zip(exchange.members, answers, strict=True):
        member.about = about
    check_versions(exchange.members)


def check_versions(members: Sequence[Member]) -> None:
    """Raise InputError if an agent has another version, or is a debug build."""
    for member in members:
        its, build = member.about.get("version"), member.about.get("build")
        if its != __version__:
            raise InputError(
                f"{member.name} has Headcount {its}, and this is {__version__}: install the same "
                "version on all machines"
            )
        if build != "release":
            raise InputError(f"{member.name} has a debug build, too slow to measure with")
