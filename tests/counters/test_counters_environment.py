"""The environment disclosure: on this machine, on one made of files, and on one without any."""

import os
import platform
import resource
import shutil
from pathlib import Path

import counters_machine as machine
import pytest

from headcount.counters.environment import Environment, describe_host
from headcount.counters.environment.filesystem import parse_mounts
from headcount.counters.environment.limits import parse_groups

CPUINFO = "".join(
    f"processor\t: {cpu}\nmodel name\t: Example CPU @ 2.00GHz\ncpu MHz\t\t: 2000.500\n"
    "microcode\t: 0x1\nflags\t\t: fpu vme hypervisor\n\n"
    for cpu in range(8)
)


def make_machine(root: Path) -> None:
    """Make a machine of 2 packages, 2 cores each, 2 threads a core."""
    cpu = "sys/devices/system/cpu"
    files = {
        "proc/cpuinfo": CPUINFO,
        "proc/cmdline": "root=/dev/sda1 mitigations=off password=hunter2\n",
        "proc/meminfo": "MemTotal: 1000 kB\nSwapTotal: 500 kB\n",
        "proc/sys/net/core/somaxconn": "4096\n",
        "proc/sys/net/ipv4/ip_local_port_range": "32768\t60999\n",
        "proc/self/cgroup": "3:cpu,cpuacct:/lab/inner\n2:memory:/lab\n0::/\n",
        "etc/os-release": 'NAME="Example"\nPRETTY_NAME="Example Linux 9"\n',
        "sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never\n",
        "sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc\n",
        f"{cpu}/cpu0/cpufreq/scaling_governor": "performance\n",
        f"{cpu}/cpu0/cpufreq/cpuinfo_max_freq": "3500000\n",
        f"{cpu}/vulnerabilities/meltdown": "Not affected\n",
        f"{cpu}/vulnerabilities/spectre_v2": "Vulnerable\n",
        "sys/block/sda/size": "2097152\n",
        "sys/block/sda/queue/rotational": "1\n",
        "sys/block/sda/queue/scheduler": "none [mq-deadline] kyber\n",
        "sys/block/sda/device/model": "EXAMPLE DISK   \n",
        "sys/block/loop0/size": "0\n",
        "sys/class/net/eth0/mtu": "9000\n",
        "sys/class/net/eth0/speed": "10000\n",
        "sys/class/net/eth0/operstate": "up\n",
        "sys/class/net/tun0/mtu": "1500\n",
        "sys/class/net/tun0/speed": "-1\n",
        "sys/class/net/bonding_masters": "bond0\n",
        "sys/class/dmi/id/sys_vendor": "Example Inc.\n",
        "run/systemd/container": "lxc\n",
    }
    for number in range(8):
        topology = f"{cpu}/cpu{number}/topology"
        files[f"{topology}/physical_package_id"] = f"{number // 4}\n"
        files[f"{topology}/core_id"] = f"{number // 2 % 2}\n"
    machine.write(root, files | machine.cgroup_v1(0))
    (root / "sys/devices/driver-ixgbe").mkdir()
    (root / "sys/class/net/eth0/device").mkdir()
    (root / "sys/class/net/eth0/device/driver").symlink_to("../../../../devices/driver-ixgbe")


