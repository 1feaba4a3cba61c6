"""Computes the capacities of the simulated servers by long pooled simulation.

The capacity is the number of users at which the long-run share of slow or refused requests is the
allowed one. A first look brackets it. Then many independent runs of 600 s at nine numbers of users,
4 % and more to either side, are pooled, a parabola in ln(users) fitted to logit(share) and solved;
the standard error is from ten groups of the runs. Where the share jumps between two neighbouring
numbers, the capacity is the lower one. A system that leaks is looked at twice: `per_s` is the
change of ln(users) a second.
"""

import json
import math
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from bench.search.capacity import DATA
from headcount._engine import SimulatedServer

WARMUP_S: Mapping[str, float] = {"warm-up": 600.0, "newcomers": 900.0, "thaw": 600.0}
"""Where a minute does not reach the steady state."""
RUNS: Mapping[str, int] = {"noisy": 1_000, "bad-levels": 1_000, "metastable": 600, "huge": 10}
USUAL_RUNS = 200
LEAKS: Mapping[str, tuple[float, float]] = {"leak": (600.0, 3_000.0), "slow-leak": (600.0, 3_000.0)}
"""When a system that leaks is looked at, for a minute each."""
MEASURE_S, GROUPS, FIRST_RUNS = 600.0, 10, 4
CLOSE, JUMP, FEW_USERS = 1.002, 5.0, 50
PLACES = 9
OFFSET_LEAST, OFFSET_MOST = 0.04, 0.20


@dataclass(frozen=True)
class View:
    """How a system is looked at: after how long a time, and for how long."""

    system: str
    age_s: float = 0.0

    def run(self, users: int, seed: int) -> tuple[int, int]:
        """Bad and decided requests of one run."""
        server = SimulatedServer(self.system, seed)
        if self.age_s:
            server.users(1)
            server.run(self.age_s - 60.0)
        server.users(users)
        before = server.run(WARMUP_S.get(self.system, 60.0))
        done, late, _, after = server.measure(60.0 if self.age_s else MEASURE_S)
        return late + after - before, done + after - before

    def counts(self, users: int, seeds: range) -> np.ndarray:
        """Bad and decided requests of several runs, pooled."""
        with ThreadPoolExecutor() as pool:
            runs = list(pool.map(lambda seed: self.run(users, seed), seeds))
        found: np.ndarray = np.array(runs).sum(axis=0)
        return found

    def offset(self, users: float, runs: int) -> float:
        """The distance between numbers of users, in ln(users), at which the share differs."""
        ends = [round(users * math.exp(sign * OFFSET_LEAST)) for sign in (-1, 1)]
        if ends[0] == ends[1]:
            return OFFSET_LEAST
        counts = [self.counts(max(1, end), range(runs)) for end in ends]
        odds = [(bad + 1) / (decided - bad + 1) for bad, decided in counts]
        slope = math.log(odds[1] / odds[0]) / (2 * OFFSET_LEAST)
        return min(max(1 / max(slope, 1e-9), OFFSET_LEAST), OFFSET_MOST)

    def share(self, users: int) -> float:
        """A first look at the share of bad requests."""
        bad, decided = self.counts(users, range(FIRST_RUNS))
        return float(bad / max(decided, 1))


def bracket(view: View, allowed: float) -> tuple[int, int, bool]:
    """Close numbers of users between which the share passes the allowed one, and if it jumps."""
    low, high = 0, 1
    while view.share(high) <= allowed:
        low, high = high, 2 * high
    while high - low > 1 and high / max(low, 1) > CLOSE:
        middle = (low + high) // 2
        low, high = (middle, high) if view.share(middle) <= allowed else (low, middle)
    return low, high, low > FEW_USERS and _odds(view.share(high)) > JUMP * _odds(view.share(low))


def _odds(share: float) -> float:
    return (share + 1e-6) / (1 - share + 1e-6)


def root(shares: np.ndarray, users: np.ndarray, allowed: float) -> float:
    """Users at which the fitted share is the allowed one."""
    centre = math.log(users[len(users) // 2])
    x = np.log(users) - centre
    y = np.log(shares / (1 - shares)) - math.log(allowed / (1 - allowed))
    reach = 1.5 * float(np.abs(x).max())
    # Where noise bends the parabola away from the limit, the line still meets it.
    for degree in (2, 1):
        found = np.polynomial.Polynomial.fit(x, y, degree).roots()
        roots = [float(r.real) for r in found if abs(r.imag) < 1e-9 and abs(r.real) < reach]
        if roots:
            return math.exp(centre + min(roots, key=abs))
    raise ValueError(f"no limit near {users[len(users) // 2]} users")


def fitted(view: View, allowed: float, runs: int) -> tuple[float, float]:
    """Users at the limit, and the standard error from groups of runs."""
    low, high, jumps = bracket(view, allowed)
    if jumps:
        return float(low), (high - low) / 2
    centre = math.sqrt(max(low, 1) * high)
    offset = max(view.offset(centre, runs // GROUPS), 1.5 / centre)
    spread = np.exp(offset * np.linspace(-1, 1, PLACES))
    users = np.unique(np.maximum(1, np.round(centre * spread))).astype(int)
    each = max(1, runs // GROUPS)
    counts = np.array(
        [
            [view.counts(int(n), range(at, at + each)) for at in _starts(index, each)]
            for index, n in enumerate(users)
        ]
    )
    total = counts.sum(axis=1)
    # Half a request keeps the logarithm of a run without a slow one finite.
    estimate = root((total[:, 0] + 0.5) / (total[:, 1] + 1), users, allowed)
    groups = [
        root((counts[:, g, 0] + 0.5) / (counts[:, g, 1] + 1), users, allowed) for g in range(GROUPS)
    ]
    return estimate, float(np.std(groups, ddof=1) / math.sqrt(GROUPS))


def _starts(index: int, each: int) -> Sequence[int]:
    return [10**6 * (index + 1) + group * each for group in range(GROUPS)]


def compute(system: str, part: float) -> dict[str, float]:
    """The entry of one system; ``part`` of the usual runs."""
    allowed = SimulatedServer(system, 0).allowed
    runs = max(GROUPS, round(part * RUNS.get(system, USUAL_RUNS)))
    if system not in LEAKS:
        users, error = fitted(View(system), allowed, runs)
        return {"users": round(users, 2), "standard_error": round(error, 2)}
    # Half of the minute that is measured has passed in the mean, and all of the warm-up.
    times = [age_s + 30.0 for age_s in LEAKS[system]]
    found = [fitted(View(system, age_s), allowed, 5 * runs) for age_s in LEAKS[system]]
    per_s = math.log(found[1][0] / found[0][0]) / (times[1] - times[0])
    start = found[0][0] * math.exp(-per_s * times[0])
    return {
        "users": round(start, 2),
        "standard_error": round(found[0][1], 2),
        "per_s": round(per_s, 8),
    }


def truth(systems: Sequence[str], part: float, *, write: bool) -> None:
    """Prints the capacities; stores them if asked, beside those of the other systems."""
    known = json.loads(DATA.read_text("utf-8"))["systems"] if DATA.exists() else {}
    for system in systems:
        known[system] = compute(system, part)
        print(f"{system:14} {json.dumps(known[system])}", flush=True)
        if write:
            how = " ".join((__doc__ or "").split("\n\n")[1].split())
            content = {
                "computed_by": "python -m bench.search truth --write",
                "how": how,
                "systems": dict(sorted(known.items())),
            }
            DATA.write_text(json.dumps(content, indent=2) + "\n", "utf-8")
