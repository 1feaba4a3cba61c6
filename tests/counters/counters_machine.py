"""A machine made of files: /proc and /sys of two moments, with every figure known."""

from pathlib import Path

PID = 4242
THREAD = 4243


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def host(moment: int) -> dict[str, str]:
    """Everything a sample of the host reads, at moment 0 or 1 (one second later)."""
    m = moment
    return {
        "proc/stat": (
            f"cpu  {1000 + 60 * m} 5 {500 + 30 * m} {9000 + 100 * m} 40 3 {7 + 10 * m} 0 0 0\n"
            f"cpu0 {700 + 60 * m} 5 {250 + 30 * m} {4500} 20 3 {7 + 10 * m} 0 0 0\n"
            f"cpu1 300 0 250 {4500 + 100 * m} 20 0 0 0 0 0\n"
            f"intr 99 1 2 3\nctxt {5000 + 700 * m}\nbtime 1\nprocesses 7\n"
            "procs_running 3\nprocs_blocked 2\nsoftirq 1 2 3\n"
        ),
        "proc/loadavg": "2.50 1.10 0.60 3/200 4242\n",
        "proc/uptime": f"{1000 + m}.00 1500.00\n",
        "proc/meminfo": (
            "MemTotal:        8000 kB\nMemFree:         1000 kB\nMemAvailable:    2000 kB\n"
            "Buffers:          100 kB\nCached:           800 kB\nSReclaimable:     100 kB\n"
            "Dirty:             12 kB\nWriteback:          3 kB\n"
            "SwapTotal:       4000 kB\nSwapFree:        3000 kB\nHugePages_Total:    0\n"
        ),
        "proc/vmstat": (
            f"nr_free_pages 250\npgfault {900 + 50 * m}\npgmajfault {90 + 5 * m}\n"
            f"pswpin {10 + 2 * m}\npswpout {20 + 3 * m}\n"
            f"workingset_refault_anon {m}\nworkingset_refault_file {30 + 9 * m}\n"
        ),
        "proc/diskstats": (
            f" 254 0 vda {100 + 10 * m} 0 {800 + 80 * m} {50 + 40 * m} {200 + 30 * m} 0 "
            f"{1600 + 60 * m} {90 + 20 * m} 0 {300 + 500 * m} {140 + 60 * m} 0 0 0 0 0 0\n"
            " 254 1 vda1 90 0 700 40 100 0 900 80 0 200 120 0 0 0 0 0 0\n"
            "   7 0 loop0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
        ),
        "proc/net/dev": (
            "Inter-|   Receive                                                |  Transmit\n"
            " face |bytes    packets errs drop fifo frame compressed multicast|bytes ...\n"
            f"    lo: {100 + 7 * m} 1 0 0 0 0 0 0 {100 + 7 * m} 1 0 0 0 0 0 0\n"
            f"  eth0:{4000 + 600 * m} {40 + 6 * m} {m} 0 0 0 0 0 "
            f"{8000 + 900 * m} {80 + 9 * m} 0 {2 * m} 0 0 0 0\n"
        ),
        "proc/net/snmp": (
            f"Tcp: RtoAlgorithm MaxConn CurrEstab RetransSegs\nTcp: 1 -1 11 {20 + 4 * m}\n"
        ),
        "proc/net/netstat": (
            "TcpExt: SyncookiesSent ListenOverflows ListenDrops\n"
            f"TcpExt: 0 {1 + 2 * m} {1 + 3 * m}\n"
            "IpExt: InNoRoutes\nIpExt: 0\n"
        ),
        **{f"proc/pressure/{name}": stalls(m) for name in ("cpu", "io", "memory")},
        "sys/block/vda/device/type": "0\n",
        "sys/block/loop0/size": "0\n",
        "sys/class/net/eth0/device/vendor": "0x1af4\n",
        "sys/class/net/lo/mtu": "65536\n",
    }


def stalls(m: int) -> str:
    return (
        f"some avg10=1.00 avg60=1.00 avg300=1.00 total={1_000_000 + 250_000 * m}\n"
        f"full avg10=0.00 avg60=0.00 avg300=0.00 total={500_000 + 100_000 * m}\n"
    )


