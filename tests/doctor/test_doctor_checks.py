"""Each check of `headcount doctor`, on machines that lack one thing."""

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import made_machine as made
import pytest
from made_machine import GB, LIMITS, machine, refusing

from headcount import workloads
from headcount.analyse.search.settings import Settings
from headcount.counters.environment import FileSystem
from headcount.doctor.checks import space
from headcount.doctor.checks.table import CHECKS
from headcount.doctor.folders import LAB, can_write
from headcount.doctor.outcome import Outcome
from headcount.errors import MachineLimitError
from headcount.protocols.tree import size_bytes

CLOCK = "sys/devices/system/clocksource/clocksource0"
GOVERNOR = "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"
CONTAINER: dict[str, str | None] = {"run/systemd/container": "docker\n"}


def run_check(
    name: str, root: Path, files: dict[str, str | None] | None = None, **given: Any
) -> Outcome:
    return CHECKS[name](machine(root, files, **given))


def test_a_machine_that_has_everything_is_ok(tmp_path: Path) -> None:
    for name in CHECKS:
        outcome = run_check(name, tmp_path)
        assert outcome.verdict == "ok", f"{name}: {outcome}"
        assert outcome.fixes == ()
        assert outcome.meaning.endswith(".")


LIMITED: list[tuple[str, dict[str, Any], str, str]] = [
    ("real-time policy", {"real_time": lambda: made.granting(False)}, "refused", "rtprio 1"),
    (
        "open files",
        {"limits": lambda _: LIMITS.model_copy(update={"open_files_hard": 1024})},
        "1,024, enough for 924 users",
        "sudo prlimit --nofile=65536 --pid $$",
    ),
    (
        "local ports",
        {"files": {"proc/sys/net/ipv4/ip_local_port_range": "40000 40999\n"}},
        "1,000 users and 16.7 new connections/s to one address",
        'sudo sysctl net.ipv4.ip_local_port_range="1024 65535"',
    ),
    ("CPU clock", {"files": {GOVERNOR: "powersave\n"}}, "powersave", "-g performance"),
    (
        "CPUs",
        {"limits": lambda _: LIMITS.model_copy(update={"cpu_limit": 0.5})},
        "4 CPUs, limited to 0.500 by a quota",
        "use 2 CPUs",
    ),
    (
        "CPUs",
        {"limits": lambda _: LIMITS.model_copy(update={"usable_cpus": 1})},
        "1 CPU, Example CPU",
        "use 2 CPUs",
    ),
    ("io_uring", {"ring": lambda: "it is off; sysctl x=0"}, "it is off", "sysctl x=0"),
    (
        "memory",
        {"files": {"proc/meminfo": "MemTotal: 8000000 kB\nMemAvailable: 800000 kB\n"}},
        "781 MiB of 7.63 GiB available",
        "end other programs",
    ),
    (
        "memory",
        {"limits": lambda _: LIMITS.model_copy(update={"memory_limit_bytes": 2**29})},
        "a limit of 512 MiB",
        "end other programs",
    ),
    (
        "processes",
        {"files": {"proc/7/io": None}},
        "only this user's",
        "sudo headcount run",
    ),
    (
        "processes",
        {
            "files": {
                "proc/self/mountinfo": "22 27 0:21 / /proc rw,hidepid=invisible - proc proc rw\n",
                "proc/7/status": None,
                "proc/7/io": None,
            }
        },
        "/proc is mounted with hidepid=invisible",
        "sudo headcount run",
    ),
    ("kernel counters", {"files": {"proc/pressure/cpu": None}}, "without pressure", "psi=1"),
    (
        "kernel counters",
        {"files": {"proc/self/schedstat": "0 0 0\n"}},
        "without waiting for a CPU",
        "CONFIG_SCHED_INFO",
    ),
    ("kernel counters", {"netlink": refusing("no", OSError)}, "without sockets", "sudo modprobe"),
    (
        "clock",
        {"clock_ns": made.clock(3000)},
        "tsc, 3.00 µs a reading",
        "use a machine whose clock source",
    ),
    (
        "timers",
        {
            "sleep": lambda _: None,
            "clock_ns": made.clock(9_000_000),
        },
        "1% of timers are over 8.00 ms late",
        "a machine of its own",
    ),
    (
        "neighbours",
        {"stats": [made.stat(1000, 5000, 0), made.stat(1060, 5040, 0)]},
        "other programs use 60.0% of the CPUs",
        "headcount watch",
    ),
    (
        "steal",
        {"stats": [made.stat(1000, 5000, 0), made.stat(1010, 5040, 50)]},
        "the hypervisor takes 50.0% of the CPU time",
        "dedicated CPUs",
    ),
    (
        "lab servers",
        {
            "servers": {
                "lab:nginx": made.program(here=False),
                "lab:samba": made.program(name="samba"),
                "lab:mail": made.Program(refusing("lab:mail needs 2.3"), made.Packages("x")),
            }
        },
        "not installed for lab:nginx; lab:mail needs 2.3",
        "sudo apt-get install -y --no-install-recommends nginx",
    ),
    (
        "other programs",
        {"helpers": {"ip": made.program(here=False, name="iproute2")}},
        "not installed: ip",
        "sudo apt-get install -y --no-install-recommends iproute2",
    ),
    (
        "folders",
        {"file_system": made.disk(GB)},
        "lab servers in /data: 1.00 GB free, data of 47 users of app-server",
        "export XDG_CACHE_HOME=",
    ),
    ("folders", {"file_system": made.disk(500 * GB, "tmpfs")}, "in memory (tmpfs)", "XDG_CACHE"),
]


