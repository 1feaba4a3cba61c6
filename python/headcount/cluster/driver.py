"""`python -m headcount.cluster.driver ADDRESS NUMBER`: uses Ray for a controller, over its pipes.

It places agents, starts them, and forwards sealed messages, which it cannot read. When its stdin
ends, so do the agents.
"""

import logging
import os
import sys
import threading
from base64 import b64decode, b64encode
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import ray
from ray.exceptions import RayError
from ray.util.placement_group import PlacementGroup, placement_group, remove_placement_group
from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

from headcount.cluster.actor import agent_actor
from headcount.errors import HeadcountError, InputError
from headcount.generator.agent import ClosedError
from headcount.generator.message import Message
from headcount.generator.pipe_channel import PipeChannel

_PLACE_S, _START_S, _LEAVE_S = 30.0, 50.0, 2.0
_PATIENCE_S = 3600.0


class Driver:
    """Agents on a cluster."""

    def __init__(self, address: str, number: int, channel: PipeChannel) -> None:
        """Place this many. Raises InputError if there are too few machines, or RayError."""
        self._channel = channel
        self._actors: dict[int, Any] = {}
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
        self._group, nodes = placed(address, number)
        hosts = [node["NodeManagerHostname"] for node in nodes]
        names = [
            host if hosts.count(host) == 1 else node["NodeManagerAddress"]
            for host, node in zip(hosts, nodes, strict=True)
        ]
        cpus = [int(node["Resources"]["CPU"]) for node in nodes]
        channel.send(Message("placed", {"names": names, "cpus": cpus}))

    def work(self) -> None:
        """Do what the controller asks for, until it is gone."""
        with suppress(ClosedError):
            while True:
                message = self._channel.receive(_PATIENCE_S)
                if message is not None:
                    self._obey(message)

    def leave(self) -> None:
        """End all agents."""
        for actor in self._actors.values():
            with suppress(RayError):
                ray.kill(actor, no_restart=True)
        with suppress(RayError):
            remove_placement_group(self._group)
        ray.shutdown()

    def _obey(self, message: Message) -> None:
        index = message.values.get("index")
        if message.kind == "meet":  # to start a process on another machine takes seconds
            threading.Thread(target=self._meet, args=(message.values,), daemon=True).start()
        elif message.kind == "end" or index not in self._actors:
            return
        elif message.kind == "listen":
            name = f"agent-{index}"
            threading.Thread(target=self._listen, args=(index,), name=name, daemon=True).start()
        elif message.kind == "order":
            with suppress(RayError):  # its line reports that it is gone
                self._actors[index].order.remote(message.body)
        elif message.kind == "kill":
            actor = self._actors.pop(index)
            threading.Thread(target=kill, args=(actor,), daemon=True).start()

    def _meet(self, values: Any) -> None:
        index = values["index"]
        place = PlacementGroupSchedulingStrategy(
            placement_group=self._group, placement_group_bundle_index=index
        )
        try:
            actor = agent_actor().options(scheduling_strategy=place).remote()
            theirs = ray.get(actor.meet.remote(b64decode(values["key"])), timeout=_START_S)
        except RayError as error:
            text = f"cannot start the agent: {first_line(error)}"
            self._channel.send(Message("failed", {"index": index, "text": text}))
            return
        self._actors[index] = actor
        self._channel.send(Message("met", {"index": index, "key": b64encode(theirs).decode()}))

    def _listen(self, index: int) -> None:
        try:
            for reference in self._actors[index].reports.remote():
                self._channel.send(Message("report", {"index": index}, ray.get(reference)))
        except (RayError, OSError):
            pass
        finally:
            with suppress(OSError):
                self._channel.send(Message("gone", {"index": index}))


def kill(actor: Any) -> None:
    """End one agent, however long Ray takes."""
    with suppress(RayError):
        ray.kill(actor, no_restart=True)


def placed(address: str, number: int) -> tuple[PlacementGroup, Sequence[dict[str, Any]]]:
    """Places for this many agents, and the machine of each. Raises InputError, or RayError."""
    known: list[dict[str, Any]] = ray.nodes()  # type: ignore[no-untyped-call]
    alive = [one for one in known if one["Alive"] and one["Resources"].get("CPU", 0) >= 1]
    if len(alive) < number:
        raise InputError(
            f"the cluster at {address} has {len(alive)} machines with CPUs for agents, and "
            f"--agents asks for {number}"
        )
    group = placement_group([{"CPU": 1}] * number, strategy="STRICT_SPREAD")
    if not group.wait(_PLACE_S):
        remove_placement_group(group)
        raise InputError(
            f"the cluster at {address} has no machine for each of {number} agents within "
            f"{_PLACE_S:g} s: other work holds their CPUs"
        )
    places = ray.util.placement_group_table(group)["bundles_to_node_id"]
    nodes = {node["NodeID"]: node for node in alive}
    return group, [nodes[places[bundle]] for bundle in range(number)]


def first_line(error: Exception) -> str:
    """The first line of Ray's error, without its advice."""
    return str(error).strip().partition("\n")[0]


def silence() -> None:
    """Drop what Ray prints: errors carry what matters."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)


def main(arguments: Sequence[str]) -> None:
    """Lead agents until the controller ends."""
    channel = PipeChannel.of_process()
    silence()
    address, number = arguments[0], int(arguments[1])
    try:
        driver = Driver(address, number, channel)
    except InputError as error:
        channel.send(Message("refused", {"text": str(error)}))
        return
    except (ConnectionError, RuntimeError, RayError, HeadcountError) as error:
        text = f"cannot use the Ray cluster at {address}: {first_line(error)}"
        channel.send(Message("failed", {"text": text}))
        return
    driver.work()
    # Without the cluster's head, Ray waits for it without end.
    threading.Timer(_LEAVE_S, os._exit, (0,)).start()
    driver.leave()


if __name__ == "__main__":
    main(sys.argv[1:])
    os._exit(0)