def process(m: int) -> dict[str, str]:
    """One process of two threads, its name full of brackets and blanks."""
    tail = " ".join(["0"] * 20)
    folder = f"proc/{PID}"
    return {
        f"{folder}/stat": (
            f"{PID} (a) b (c) S 1 1 1 0 -1 0 {600 + 20 * m} 0 {8 + 2 * m} 0 "
            f"{100 + 30 * m} {50 + 10 * m} 0 0 20 0 2 0 5000 99999999 250 {tail}\n"
        ),
        f"{folder}/io": (
            f"rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: {4096 + 8192 * m}\n"
            f"write_bytes: {1024 * m}\ncancelled_write_bytes: 0\n"
        ),
        f"{folder}/limits": "Max open files            1024   4096   files\n",
        f"{folder}/fd/0": "",
        f"{folder}/fd/1": "",
        f"{folder}/smaps_rollup": "0-1 ---p 0 00:00 0 [rollup]\nRss: 1000 kB\nPss: 600 kB\n",
        f"{folder}/task/{PID}/schedstat": f"{300_000_000 * m + 7} {50_000_000 * m} {9 + 4 * m}\n",
        f"{folder}/task/{PID}/children": "",
        f"{folder}/task/{THREAD}/schedstat": f"{10**8 * m + 7} {50_000_000 * m} {9 + 6 * m}\n",
        f"{folder}/task/{THREAD}/children": "",
    }


def cgroup_v2(m: int, group: str = "lab") -> dict[str, str]:
    folder = f"sys/fs/cgroup/{group}"
    return {
        "sys/fs/cgroup/cgroup.controllers": "cpu io memory\n",
        f"{folder}/cpu.stat": (
            f"usage_usec {3_000_000 + 400_000 * m}\nuser_usec 1\nsystem_usec 1\n"
            f"nr_periods {100 + 10 * m}\nnr_throttled {50 + 8 * m}\n"
            f"throttled_usec {700_000 + 600_000 * m}\n"
        ),
        f"{folder}/cpu.max": "50000 100000\n",
        f"{folder}/memory.current": "1048576\n",
        f"{folder}/memory.max": "2097152\n",
        f"{folder}/memory.events": f"low 0\nhigh 0\nmax {5 + 3 * m}\noom 0\noom_kill {4 + m}\n",
        f"{folder}/memory.stat": (
            f"anon 1\npgmajfault {7 + 2 * m}\nworkingset_refault_anon 0\n"
            f"workingset_refault_file {100 + 20 * m}\n"
        ),
        **{f"{folder}/{name}.pressure": stalls(m) for name in ("cpu", "io", "memory")},
    }


def cgroup_v1(m: int, group: str = "lab") -> dict[str, str]:
    """Version 1 controllers with version 2 beside them for pressure, as on hybrid machines."""
    root = "sys/fs/cgroup"
    return {
        f"{root}/cpuacct/{group}/cpuacct.usage": f"{3_000_000_000 + 400_000_000 * m}\n",
        f"{root}/cpu/{group}/cpu.stat": (
            f"nr_periods {100 + 10 * m}\nnr_throttled {50 + 8 * m}\n"
            f"throttled_time {700_000_000 + 600_000_000 * m}\n"
        ),
        f"{root}/cpu/{group}/cpu.cfs_quota_us": "50000\n",
        f"{root}/cpu/{group}/cpu.cfs_period_us": "100000\n",
        f"{root}/memory/{group}/memory.usage_in_bytes": "1048576\n",
        f"{root}/memory/{group}/memory.limit_in_bytes": "2097152\n",
        f"{root}/memory/{group}/memory.failcnt": f"{5 + 3 * m}\n",
        f"{root}/memory/{group}/memory.oom_control": (
            f"oom_kill_disable 0\nunder_oom 0\noom_kill {4 + m}\n"
        ),
        f"{root}/memory/{group}/memory.stat": (
            "pgmajfault 0\nworkingset_refault_file 0\n"
            f"total_pgmajfault {7 + 2 * m}\ntotal_workingset_refault_anon 0\n"
            f"total_workingset_refault_file {100 + 20 * m}\n"
        ),
        f"{root}/unified/cgroup.controllers": "hugetlb\n",
        **{
            f"{root}/unified/{group}/{name}.pressure": stalls(m) for name in ("cpu", "io", "memory")
        },
    }


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s
