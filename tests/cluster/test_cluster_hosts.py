"""The file that names the machines of a cluster, and what is known of one that is up."""

import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from headcount.cluster import hosts, opening, ports, state
from headcount.cluster.down import Left
from headcount.cluster.hosts import Host, HostsFile
from headcount.cluster.state import ClusterState, NodeState
from headcount.errors import InputError
from processes import wait_for

ONE = '[[host]]\naddress = "ssh://ada@load1"\n'
WRONG = {
    "no TOML": ("[[host\n", "is not valid TOML"),
    "nothing": ("", "names no machine"),
    "a table's typo": (
        '[[hosts]]\naddress = "ssh://a"\n',
        'hosts: there is no such key; did you mean "host"?',
    ),
    "a key's typo": (ONE + "cpu = 2\n", 'host.0.cpu: there is no such key; did you mean "cpus"?'),
    "another typo": (
        "[cluster]\nprot = 1\n" + ONE,
        'cluster.prot: there is no such key; did you mean "port"?',
    ),
    "no scheme": ('[[host]]\naddress = "load1"\n', "write it like ssh://user@host:port"),
    "a password": ('[[host]]\naddress = "ssh://a:geheim@b"\n', "must not contain a password"),
    "an option": ('[[host]]\naddress = "ssh://-oProxyCommand=x"\n', "is not a host name"),
    "twice": (ONE + ONE, "ssh://ada@load1 is listed twice"),
    "two heads": (ONE + "head = true\n" + ONE.replace("1", "2") + "head = true\n", "two hosts are"),
    "no address": (ONE + 'node_ip = "load1"\n', "write an IP address"),
    "all addresses": (ONE + 'node_ip = "0.0.0.0"\n', "the address of one interface"),
    "no ports": (ONE + 'ports = "many"\n', "write the first and the last port"),
    "few ports": (ONE + 'ports = "7000-7010"\n', "which is 11 ports; Ray needs 22 or more"),
    "high ports": (ONE + 'ports = "65500-65600"\n', "ports are from 1 to 65535"),
    "the head's port": ("[cluster]\nport = 6400\n" + ONE, "port 6400 of the head is one of ports"),
    "a relative folder": ('[cluster]\nfolder = "x"\n' + ONE, "write a whole path"),
    "the folder above": ('[cluster]\nname = ".."\n' + ONE, "begin with a letter or a digit"),
    "an option's name": ('[cluster]\nname = "-x"\n' + ONE, "begin with a letter or a digit"),
    "a wrong number": (ONE + "cpus = -1\n", "host.0.cpus: "),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_mistake_is_named(name: str, tmp_path: Path) -> None:
    text, message = WRONG[name]
    path = tmp_path / "hosts.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(InputError, match=re.escape(message)) as error:
        hosts.load(path)
    assert str(path) in str(error.value)
    assert "geheim" not in str(error.value)


def test_a_cluster_is_named_after_its_file(tmp_path: Path) -> None:
    path = tmp_path / "big lab.toml"
    path.write_text(ONE, "utf-8")
    assert hosts.name_of(path, hosts.load(path)) == "big-lab"
    assert hosts.name_of(tmp_path / "-x.toml", hosts.load(path)) == "x"
    assert hosts.name_of(tmp_path / "..toml", hosts.load(path)) == "cluster"
    path.write_text('[cluster]\nname = "x"\n' + ONE, "utf-8")
    assert hosts.name_of(path, hosts.load(path)) == "x"


def test_every_process_has_a_port_of_its_own() -> None:
    given = ports.options(ports.range_of("7000-7039"))
    numbers = dict(one.removeprefix("--").split("=") for one in given)
    low, high = int(numbers.pop("min-worker-port")), int(numbers.pop("max-worker-port"))
    services = {int(one) for one in numbers.values()}
    assert len(services) == 6
    assert services | set(range(low, high + 1)) == set(range(7000, 7040))
    assert high - low + 1 == 34
    assert ports.lack("7000-7039", 18) is None
    assert "with 19 CPUs Ray needs 41 ports, and 7000-7039 are 40" in str(
        ports.lack("7000-7039", 19)
    )
    assert ports.listed([7003, 7001, 7002, 7009]) == "7001-7003, 7009"


def cluster(
    address: str | None = None, *, is_up: bool = True, left_s: float = 86_400
) -> ClusterState:
    node = NodeState(
        address=address,
        ip="10.0.0.1",
        is_head=True,
        cpus=0,
        ports="7000-7039",
        python=None,
        folder="/c/lab",
        build=None,
        run="/c/lab/run-1",
        temp="/tmp/hc-1",  # noqa: S108
        program="/usr/bin/python3",
    )
    return ClusterState(
        name="lab",
        version="1",
        build_hash="0",
        head="10.0.0.1:7000",
        expires_s=time.time() + left_s,
        is_up=is_up,
        nodes=[node],
        hosts=HostsFile(host=[Host(address="ssh://ada@load1")]),
    )


@pytest.fixture
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    for name in list(os.environ):
        if name.startswith("RAY_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("RAY_AUTH_TOKEN", "of another cluster")
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")


@pytest.mark.usefixtures("own_state")
def test_a_run_finds_the_token_of_the_cluster_that_it_names() -> None:
    state.save(cluster())
    before = dict(os.environ)
    opening.use("10.0.0.2:7000")
    assert dict(os.environ) == before
    opening.use("10.0.0.1:7000")
    new = {key: value for key, value in os.environ.items() if key.startswith("RAY_")}
    for name in new:
        os.environ.pop(name)
    assert new == {
        "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN_PATH": "/c/lab/run-1/token",
        "RAY_USE_TLS": "1",
        "RAY_TLS_SERVER_CERT": "/c/lab/run-1/node.crt",
        "RAY_TLS_SERVER_KEY": "/c/lab/run-1/node.key",
        "RAY_TLS_CA_CERT": "/c/lab/run-1/ca.crt",
    }


@pytest.mark.usefixtures("own_state")
@pytest.mark.parametrize(
    ("found", "message"),
    [
        (cluster(is_up=False), "is not up: headcount cluster down lab"),
        (cluster(left_s=-1), 'certificates of the cluster "lab" have expired'),
        (cluster("ssh://head1"), "log in to ssh://head1 and run /c/lab/run-1/headcount there"),
    ],
)
def test_a_cluster_that_cannot_be_used_is_refused(found: ClusterState, message: str) -> None:
    state.save(found)
    with pytest.raises(InputError, match=re.escape(message)):
        opening.use(found.head)


@pytest.mark.usefixtures("own_state")
def test_a_second_cluster_of_the_same_name_does_not_begin() -> None:
    state.save_new(cluster())
    known = state.load("lab")
    with pytest.raises(InputError, match=r'cluster "lab" is up already.*cluster down lab'):
        state.save_new(cluster("ssh://load2"))
    assert state.load("lab") == known


@pytest.mark.usefixtures("own_state")
def test_clusters_are_found_by_name() -> None:
    assert state.only(None) is None
    state.save(cluster())
    assert state.only(None) == cluster().model_copy(
        update={"expires_s": state.load("lab").expires_s}
    )
    state.save(cluster().model_copy(update={"name": "lap"}))
    with pytest.raises(InputError, match="there are 2 clusters: name one of lab, lap"):
        state.only(None)
    with pytest.raises(InputError, match='there is no cluster "lob"; did you mean'):
        state.only("lob")
    state.path_of("lap").write_text('{"format": 1}', "utf-8")
    with pytest.raises(InputError, match="was not written by this version"):
        state.only("lap")
    for name in ("lab", "lap"):
        state.forget(name)
    assert not state.folder().exists()


def test_the_remedy_does_not_end_the_shell_that_it_is_given_to(tmp_path: Path) -> None:
    run, temp = tmp_path / "run-1", tmp_path / "hc-1"
    for folder in (run, temp):
        folder.mkdir()
    node = cluster().nodes[0].model_copy(update={"run": str(run), "temp": str(temp)})
    sleep = [sys.executable, "-c", "import time; time.sleep(60)", f"{temp}/ray"]
    with subprocess.Popen(sleep) as one:
        wait_for(lambda: str(temp).encode() in Path(f"/proc/{one.pid}/cmdline").read_bytes())
        subprocess.run(["/bin/sh", "-c", Left(node, "").remedy], check=True)
        assert one.wait() == -signal.SIGTERM
    assert list(tmp_path.iterdir()) == []


def test_names_with_blanks_are_quoted_in_commands() -> None:
    node = (
        cluster("ssh://head1")
        .nodes[0]
        .model_copy(update={"run": "/srv/my disk/lab/run-1", "build": "/srv/my disk/lab/b"})
    )
    remedy = Left(node, "it failed").remedy.partition("rm -rf ")[2]
    assert shlex.split(remedy) == [node.run, node.temp, node.build]
