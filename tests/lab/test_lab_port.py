"""Ports: who has them."""

import os
import socket

from headcount.lab import port


def test_a_free_port_is_free_until_somebody_has_it() -> None:
    number = port.free()
    assert port.is_free(number)
    assert not port.answers(number)
    assert not port.is_held_by(os.getpid(), number)
    with socket.create_server((port.host(), number)):
        assert not port.is_free(number)
        assert port.answers(number)
        assert port.is_held_by(os.getpid(), number)
        assert not port.is_held_by(os.getppid(), number)
    assert port.is_free(number)


def test_a_connection_does_not_hold_a_port() -> None:
    with (
        socket.create_server((port.host(), 0)) as server,
        socket.create_connection(server.getsockname()) as client,
    ):
        assert not port.is_held_by(os.getpid(), client.getsockname()[1])


def test_a_process_that_has_ended_holds_nothing() -> None:
    with socket.create_server((port.host(), 0)) as server:
        assert not port.is_held_by(2**22 + 1, server.getsockname()[1])
