"""The machine under examination: every reading that checks take. Tests can replace each of them.

The readings are the ones that runs take; this package only calls that code.
"""

import os
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from headcount.counters.environment import Cpu, FileSystem, Kernel, Limits, Virtual
from headcount.counters.environment.cpu import describe_cpu
from headcount.counters.environment.filesystem import describe_file_systems
from headcount.counters.environment.kernel import describe_kernel
from headcount.counters.environment.limits import describe_limits
from headcount.counters.environment.virtual import describe_virtual
from headcount.counters.proc.files import read_text
from headcount.doctor import trials
from headcount.doctor.folders import Folder, folders
from headcount.doctor.moment import Moment, Window
from headcount.generator.real_time import real_time
from headcount.lab.squeeze.trial import group_version


def _file_system(path: Path) -> FileSystem:
    return describe_file_systems([path], Path("/"))[0]


def _own_cpu_s() -> float:
    """CPU time of this process and of its children that have been waited for, in seconds."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


@dataclass
class Machine:
    """One machine.

    Attributes:
        root: Where `proc`, `sys` and `run` are found.
        uid: Who runs Headcount.
        read: A file's text, None where it is missing or denied.
        limits: What this process may use.
        file_system: The file system that holds a path.
        folders: The folders that runs write into.
        has_program: Whether a program is on the PATH.
        engine: Why the load engine does not load; None if it does.
        loopback: Reaches a server on this machine.
        ring: Why io_uring cannot be used; None if it can.
        real_time: Asks for the real-time policy, as a run does; yields whether it was granted.
        groups: The version of control groups that can limit the given controllers.
        network: Makes the network of a run and removes it.
        line: The same with a delay line in it.
        user_namespace: Enters a user namespace, as lab:apache does for root.
        servers, helpers: Programs of lab servers, and those that options need, to look for.
        netlink: Asks the kernel for sockets.
        own_cpu_s: CPU time of Headcount itself.
        clock_ns, sleep: The time.
        sample_s: How long CPU use and timers are watched.

    """

    root: Path = Path("/")
    uid: int = field(default_factory=os.geteuid)
    read: Callable[[str], str | None] = read_text
    limits: Callable[[Path], Limits] = describe_limits
    file_system: Callable[[Path], FileSystem] = _file_system
    folders: Callable[[int], Sequence[Folder]] = folders
    has_program: Callable[[str], bool] = lambda name: shutil.which(name) is not None
    engine: Callable[[], str | None] = trials.engine_error
    loopback: Callable[[], None] = trials.try_loopback
    ring: Callable[[], str | None] = trials.ring_error
    real_time: Callable[[], AbstractContextManager[bool]] = real_time
    groups: Callable[[frozenset[str]], int] = group_version
    network: Callable[[], None] = trials.try_network
    line: Callable[[], None] = trials.try_line
    user_namespace: Callable[[], None] = trials.try_user_namespace
    servers: Mapping[str, trials.Program] = field(default_factory=lambda: trials.SERVERS)
    helpers: Mapping[str, trials.Program] = field(default_factory=lambda: trials.HELPERS)
    netlink: Callable[[], None] = trials.try_netlink
    own_cpu_s: Callable[[], float] = _own_cpu_s
    clock_ns: Callable[[], int] = time.monotonic_ns
    sleep: Callable[[float], None] = time.sleep
    sample_s: float = 0.9

    def text(self, name: str) -> str:
        """A file below the root; empty where it is missing or denied."""
        return self.read(os.fspath(self.root / name)) or ""

    def as_root(self, command: str) -> str:
        """A command that needs root, as this user has to type it."""
        return command if self.uid == 0 else f"sudo {command}"

    @cached_property
    def cpu(self) -> Cpu:
        """The processors."""
        return describe_cpu(self.root)

    @cached_property
    def kernel(self) -> Kernel:
        """The kernel and its settings."""
        return describe_kernel(self.root)

    @cached_property
    def virtual(self) -> Virtual:
        """Hypervisor and container."""
        return describe_virtual(self.root)

    @cached_property
    def own_limits(self) -> Limits:
        """What this process may use."""
        return self.limits(self.root)

    @cached_property
    def window(self) -> Window:
        """The window over which CPU use is measured; it opens at the first access."""
        return Window(self.text, self.root, self.own_cpu_s, self.clock_ns)

    @cached_property
    def moment(self) -> Moment:
        """What the machine did in the window; measures timers until it is long enough."""
        return self.window.moment(self.sample_s, self.real_time, self.sleep)
