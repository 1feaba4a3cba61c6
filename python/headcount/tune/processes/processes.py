"""The processes of a server, treated as knobs say: by commands, so that it works on any machine."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.resources import files

from headcount.tune.change import Changes
from headcount.tune.host import Host
from headcount.tune.journal import KernelRefusal
from headcount.tune.knobs.knob import Knob
from headcount.tune.processes import groups
from headcount.tune.processes.attributes import Attributes, Part, words
from headcount.tune.processes.cpus import Cpus, parse_cpus
from headcount.tune.processes.groups import Weight
from headcount.tune.processes.table import descendants, row, table
from headcount.tune.servers.server import Running, Server, Setting

NAME = "process"
NICE, AFFINITY = "Nice", "CPUAffinity"
CLASS, LEVEL = "IOSchedulingClass", "IOSchedulingPriority"
CPU_WEIGHT, IO_WEIGHT = "CPUWeight", "IOWeight"
PART: Mapping[str, Part] = {NICE: "nice", CLASS: "io", LEVEL: "io", AFFINITY: "cpus"}
"""The part of a thread's attributes that a knob changes; other knobs are for control groups."""
CLASSES = {"none": 0, "realtime": 1, "best-effort": 2, "idle": 3}
USUAL_LEVEL = 4
"""The default in a class that has levels (ionice(1))."""
TREAT_S = 60.0
_TREAT = files("headcount.tune").joinpath("scripts").joinpath("treat.sh").read_text("ascii")
_STATE = """
state() { # process, thread
    stat=$(cat "/proc/$2/stat" 2> /dev/null) || return
    cpus=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' "/proc/$2/status" 2> /dev/null)
    printf '%s\\t%s\\t%s\\t%s\\n' "$1" "$cpus" "$(ionice -p "$2" 2> /dev/null)" "$stat"
}
"""
_ALL = """
for one in "$@"; do
    for each in $(everyone "$one"); do state "$one" "$each"; done
done
"""


@dataclass(frozen=True, slots=True)
class State:
    """How a thread is treated.

    Attributes:
        root: The first process of its server.
        tid: Its number.
        began: When it began, in clock ticks.
        attributes: The treatment.

    """

    root: int
    tid: int
    began: int
    attributes: Attributes


