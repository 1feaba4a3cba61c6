"""The records of protocols: each is whole, and those of installed packages are found."""

import inspect
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from headcount import _engine, workloads
from headcount.errors import InputError
from headcount.lab.server import Server
from headcount.protocols.protocol import Protocol
from headcount.protocols.registry import lab_server, protocols, schemes
from headcount.protocols.tables import tables_model

ALL = [pytest.param(one, id=one.name) for one in protocols().values()]
SINGLE = [pytest.param(one, id=one.name) for one in protocols().values() if one.parts is None]

PACKAGE = """
from headcount.protocols.protocol import Protocol, Scheme, no_keys

PROTOCOL = Protocol(
    name="gopher",
    form="gopher://host/path",
    schemes={"gopher": Scheme(70)},
    access="gopher_access",
    usual_workload="burrow",
    client=no_keys("gopher"),
)
"""
ASKED = """
from headcount.plan.target import parse
found = parse("gopher://example.org")
print(found.protocol, found.port)
"""


@pytest.mark.parametrize("protocol", ALL)
def test_the_engine_has_it(protocol: Protocol) -> None:
    assert isinstance(_engine.task_names(protocol.name), list)


@pytest.mark.parametrize("protocol", ALL)
def test_its_usual_workload_is_played_on_its_targets(protocol: Protocol) -> None:
    played = protocols()[workloads.load(protocol.usual_workload).protocol]
    assert played.name == protocol.name or (played.family or "") == protocol.family


@pytest.mark.parametrize("protocol", SINGLE)
def test_its_access_opens_servers_of_the_lab_and_others(protocol: Protocol) -> None:
    module = import_module(protocol.access)
    assert list(inspect.signature(module.of_lab).parameters) == ["plan", "server"]
    names = [name.strip("_") for name in inspect.signature(module.of_target).parameters]
    assert names == ["plan", "target", "secrets"]


@pytest.mark.parametrize("protocol", SINGLE)
def test_its_lab_servers_are_servers(protocol: Protocol) -> None:
    assert protocol.labs
    for name in protocol.labs:
        server: type[Server] = lab_server(name)
        server.check_settings({})
        with pytest.raises(InputError, match="has no setting gopher"):
            server.check_settings({"gopher": "on"})


@pytest.mark.parametrize("protocol", ALL)
def test_its_tables_are_those_it_needs(protocol: Protocol) -> None:
    for group in protocol.needed:
        assert group <= set(protocol.tables)
    assert set(protocol.tables) <= set(tables_model().model_fields)


def test_every_scheme_leads_to_one_protocol() -> None:
    words = [word for one in protocols().values() for word in one.schemes]
    assert sorted(words) == sorted(schemes())
    labs = [name for one in protocols().values() for name in one.labs]
    assert len(labs) == len(set(labs))


def installed(folder: Path, module: str) -> dict[str, str]:
    """The environment of a Python that has a package with a protocol."""
    facts = folder / "gopher-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: gopher\nVersion: 1.0\n", "utf-8")
    entry = "[headcount.protocols]\ngopher = gopher_protocol:PROTOCOL\n"
    (facts / "entry_points.txt").write_text(entry, "utf-8")
    (folder / "gopher_protocol.py").write_text(module, "utf-8")
    return {**os.environ, "PYTHONPATH": str(folder)}


def asked(environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", ASKED],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_a_protocol_of_an_installed_package_is_found(tmp_path: Path) -> None:
    ended = asked(installed(tmp_path, PACKAGE))
    assert ended.stdout.split() == ["gopher", "70"], ended.stderr


@pytest.mark.parametrize("module", ["import nothing_of_this_name", "PROTOCOL = 'gopher'"])
def test_a_package_whose_protocol_is_none_is_named(tmp_path: Path, module: str) -> None:
    ended = asked(installed(tmp_path, module))
    assert 'the protocol "gopher" of the package gopher' in ended.stderr
    assert "update or remove that package" in ended.stderr