def test_a_machine_that_has_everything(tmp_path: Path) -> None:
    make_machine(tmp_path)
    host = describe_host("1.2.3", root=tmp_path)
    cpu = host.cpu
    assert (cpu.logical, cpu.sockets, cpu.cores, cpu.threads_per_core) == (8, 2, 4, 2)
    assert (cpu.model, cpu.mhz, cpu.max_mhz) == ("Example CPU @ 2.00GHz", 2000.5, 3500)
    assert cpu.governor == "performance"
    assert cpu.vulnerabilities == {"spectre_v2": "Vulnerable"}
    assert (host.memory_bytes, host.swap_bytes) == (1000 * 1024, 500 * 1024)
    (disk,) = host.disks
    assert (disk.name, disk.model, disk.size_bytes) == ("sda", "EXAMPLE DISK", 2**30)
    assert (disk.rotational, disk.scheduler) == (True, "mq-deadline")
    interfaces = {one.name: one for one in host.interfaces}
    assert set(interfaces) == {"eth0", "tun0"}
    assert (interfaces["eth0"].speed_mbit_s, interfaces["eth0"].driver) == (10000, "driver-ixgbe")
    assert interfaces["tun0"].speed_mbit_s is None
    assert host.kernel.mitigations == "off"
    assert host.kernel.transparent_hugepages == "madvise"
    assert host.kernel.settings["net.core.somaxconn"] == "4096"
    assert host.kernel.settings["net.ipv4.ip_local_port_range"] == "32768 60999"
    assert host.kernel.settings["vm.swappiness"] is None
    assert (host.operating_system, host.clock_source) == ("Example Linux 9", "tsc")
    assert (host.virtual.hypervisor_flag, host.virtual.container) == (True, "lxc")
    assert host.virtual.vendor == "Example Inc."
    # The limit is of the group above the process's own.
    assert (host.limits.cpu_limit, host.limits.memory_limit_bytes) == (0.5, 2097152)


def test_no_other_boot_parameter_and_no_environment_variable_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_machine(tmp_path)
    monkeypatch.setenv("HEADCOUNT_PASSWORD", "correct-horse-battery")
    shown = describe_host("1.2.3", root=tmp_path).model_dump_json()
    assert "hunter2" not in shown
    assert "correct-horse-battery" not in shown


def test_a_machine_without_any_of_the_files(tmp_path: Path) -> None:
    host = describe_host("1.2.3", [tmp_path / "nowhere"], root=tmp_path / "empty")
    assert host.cpu.model is None
    assert host.cpu.vulnerabilities is None
    assert host.memory_bytes is None
    assert host.disks == host.interfaces == ()
    assert host.operating_system is None
    assert set(host.kernel.settings.values()) == {None}
    assert host.file_systems[0].mount_point is None


def test_this_machine_as_the_system_library_sees_it(tmp_path: Path) -> None:
    host = describe_host("1.2.3", [tmp_path / "not" / "there"])
    assert host.hostname == platform.node()
    assert host.cpu.logical == os.sysconf("SC_NPROCESSORS_ONLN")
    assert host.memory_bytes == os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert host.kernel.release == platform.release()
    assert host.limits.usable_cpus == len(os.sched_getaffinity(0))
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    assert host.limits.open_files_soft == (None if soft == resource.RLIM_INFINITY else soft)
    (held,) = host.file_systems
    assert held.path == str(tmp_path / "not" / "there")
    assert held.size_bytes == shutil.disk_usage(tmp_path).total
    assert held.mount_point is not None
    assert tmp_path.is_relative_to(held.mount_point)
    assert os.path.ismount(held.mount_point)
    assert Environment.model_validate_json(host.model_dump_json()) == host


def test_mounts_are_shown_without_names_and_secrets() -> None:
    text = (
        "36 35 98:0 / /mnt/my\\040data rw,noatime shared:1 - cifs //ann:pw@server/share "
        "rw,vers=3.1.1,username=ann,password2=pw,cache=strict\n"
        "22 27 0:21 / /proc rw,relatime - proc proc rw\n"
        "broken line\n"
    )
    share, proc = parse_mounts(text)
    assert share.mount_point == "/mnt/my data"
    assert share.device == "//server/share"
    assert share.options == ("rw", "noatime", "vers=3.1.1", "cache=strict")
    assert (proc.kind, proc.options) == ("proc", ("rw", "relatime"))


def test_groups_of_either_version() -> None:
    text = "4:memory:/a:b\n2:cpu,cpuacct:/lab\n1:name=systemd:/x\n0::/user.slice\n"
    assert parse_groups(text) == {
        "memory": "/a:b",
        "cpu": "/lab",
        "cpuacct": "/lab",
        "name=systemd": "/x",
        "unified": "/user.slice",
    }
