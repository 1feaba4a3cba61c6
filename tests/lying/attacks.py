"""Attacks on the command line: how they are played, and what each must come to."""

import json
import re
import socket
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from liar import Play, lying

from processes import SEED, Ended, Headcount, listening

SECRET = "s3cret-0f-th3-test"  # noqa: S105 - what no message may have
MOST_GROWTH_KIB = 64 << 10
"""What an attack may cost the client in memory, beyond what the same command takes anyway."""
MOST_CPU_S = 10.0
"""The CPU time of a command that meets an attack. Most take half a second; one that computes or
copies what the attacker asks for takes far more, or never ends."""
HANG_S = 75.0
"""A command that has not ended by then hangs. The longest deadline is 30 s."""
SHORT = ("--users", "1", "--duration", "1s", "--ramp", "0s", "--settle", "0s", "--json")
MOST_CHARACTERS = 1200
"""Nobody reads a longer message; with the advice of the longest rule, the longest has 800."""
PROGRAM = str(Path(__file__).with_name("player.py"))
STARTING = threading.Lock()
"""Commands are started one by one."""
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Characters that change what a terminal shows."""


@dataclass(frozen=True)
class Attack:
    """What a server does, and what the command that meets it must say.

    Attributes:
        name: What it is called.
        play: What is said on each connection.
        words: A part of the message.
        code: The exit code.
        options: More options of the command.
        is_slow: Whether the client must wait for a deadline.
        in_load: Whether users are served before: the run ends and counts faults.
        scheme: Of the target, if it is another than the protocol's own.

    """

    name: str
    play: Play
    words: str
    code: int = 3
    options: tuple[str, ...] = ()
    is_slow: bool = False
    in_load: bool = False
    scheme: str = ""


@dataclass(frozen=True)
class Outcome:
    """What became of a command that met an attack."""

    ended: Ended
    grown_kib: int
    cpu_s: float
    wrong: Sequence[str] = ()

    @property
    def text(self) -> str:
        """All that it printed."""
        return self.ended.out + self.ended.err


class Player:
    """A process that plays command lines one after the other (`player.py`)."""

    def __init__(self, headcount: Headcount, **environment: str) -> None:
        """Start it with an environment."""
        self._folder = headcount.home
        path = self._folder / "player"
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
            path.unlink(missing_ok=True)
            listener.bind(str(path))
            listener.listen()
            listener.settimeout(HANG_S)
            with STARTING:
                self._command = headcount.start(str(path), program=PROGRAM, **environment)
            self._line, _ = listener.accept()
        self._line.settimeout(HANG_S)

    def play(self, arguments: Sequence[str]) -> Outcome:
        """Play a command; raises AssertionError if it does not end, and ends this process."""
        out, err = self._folder / "out", self._folder / "err"
        self._line.send(json.dumps([list(arguments), [str(out), str(err)]]).encode())
        try:
            code, grown_kib, cpu_s = json.loads(self._line.recv(1 << 16))
        except TimeoutError:
            self.close()
            raise AssertionError(f"still running after {HANG_S} s: {err.read_text()}") from None
        return Outcome(
            Ended(code, out.read_text("utf-8"), err.read_text("utf-8")), grown_kib, cpu_s
        )

    def close(self) -> None:
        """End it, whatever it does."""
        self._line.close()
        self._command.kill()


@dataclass(frozen=True)
class Field:
    """Where attacks are played: one protocol's command, with a home of its own.

    `target` has a place for scheme and address, and `options` may have one for the address.
    `honest` serves as it should.
    """

    headcount: Headcount
    workload: str
    target: str
    scheme: str
    honest: Play
    options: tuple[str, ...] = ()
    password: str = SECRET

    def player(self) -> Player:
        """A process that plays attacks in turn."""
        return Player(self.headcount, HEADCOUNT_PASSWORD=self.password)

    def outcome_from(self, player: Player, attack: Attack) -> Outcome:
        """Play an attack to the end of the command."""
        with lying(attack.play) as liar:
            outcome = player.play(self.line(attack, liar.address))
        return replace(outcome, wrong=liar.wrong)

    def outcome_alone(self, attack: Attack) -> Outcome:
        """Play an attack for a test of its own."""
        player = self.player()
        player.play(self.nobody())  # it loads what is loaded once
        try:
            return self.outcome_from(player, attack)
        finally:
            player.close()

    def outcome_of_slow(self, attack: Attack, usual_kib: int) -> Outcome:
        """The same in a process of its own, which usually takes this much memory."""
        with lying(attack.play) as liar:
            outcome = self.outcome_in_own_process(self.line(attack, liar.address))
        return replace(outcome, grown_kib=outcome.grown_kib - usual_kib, wrong=liar.wrong)

    def outcome_in_own_process(self, line: Sequence[str]) -> Outcome:
        """What becomes of a command in a process of its own; all of its memory has grown."""
        with STARTING:
            command = self.headcount.start(*line, HEADCOUNT_PASSWORD=self.password)
        ended = command.ended(HANG_S)
        took = command.process.took
        assert took is not None
        return Outcome(ended, took.peak_kib, took.cpu_s)

    def nobody(self) -> list[str]:
        """The command line that finds nobody at its target."""
        with listening() as closed:
            address = "{}:{}".format(*closed.getsockname())
        return self.line(Attack("nobody", self.honest, ""), address)

    def line(self, attack: Attack, address: str) -> list[str]:
        """The command line for an attack from an address."""
        target = self.target.format(scheme=attack.scheme or self.scheme, address=address)
        own = [option.format(address=address) for option in self.options]
        seed = ("--seed", SEED)
        where = ("run", self.workload, "--target", target)
        return [*where, *SHORT, *seed, *own, *attack.options]


class Outcomes:
    """What became of all attacks of a protocol."""

    def __init__(self, field: Field, attacks: Sequence[Attack]) -> None:
        """Play them: those that take a deadline beside the others, which take turns."""
        names = [attack.name for attack in attacks]
        assert len(set(names)) == len(names), names
        self.field = field
        self._found: dict[str, Outcome] = {}
        self._hanging: dict[str, str] = {}
        slow = [attack for attack in attacks if attack.is_slow]
        usual_kib = field.outcome_in_own_process(field.nobody()).grown_kib if slow else 0
        with ThreadPoolExecutor(len(slow) or 1) as pool:
            waiting = {one.name: pool.submit(field.outcome_of_slow, one, usual_kib) for one in slow}
            self._play([attack for attack in attacks if not attack.is_slow])
            for name, future in waiting.items():
                try:
                    self._found[name] = future.result()
                except AssertionError as error:
                    self._hanging[name] = str(error)

    def _play(self, attacks: Sequence[Attack]) -> None:
        player = self.field.player()
        player.play(self.field.nobody())  # it loads what is loaded once
        self.honest = self.field.outcome_from(player, Attack("honest", self.field.honest, ""))
        for attack in attacks:
            try:
                self._found[attack.name] = self.field.outcome_from(player, attack)
            except AssertionError as error:
                self._hanging[attack.name] = str(error)
                player = self.field.player()
        player.close()

    def __getitem__(self, attack: Attack) -> Outcome:
        """What became of one; raises AssertionError if it hangs."""
        assert attack.name not in self._hanging, self._hanging[attack.name]
        return self._found[attack.name]


def assert_met(outcomes: Outcomes, attack: Attack, outcome: Outcome | None = None) -> None:
    """Assert that an attack came to its exit code and one clear message, and cost little."""
    outcome = outcome or outcomes[attack]
    ended = outcome.ended
    assert ended.code == attack.code, ended
    assert "Traceback" not in outcome.text, ended
    assert "panicked" not in outcome.text, ended
    message = _message(ended, attack)
    assert attack.words in " ".join(message.split()), ended
    assert len(message) <= MOST_CHARACTERS, ended
    assert not RAW.search(outcome.text), ended
    assert outcomes.field.password not in outcome.text, ended
    assert not outcome.wrong, outcome.wrong
    assert outcome.grown_kib <= MOST_GROWTH_KIB, f"{outcome.grown_kib} KiB of memory"
    assert outcome.cpu_s <= MOST_CPU_S, f"{outcome.cpu_s} s of CPU"


def assert_served(outcomes: Outcomes) -> None:
    """Assert that the same server without a lie serves users without failures."""
    ended = outcomes.honest.ended
    assert ended.code in (0, 4), ended  # a busy machine may make a level invalid
    assert ended.json["failures"] == [], ended


def assert_kept_nothing(outcomes: Outcomes) -> None:
    """Assert that no bundle has the secret in it."""
    runs = outcomes.field.headcount.runs
    for path in runs.rglob("*"):
        if path.is_file():
            assert outcomes.field.password.encode() not in path.read_bytes(), path


def _message(ended: Ended, attack: Attack) -> str:
    """The one error, or the first failure of a run that went on."""
    if attack.code == 3:
        assert ended.out == "", ended
    if not (attack.in_load and ended.out):
        return ended.message
    assert "error:" not in ended.err, ended
    answer = ended.json
    failures = (f"{one['step']}: {one['message']}" for one in answer["failures"])
    return "; ".join([answer["sentence"], *failures])


def workload(protocol: str, steps: str, tables: str = "") -> str:
    """A workload of one scenario, whose users wait two seconds for an answer."""
    return f"""\
name = "lying"
title = "A server that lies"
protocol = "{protocol}"
criteria = ["p95<=10s", "errors<1%"]
{tables}
[pace]
kind = "closed"
time = {{ draw = "fixed", mean = "50ms" }}

[run]
duration = "1s"
step_timeout = "2s"

[[scenarios]]
name = "ask"
weight = 1
limit = "1s"
steps = [{steps}]
"""