@pytest.mark.parametrize(
    ("name", "given", "read", "fix"), LIMITED, ids=[f"{row[0]}: {row[2]}" for row in LIMITED]
)
def test_what_is_limited_is_named_with_its_fix(
    tmp_path: Path, name: str, given: dict[str, Any], read: str, fix: str
) -> None:
    outcome = run_check(name, tmp_path, **given)
    assert outcome.verdict == "limited"
    assert read in outcome.read
    assert fix in outcome.fixes[0]
    assert not outcome.stops_runs


MISSING: list[tuple[str, dict[str, Any], str, str]] = [
    (
        "control groups",
        {"groups": refusing("this machine has no control groups mounted; do")},
        "this machine has no control groups mounted",
        "systemd-run --user --scope -p Delegate=yes",
    ),
    (
        "control groups",
        {"groups": refusing("cannot make a control group"), "uid": 0, "files": CONTAINER},
        "cannot make",
        "--privileged",
    ),
    ("network namespaces", {"network": refusing("no; root")}, "need root", "sudo headcount run"),
    (
        "network namespaces",
        {"network": refusing("cannot make the run's network; x"), "uid": 0},
        "cannot make the run's network",
        "--cap-add NET_ADMIN",
    ),
    (
        "network namespaces",
        {"network": refusing("no ip", made.NotInstalledError), "uid": 0},
        "no ip",
        "apt-get install -y --no-install-recommends iproute2",
    ),
    ("delay line", {"line": refusing("no; root")}, "needs root", "sudo headcount run"),
    (
        "delay line",
        {"line": refusing("cannot make the delay line: no file; x"), "uid": 0},
        "cannot make the delay line: no file",
        "--device /dev/net/tun",
    ),
    (
        "user namespaces",
        {"user_namespace": refusing("this system allows none; x"), "uid": 0},
        "this system allows none",
        "runuser -u USER",
    ),
    (
        "lab servers",
        {"servers": {"lab:nginx": made.program(here=False)}, "uid": 0},
        "not installed for lab:nginx",
        "apt-get install -y --no-install-recommends nginx",
    ),
    (
        "lab servers",
        {
            "servers": {"lab:nginx": made.program(here=False)},
            "has_program": lambda name: name == "dnf",
        },
        "not installed for lab:nginx",
        "sudo dnf install -y nginx-fedora",
    ),
]


@pytest.mark.parametrize(
    ("name", "given", "read", "fix"), MISSING, ids=[f"{row[0]}: {row[3]}" for row in MISSING]
)
def test_what_is_missing_is_named_with_its_fix(
    tmp_path: Path, name: str, given: dict[str, Any], read: str, fix: str
) -> None:
    outcome = run_check(name, tmp_path, **given)
    assert outcome.verdict == "missing"
    assert read in outcome.read
    assert fix in outcome.fixes[0]
    assert not outcome.stops_runs, "a plain run works without it"


STOPPING: list[tuple[str, dict[str, Any], str]] = [
    ("load engine", {"engine": lambda: "no module"}, "does not load: no module"),
    ("loopback", {"loopback": refusing("", OSError)}, "does not work"),
    (
        "open files",
        {"limits": lambda _: LIMITS.model_copy(update={"open_files_hard": 300})},
        "300 at most",
    ),
    (
        "memory",
        {"files": {"proc/meminfo": "MemTotal: 800000 kB\nMemAvailable: 80000 kB\n"}},
        "78.1 MiB of 781 MiB",
    ),
    ("folders", {"file_system": made.disk(1_000_000, "tmpfs")}, "/runs: 1.00 MB free"),
    ("folders", {"folders": lambda _: [made.folder(can_write=False)]}, "/data: not writable"),
]


