"""What home-folders sends over the wire, worked out from its file and the specification alone.

The oracle of the counts of commands: it reads the TOML itself and knows no code of Headcount's.
"""

import math
import tomllib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import NormalDist
from typing import Any

WORKLOAD = Path(__file__).parents[1] / "python" / "headcount" / "workloads" / "home-folders.toml"
PUBLISHED = {
    "CREATE": 0.22,
    "CLOSE": 0.19,
    "READ": 0.14,
    "QUERY_INFO": 0.13,
    "QUERY_DIRECTORY": 0.10,
    "WRITE": 0.07,
    "IOCTL": 0.04,
    "SESSION_SETUP": 0.03,
    "TREE_CONNECT": 0.02,
}
"""The shares of FSCT's commands, as published (Nutanix technical note of 2025, section 7)."""
CHUNK_BYTES = 65_536
"""What a read or write asks for at a time, unless its step says otherwise."""
FIXED: dict[str, dict[str, int]] = {
    # Two shares are left behind: that of the files, and the one for questions to the server.
    "logon": {"LOGOFF": 1, "TREE_DISCONNECT": 2, "NEGOTIATE": 1, "SESSION_SETUP": 2},
    "tree-connect": {"TREE_CONNECT": 1},
    "open": {"CREATE": 1},
    "probe": {"CREATE": 1},
    "close": {"CLOSE": 1},
    "stat": {"QUERY_INFO": 1},
    "rename": {"SET_INFO": 1},
    "delete": {"SET_INFO": 1},
    "set-times": {"SET_INFO": 1},
    "lock": {"LOCK": 1},
    "flush": {"FLUSH": 1},
}
"""Commands of operations that are always the same (MS-SMB2 2.2)."""


@dataclass(frozen=True)
class Sent:
    """What one scenario sends.

    `fixed` does not depend on sizes; `whole` is how many times a whole file is read or written, and
    `bytes` how much the others move.
    """

    weight: float
    fixed: Counter[str]
    whole: Counter[str]
    bytes: Counter[str]


def workload() -> dict[str, Any]:
    return tomllib.loads(WORKLOAD.read_text("utf-8"))


def scenarios() -> dict[str, Sent]:
    """Each scenario's commands by its name."""
    return {scenario["name"]: _sent(scenario) for scenario in workload()["scenarios"]}


def _sent(scenario: dict[str, Any]) -> Sent:
    sent = Sent(scenario["weight"], Counter(), Counter(), Counter())
    for step in scenario["steps"]:
        op = step["op"]
        if op in ("read", "write"):
            if "bytes" in step:
                sent.fixed[op.upper()] += math.ceil(step["bytes"] / CHUNK_BYTES)
                sent.bytes[op.upper()] += step["bytes"]
            else:
                sent.whole[op.upper()] += 1
        elif op == "list":
            # To the end: once more than there is something, and these folders fit into one answer.
            sent.fixed["QUERY_DIRECTORY"] += 1 if step.get("once") else 2
        elif op == "ioctl":
            sent.fixed["IOCTL"] += 1
            # The first question to the server connects the share for them.
            sent.fixed["TREE_CONNECT"] += step["control"] == "network-interfaces"
        else:
            sent.fixed.update(FIXED[op])
    return sent


def sizes(steps: int = 20_000) -> list[int]:
    """Sizes at evenly spaced quantiles of the distribution that the workload names."""
    tree = workload()["tree"]
    median, most = _bytes(tree["median_size"]), _bytes(tree["most_size"])
    normal = NormalDist()
    exact = (
        median * math.exp(tree["sigma"] * normal.inv_cdf((step + 0.5) / steps))
        for step in range(steps)
    )
    return [min(math.ceil(size / 4096) * 4096, most) for size in exact]


def _bytes(text: str) -> int:
    units = {"KiB": 1 << 10, "MiB": 1 << 20}
    return int(text[:-3]) * units[text[-3:]]


def chunks(size: int) -> int:
    return math.ceil(size / CHUNK_BYTES)


def mean(of: Callable[[int], float]) -> float:
    """The mean of something over all sizes."""
    found = [of(size) for size in sizes()]
    return sum(found) / len(found)


@dataclass(frozen=True)
class Mix:
    """The shares of commands in the long run, and how far those of `n` scenarios may be off."""

    shares: dict[str, float]
    commands: float
    """Commands of a scenario, on average."""
    _deviations: dict[str, float]

    def deviation(self, command: str, n: int) -> float:
        """The standard deviation of a share in `n` scenarios."""
        return self._deviations[command] / math.sqrt(n)


def mix() -> Mix:
    """The mix that the weights and sizes give.

    A share is a ratio of two sums over scenarios, each drawn by itself: the commands of one kind,
    and all. Its deviation is that of the ratio estimator (Cochran, Sampling Techniques, 1977,
    equation 2.46): that of (kind - share x all) for one scenario, by the mean of all.
    """
    first, second = mean(chunks), mean(lambda size: chunks(size) ** 2)
    weighed = list(scenarios().values())
    weights = sum(sent.weight for sent in weighed)
    counts: Counter[str] = Counter()
    for sent in weighed:
        for command, number in sent.fixed.items():
            counts[command] += number * sent.weight / weights  # type: ignore[assignment]
        for command, number in sent.whole.items():
            counts[command] += number * first * sent.weight / weights  # type: ignore[assignment]
    commands = sum(counts.values())
    shares = {command: number / commands for command, number in counts.items()}
    deviations = {}
    for command, share in shares.items():
        variance = 0.0
        for sent in weighed:
            # kind - share x all is constant + slope x chunks of the one file that is moved whole.
            assert sum(sent.whole.values()) <= 1
            constant = sent.fixed[command] - share * sum(sent.fixed.values())
            slope = sent.whole[command] - share * sum(sent.whole.values())
            square = constant**2 + 2 * constant * slope * first + slope**2 * second
            variance += square * sent.weight / weights
        deviations[command] = math.sqrt(variance) / commands
    return Mix(shares, commands, deviations)
