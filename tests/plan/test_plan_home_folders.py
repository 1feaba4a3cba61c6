"""home-folders is as it describes itself: the published mix of commands, traffic and data."""

import pytest

from home_folders import PUBLISHED, mean, mix, scenarios, sizes, workload

MIX = mix()
MEAN_PACE_S = 4.0


@pytest.mark.parametrize("command", PUBLISHED)
def test_the_published_mix_of_commands_within_two_points(command: str) -> None:
    assert MIX.shares[command] == pytest.approx(PUBLISHED[command], abs=0.02)


def test_no_other_command_has_more_than_the_published_rest() -> None:
    others = {name: share for name, share in MIX.shares.items() if name not in PUBLISHED}
    assert set(others) == {"SET_INFO", "NEGOTIATE", "LOGOFF", "TREE_DISCONNECT", "LOCK", "FLUSH"}
    rest = 1 - sum(PUBLISHED.values())
    assert sum(others.values()) == pytest.approx(rest, abs=0.04)
    assert sum(MIX.shares.values()) == pytest.approx(1)


def test_the_pace_is_four_seconds() -> None:
    time = workload()["pace"]["time"]
    assert time["draw"] == "uniform"
    assert (float(time["low"][:-1]) + float(time["high"][:-1])) / 2 == MEAN_PACE_S
    # A scenario that begins more than a mean pace late is overload.
    assert all(scenario["late"] == "4s" for scenario in workload()["scenarios"])


def test_the_published_traffic_of_a_user() -> None:
    size = mean(lambda size: size)
    moved = sum(
        sent.weight * (sum(sent.bytes.values()) + size * sum(sent.whole.values()))
        for sent in scenarios().values()
    ) / sum(sent.weight for sent in scenarios().values())
    # Besides data, in both directions: 64 bytes of header, some 50 to 150 of parameters, names and
    # answers, and what TCP/IP adds to them.
    least, most = 2 * 100 * MIX.commands, 2 * 250 * MIX.commands
    assert (moved + least) / MEAN_PACE_S > 25e3
    assert (moved + most) / MEAN_PACE_S < 28e3


def test_limits_grow_with_the_size_where_files_are_moved_and_nowhere_else() -> None:
    for scenario in workload()["scenarios"]:
        moves = bool(scenarios()[scenario["name"]].whole)
        assert scenario.get("limit_per_mib") == ("5s" if moves else None), scenario["name"]
        assert scenario["limit"] == "1s"


def test_the_prepared_files_of_a_user_are_the_published_81_mb() -> None:
    tree = workload()["tree"]
    files = tree["static_files"] + tree["volatile_files"]
    assert files * mean(lambda size: size) == pytest.approx(81e6, rel=0.03)
    # And the new files of a run have the published 34 MB.
    assert tree["new_files"] * mean(lambda size: size) == pytest.approx(34e6, rel=0.05)
    assert max(sizes()) == 16 << 20
