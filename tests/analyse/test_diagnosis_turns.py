"""Limits that take turns, each active in some of the seconds."""

from diagnosis_levels import QUIET, Server, seconds

from headcount.analyse.diagnosis.diagnose import of_levels
from headcount.bundle.level import CounterSummary, LevelResult

IO = "cgroup.pressure{resource=io,kind=some}"
READ = "process.disk.io{disk.io.direction=read}"


def test_limits_that_take_turns_are_joint() -> None:
    levels = Server(loud={IO: 0.5, READ: 2e7, "cgroup.cpu.throttled": 0.45}, quiet=QUIET).levels()
    measured = seconds(levels, 0.01)
    for number, second in enumerate(measured):
        sut = second["counters"]["sut"]
        full = levels[second["level"] - 1].counters["sut"][IO].mean / 0.5
        first = number % 10 < 5
        sut[IO] = full * (0.95 if first else 0.05)
        sut["cgroup.cpu.throttled"] = full * (0.0 if first else 0.9)
    found = of_levels(levels, measured)
    assert found is not None
    assert {found.limit, *(other.limit for other in found.joint)} == {"cpu", "disk"}
    assert any("in turns" in doubt for doubt in found.doubts)


def test_a_cpu_and_a_lock_that_take_turns_are_joint() -> None:
    busy = {"system.cpu.utilization": 0.5, "process.cpu.utilization": 1.0}
    process = {"process.cpu.busiest_process": 0.96, "process.cpu.busiest_thread": 0.45}
    levels = [
        one.model_copy(update={"counters": {**one.counters, "sut": _peaking(one)}})
        for one in Server(loud={**busy, **process}, quiet=QUIET).levels()
    ]
    measured = seconds(levels, 0.01)
    for number, second in enumerate(measured):
        sut, computes = second["counters"]["sut"], number % 10 < 5
        sut["system.cpu.logical.count"] = 2.0
        sut["system.cpu.utilization"] = 1.0 if computes else 0.03
        sut["process.cpu.utilization"] = 1.95 if computes else 0.03
        sut["process.cpu.busiest_process"] = sut["process.cpu.utilization"]
    found = of_levels(levels, measured)
    assert found is not None
    assert (found.limit, [other.limit for other in found.joint]) == ("cpu", ["lock"])
    assert any("in turns" in doubt for doubt in found.doubts)


def _peaking(level: LevelResult) -> dict[str, CounterSummary]:
    """The counters of a level in which a process used two cores in some of the seconds."""
    counters = dict(level.counters["sut"])
    for name in ("process.cpu.busiest_process", "process.cpu.utilization"):
        if name in counters:
            counters[name] = counters[name].model_copy(update={"p95": 1.9, "max": 1.95})
    counters["system.cpu.logical.count"] = CounterSummary(mean=2.0, max=2.0, p95=2.0, samples=30)
    return counters
