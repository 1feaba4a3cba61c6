"""
Headcount's load engine.
"""

from _typeshed import SupportsGetItem
from ipaddress import IPv4Address, IPv6Address
from os import PathLike
from typing import Any, Final, SupportsFloat, SupportsIndex, final

__all__ = ["PROFILE", "AppServer", "DiskBench", "Engine", "FaultCount", "Gathering", "Histogram", "Interval", "Line", "LineCount", "MailFront", "ScenarioCount", "SimulatedServer", "SmbHold", "SmbRecords", "SqlSession", "StepCount", "TaskCount", "app_statistics", "cleanup", "end_with_parent", "ensure_connections", "ensure_open_files", "hello", "http_check", "http_sweep_tree", "http_write_tree", "io_uring_unavailable", "mail_day", "nt_hash", "plan_mistakes", "prepare", "program_facts", "simulate_level", "sort_file", "sort_make", "sort_memory", "sort_runs", "sort_verify", "task_names", "toml_lines", "users_by_line"]

PROFILE: Final[str]
"""
`release` or `debug`: what a debug build measures of itself is not worth reporting.
"""

@final
class AppServer:
    """
    The application server, running in this process until stopped.
    """
    def __new__(cls, /, listen: str, data: str, threads: SupportsIndex = 0, write_mode: str = "buffered", connections: SupportsIndex = 4096, token: str | None = None) -> AppServer:
        """
        Starts it. `threads` 0 takes `ServerBench`'s rule (up to 47, and one for each processor).
        """
    @property
    def address(self, /) -> str:
        """
        The address it listens on, with the real port.
        """
    def stop(self, /) -> None:
        """
        Closes every connection and joins every thread.
        """

@final
class DiskBench:
    """
    A test file on a disk. It has no name, and is gone when this is closed or the process ends.
    """
    def __new__(cls, /, setup: str) -> DiskBench:
        """
        Makes the test file of a setup (JSON), empty.
        """
    def close(self, /) -> None:
        """
        Gives the test file up. Further calls fail.
        """
    def fill(self, /, progress: Any) -> None:
        """
        Writes the whole file. `progress` is called with the progress (JSON) ten times a second;
        Ctrl-C cancels it.
        """
    @property
    def kept(self, /) -> str:
        """
        Where the file system keeps its files: `disk`, `memory`, or `elsewhere` (a network mount, a
        program).
        """
    def measure(self, /, cell: str, progress: Any) -> str:
        """
        Measures a cell (JSON); returns its figures (JSON). `progress` as for `fill`.
        """

@final
class Engine:
    """
    A run under way. Users are played by threads of the engine; Python pulls what they counted.
    """
    def __new__(cls, /, plan: str, protocol: str, target: str, begin_s: SupportsFloat | SupportsIndex | None = None, local_addresses: SupportsGetItem[int, IPv4Address | IPv6Address] = ..., files: dict[str, bytes | bytearray] = ...) -> Engine:
        """
        Starts a plan (JSON) for a protocol against a target (JSON); no users yet. Its clock begins
        now, or at `begin_s` of `time.monotonic`: earlier or later than now, as long as the engines of
        several machines begin at the same moment. Users connect from `local_addresses` of this
        machine, in turn; where the plan has lines, those on none from the first, and those on each
        line from one of the others. `files` are those that steps send, by the paths that they name.
        """
    def close(self, /) -> None:
        """
        Ends the run at once, dropping whatever is under way. Further calls fail.
        """
    @property
    def ended(self, /) -> bool:
        """
        Whether the run has ended and its last interval was taken.
        """
    def next(self, /, patience_s: SupportsFloat | SupportsIndex) -> Interval | None:
        """
        What happened since the last call (since the run began, in the first), when the next report
        is in; None when `patience_s` ran out first or the run has ended. Other Python threads run
        meanwhile; Ctrl-C interrupts.
        """
    def next_bytes(self, /, patience_s: SupportsFloat | SupportsIndex) -> bytes | None:
        """
        The same as bytes, for a `Gathering` on another machine.
        """
    def now_s(self, /) -> float:
        """
        Seconds since the run began.
        """
    @property
    def request_names(self, /) -> list[str]:
        """
        The names of the kinds of requests that the protocol counts; none if its steps are its
        requests.
        """
    def set_users(self, /, users: SupportsIndex, ramp_s: SupportsFloat | SupportsIndex) -> None:
        """
        Brings the population to `users`, joins or leaves spread evenly over `ramp_s`.
        """
    @property
    def step_names(self, /) -> list[str]:
        """
        The names of the plan's steps, in the order in which they are counted.
        """
    def stop(self, /, drain_s: SupportsFloat | SupportsIndex) -> None:
        """
        Ends the run; scenarios under way may finish within `drain_s`.
        """
    def take_trace(self, /) -> list[str]:
        """
        The steps that users have played since the last call, and their scenarios' ends, each a JSON
        object; none unless the plan has `trace`.
        """
    @property
    def task_names(self, /) -> list[str]:
        """
        The names of what the protocol's sessions time inside their steps; none if they time nothing.
        """

