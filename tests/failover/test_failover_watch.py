"""What nodes are while a fault is at work."""

import time

from headcount.bundle.failover import NodeState
from headcount.failover.watch import Watch, phases
from headcount.lab.node import NodeStates
from processes import wait_for


def nodes(*names: str) -> NodeStates:
    return NodeStates(
        dict.fromkeys(names, str), "primary", frozenset({"standby without a primary"})
    )


def node_states(*rows: tuple[float, str, str]) -> list[NodeState]:
    return [NodeState(at_s=at_s, node=name, state=state) for at_s, name, state in rows]


def test_every_change_is_seen_with_its_moment() -> None:
    states = {"a": "primary", "b": "standby"}
    looked = NodeStates({name: lambda name=name: states[name] for name in states}, "primary")  # type: ignore[misc]
    watch = Watch(looked, time.monotonic)
    watch.start()
    wait_for(lambda: len(watch.seen(time.monotonic())) == 2)
    injected_s = time.monotonic()
    states["a"] = "no answer"
    wait_for(lambda: len(watch.seen(injected_s)) == 3)
    states["b"] = "primary"
    wait_for(lambda: len(watch.seen(injected_s)) == 4)
    watch.end()
    watch.end()
    found = watch.seen(injected_s)
    assert [(one.node, one.state) for one in found[2:]] == [("a", "no answer"), ("b", "primary")]
    assert {(one.node, one.state) for one in found[:2]} == {("a", "primary"), ("b", "standby")}
    assert 0 < found[2].at_s < found[3].at_s
    noticed_s, taken_s = phases(found, looked)
    assert noticed_s == taken_s == found[3].at_s


def test_a_watch_that_never_began_can_be_ended() -> None:
    watch = Watch(nodes("a"), time.monotonic)
    watch.end()
    assert watch.seen(0.0) == []


def test_a_failure_is_noticed_before_another_node_takes_over() -> None:
    before = [(0.0, "a", "primary"), (0.0, "b", "standby")]
    whole = node_states(
        *before,
        (0.1, "a", "no answer"),
        (7.1, "b", "standby without a primary"),
        (7.4, "b", "primary"),
        (20.0, "a", "standby"),
    )
    assert phases(whole, nodes("a", "b")) == (7.1, 7.4)
    # the same node again is not another node
    back = node_states(*before, (0.1, "a", "no answer"), (5.0, "a", "primary"))
    assert phases(back, nodes("a", "b")) == (None, None)
    assert phases([], nodes("a", "b")) == (None, None)
