"""Whether fleets of two sizes find the same capacity is judged as the literature has it."""

from pathlib import Path

import numpy as np
import pytest
from bench.cluster.equivalence import MARGIN, Found, keep, ratios, read, verdict
from scipy.stats import ttest_1samp


@pytest.mark.parametrize("spread", [0.005, 0.02, 0.2])
@pytest.mark.parametrize("shift", [-0.05, 0.0, 0.015])
def test_a_verdict_is_that_of_two_one_sided_tests(spread: float, shift: float) -> None:
    logs = shift + spread * np.array([-1.2, -0.4, 0.1, 0.3, 0.5, 0.7])
    edge = np.log(1 + MARGIN)
    above = ttest_1samp(logs, -edge, alternative="greater").pvalue
    below = ttest_1samp(logs, edge, alternative="less").pvalue
    assert verdict(np.exp(logs)).is_same == (max(above, below) < 0.05)


def test_only_whole_pairs_of_the_server_count(tmp_path: Path) -> None:
    file = tmp_path / "pairs.ndjson"
    assert read(file) == []
    given = [
        Found("nginx", 0, 1, 100, 100.0),
        Found("nginx", 0, 3, 100, 102.0),
        Found("samba", 1, 3, 50, 51.0),
        Found("nginx", 1, 1, 100, 110.0),
    ]
    for one in given:
        keep(one, file)
    assert read(file) == given
    assert ratios(given, "nginx") == [1.02]
