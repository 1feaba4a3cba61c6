"""Linux's knobs: where they are, what is written to them, and what undoes it."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from tuned import MACHINES, candidates, knob

from headcount.errors import InputError
from headcount.tune.host import ThisHost
from headcount.tune.knobs.knob import Knob
from headcount.tune.knobs.library import of_server
from headcount.tune.servers.linux import Linux, device_of
from headcount.tune.values import Values

QUEUE = "/sys/block/sda/queue"
HUGE = "/sys/kernel/mm/transparent_hugepage"
FILES = {
    "/proc/sys/net/core/somaxconn": "4096\n",
    "/proc/sys/net/ipv4/tcp_rmem": "4096\t131072\t6291456\n",
    "/proc/sys/net/ipv4/ip_local_port_range": "32768\t60999\n",
    "/proc/sys/vm/dirty_bytes": "0\n",
    "/proc/sys/vm/dirty_ratio": "20\n",
    "/proc/sys/vm/dirty_background_bytes": "67108864\n",
    "/proc/sys/vm/dirty_background_ratio": "0\n",
    "/proc/sys/vm/swappiness": "10\n",
    f"{HUGE}/enabled": "always [madvise] never\n",
    f"{QUEUE}/scheduler": "[none] mq-deadline kyber bfq \n",
    f"{QUEUE}/read_ahead_kb": "128\n",
}


def k(name: str) -> Knob:
    return knob("linux", name)


class Files(ThisHost):
    """A machine with some files; others do not exist, and one may not be read."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self._files = files

    def read(self, path: str) -> bytes | None:
        if path.endswith("wbt_lat_usec"):
            raise InputError(f"cannot read {path}: Invalid argument")
        return self._files[path].encode() if path in self._files else None


@pytest.fixture
def linux() -> Linux:
    return Linux(Files(FILES), "sda")


@pytest.mark.parametrize(
    ("name", "value", "is_set"),
    [
        ("net.core.somaxconn", "4096", False),
        ("net.ipv4.tcp_rmem max", "6291456", False),
        ("net.ipv4.ip_local_port_range", "32768 60999", False),
        ("vm.swappiness", "10", True),
        ("vm.dirty_bytes", "0", False),
        ("vm.dirty_background_bytes", "67108864", True),
        ("transparent_hugepage/enabled", "madvise", False),
        ("block/scheduler", "none", False),
        ("block/read_ahead_kb", "128", False),
        ("block/nr_requests", None, False),
        ("block/wbt_lat_usec", None, False),
        ("kernel.numa_balancing", None, False),
    ],
)
def test_settings_are_read(linux: Linux, name: str, value: str | None, is_set: bool) -> None:
    setting = linux.setting(k(name))
    assert (setting.value, setting.is_set) == (value, is_set)
    assert (setting.place is not None) == is_set


def test_values_are_written_to_their_files(linux: Linux) -> None:
    changes = {
        k("net.core.somaxconn"): "65535",
        k("net.ipv4.tcp_rmem max"): "16777216",
        k("net.ipv4.ip_local_port_range"): "1024 65535",
        k("vm.dirty_bytes"): "536870912",
        k("transparent_hugepage/enabled"): "never",
        k("block/scheduler"): "mq-deadline",
    }
    assert linux.values(changes) == {
        "/proc/sys/net/core/somaxconn": "65535",
        "/proc/sys/net/ipv4/tcp_rmem": "4096\t131072\t16777216",
        "/proc/sys/net/ipv4/ip_local_port_range": "1024 65535",
        "/proc/sys/vm/dirty_bytes": "536870912",
        f"{HUGE}/enabled": "never",
        f"{QUEUE}/scheduler": "mq-deadline",
    }
    assert linux.paths(changes) == linux.values(changes).keys()
    less = linux.values({k("net.ipv4.tcp_rmem max"): "65536"})
    assert list(less.values()) == ["4096\t65536\t65536"]  # the usual size is at most the largest


def test_originals_undo_changes(linux: Linux) -> None:
    knobs = ["net.ipv4.tcp_rmem max", "vm.dirty_bytes", "vm.dirty_background_bytes"]
    knobs += ["transparent_hugepage/enabled", "block/scheduler", "block/nr_requests"]
    assert linux.originals(map(k, knobs)) == {
        "/proc/sys/net/ipv4/tcp_rmem": "4096\t131072\t6291456",
        "/proc/sys/vm/dirty_ratio": "20",  # 0 cannot be written to dirty_bytes
        "/proc/sys/vm/dirty_background_bytes": "67108864",
        f"{HUGE}/enabled": "madvise",
        f"{QUEUE}/scheduler": "none",
    }