class Processes:
    """The processes of servers that are tuned together, and control groups that are theirs alone.

    Attributes:
        host: Their machine.
        servers: The servers.

    """

    name = NAME

    def __init__(self, host: Host, servers: Sequence[Server]) -> None:
        """Look at how they are treated."""
        self.host = host
        self.servers = servers
        self._seen: dict[tuple[int, int], State] = {}
        self._treated: set[Part] = set()
        self._cpus = Cpus(host)
        self.look()

    @property
    def roots(self) -> Sequence[Running]:
        """The first processes now."""
        return [one.running for one in self.servers]

    def look(self) -> None:
        """Record how processes are treated that are new since the last call, as after a restart."""
        new = [str(one.pid) for one in self.roots if (one.pid, one.started) not in self._seen]
        if new:
            for one in self._states(_ALL, *new):
                self._seen.setdefault((one.tid, one.began), one)

    def _states(self, script: str, *words: str) -> Sequence[State]:
        command = ["sh", "-c", f"{_TREAT}{_STATE}{script}", "sh", *words]
        lines = self.host.run(command, TREAT_S).output.splitlines()
        return [found for line in lines if (found := _state(line)) is not None]

    @cached_property
    def pids(self) -> Collection[int]:
        """All processes of the servers, as of the first call."""
        return descendants(table(self.host), [one.pid for one in self.roots])

    @cached_property
    def first(self) -> Attributes | None:
        """How the first of them was treated; None if that cannot be read."""
        known = self._seen.get((self.roots[0].pid, self.roots[0].started))
        return known.attributes if known is not None else None

    @cached_property
    def weights(self) -> Mapping[str, Sequence[Weight]]:
        """Files of their own control groups, by knob."""
        found: dict[str, list[Weight]] = {CPU_WEIGHT: [], IO_WEIGHT: []}
        kinds = ((CPU_WEIGHT, "cpu", groups.CPU), (IO_WEIGHT, "io", groups.IO))
        for knob, controller, known in kinds:
            folders: set[str] = set()
            for one in self.roots:
                group = groups.group_of(self.host, one.pid, controller, known)
                if group is not None and group.is_of(self.pids):
                    folders.add(group.folder)
            for folder in sorted(folders):
                found[knob] += groups.weights(self.host, folder, known)
        return found

    def setting(self, knob: Knob) -> Setting:
        """A knob's present setting; any value but the kernel's default was set by somebody."""
        value = self._value(knob)
        return Setting(value, value not in (None, knob.default))

    def _value(self, knob: Knob) -> str | None:
        first = self.first
        if knob.name in self.weights:
            known = self.weights[knob.name]
            return groups.value_of(known[0]) if known else None
        if first is None or (PART[knob.name] == "io" and first.io_class is None):
            return None
        if knob.name == NICE:
            return str(first.nice)
        if knob.name == AFFINITY:
            return self._cpus.word(first.cpus)
        if knob.name == LEVEL:
            return str(first.io_level if first.io_class else USUAL_LEVEL)
        return next(name for name, number in CLASSES.items() if number == first.io_class)

    def originals(self, knobs: Iterable[Knob]) -> Mapping[str, str]:
        """The values that undo all changes of weights, by file."""
        return {one.path: one.text for knob in knobs for one in self.weights.get(knob.name, ())}

    def values(self, changes: Changes) -> Mapping[str, str]:
        """The values to write to files of control groups, by file."""
        return {
            one.path: one.written(int(value))
            for knob, value in changes.items()
            for one in self.weights.get(knob.name, ())
        }

    def way_back(self, knobs: Iterable[Knob]) -> Sequence[str]:
        """Lines for `treat.sh` that restore all thread attributes these knobs may change."""
        return self._restore_lines({PART[one.name] for one in knobs if one.name in PART})

    def _restore_lines(self, parts: Collection[Part]) -> Sequence[str]:
        if not parts:
            return []
        roots = {one.root: one for one in self._seen.values() if one.tid == one.root}
        found = [_line("tree", one, one.attributes, parts) for one in roots.values()]
        for one in self._seen.values():
            usual = roots.get(one.root, one).attributes
            if words(one.attributes, parts) != words(usual, parts):
                found.append(_line("thread", one, one.attributes, parts))
        return found

    def treat(self, changes: Changes) -> None:
        """Treat all threads so, and restore what no change is for; raises KernelRefusal."""
        wanted = {knob.name: value for knob, value in changes.items() if knob.name in PART}
        parts = {PART[name] for name in wanted}
        lines = [*self._restore_lines(self._treated - parts)]
        now = {(one.pid, one.started) for one in self.roots}
        roots = [one for key, one in self._seen.items() if key in now]
        targets = {one.tid: self._target(one.attributes, wanted) for one in roots}
        if parts:
            lines += [_line("tree", one, targets[one.tid], parts) for one in roots]
        if parts and not roots:
            raise KernelRefusal("the server's processes are not seen")
        if not lines:
            return
        self._treated |= parts
        lines += [f"state {one.tid} {one.tid}" for one in roots]
        for found in self._states("\n".join(lines)):
            is_now, is_to_be = (words(one, parts) for one in (found.attributes, targets[found.tid]))
            if is_now != is_to_be:
                text = " ".join(self.drop_in(changes))
                raise KernelRefusal(f"the kernel refuses {text} for process {found.tid}")
        self._treated = parts

    def _target(self, one: Attributes, wanted: Mapping[str, str]) -> Attributes:
        if NICE in wanted:
            one = replace(one, nice=int(wanted[NICE]))
        if AFFINITY in wanted:
            one = replace(one, cpus=self._cpus.of(wanted[AFFINITY]))
        if CLASS in wanted or LEVEL in wanted:
            io_class, level = self._io(wanted)
            one = replace(one, io_class=CLASSES[io_class], io_level=level)
        return one

    def _io(self, wanted: Mapping[str, str]) -> tuple[str, int]:
        """Class and level: a level without a class means best-effort, as with systemd."""
        names = {number: name for name, number in CLASSES.items()}
        first = self.first
        now = names.get((first.io_class or 0) if first is not None else 0, "none")
        io_class = wanted.get(CLASS) or ("best-effort" if now == "none" else now)
        level = wanted.get(LEVEL)
        if level is None:
            usual = first is None or now == "none"
            level = str(USUAL_LEVEL if usual or first is None else first.io_level)
        return (io_class, int(level)) if io_class in ("realtime", "best-effort") else (io_class, 0)

    def drop_in(self, changes: Changes) -> Sequence[str]:
        """The same as lines of systemd's `[Service]`."""
        wanted = {knob.name: value for knob, value in changes.items()}
        found = [f"{name}={wanted[name]}" for name in (NICE, CPU_WEIGHT) if name in wanted]
        if AFFINITY in wanted:
            found.append(
                f"{AFFINITY}={','.join(map(str, sorted(self._cpus.of(wanted[AFFINITY]))))}"
            )
        if CLASS in wanted or LEVEL in wanted:
            io_class, level = self._io(wanted)
            found.append(f"{CLASS}={io_class}")
            found += [f"{LEVEL}={level}"] if io_class in ("realtime", "best-effort") else []
        return [*found, *(f"{name}={wanted[name]}" for name in (IO_WEIGHT,) if name in wanted)]


@dataclass(frozen=True)
class Treated:
    """The processes of the server, and those of their knobs that may be changed."""

    processes: Processes
    knobs: Sequence[Knob]


def _line(function: str, one: State, attributes: Attributes, parts: Collection[Part]) -> str:
    return f"{function} {one.tid} {one.began} {words(attributes, parts)}"


def _state(line: str) -> State | None:
    """The state in a line that `state` printed; None for any other line."""
    root, _, rest = line.partition("\t")
    cpus, _, rest = rest.partition("\t")
    io, _, stat = rest.partition("\t")
    known = row(stat)
    if known is None or not root.isdecimal():
        return None
    name, _, level = io.partition(": prio ")
    io_class = CLASSES.get(name)
    io_level = int(level) if io_class and level.isdecimal() else 0
    attributes = Attributes(known.nice, known.policy, io_class, io_level, parse_cpus(cpus))
    return State(int(root), known.pid, known.began, attributes)