@pytest.mark.parametrize(("name", "given", "read"), STOPPING, ids=[row[2] for row in STOPPING])
def test_missing_essentials_stop_runs(
    tmp_path: Path, name: str, given: dict[str, Any], read: str
) -> None:
    outcome = run_check(name, tmp_path, **given)
    assert outcome.verdict == "missing"
    assert outcome.stops_runs
    assert read in outcome.read
    assert outcome.fixes


def test_a_controller_that_is_not_delegated_is_named(tmp_path: Path) -> None:
    def groups(needed: frozenset[str]) -> int:
        if "io" in needed:
            raise MachineLimitError("no io")
        return 2

    outcome = run_check("control groups", tmp_path, groups=groups)
    assert (outcome.verdict, outcome.read) == ("limited", "version 2, without io")


def test_a_clock_that_runs_backwards_is_reported(tmp_path: Path) -> None:
    readings = itertools.cycle([100, 200, 150])
    outcome = run_check("clock", tmp_path, clock_ns=lambda: next(readings))
    assert outcome.verdict == "limited"
    assert outcome.read.endswith("runs backwards")


def test_a_faster_clock_that_the_kernel_offers_is_suggested(tmp_path: Path) -> None:
    files: dict[str, str | None] = {f"{CLOCK}/current_clocksource": "hpet\n"}
    outcome = run_check("clock", tmp_path, files, clock_ns=made.clock(3000))
    assert outcome.fixes == (f"echo tsc | sudo tee /{CLOCK}/current_clocksource",)


def test_ports_are_free_again_sooner_where_the_kernel_reuses_them(tmp_path: Path) -> None:
    outcome = run_check("local ports", tmp_path, {"proc/sys/net/ipv4/tcp_tw_reuse": "1\n"})
    assert outcome.read == "28,232 users and 28,232 new connections/s to one address"


def test_headcount_itself_is_not_a_neighbour(tmp_path: Path) -> None:
    own = itertools.chain([0.0], itertools.repeat(0.6))
    stats = [made.stat(1000, 5000, 0), made.stat(1060, 5040, 0)]
    outcome = run_check("neighbours", tmp_path, stats=stats, own_cpu_s=lambda: next(own))
    assert outcome.verdict == "ok"
    assert outcome.read == "other programs use 0% of the CPUs"


def test_busy_neighbours_are_named(tmp_path: Path) -> None:
    fields = "S 1 7 7 0 -1 0 0 0 0 0 {ticks} 0 0 0 20 0 1 0 5 0 1 " + "0 " * 30
    files: dict[str, str | None] = {"proc/7/stat": f"7 (cc (1)) {fields.format(ticks=100)}"}
    given = machine(tmp_path, files, clock_ns=made.seconds(0, 1, 1, 2))
    assert given.window is not None
    (tmp_path / "proc/7/stat").write_text(f"7 (cc (1)) {fields.format(ticks=250)}")
    assert dict(given.moment.programs) == {"cc (1)": pytest.approx(0.75)}


def test_figures_of_plain_runs_are_those_of_the_search_and_its_workload() -> None:
    data = workloads.load("app-server").data
    assert data is not None
    assert size_bytes(data.file_size) == space.USER_BYTES
    assert Settings().start_users == space.START_USERS


def test_each_kind_of_folder_has_its_own_floor(tmp_path: Path) -> None:
    sizes = {"/data": 500 * GB, "/runs": 150_000_000}

    def file_system(path: Path) -> FileSystem:
        return FileSystem(path=str(path), kind="ext4", free_bytes=sizes[str(path)])

    outcome = run_check("folders", tmp_path, file_system=file_system)
    assert (outcome.verdict, outcome.read) == ("limited", "runs in /runs: 150 MB free")
    assert LAB not in outcome.read


def test_a_folder_that_can_be_made_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert can_write(tmp_path / "new" / "folder")
    assert not can_write(tmp_path / "file")
    assert not can_write(Path("/proc/headcount"))


def fixes(name: str, root: Path, files: dict[str, str | None], uid: int) -> Sequence[str]:
    refused: dict[str, Any] = {
        "real_time": lambda: made.granting(False),
        "limits": lambda _: LIMITS.model_copy(update={"open_files_hard": 1024}),
    }
    return run_check(name, root, files, uid=uid, **refused).fixes


@pytest.mark.parametrize(
    ("name", "uid", "fix"),
    [
        ("real-time policy", 0, "start the container with --cap-add SYS_NICE"),
        ("real-time policy", 1000, "start the container with --ulimit rtprio=1"),
        ("open files", 0, "start the container with --ulimit nofile=65536"),
    ],
)
def test_a_container_is_fixed_where_it_is_started(
    tmp_path: Path, name: str, uid: int, fix: str
) -> None:
    assert fixes(name, tmp_path, CONTAINER, uid) == (fix,)