@final
class FaultCount:
    """
    Faults of one kind at one step with messages that differ only in names and figures.
    """
    @property
    def count(self, /) -> int:
        """
        How many.
        """
    @property
    def examples(self, /) -> list[str]:
        """
        The first different messages of the run.
        """
    @property
    def group(self, /) -> int:
        """
        A number of their message; 0 for those of which there were too many different ones.
        """
    @property
    def kind(self, /) -> str:
        """
        The kind's name.
        """
    @property
    def step(self, /) -> int | None:
        """
        Index in `Engine.step_names`; None for the opening of a session.
        """

@final
class Gathering:
    """
    The sum of what the engines of several machines count in one run, interval by interval.
    """
    def __new__(cls, /, scenarios: SupportsIndex, steps: SupportsIndex) -> Gathering:
        """
        From the beginning of a run, of so many scenarios and names of steps.
        """
    def next(self, /, machines: SupportsGetItem[int, tuple[SupportsGetItem[int, bytes | bytearray], SupportsFloat | SupportsIndex]]) -> Interval | None:
        """
        What `Engine.next_bytes` gave on each machine, as one interval that begins where the last one
        ended; None of no machine. Each with what its clock is to be moved by, in seconds. A machine
        may give several that follow each other. Raises `EngineError` for bytes that are of no such
        run.
        """

@final
class Histogram:
    """
    Durations in microseconds: an HDR histogram with three significant digits.
    """
    def buckets(self, /) -> list[tuple[int, int]]:
        """
        Buckets in use: highest duration in µs and count, ascending.
        """
    @property
    def count(self, /) -> int:
        """
        How many durations it holds.
        """
    def count_above(self, /, limit_us: SupportsIndex) -> int:
        """
        How many durations exceed the limit, at the histogram's resolution.
        """
    @staticmethod
    def decode(data: bytes) -> Histogram:
        """
        Reads the V2 deflate form that `HdrHistogram`'s own tools write.
        """
    def encode(self, /) -> bytes:
        """
        The V2 deflate form.
        """
    @property
    def max_us(self, /) -> int:
        """
        The greatest duration, in µs; 0 when empty.
        """
    @property
    def mean_us(self, /) -> float:
        """
        The mean, in µs; 0 when empty.
        """
    @staticmethod
    def merge(parts: SupportsGetItem[int, Histogram]) -> Histogram:
        """
        All durations of all parts; merging loses nothing.
        """
    def quantile_us(self, /, quantile: SupportsFloat | SupportsIndex) -> int:
        """
        The duration that this share (0 to 1) of all does not exceed, in µs; 0 when empty.
        """

