"""The plan's `[client]` table: who the users are, and how they speak the protocol."""

from collections.abc import Mapping

from headcount.protocols.pair import split_settings
from headcount.protocols.registry import protocol_of
from headcount.protocols.target import Target


def check_client(target: Target, given: Mapping[str, str], server: Mapping[str, str]) -> None:
    """Raise InputError if the table does not fit the target, or the `[server]` of the lab."""
    if target.both is not None:
        second = target.both[1].protocol
        clients, servers = split_settings(given, second), split_settings(server, second)
        for one, its_client, its_server in zip(target.both, clients, servers, strict=True):
            check_client(one, its_client, its_server)
        return
    protocol = protocol_of(target.protocol)
    protocol.client(given)
    protocol.fits(target, given, server)
