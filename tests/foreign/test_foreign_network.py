"""Where the servers of a case are: addresses, known hosts and the wrapper of ssh."""

import subprocess
from ipaddress import ip_address, ip_network
from pathlib import Path

import pytest
from bench.foreign.address import CABLES, LOOPBACK, ends, network_of
from bench.foreign.case import Component, at_host, cases
from bench.foreign.judge import judged
from bench.foreign.login import known, wrapper
from bench.foreign.network import Network, network
from bench.foreign.play import Played
from bench.foreign.servers.start import Place
from bench.foreign.summary import about, shown
from bench.foreign.tools import Tools

FAR = "10.231.4.6"


@pytest.mark.parametrize("pid", [1, 16_383, 16_384, 4_194_304])
def test_a_cable_has_two_ends_in_a_network_of_its_own(pid: int) -> None:
    near, far = ends(pid, set())
    assert near != far
    assert network_of(near) == network_of(far)
    hosts = {str(one) for one in ip_network(network_of(far)).hosts()}
    assert hosts == {near, far}
    assert ip_address(far) in CABLES


def test_cables_avoid_each_other_and_addresses_in_use() -> None:
    first, second = ends(700, set()), ends(701, set())
    assert not set(first) & set(second)
    assert ends(700, set(first)) == second
    assert ends(700, {first[1], second[0]}) == ends(702, set())
    everything = {str(one) for one in CABLES}
    with pytest.raises(RuntimeError, match=r"in use"):
        ends(700, everything)


def test_users_of_loopback_come_from_loopback() -> None:
    assert network_of(LOOPBACK) == "127.0.0.0/8"
    assert network_of(FAR) == "10.231.4.4/30"


def test_a_server_listens_where_its_place_is(tmp_path: Path) -> None:
    here = Place(tmp_path, 20_001, Tools(tmp_path), {}, 1)
    assert here.address == "127.0.0.1:20001"
    there = Place(tmp_path, 20_001, Tools(tmp_path), {}, 1, FAR)
    assert there.address == f"{FAR}:20001"
    assert there.flags == ["--host", FAR, "--port", "20001"]


def test_texts_of_a_server_have_the_address_of_its_network() -> None:
    component = Component(
        kind="haproxy", name="web", config="server b <back> source 127.0.0.1:30000-30020"
    )
    assert at_host(component, LOOPBACK) == component
    assert at_host(component, FAR).config == f"server b <back> source {FAR}:30000-30020"
    for case in cases():
        for one in case.stack:
            assert LOOPBACK not in repr(at_host(one, FAR)), case.name


def test_this_machines_network_needs_no_namespace() -> None:
    with network({}, is_far=False) as found:
        assert found == Network()


def test_a_known_host_is_its_address_port_and_key() -> None:
    line = known(FAR, 20_001, "ssh-ed25519 AAAA bench\n")
    assert line == f"[{FAR}]:20001 ssh-ed25519 AAAA\n"


def test_the_wrapper_passes_its_arguments_on(tmp_path: Path) -> None:
    program = tmp_path / "ssh"
    program.write_text(wrapper("/bin/echo", Path("/a folder/client")), "utf-8")
    program.chmod(0o755)
    done = subprocess.run([program, "a  b", "c"], capture_output=True, text=True, check=True)
    assert done.stdout == "-F /a folder/client a  b c\n"


def test_answers_and_their_summary_say_that_it_was_over_ssh() -> None:
    case = next(one for one in cases() if one.name == "a mutex in Go")
    local = judged(Played(case, 1, {"ms": "5"}, Path("bundle"), 0, 30.0), {}, "")
    far = judged(Played(case, 1, {"ms": "5"}, Path("bundle"), 0, 30.0, over_ssh=True), {}, "")
    records = [one.played.record() for one in (local, far)]
    assert [one["over_ssh"] for one in records] == [False, True]
    assert about(far.played) == f"{about(local.played)}, over SSH"
    assert "SSH" not in shown([local])
    assert "over SSH, servers in a network of their own: 1 of 2" in shown([local, far])