@final
class Interval:
    """
    What happened between two snapshots of a run.
    """
    @property
    def backlog(self, /) -> Histogram:
        """
        Ages, at the end, of scenarios that are due and wait for their user (open pace).
        """
    @property
    def backlog_overdue(self, /) -> int:
        """
        How many of those are overdue whichever scenario they will be.
        """
    @property
    def completed(self, /) -> list[tuple[float, int]]:
        """
        How many users last completed a scenario in which interval: (its `from_s`, users), in order.
        Whoever never did, or is leaving, is left out.
        """
    @property
    def faults(self, /) -> list[FaultCount]:
        """
        Faults that struck.
        """
    @property
    def from_s(self, /) -> float:
        """
        Its beginning, in seconds of the run's clock.
        """
    @property
    def lines(self, /) -> list[LineCount]:
        """
        By line, first of users on none; empty where the plan has no lines.
        """
    @property
    def logging_on(self, /) -> int:
        """
        Users who, at the end, are opening their session before anything is due.
        """
    @property
    def moments(self, /) -> list[tuple[float, int, int, int, int, int, int]]:
        """
        What happened when, if the plan has `slot_ms`: where each slot of time begins in s; how many
        scenarios completed in it, how many of those were slow or late, and how many failed; how many
        that were due in it were kept (completed within their limit) and missed; and how many sessions
        were opened in it. In order, without empty slots.
        """
    @property
    def requests(self, /) -> list[int]:
        """
        Requests sent, in the order of `Engine.request_names`.
        """
    @property
    def scenarios(self, /) -> list[ScenarioCount]:
        """
        In the plan's order.
        """
    @property
    def sessions_opened(self, /) -> int:
        """
        Sessions opened.
        """
    @property
    def start_lateness(self, /) -> Histogram:
        """
        How late scenarios began after they were due.
        """
    @property
    def steps(self, /) -> list[StepCount]:
        """
        In the order of `Engine.step_names`.
        """
    @property
    def tasks(self, /) -> list[TaskCount]:
        """
        In the order of `Engine.task_names`.
        """
    @property
    def think_s(self, /) -> float:
        """
        Think times (or intervals of an open pace) drawn, in seconds, summed.
        """
    @property
    def timer_lateness(self, /) -> Histogram:
        """
        How late the engine's own timers were.
        """
    @property
    def to_s(self, /) -> float:
        """
        Its end.
        """
    @property
    def unserved(self, /) -> list[tuple[float, int]]:
        """
        Users who, at the end, have completed nothing since a moment of the run's clock, and have had
        a failure or waited over a limit since: (that moment in s, rounded up to a tenth; how many),
        in order.
        """
    @property
    def users(self, /) -> int:
        """
        Users present at the end.
        """
    @property
    def worker_cpu_s(self, /) -> list[float]:
        """
        CPU seconds each worker used.
        """

@final
class Line:
    """
    Two TAP devices, and what carries packets between them with a delay; both go with it.
    """
    def __new__(cls, /, near: str, far: str, latency_s: SupportsFloat | SupportsIndex, jitter_s: SupportsFloat | SupportsIndex = 0.0, loss: SupportsFloat | SupportsIndex = 0.0, reorder: SupportsFloat | SupportsIndex = 0.0, seed: SupportsIndex = 1) -> Line:
        """
        Makes the devices. Round trips take `latency_s` longer, by up to `jitter_s` more or less;
        `loss` and `reorder` are shares of packets, each way. Raises `SystemLimitError` where there
        may be no devices.
        """
    def carry(self, /) -> None:
        """
        Carries packets until another thread calls `stop`. Raises `SystemLimitError` when a device is
        taken away.
        """
    def counts(self, /) -> str:
        """
        What both directions did so far (JSON); the latest is since the last call.
        """
    def stop(self, /) -> None:
        """
        Ends `carry`; safe to call twice.
        """

