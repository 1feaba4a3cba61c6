"""Parts of a fleet that end at random moments of a run leave nothing behind.

The machines are network namespaces: a head, three load generators and a server.
"""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from bench.cluster.ground import Ground
from bench.cluster.kills import VICTIMS, played, server

ROUNDS, SEED = 10, 2911


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ground]:
    with Ground(3, 2) as found, server(found, tmp_path_factory.mktemp("server")):
        yield found


@pytest.mark.parametrize("number", range(ROUNDS))
def test_no_load_and_no_broken_bundle_is_left(number: int, ground: Ground, tmp_path: Path) -> None:
    ground.start_rays()  # those of the round before may be gone
    victim = list(VICTIMS)[number % len(VICTIMS)]
    pick = random.Random(f"{SEED} {number}")
    found = played(ground, tmp_path / "round", pick, victim, (20, 30))
    assert found.defects == (), found
