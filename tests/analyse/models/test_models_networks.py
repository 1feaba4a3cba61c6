"""Convolution against the Markov chain itself, mean value analysis, and bounds."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from networks import brute_force, mean_values, repairman

from headcount.analyse.models import amva, convolution, laws
from headcount.analyse.models.network import Network, Station, serving

demand = st.floats(0.01, 2.0)
stations = st.lists(
    st.tuples(demand, st.one_of(st.floats(0.2, 4.0), st.integers(1, 3))).map(
        lambda drawn: Station("s", drawn[0], serving(drawn[1]))
    ),
    min_size=1,
    max_size=3,
)
delay = st.one_of(st.just(0.0), st.floats(0.01, 10.0))
networks = st.builds(Network, stations, delay, delay)


@settings(max_examples=40, deadline=None)
@given(networks, st.integers(1, 4))
def test_convolution_solves_the_markov_chain(network: Network, users: int) -> None:
    per_s, _ = brute_force(network, users)
    found = convolution.solve(network, users)
    assert found.per_s[-1] == pytest.approx(per_s, rel=1e-9)


def test_convolution_takes_speeds_by_queue_depth() -> None:
    disk = Station("ssd", 0.001, (1.0, 1.9, 2.6, 3.0, 3.1))
    network = Network([disk], think_s=0.002)
    per_s, _ = brute_force(network, 8)
    assert convolution.solve(network, 8).per_s[-1] == pytest.approx(per_s, rel=1e-9)


def test_the_textbook_example() -> None:
    # CPU and two disks, three users who think 15 s: the example of exact mean value analysis in
    # Lazowska and others, Quantitative System Performance (1984), chapter 6.
    network = Network([Station("cpu", 0.605), Station("a", 2.1), Station("b", 1.35)], think_s=15.0)
    found = convolution.solve(network, 3)
    assert found.per_s == pytest.approx(mean_values([0.605, 2.1, 1.35], 15.0, 3), rel=1e-12)
    assert found.per_s[-1] == pytest.approx(0.1515, abs=0.00005)


def test_the_textbook_example_of_the_approximation() -> None:
    # The same network in Lazowska, page 117: X = 0.1510, R = 4.87 s.
    network = Network([Station("cpu", 0.605), Station("a", 2.1), Station("b", 1.35)], think_s=15.0)
    found = amva.schweitzer(network, np.array([3.0]))
    assert found.per_s[0] == pytest.approx(0.1510, abs=0.00005)
    assert found.response_s[0] == pytest.approx(4.87, abs=0.005)
    several = amva.mixed([amva.Load(3, 15.0, (0.605, 2.1, 1.35))], (1.0, 1.0, 1.0))
    assert several.per_s[0] == pytest.approx(0.1510, abs=0.00005)


@settings(max_examples=20, deadline=None)
@given(st.lists(demand, min_size=1, max_size=4), st.floats(0, 20), st.integers(1, 200))
def test_convolution_and_mean_values_agree(demands: list[float], think: float, users: int) -> None:
    network = Network([Station("s", each) for each in demands], think)
    exact = mean_values(demands, think, users)
    assert convolution.solve(network, users).per_s == pytest.approx(exact, rel=1e-8)


@pytest.mark.parametrize("users", [905, 957, 1300])
def test_no_digits_are_lost_near_the_knee_of_many_users(users: int) -> None:
    # Where the load-dependent recursion is 15 to 20 % off.
    network = Network([Station("cpu", 0.02, serving(4))], think_s=5.0)
    found = convolution.solve(network, users)
    exact = repairman(users, serving(4), 0.02, 5.0)
    assert found.per_s[-1] == pytest.approx(exact, rel=1e-11)
    assert found.response_s[-1] == pytest.approx(users / exact - 5.0, rel=1e-7)


def test_the_simulator_of_the_search_agrees() -> None:
    # 33.91 ms simulated at 803 users, and known in theory: 34.07 ms.
    network = Network([Station("cpu", 0.02, serving(4))], think_s=5.0)
    found = convolution.solve(network, 1100)
    assert found.response_s[499] == pytest.approx(0.02168, abs=1e-5)
    assert found.response_s[802] == pytest.approx(0.03407, abs=1e-5)
    assert found.response_s[1099] == pytest.approx(0.5006, abs=1e-4)


@settings(max_examples=60, deadline=None)
@given(networks)
def test_throughput_keeps_within_its_bounds_and_grows(network: Network) -> None:
    found = convolution.solve(network, 40)
    assert np.all(np.diff(found.per_s) >= -1e-9 * found.per_s[:-1])
    assert np.all(np.diff(found.response_s) >= -1e-7 * np.abs(found.response_s[:-1]) - 1e-9)
    for users, per_s in zip(found.users, found.per_s, strict=True):
        bounds = laws.asymptotic(network, users)
        assert bounds.low * (1 - 1e-9) <= per_s <= bounds.high * (1 + 1e-9)


@given(st.lists(demand, min_size=1, max_size=4), st.floats(0, 20), st.integers(1, 60))
def test_balanced_job_bounds_hold_and_are_tighter(
    demands: list[float], think: float, users: int
) -> None:
    network = Network([Station("s", each) for each in demands], think)
    exact = mean_values(demands, think, users)[-1]
    tight, wide = laws.balanced(demands, users, think), laws.asymptotic(network, users)
    assert tight.low * (1 - 1e-9) <= exact <= tight.high * (1 + 1e-9)
    assert wide.low * (1 - 1e-9) <= tight.low
    assert tight.high <= wide.high * (1 + 1e-9)


def test_the_laws() -> None:
    assert laws.utilisation(50, 0.01, 2) == pytest.approx(0.25)
    assert laws.demand_s(0.5, 50) == pytest.approx(0.01)
    assert laws.response_s(100, 18, 5) == pytest.approx(100 / 18 - 5)
    assert laws.users(18, laws.response_s(100, 18, 5), 5) == pytest.approx(100)
    network = Network([Station("cpu", 0.02, serving(4))], 5.0)
    assert laws.knee(network) == pytest.approx(1004)
    assert laws.knee(Network([], 1.0)) == math.inf


@settings(max_examples=40, deadline=None)
@given(st.lists(demand, min_size=2, max_size=4), st.floats(0, 10), st.integers(2, 60))
def test_schweitzer_is_near_the_exact_solution(
    demands: list[float], think: float, users: int
) -> None:
    # Single servers: throughput within 10 %, its known error for balanced networks.
    network = Network([Station("s", each) for each in demands], think)
    exact = mean_values(demands, think, users)[-1]
    found = amva.schweitzer(network, np.array([float(users)])).per_s[0]
    assert found == pytest.approx(exact, rel=0.1)
    assert found <= laws.asymptotic(network, users).high * (1 + 1e-6)


def test_seidmann_overstates_four_servers_at_half_their_load() -> None:
    network = Network([Station("cpu", 0.02, serving(4))], think_s=5.0)
    n = np.array([500.0])
    ratio = (
        amva.schweitzer(network, n).response_s[0] / convolution.solve(network, 500).response_s[-1]
    )
    assert 1.10 < ratio < 1.25


@settings(max_examples=30, deadline=None)
@given(st.lists(demand, min_size=1, max_size=3), st.floats(0, 10), st.integers(1, 50))
def test_one_class_of_several_is_the_same_fixed_point(
    demands: list[float], think: float, users: int
) -> None:
    many = amva.mixed([amva.Load(users, think, demands)], [1.0] * len(demands))
    network = Network([Station("s", each) for each in demands], think)
    one = amva.schweitzer(network, np.array([float(users)]))
    assert many.per_s[0] == pytest.approx(one.per_s[0], rel=1e-5)


def test_two_equal_classes_are_one() -> None:
    half = amva.Load(15, 2.0, (0.05, 0.02))
    both = amva.mixed([half, half], (1.0, 1.0))
    network = Network([Station("a", 0.05), Station("b", 0.02)], 2.0)
    exact = convolution.solve(network, 30).per_s[-1]
    assert both.per_s[0] == pytest.approx(both.per_s[1])
    assert sum(both.per_s) == pytest.approx(exact, rel=0.03)
    assert max(both.utilisation) <= 1.0


@pytest.mark.parametrize("cv2", [0.0, 0.25, 4.0])
def test_service_that_varies_less_waits_less(cv2: float) -> None:
    def response(value: float) -> float:
        network = Network([Station("d", 0.1, cv2=value)], 2.0)
        return float(amva.schweitzer(network, np.array([15.0])).response_s[0])

    assert (response(cv2) < response(1.0)) == (cv2 < 1)
    # It stays as near to the recursion over users as it does for exponential service.
    network = Network([Station("d", 0.1, cv2=cv2)], 2.0)
    exact = mean_values([0.1], 2.0, 15, cv2)[-1]
    assert amva.schweitzer(network, np.array([15.0])).per_s[0] == pytest.approx(exact, rel=0.05)
    full = amva.schweitzer(network, np.array([60.0]))
    assert 9.5 < full.per_s[-1] <= 10 * (1 + 1e-9)


def test_a_station_without_servers_or_a_network_without_users_is_refused() -> None:
    with pytest.raises(ValueError, match="needs servers"):
        serving(0)
    with pytest.raises(ValueError, match="needs users"):
        convolution.solve(Network([], 1.0), 0)