@final
class LineCount:
    """
    All scenarios of the users on one line between two snapshots.
    """
    @property
    def completed(self, /) -> int:
        """
        Ended without a fault.
        """
    @property
    def failed(self, /) -> int:
        """
        Ended by a fault.
        """
    @property
    def overloaded(self, /) -> int:
        """
        Failed, slow or late, each once.
        """
    @property
    def response(self, /) -> Histogram:
        """
        Response times of the completed.
        """
    @property
    def started(self, /) -> int:
        """
        Begun.
        """

@final
class MailFront:
    """
    An SMTP server that hands mail to LMTP servers, running in this process until stopped.
    """
    def __new__(cls, /, listen: str, lmtp: str, routes: SupportsGetItem[int, str] = ..., reject: SupportsGetItem[int, str] = ..., delay_ms: SupportsIndex = 0, password: str | None = None) -> MailFront:
        """
        Starts it. `lmtp` is where mail goes that no route names: `HOST:PORT`, or `count`.
        """
    @property
    def address(self, /) -> str:
        """
        The address it listens on, with the real port.
        """
    def counts(self, /) -> str:
        """
        What it has done so far (JSON).
        """
    def stop(self, /) -> str:
        """
        Delivers what is held, closes every connection, and says what it has done (JSON).
        """

@final
class ScenarioCount:
    """
    One scenario between two snapshots.
    """
    @property
    def completed(self, /) -> int:
        """
        Ended without a fault.
        """
    @property
    def failed(self, /) -> int:
        """
        Ended by a fault.
        """
    @property
    def late(self, /) -> int:
        """
        Begun too late.
        """
    @property
    def overdue(self, /) -> int:
        """
        How many of those are over their limit already.
        """
    @property
    def overloaded(self, /) -> int:
        """
        Failed, slow or late, each once.
        """
    @property
    def pending(self, /) -> Histogram:
        """
        Ages, at the end, of those being played.
        """
    @property
    def read_bytes(self, /) -> int:
        """
        Payload received.
        """
    @property
    def response(self, /) -> Histogram:
        """
        Response times of the completed.
        """
    @property
    def response_s(self, /) -> float:
        """
        Response times of all that ended, summed, in seconds.
        """
    @property
    def service(self, /) -> Histogram:
        """
        Service times of the completed.
        """
    @property
    def service_s(self, /) -> float:
        """
        Service times of all that ended, summed, in seconds.
        """
    @property
    def slow(self, /) -> int:
        """
        Completed over the limit.
        """
    @property
    def started(self, /) -> int:
        """
        Begun.
        """
    @property
    def written_bytes(self, /) -> int:
        """
        Payload sent.
        """

@final
class SimulatedServer:
    """
    A simulated server that keeps its queues, caches and clock from level to level.

    ``system`` is one of those that :meth:`systems` names; all random draws follow from ``seed``.
    A level is :meth:`start_level`, then :meth:`users` and :meth:`run` for the ramp and the warm-up,
    then :meth:`measure` as often as wanted.
    """
    def __new__(cls, /, system: str, seed: SupportsIndex) -> SimulatedServer:
        """
        Raises `ValueError` when the system is unknown.
        """
    @property
    def allowed(self, /) -> float:
        """
        Share of the requests that may be slow at the capacity.
        """
    @property
    def limit_s(self, /) -> float:
        """
        Response time above which a request is slow, seconds.
        """
    def measure(self, /, seconds: SupportsFloat | SupportsIndex) -> tuple[int, int, float, int]:
        """
        Measures for a while. Returns (completed, slow, `response_sum_s`, overdue at the end).

        Raises `ValueError` for seconds that are not positive or above a million.
        """
    @property
    def now_s(self, /) -> float:
        """
        Simulated seconds since the server started.
        """
    def run(self, /, seconds: SupportsFloat | SupportsIndex) -> int:
        """
        Lets time pass without measuring. Returns the requests under way that are overdue then.

        Raises `ValueError` for seconds that are negative or above a million.
        """
    def stall(self, /, after_s: SupportsFloat | SupportsIndex, length_s: SupportsFloat | SupportsIndex) -> None:
        """
        Lets the server stand still once, ``after_s`` from now, for ``length_s``.
        """
    def start_level(self, /) -> None:
        """
        Starts a level: draws what holds for it.
        """
    @staticmethod
    def systems() -> list[str]:
        """
        The names of the systems, in order.
        """
    @property
    def think_s(self, /) -> float:
        """
        Mean think time, seconds.
        """
    def users(self, /, users: SupportsIndex) -> None:
        """
        Changes the number of users at once.

        Raises `ValueError` for none and for more than a million.
        """

