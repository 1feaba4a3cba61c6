"""The `[tree]` of a workload: its bounds, how it shrinks, and how large it is."""

import math
from statistics import NormalDist
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plan_cases import TREE, WORKLOAD, plan, smb_plan, smb_workload, workload

from headcount import workloads
from headcount.errors import InputError
from headcount.protocols.tree import Tree

KINDS = ("folders", "static_files", "volatile_files", "new_files", "shared_files")
BLOCK = 4096


def tree(**changes: Any) -> Tree:
    return Tree.model_validate(TREE | changes)


BAD: list[tuple[str, Any, str]] = [
    *((f"tree.{kind}", 0, f"tree.{kind}:") for kind in KINDS),
    *((f"tree.{kind}", 100_001, f"tree.{kind}:") for kind in KINDS),
    ("tree.folders", 1.5, "tree.folders:"),
    ("tree.median_size", "0", "median_size (0) must be from 4096 bytes (a block) up to most_size"),
    ("tree.median_size", 4095, "median_size (4095) must be from 4096 bytes"),
    ("tree.median_size", "17MiB", "median_size (17MiB) must be from 4096 bytes (a block) up to"),
    ("tree.most_size", "16", "most_size (16)"),
    ("tree.most_size", "lots", 'tree.most_size: it is "lots"; write it like 4096, 16KiB or 20MB'),
    ("tree.sigma", -0.1, "tree.sigma:"),
    ("tree.sigma", 5.1, "tree.sigma:"),
    ("tree.sigma", float("nan"), "tree.sigma:"),
    ("tree.seed", -1, "tree.seed:"),
    ("tree.static_flies", 1, 'static_flies: there is no such key; did you mean "static_files"?'),
    ("data", WORKLOAD["data"], '[data] is only for the protocol "app"'),
    ("run.lab_scale", 0, "run.lab_scale:"),
    ("run.lab_scale", 1.1, "run.lab_scale:"),
    ("scenarios.0.limit_per_mib", "0s", 'scenarios.0.limit_per_mib: it is "0s"; it must be from'),
    ("scenarios.0.limit_per_mib", "5x", 'scenarios.0.limit_per_mib: it is "5x"'),
]


@pytest.mark.parametrize(("path", "value", "part"), BAD, ids=[f"{p}={v}" for p, v, _ in BAD])
def test_a_mistake_is_named_with_its_place(path: str, value: Any, part: str) -> None:
    with pytest.raises(InputError) as caught:
        smb_workload(path, value)
    assert part in str(caught.value)


def test_the_other_protocol_has_no_tree() -> None:
    with pytest.raises(InputError, match=r'\[tree\] is only for the protocols "files" and "smb"'):
        workload("tree", TREE)
    assert plan().tree is None


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("tree.folders", 1),
        ("tree.static_files", 100_000),
        ("tree.sigma", 0),
        ("tree.sigma", 5),
        ("tree.median_size", 4096),
        ("tree.median_size", "16MiB"),
        ("run.lab_scale", 1),
        ("scenarios.0.limit_per_mib", "1h"),
    ],
)
def test_bounds_are_allowed(path: str, value: Any) -> None:
    smb_workload(path, value)


@given(st.floats(1e-6, 1), st.fixed_dictionaries({kind: st.integers(1, 100_000) for kind in KINDS}))
def test_a_scaled_tree_has_fewer_files_of_the_same_sizes(
    scale: float, counts: dict[str, int]
) -> None:
    whole = tree(**counts)
    scaled = whole.scaled(scale)
    for kind in KINDS:
        exact = counts[kind] * scale
        assert abs(getattr(scaled, kind) - max(exact, 1)) <= 0.5
        assert 1 <= getattr(scaled, kind) <= counts[kind]
    same = {"median_size", "sigma", "most_size", "seed"}
    assert scaled.model_dump(include=same) == whole.model_dump(include=same)
    Tree.model_validate(scaled.model_dump())


def test_a_plan_scales_its_tree() -> None:
    scaled = smb_plan(scale=0.1).tree
    assert scaled is not None
    assert [getattr(scaled, kind) for kind in KINDS] == [1, 3, 1, 2, 1]
    assert smb_plan().tree == tree()


def test_the_engine_reads_bytes() -> None:
    assert tree(seed=7).engine_form() == {
        **{kind: TREE[kind] for kind in KINDS},
        "sigma": 2.0,
        "seed": 7,
        "median_bytes": 32 << 10,
        "most_bytes": 16 << 20,
    }


def integrated(median: int, sigma: float, most: int) -> float:
    """The mean size by the midpoint rule over the distribution's quantiles, rounded as stored."""
    steps, normal = 100_000, NormalDist()
    total = 0
    for step in range(steps):
        size = min(median * math.exp(sigma * normal.inv_cdf((step + 0.5) / steps)), most)
        total += min(math.ceil(size / BLOCK) * BLOCK, most)
    return total / steps


@pytest.mark.parametrize(
    ("median", "sigma", "most"),
    [
        (32 << 10, 2.0, 16 << 20),
        (32 << 10, 1.0, 1 << 20),
        (1 << 20, 0.5, 2 << 20),
        (100_000, 0.0, 1 << 20),
        (64 << 10, 3.0, 64 << 20),
    ],
)
def test_the_mean_size_is_the_distributions(median: int, sigma: float, most: int) -> None:
    found = tree(median_size=median, sigma=sigma, most_size=most).mean_bytes
    assert found == pytest.approx(integrated(median, sigma, most), rel=0.003)


def test_a_user_has_as_much_as_published_runs_prepared() -> None:
    home_folders = workloads.load("home-folders").tree
    assert home_folders is not None
    assert home_folders.static_files + home_folders.volatile_files == 350
    assert home_folders.user_bytes == pytest.approx(79.6e6, rel=0.001)
    # 65 GB prepared for 800 users.
    assert home_folders.user_bytes == pytest.approx(65e9 / 800, rel=0.03)
    assert home_folders.user_bytes == pytest.approx(
        350 * integrated(32 << 10, 2.0, 16 << 20), rel=0.003
    )
