"""Agents on other machines and targets that only this machine reaches."""

import re

import pytest

from headcount.errors import InputError
from headcount.generator.machine import boot_id
from headcount.generator.member import Member
from headcount.generator.opening import lines_to
from headcount.generator.process_line import ProcessLine
from headcount.generator.reach import check_reach
from headcount.plan.agents import Agents


def member(boot: str) -> Member:
    return Member(2, ProcessLine("load1"), 1, about={"boot": boot})


@pytest.mark.parametrize(
    ("target", "places"),
    [
        ("lab:nginx", ()),
        ("lab:mail+lab:postgresql", ()),
        ("http://localhost:8080", ()),
        ("http://[::1]:8080", ()),
        ("http://server", ("127.0.1.1:80",)),
        ("http://server", ("[::1]:80",)),
    ],
)
def test_an_agent_elsewhere_does_not_load_its_own_machine(
    target: str, places: tuple[str, ...]
) -> None:
    check_reach([member(boot_id())], target, places)
    with pytest.raises(InputError, match=r"agent 2 \(load1\) does not reach .* this machine only"):
        check_reach([member(boot_id()), member("another")], target, places)


@pytest.mark.parametrize("target", ["http://10.0.0.7", "smb://server/share", "file:///mnt/shared"])
def test_a_target_that_others_reach_is_allowed(target: str) -> None:
    check_reach([member("another")], target, ("10.0.0.7:80", "[fe80::1%eth0]:80"))


@pytest.mark.parametrize("given", ["ray://head", "ray://head:6379/", "ray://", "head:6379", "auto"])
def test_a_cluster_without_a_port_says_how_to_write_it(given: str) -> None:
    message = re.escape(f'--cluster is "{given}"; give ray://HEAD:PORT')
    with pytest.raises(InputError, match=message):
        lines_to(Agents(number=2, cluster=given))
