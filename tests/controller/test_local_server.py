"""A server on this machine that the user named, which a run looks for repeatedly."""

import os
from contextlib import closing
from pathlib import Path

import pytest

import service_group
from contained import container
from headcount.controller.local_server import LocalServer
from headcount.controller.server_found import check_named
from headcount.counters.proc.named import Named
from headcount.errors import InputError


def has_memory(group: str) -> bool:
    """Whether the kernel counts the memory of a group: version 2 does if its parent says so."""
    names = ("memory.current", "memory.usage_in_bytes")
    return any((one / name).exists() for one in service_group.folders(group) for name in names)


def test_a_runtime_is_asked_once_for_a_container(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The runtime is a program of this test, which notes each question."""
    notes = tmp_path / "notes"
    with container() as one:
        tool = tmp_path / "docker"
        tool.write_text(f"#!/bin/sh\necho asked >> {notes}\necho {one.pids[-1]}\n", "utf-8")
        tool.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
        server = LocalServer(["127.0.0.1:1"], named=Named(containers=("web",)))
        for found in (server.first, server.find(), server.find()):
            assert sorted(found.names) == sorted(one.pids)
            assert found.how == "named with --container"
            assert set(found.control_group.values()) == {one.group}
        assert notes.read_text("utf-8") == "asked\n"
        check_named(server.named, server.first)
        with closing(server.source("sut")) as source:
            values = source.sample().values
            assert values["process.count"] == len(one.pids)
            assert ("cgroup.memory.usage" in values) == has_memory(one.group)
        assert "python (3 processes), named with --container" in server.sentence()
        assert one.group in server.sentence()


def test_a_missing_server_is_an_error_only_at_the_start() -> None:
    server = LocalServer(["127.0.0.1:1"], named=Named(units=("hc-none",)))
    with pytest.raises(InputError, match="--unit hc-none: no process of this machine"):
        check_named(server.named, server.first)
    assert server.find().pids == ()
    assert server.disclosed().missing == server.first.missing
