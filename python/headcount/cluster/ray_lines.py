"""Lines to agents on the machines of a Ray cluster, one on each."""

import logging
import signal
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import ray
from ray.exceptions import RayError
from ray.util.placement_group import PlacementGroup, placement_group, remove_placement_group
from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

from headcount.cluster.actor import agent_actor
from headcount.cluster.probe import check_cluster
from headcount.cluster.seal import KeyPair, SealedWay
from headcount.errors import EngineError, InputError
from headcount.generator.line import Deliver, Line
from headcount.generator.message import Decoder, Message, encoded

_PLACE_S, _START_S = 30.0, 60.0


class RayLine:
    """Leads an agent that is an actor of Ray."""

    def __init__(self, name: str, group: "Placement", bundle: int) -> None:
        """Start nothing yet."""
        self.name = name
        self._group, self._bundle = group, bundle
        self._keys = KeyPair()
        self._actor: Any = None
        self._orders: SealedWay | None = None
        self._lock = threading.Lock()
        self._is_closed = False

    def open(self, deliver: Deliver) -> None:
        """Start the actor and deliver what it sends."""
        place = PlacementGroupSchedulingStrategy(
            placement_group=self._group.group, placement_group_bundle_index=self._bundle
        )
        self._actor = agent_actor().options(scheduling_strategy=place).remote()
        try:
            theirs = ray.get(self._actor.meet.remote(self._keys.public), timeout=_START_S)
        except RayError as error:
            raise EngineError(f"cannot start the agent on {self.name}: {error}") from error
        self._orders = self._keys.channel(theirs, "orders")
        self._reports = self._keys.channel(theirs, "reports")
        self._thread = threading.Thread(
            target=self._work, args=(deliver,), name=self.name, daemon=True
        )
        self._thread.start()

    def send(self, message: Message) -> None:
        """Send a message, without waiting for the agent."""
        with self._lock:
            if self._orders is not None and not self._is_closed:
                with suppress(RayError):  # that it has gone shows in what it sends
                    self._actor.order.remote(self._orders.seal(encoded(message)))

    def close(self) -> None:
        """End the agent."""
        self.send(Message("end"))
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
        if self._actor is not None:
            with suppress(RayError):
                ray.kill(self._actor, no_restart=True)
        self._group.leave()

    def _work(self, deliver: Deliver) -> None:
        decoder = Decoder()
        try:
            for reference in self._actor.reports.remote():
                sealed = ray.get(reference)
                at_s = time.monotonic()
                for message in decoder.feed(self._reports.open(sealed)):
                    deliver(message, at_s)
        except (RayError, EngineError):
            pass  # the agent has gone, or is none
        finally:
            deliver(None, time.monotonic())


class Placement:
    """The machines that agents have, until the last of them has gone."""

    def __init__(self, group: PlacementGroup, users: int) -> None:
        """Of so many agents."""
        self.group = group
        self._users = users
        self._lock = threading.Lock()

    def leave(self) -> None:
        """One agent fewer; after the last one, the machines are free and Ray is left."""
        with self._lock:
            self._users -= 1
            if self._users:
                return
        with suppress(RayError):
            remove_placement_group(self.group)
        ray.shutdown()


def connect(address: str) -> None:
    """Become part of the cluster's work. Raises HeadcountError."""
    check_cluster(address)
    before = signal.getsignal(signal.SIGTERM)  # Ray puts its own in the place of ours
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    except (ConnectionError, RuntimeError, RayError) as error:
        raise EngineError(f"cannot use the Ray cluster at {address}: {error}") from error
    finally:
        signal.signal(signal.SIGTERM, before)


def open_lines(address: str, number: int) -> tuple[Sequence[Line], Sequence[int]]:
    """Lines to so many agents, each on a machine of its own, and the CPUs of each machine.

    Raises HeadcountError where there are fewer machines.
    """
    connect(address)
    known: list[dict[str, Any]] = ray.nodes()  # type: ignore[no-untyped-call]
    alive = [one for one in known if one["Alive"] and one["Resources"].get("CPU", 0) >= 1]
    if len(alive) < number:
        ray.shutdown()
        raise InputError(
            f"the cluster at {address} has {len(alive)} machines with CPUs for agents, and "
            f"--agents asks for {number}"
        )
    group = placement_group([{"CPU": 1}] * number, strategy="STRICT_SPREAD")
    if not group.wait(_PLACE_S):
        remove_placement_group(group)
        ray.shutdown()
        raise EngineError(
            f"the cluster at {address} has no machine for each of {number} agents within "
            f"{_PLACE_S:g} s: other work holds their CPUs"
        )
    places = ray.util.placement_group_table(group)["bundles_to_node_id"]
    nodes = {node["NodeID"]: node for node in alive}
    shared = Placement(group, number)
    found = [nodes[places[bundle]] for bundle in range(number)]
    lines = [
        RayLine(node["NodeManagerHostname"], shared, bundle) for bundle, node in enumerate(found)
    ]
    return lines, [int(node["Resources"]["CPU"]) for node in found]
