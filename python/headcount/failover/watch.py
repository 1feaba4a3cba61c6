"""The state of each node of a server over time during a fault."""

from collections.abc import Callable, Mapping, Sequence
from threading import Event, Thread

from headcount.bundle.failover import NodeState
from headcount.lab.node import NodeStates

ASK_S = 0.1
"""Pause between two looks at a node."""


class Watch:
    """Looks at all nodes again and again, each in a thread of its own: one may not answer."""

    def __init__(self, nodes: NodeStates, now_s: Callable[[], float]) -> None:
        """`now_s` is the run's clock."""
        self._nodes = nodes
        self._now_s = now_s
        self._ended = Event()
        self._changes: list[tuple[float, str, str]] = []
        self._threads = [
            Thread(target=self._look, args=(name, state), name="watch", daemon=True)
            for name, state in nodes.states.items()
        ]

    def start(self) -> None:
        """Begin."""
        for one in self._threads:
            one.start()

    def end(self) -> None:
        """Stop looking; safe to call twice."""
        self._ended.set()
        for one in self._threads:
            if one.ident is not None:  # it was started
                one.join()

    def seen(self, injected_s: float) -> list[NodeState]:
        """The state of each node when the fault began, and each change after it."""
        before = {name: state for at_s, name, state in self._changes if at_s <= injected_s}
        after = sorted(one for one in self._changes if one[0] > injected_s)
        return [
            *(NodeState(at_s=0.0, node=name, state=state) for name, state in before.items()),
            *(
                NodeState(at_s=at_s - injected_s, node=name, state=state)
                for at_s, name, state in after
            ),
        ]

    def _look(self, name: str, state: Callable[[], str]) -> None:
        last = None
        while not self._ended.is_set():
            found = state()
            if found != last:
                self._changes.append((self._now_s(), name, found))
                last = found
            self._ended.wait(ASK_S)


def phases(seen: Sequence[NodeState], nodes: NodeStates) -> tuple[float | None, float | None]:
    """When the failure was noticed and when another node had taken over, after the fault; pure.

    It was noticed, at the latest, when another node took over. None if that was not seen.
    """
    before: Mapping[str, str] = {one.node: one.state for one in seen if one.at_s == 0.0}
    after = [one for one in seen if one.at_s > 0.0]
    taken = [
        one.at_s
        for one in after
        if one.state == nodes.serving and before.get(one.node, nodes.serving) != nodes.serving
    ]
    noticed = [one.at_s for one in after if one.state in nodes.noticed]
    return min([*noticed, *taken], default=None), min(taken, default=None)