def test_the_scheduler_is_put_back_before_what_it_resets() -> None:
    files = {**FILES, f"{QUEUE}/nr_requests": "64\n"}
    found = Linux(Files(files), "sda").originals(
        map(k, ["block/nr_requests", "vm.swappiness", "block/scheduler"])
    )
    assert list(found.items()) == [
        (f"{QUEUE}/scheduler", "none"),
        (f"{QUEUE}/nr_requests", "64"),
        ("/proc/sys/vm/swappiness", "10"),
    ]


def test_originals_are_those_of_the_beginning() -> None:
    files = dict(FILES)
    linux = Linux(Files(files), "sda")
    before = linux.originals([k("vm.dirty_bytes"), k("vm.swappiness")])
    files |= {"/proc/sys/vm/dirty_bytes": "536870912\n", "/proc/sys/vm/dirty_ratio": "0\n"}
    assert linux.originals([k("vm.dirty_bytes"), k("vm.swappiness")]) == before


def test_knobs_that_this_machine_lacks_are_refused(linux: Linux) -> None:
    for one in (k("block/nr_requests"), k("kernel.numa_balancing")):
        with pytest.raises(InputError, match=f"no {one.name}"):
            linux.values({one: "1"})
    diskless = Linux(Files(FILES))
    assert diskless.setting(k("block/read_ahead_kb")).value is None
    assert diskless.originals([k("block/read_ahead_kb")]) == {}
    assert diskless.paths([k("block/read_ahead_kb"), k("vm.swappiness")]) == {
        "/proc/sys/vm/swappiness"
    }


def test_the_disk_of_a_folder_is_found(tmp_path: Path) -> None:
    host = ThisHost()
    device = device_of(host, str(tmp_path))
    assert device is None or Path(f"/sys/block/{device}/queue").is_dir()
    assert device_of(host, "/proc") is None
    assert device_of(host, "/no/such/folder") is None


def test_all_knobs_are_where_a_kernel_has_them(tmp_path: Path) -> None:
    """This only reads, and leaves out what a kernel may be built without."""
    linux = Linux(ThisHost(), device_of(ThisHost(), str(tmp_path)))
    for one in of_server("linux").knob:
        path, value = linux.path(one.name), linux.setting(one).value
        if one.name.startswith(("net.", "vm.", "fs.")) and Path("/proc/sys/net/core").exists():
            assert path is not None
            assert Path(path).exists() or one.name in ("net.core.busy_poll", "net.core.busy_read")
        if value is not None and one.is_number:
            assert int(value) >= 0
        if path is not None and Path(path).exists() and "[" in (text := _text(path)):
            choices = set(text.replace("[", " ").replace("]", " ").split())
            assert choices & set(one.words), one.name


def _text(path: str) -> str:
    try:
        return Path(path).read_text("ascii")
    except OSError:
        return ""


def test_all_formulas_can_be_computed() -> None:
    for one in of_server("linux").knob:
        for names in MACHINES:
            values = Values(one, None, names)
            assert values.bounds is None or values.bounds[0] <= values.bounds[1]
            assert all(values.rules)


IN_NAMESPACE = """
import json, os, sys
from headcount.tune.host import ThisHost
from headcount.tune.knobs.library import of_server
from headcount.tune.servers.linux import Linux

cases = json.loads(sys.argv[1])
knobs = {one.name: one for one in of_server("linux").knob}
host, found, missing = ThisHost(), 0, []
for name, values in cases.items():
    linux = Linux(host)
    one = knobs[name]
    path = linux.path(name)
    if not os.access(path, os.W_OK):  # the machine's, which a namespace only sees, if at all
        missing.append(name)
        continue
    if one.default:
        assert linux.setting(one).value in (one.default, *one.shipped, *one.words), name
    before = linux.originals([one])
    if name == "net.ipv4.tcp_congestion_control":  # a namespace has only these
        values = open("/proc/sys/net/ipv4/tcp_allowed_congestion_control").read().split()
    for value in values:
        for path, text in linux.values({one: value}).items():
            host.write(path, f"{text}\\n".encode())
        assert Linux(host).setting(one).value == value, (name, value)
        found += 1
    for path, text in before.items():
        host.write(path, f"{text}\\n".encode())
    assert Linux(host).originals([one]) == before, name
print(json.dumps([found, missing]))
"""


if os.geteuid() == 0:

    def test_the_kernel_takes_all_values_of_a_network_namespace() -> None:
        """In one of its own, which ends with the test: settings of this machine stay."""
        cases = {
            one.name: candidates(one)
            for one in of_server("linux").knob
            if one.name.startswith("net.")
        }
        done = subprocess.run(
            ["unshare", "-n", sys.executable, "-c", IN_NAMESPACE, json.dumps(cases)],
            check=False,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr
        found, missing = json.loads(done.stdout)
        assert found > 20
        assert {"net.ipv4.tcp_rmem max", "net.core.somaxconn"}.isdisjoint(missing)