@final
class SmbHold:
    """
    Connections, connections to shares and open files on an SMB server that stay until told
    otherwise.
    """
    def __new__(cls, /, target: str) -> SmbHold:
        """
        Holds nothing yet. `target`: the engine's target (JSON).
        """
    def bring(self, /, connections: SupportsIndex, trees: SupportsIndex, files: SupportsIndex, progress: Any) -> str:
        """
        Brings what is held to so many connections, with so many connections to shares and open
        files each. `progress` is called with the progress (JSON) a few times a second; Ctrl-C
        cancels it, and what is held then stays.
        """
    def check(self, /) -> str:
        """
        Asks on each connection whether the server is there; says how many answered, and what they
        hold (JSON).
        """
    def close(self, /) -> None:
        """
        Closes all of it and deletes what was made for it on the server; safe to call twice.
        """

@final
class SmbRecords:
    """
    Files of records in a folder beside those of the users, which bears Headcount's marker.
    """
    def __new__(cls, /, target: str, patience_s: SupportsFloat | SupportsIndex) -> SmbRecords:
        """
        Logs on to the engine's target (JSON) as the first user. Raises `TargetError` where that or
        any request below takes longer than `patience_s`, `InputError` where the user is not let in or
        the folder is not Headcount's.
        """
    def clear(self, /) -> None:
        """
        Has an empty folder.
        """
    def close(self, /) -> None:
        """
        Logs off; safe to call twice.
        """
    def names(self, /) -> list[str]:
        """
        The names of all files.
        """
    def read(self, /, name: str, last: SupportsIndex | None = None) -> bytes:
        """
        The last bytes of a file, or all of it; nothing of one that is missing.
        """
    def remove(self, /) -> None:
        """
        Deletes the folder.
        """
    def write(self, /, name: str, offset: SupportsIndex, data: SupportsGetItem[int, SupportsIndex]) -> None:
        """
        Writes these bytes of a file, which is made if it is missing; returns when the server has
        acknowledged them.
        """

@final
class SqlSession:
    """
    A session with a database, for a question now and then.
    """
    def __new__(cls, /, target: str, patience_s: SupportsFloat | SupportsIndex) -> SqlSession:
        """
        Logs on to the engine's target (JSON). Raises `TargetError` where that takes longer than
        `patience_s`, `InputError` where the role is not let in.
        """
    def ask(self, /, statements: str) -> list[list[str | None]]:
        """
        The rows of all statements together, as text; `None` for NULL. Raises `TargetError` where
        the server refuses, or takes longer than the patience.
        """
    def close(self, /) -> None:
        """
        Ends it; safe to call twice.
        """

@final
class StepCount:
    """
    All steps of one name between two snapshots.
    """
    @property
    def completed(self, /) -> int:
        """
        Ended without a fault.
        """
    @property
    def failed(self, /) -> int:
        """
        Ended by a fault.
        """
    @property
    def read_bytes(self, /) -> int:
        """
        Payload received.
        """
    @property
    def service(self, /) -> Histogram:
        """
        Service times of the completed.
        """
    @property
    def service_s(self, /) -> float:
        """
        Service times of all that ended, summed, in seconds.
        """
    @property
    def written_bytes(self, /) -> int:
        """
        Payload sent.
        """

