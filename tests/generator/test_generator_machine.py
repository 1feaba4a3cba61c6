"""Agents on one machine have one record of it, which is small enough to send."""

from typing import Any

from headcount.generator.agent import introduction
from headcount.generator.machine import machines_of
from headcount.generator.member import Member
from headcount.generator.message import Message, encoded
from headcount.generator.process_line import ProcessLine

MOST_BYTES = 65_536
"""Of an introduction; a second of a large workload has as many."""


def member(number: int, about: dict[str, Any]) -> Member:
    return Member(number, ProcessLine("load"), 1, about=about)


def test_agents_are_grouped_by_the_boot_of_their_machine() -> None:
    one, two = {"hostname": "load1"}, {"hostname": "load2"}
    found = machines_of(
        [
            member(1, {"boot": "a", "about": one}),
            member(2, {"boot": "b", "about": two}),
            member(3, {"boot": "a", "about": {"hostname": "another name of it"}}),
        ]
    )
    assert [(each.agents, each.boot, each.host) for each in found] == [
        ([1, 3], "a", one),
        ([2], "b", two),
    ]


def test_a_machine_without_a_description_still_counts() -> None:
    (found,) = machines_of([member(1, {"boot": "a", "about": "text"}), member(2, {"boot": "a"})])
    assert (found.agents, found.host) == ([1, 2], None)


def test_an_introduction_has_the_machine_and_is_small() -> None:
    about = introduction()["about"]
    assert isinstance(about, dict)
    assert {"kernel", "cpu", "memory_bytes", "limits"} <= about.keys()
    assert len(encoded(Message("hello", introduction()))) < MOST_BYTES
