"""Network counters on recorded texts and by hand."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headcount.counters.proc import network

LINUX_2_6_32 = """\
Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo:3193      29    0    0    0     0          0         0     3193      29    0    0    0     0       0          0
  eth0:134711715    6158    1    2    0     0          0         0   375634    3929    3    4    0     0       0          0
eth0:1:       5       1    0    0    0     0          0         0        6       1    0    0    0     0       0          0
"""  # noqa: E501 - as the kernel writes it
TCP = (
    "Tcp: RtoAlgorithm RtoMin RtoMax MaxConn CurrEstab InSegs OutSegs RetransSegs\n"
    "Tcp: 1 200 120000 -1 7 6061 3855 13\n"
)
TCP_EXT = (
    "TcpExt: SyncookiesSent ListenOverflows ListenDrops TCPNewInThisKernel\n"
    "TcpExt: 0 {overflows} {drops} 5\nIpExt: InNoRoutes InTruncatedPkts\nIpExt: 0 0\n"
)


def test_reads_interfaces_with_and_without_a_blank_after_the_colon() -> None:
    found = network.parse(LINUX_2_6_32)
    assert found["eth0"] == network.InterfaceStat((134711715, 375634), (6158, 3929), (1, 3), (2, 4))
    assert found["lo"].io_bytes == (3193, 3193)
    assert found["eth0:1"].io_bytes == (5, 6)


def test_protocol_counters_are_read_by_name_not_position() -> None:
    counters = network.parse_protocols(TCP) | network.parse_protocols(
        TCP_EXT.format(overflows=3, drops=4)
    )
    assert counters["Tcp.RetransSegs"] == 13
    assert counters["TcpExt.ListenOverflows"] == 3
    assert "Tcp.MaxConn" not in counters
    assert network.gauges(counters) == {"system.network.tcp.connections": 7}


def test_accept_queue_overflows_per_second() -> None:
    before = network.parse_protocols(TCP_EXT.format(overflows=3, drops=4))
    after = network.parse_protocols(TCP_EXT.format(overflows=9, drops=12))
    assert network.delta_protocols(before, after, 2.0) == {
        "system.network.tcp.listen_overflows": 3,
        "system.network.tcp.listen_drops": 4,
    }


def counts(receive: int, transmit: int) -> network.InterfaceStat:
    return network.InterfaceStat(
        (receive, transmit), (receive // 10, transmit // 10), (0, 0), (0, 0)
    )


def test_the_host_adds_up_counted_interfaces_and_never_the_loopback() -> None:
    before = {"lo": counts(0, 0), "eth0": counts(0, 0), "eth1": counts(0, 0), "br0": counts(0, 0)}
    after = {
        "lo": counts(900, 900),
        "eth0": counts(100, 200),
        "eth1": counts(300, 400),
        "br0": counts(400, 600),
    }
    values = network.delta(before, after, 2.0, counted=frozenset({"eth0", "eth1"}))
    assert values["system.network.io{network.io.direction=receive}"] == pytest.approx(200)
    assert values["system.network.io{network.io.direction=transmit}"] == pytest.approx(300)
    loopback = "system.network.io{network.io.direction=receive,network.interface.name=lo}"
    assert values[loopback] == pytest.approx(450)


def test_an_idle_loopback_is_zero_and_an_unused_interface_is_absent() -> None:
    same = {"lo": counts(0, 0), "ifb0": counts(0, 0)}
    values = network.delta(same, same, 1.0, counted=frozenset({"ifb0"}))
    assert values["system.network.io{network.io.direction=receive,network.interface.name=lo}"] == 0
    assert values["system.network.io{network.io.direction=receive}"] == 0
    assert not [name for name in values if "ifb0" in name]


PAIR = st.tuples(st.integers(0, 2**64), st.integers(0, 2**64))
INTERFACES = st.dictionaries(
    st.sampled_from(["lo", "eth0", "eth1"]),
    st.builds(network.InterfaceStat, PAIR, PAIR, PAIR, PAIR),
)


@given(INTERFACES, INTERFACES, st.floats(1e-3, 1e6))
def test_no_rate_is_negative_whatever_the_counters_do(
    before: dict[str, network.InterfaceStat],
    after: dict[str, network.InterfaceStat],
    elapsed_s: float,
) -> None:
    values = network.delta(before, after, elapsed_s, counted=frozenset({"eth0", "eth1"}))
    assert all(math.isfinite(value) and value >= 0 for value in values.values())
