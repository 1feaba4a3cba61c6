"""Data sets that several agents make together, on a real Samba."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from generator_agents import agents_of
from hypothesis import given
from hypothesis import strategies as st

from file_server import FileServer, serving
from headcount.generator.makers import parts_of
from processes import Headcount, wait_for

SCALE = ("--scale", "0.02")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FileServer]:
    with serving(tmp_path_factory.mktemp("samba")) as found:
        yield found


@pytest.fixture
def headcount(headcount: Headcount, server: FileServer) -> Headcount:
    headcount.environment["HEADCOUNT_PASSWORD"] = server.password
    return headcount


def arguments(server: FileServer, users: int, *options: str) -> tuple[str, ...]:
    target = ("--target", server.target, "--users", str(users))
    scale = () if "--scale" in options else SCALE
    return ("prepare", "home-folders", *target, *scale, "--json", *options)


def test_agents_make_what_one_machine_makes(headcount: Headcount, server: FileServer) -> None:
    alone = headcount.run(*arguments(server, 7))
    assert alone.json["created_users"] == 7
    expected = server.files()
    assert headcount.run("cleanup", "--target", server.target).code == 0
    together = headcount.run(*arguments(server, 7, "--agents", "3"))
    assert together.json == alone.json
    assert server.files() == expected
    again = headcount.run(*arguments(server, 9, "--agents", "2"))
    assert (again.json["created_users"], again.json["kept_users"]) == (2, 7)
    assert headcount.run("cleanup", "--target", server.target).code == 0


def test_a_data_set_of_another_size_is_deleted_before_the_new_one_is_made(
    headcount: Headcount, server: FileServer
) -> None:
    for scale in ("0.02", "0.03"):
        made = headcount.run(*arguments(server, 6, "--agents", "3", "--scale", scale))
        assert made.json["created_users"] == 6, made
        alone = headcount.run(*arguments(server, 6, "--scale", scale))
        assert alone.json["kept_users"] == 6, alone
    assert headcount.run("cleanup", "--target", server.target).code == 0


def test_finished_data_stays_when_an_agent_is_killed(
    headcount: Headcount, server: FileServer
) -> None:
    users = 400
    command = headcount.start(*arguments(server, users, "--agents", "2"))
    wait_for(lambda: sum(len(path.parts) for path in server.shares.glob("*/*")) > 40, 60)
    os.kill(agents_of(command)[0], signal.SIGKILL)
    ended = command.ended()
    assert ended.code == 3, ended
    assert "was lost; what was made stays: repeat the command to go on from there" in ended.message
    again = headcount.run(*arguments(server, users, "--agents", "2"))
    assert again.json["created_users"] + again.json["kept_users"] == users
    assert again.json["kept_users"] > 0
    assert headcount.run("cleanup", "--target", server.target).code == 0


def test_several_agents_do_not_make_data_that_all_users_share(
    headcount: Headcount, tmp_path: Path
) -> None:
    ended = headcount.run(
        *("prepare", "home-folders", "--target", f"file://{tmp_path}", "--users", "2"),
        *(*SCALE, "--agents", "2"),
    )
    assert ended.code == 2, ended
    assert "one agent makes it, so leave out --agents" in ended.message


@given(st.integers(0, 1000), st.integers(1, 500), st.integers(1, 40))
def test_parts_are_of_neighbours_and_as_equal_as_possible(
    first: int, users: int, agents: int
) -> None:
    parts = parts_of(first, first + users - 1, agents)
    sizes = [last - begin + 1 for begin, last in parts]
    assert [user for begin, last in parts for user in range(begin, last + 1)] == list(
        range(first, first + users)
    )
    assert len(parts) == min(agents, users)
    assert max(sizes) - min(sizes) <= 1
