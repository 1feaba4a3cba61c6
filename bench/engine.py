"""What the engine itself costs: a null step, a thinking user, the punctuality of timers."""

from bench.example import build, engine_cost
from bench.figure import Figure
from bench.machine import urgent

STEP_US = 1.0
LATENESS_MS = 2.0
USER_KIB = 2.0
SHARE = 0.1


def steps() -> list[Figure]:
    """CPU for a null step without think time, including all that its scenario costs."""
    program = build("null", "engine_cost")
    figures = []
    for length in (1, 14, 1000):
        measured = engine_cost(program, f"busy-{length}", [])
        name = f"null step, all costs, in scenarios of {length:,}"
        figures.append(Figure("step", name, measured["cpu_us_per_step"], "µs CPU", STEP_US))
    return figures


def users() -> list[Figure]:
    """Memory, punctuality and CPU of users who mostly think, on one worker."""
    program, prefix = build("null", "engine_cost"), urgent()
    policy = "real-time" if prefix else "ordinary policy"
    machine = engine_cost(program, "machine", prefix)
    many = engine_cost(program, "thinking-100000", prefix)
    few = engine_cost(program, "thinking-23000", prefix)

    def figure(name: str, value: float, unit: str, target: float | None = None) -> Figure:
        return Figure("users", name, value, unit, target)

    late_ms = many["lateness_p99_us"] / 1e3
    floor_ms = machine["lateness_p99_us"] / 1e3
    floor_us = machine["cpu_us_per_scenario"]
    return [
        figure(f"lateness p99, 1,000 users at 0.5/s ({policy})", floor_ms, "ms"),
        figure("one waking, the same", floor_us, "µs CPU"),
        figure("lateness p99, 100,000 users at 0.23/s", late_ms, "ms", LATENESS_MS),
        Figure("users", "  the same", late_ms, "ms", floor_ms, "1,000 users"),
        figure("worst lateness, the same", many["lateness_max_us"] / 1e3, "ms"),
        figure("resident memory, the same", many["bytes_per_user"] / 1024, "KiB/user", USER_KIB),
        figure("CPU, the same", many["cpu_share_of_a_core"], "of a core", 1.0),
        figure(
            "CPU, 23,000 users at 0.233/s, 14 steps",
            few["cpu_share_of_a_core"],
            "of a core",
            SHARE,
        ),
        figure("lateness p99, the same", few["lateness_p99_us"] / 1e3, "ms", LATENESS_MS),
    ]