@final
class TaskCount:
    """
    All tasks of one name between two snapshots.
    """
    @property
    def completed(self, /) -> int:
        """
        Ended without a fault.
        """
    @property
    def failed(self, /) -> int:
        """
        Ended by a fault.
        """
    @property
    def service(self, /) -> Histogram:
        """
        Times of the completed.
        """
    @property
    def service_s(self, /) -> float:
        """
        Times of the completed, summed, in seconds.
        """
    @property
    def squares_ms2(self, /) -> float:
        """
        Squares of the times of the completed, in ms, summed.
        """

def app_statistics(address: str, token: str | None = None) -> str:
    """
    What the server has done since it started (JSON).
    """

def cleanup(protocol: str, target: str, first: SupportsIndex, last: SupportsIndex, progress: Any) -> str:
    """
    Deletes the data of users `first` to `last` on a protocol's target (JSON), and nothing
    else; says what was deleted (JSON). A protocol that keeps the data of all users together
    deletes all of it.
    """

def end_with_parent(parent: SupportsIndex) -> bool:
    """
    Has the system kill this process when its parent, of the number given, ends. False if it has
    ended already.
    """

def ensure_connections(users: SupportsIndex, each: SupportsIndex, addresses: SupportsIndex = 1) -> None:
    """
    Makes sure that so many users can have `each` connections open at a time, one of them to the same
    address, from so many addresses of this machine; raises `SystemLimitError` with the fix if not.
    """

def ensure_open_files(users: SupportsIndex, each: SupportsIndex) -> None:
    """
    Makes sure that so many users can have `each` files open at a time; raises `SystemLimitError` with
    the fix if not.
    """

def hello(protocol: str, target: str) -> str:
    """
    Says who answers at a protocol's target (JSON), and on which terms (JSON): program,
    version, encryption, largest requests, free space, as far as the protocol has them.
    """

def http_check(target: str, which: str, progress: Any, all: bool = False) -> str:
    """
    Asks for pages that steps draw by `which` (a JSON list of what steps have as `page`) and checks
    them whole: one of each class from the first and one from the last directory, or all. Says how many
    were right (JSON); the first that is not raises `TargetError`.
    """

def http_sweep_tree(folder: str) -> str:
    """
    Deletes what `http_write_tree` made in a folder, and nothing else; says what was deleted, or null
    if there was nothing (JSON).
    """

def http_write_tree(folder: str, data_set: str, progress: Any, read_through: bool = False) -> str:
    """
    Writes the pages of a data set (JSON) and its CGI program into a folder of this machine; says what
    was done (JSON). With `read_through` pages that are there are read, and made anew where they are
    damaged.
    """

def io_uring_unavailable() -> str | None:
    """
    Why `io_uring` cannot be used here, and what to do; None if it can.
    """

def mail_day(profile: str, per_day: str) -> str:
    """
    What a day of users with this profile (JSON) comes to who do so much of their own accord (JSON: `new`
    messages): the gain of their feedback, messages sent and received, and what becomes of them (JSON).
    `PlanError` where mail would make more mail than it is.
    """

def nt_hash(password: str) -> str:
    """
    The NT hash of a password as Samba's smbpasswd file has it: 32 capital hexadecimal digits.
    It protects nothing: whoever has it can log on.
    """

def plan_mistakes(plan: str, protocol: str) -> list[tuple[str, str]]:
    """
    All mistakes that a protocol finds in a plan (JSON): where each is (`scenarios.0.steps.2`,
    or `{name}` for a name without a value), and what is wrong. None if it can be played.
    """

def prepare(protocol: str, target: str, first: SupportsIndex, last: SupportsIndex, progress: Any, read_through: bool = False) -> str:
    """
    Makes what is missing of the data of users `first` to `last` on a protocol's target
    (JSON); says what was done (JSON). `progress` is called with the progress (JSON) a few
    times a second; Ctrl-C cancels it. With `read_through` data that is there is read and
    made anew where it is damaged.
    """

