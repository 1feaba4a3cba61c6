"""The binding of the simulator, and its agreement with exact theory."""

import pytest
from bench.search.capacity import capacity
from scipy import stats

from headcount._engine import SimulatedServer, simulate_level


def machine_repair(users: int, servers: int, service_s: float, think_s: float) -> float:
    """Mean response of M/M/c//N, seconds, from its birth-death chain."""
    weights = [1.0]
    for k in range(users):
        rate = (users - k) / think_s * service_s / min(k + 1, servers)
        weights.append(weights[-1] * rate)
        if weights[-1] > 1e250:
            weights = [w / 1e250 for w in weights]
    total = sum(weights)
    present = sum(k * w for k, w in enumerate(weights)) / total
    busy = sum(min(k, servers) * w for k, w in enumerate(weights)) / total
    return present / (busy / service_s)


@pytest.mark.parametrize("users", [500, 803])
def test_mean_response_agrees_with_theory(users):
    sums = [0.0, 0]
    for seed in range(60):
        _, batches, _ = simulate_level("cpu", users, 60.0, 300.0, seed)
        sums[0] += sum(batch[2] for batch in batches)
        sums[1] += sum(batch[0] for batch in batches)
    # The run-to-run effect of 1 % moves the mean by less than 1 % at these loads.
    assert sums[0] / sums[1] == pytest.approx(machine_repair(users, 4, 0.020, 5.0), rel=0.02)


def test_a_level_has_batches_and_percentiles():
    before, batches, percentiles = simulate_level("disk", 800, 30.0, 60.0, 1)
    assert before >= 0
    assert len(batches) == 12
    assert all(slow <= completed for completed, slow, _, _ in batches)
    assert list(percentiles) == sorted(percentiles)
    assert percentiles[0] > 0.02


def test_few_users_see_the_bare_service_time():
    _, _, percentiles = simulate_level("cpu", 2, 10.0, 20_000.0, 1)
    exact = stats.expon(scale=0.020).ppf([0.5, 0.9, 0.95, 0.99])
    assert percentiles == pytest.approx(exact, rel=0.08)


def test_same_seed_same_level():
    assert simulate_level("noisy", 700, 10.0, 30.0, 5) == simulate_level(
        "noisy", 700, 10.0, 30.0, 5
    )
    assert simulate_level("noisy", 700, 10.0, 30.0, 5) != simulate_level(
        "noisy", 700, 10.0, 30.0, 6
    )


def test_levels_that_cannot_be_simulated_are_refused():
    with pytest.raises(ValueError, match="known: backlog, backup"):
        simulate_level("mainframe", 1, 1.0, 1.0, 1)
    with pytest.raises(ValueError, match="users must be"):
        simulate_level("cpu", 0, 1.0, 1.0, 1)
    with pytest.raises(ValueError, match="seconds must be"):
        simulate_level("cpu", 1, 1.0, -1.0, 1)


def test_a_server_keeps_its_state_and_its_clock_from_level_to_level():
    server = SimulatedServer("cpu", 1)
    assert (server.limit_s, server.allowed, server.think_s, server.now_s) == (0.2, 0.05, 5.0, 0.0)
    server.start_level()
    server.users(2_000)
    assert server.run(60.0) > 100
    server.start_level()
    server.users(500)
    assert server.measure(5.0)[1] > 100
    server.run(60.0)
    completed, slow, response_s, overdue = server.measure(30.0)
    assert slow < 0.01 * completed
    assert overdue < 5
    assert response_s / completed == pytest.approx(0.0217, rel=0.1)
    assert server.now_s == pytest.approx(155.0)


def test_a_level_of_a_fresh_server_is_that_of_simulate_level():
    server = SimulatedServer("disk", 9)
    server.start_level()
    server.users(800)
    before = server.run(30.0)
    found = [server.measure(5.0) for _ in range(12)]
    assert (before, found) == simulate_level("disk", 800, 30.0, 60.0, 9)[:2]


def test_a_stall_makes_scenarios_slow():
    server = SimulatedServer("cpu", 1)
    server.users(500)
    server.run(30.0)
    server.stall(1.0, 3.0)
    assert server.measure(10.0)[1] > 200


@pytest.mark.parametrize("system", SimulatedServer.systems())
def test_every_system_meets_its_criterion_below_its_capacity(system):
    server = SimulatedServer(system, 2)
    server.users(max(1, round(0.4 * capacity(system))))
    server.run(60.0)
    completed, slow, _, _ = server.measure(120.0)
    assert completed > 0
    assert slow <= max(1, 2 * server.allowed * completed)
