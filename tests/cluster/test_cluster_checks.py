"""What `headcount cluster check` says of a machine's figures."""

from typing import Any

import pytest

from headcount.cli.cluster_tables import show_checked
from headcount.cluster.checks import Asked, Checked, problems_of
from headcount.cluster.hosts import Host, HostsFile
from headcount.cluster.shipping import Build

ASKED = Asked(HostsFile(host=[Host(address="ssh://load1")]), "lab", Build(), None)


def figures(agent_cpus: int) -> dict[str, Any]:
    """Of a machine with few files and few local ports."""
    return {
        "look": {"handles": 1024, "local_ports": [50_000, 50_999], "taken": []},
        "ports": "6380-6579",
        "agent_cpus": agent_cpus,
        "ahead_s": 0.0,
        "has_build": True,
        "is_up": False,
    }


def test_a_machine_that_plays_no_users_needs_no_files_and_ports_for_them() -> None:
    files, local_ports = problems_of(figures(4), ASKED)
    assert "raise nofile" in files
    assert "widen its range of local ports" in local_ports
    assert problems_of(figures(0), ASKED) == []


@pytest.mark.parametrize(
    ("problems", "message"), [((), "It is ready"), (("x",), "1 of 1 machine is not ready")]
)
def test_a_single_machine_is_not_plural(
    problems: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    show_checked([Checked("load1", is_reached=False, problems=problems)], has_target=False)
    assert capsys.readouterr().out.endswith(f"{message}\n")