def program_facts(source: str, data_set: str) -> str:
    """
    What the program of a source (JSON) consists of, for a data set (JSON): operations by kind, those
    of them that are to be refused, bytes, open files (JSON). Raises `InputError` for a load file that
    cannot be read, with the line.
    """

def simulate_level(system: str, users: SupportsIndex, warmup_s: SupportsFloat | SupportsIndex, measure_s: SupportsFloat | SupportsIndex, seed: SupportsIndex, previous_users: SupportsIndex = 0) -> tuple[int, list[tuple[int, int, float, int]], tuple[float, float, float, float]]:
    """
    Plays one level against one of the simulated servers.

    ``system`` is one of those that :meth:`SimulatedServer.systems` names. With ``previous_users``
    the warm-up starts from the state that this number of users left behind; with 0 it starts with
    all users thinking.

    Returns the overdue requests at the start, the batches (length 5 s, or all of a shorter level)
    as tuples (completed, slow, `response_sum_s`, overdue at the end), and the response times in
    seconds at the 50th, 90th, 95th and 99th percentile.

    Raises `ValueError` when the system is unknown or the level outside the simulator's limits.
    """

def sort_file(source: str | PathLike[str], target: str | PathLike[str], record_bytes: SupportsIndex, keys: SupportsGetItem[int, tuple[SupportsIndex, SupportsIndex]], records: SupportsIndex, sortsize_bytes: SupportsIndex, threads: SupportsIndex, work: SupportsGetItem[int, str | PathLike[str]], cold: bool, progress: Any) -> str:
    """
    Sorts a file into another one that exists; what it took (JSON). The process should do nothing
    else meanwhile. `progress` is called with the progress (JSON); Ctrl-C cancels it.
    """

def sort_make(path: str, record_bytes: SupportsIndex, keys: SupportsGetItem[int, tuple[SupportsIndex, SupportsIndex]], kind: str, records: SupportsIndex, seed: SupportsIndex, progress: Any) -> str:
    """
    Makes records from a seed in a file that exists; their number and checksum (JSON). `kind` is
    `observations` or `records`. `progress` is called with the progress (JSON); Ctrl-C cancels it.
    """

def sort_memory(record_bytes: SupportsIndex, keys: SupportsGetItem[int, tuple[SupportsIndex, SupportsIndex]], records: SupportsIndex, threads: SupportsIndex) -> tuple[int, int]:
    """
    Memory in bytes with which `records` are sorted without a temporary file, and the least with
    which a sort can work at all.
    """

def sort_runs(record_bytes: SupportsIndex, keys: SupportsGetItem[int, tuple[SupportsIndex, SupportsIndex]], records: SupportsIndex, threads: SupportsIndex, sortsize_bytes: SupportsIndex) -> tuple[int, int]:
    """
    How many runs a sort of `records` writes with so much memory, and how many it merges at a time.
    """

def sort_verify(path: str, record_bytes: SupportsIndex, keys: SupportsGetItem[int, tuple[SupportsIndex, SupportsIndex]], progress: Any) -> str:
    """
    Reads a file of records: their number and checksum, and the first that is out of order (JSON).
    """

def task_names(protocol: str) -> list[str]:
    """
    The names of what a protocol's sessions time inside their steps; none if they time
    nothing. Raises `PlanError` for a protocol that the engine does not have.
    """

def toml_lines(text: str) -> list[tuple[str, int]] | None:
    """
    The keys and values of a TOML text with their lines, from 1: `scenarios.0.limit` and 12. Keys come
    apart from each other with `\\0`, since they may hold dots. None if the text is not TOML.
    """

def users_by_line(users: SupportsIndex, shares: SupportsGetItem[int, SupportsFloat | SupportsIndex]) -> list[int]:
    """
    How many of the first `users` are on no line, and on each of those with these shares.
    """
