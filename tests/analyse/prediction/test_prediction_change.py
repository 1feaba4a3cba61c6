"""Changes of hardware as people write them."""

import pytest

from headcount.analyse.prediction import change
from headcount.analyse.prediction.resource import Resource
from headcount.errors import InputError


def resource(kind: str, unit: str, capacity: float | None, name: str = "it") -> Resource:
    shape = {"cpu": "servers", "disk": "stations", "network": "rate"}[kind]
    return Resource(name, kind, shape, "a.counter", unit, capacity, lambda _: 1.0)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "text", "unit", "capacity", "then"),
    [
        ("cpu", "2x", "cores", 4.0, 8.0),
        ("cpu", "1.5\N{MULTIPLICATION SIGN}", "cores", 2.0, 3.0),
        ("cpu", "8", "cores", 4.0, 8.0),
        ("cpu", "50%", "cores", 4.0, 0.5),
        ("cpu", "2->4", "cores", 2.0, 4.0),
        ("disk", "24->96", "disks", 24.0, 96.0),
        ("disk", "2x", "By/s", 10e6, 20e6),
        ("disk", "24->96", "By/s", 10e6, 40e6),
        ("network", "10GbE", "By/s", 125e6, 1.25e9),
        ("network", "1GbE->10GbE", "By/s", None, 1.25e9),
        ("network", "80Mbit/s", "By/s", None, 10e6),
        ("network", "2x", "By/s", 50e6, 100e6),
    ],
)
def test_changes(kind: str, text: str, unit: str, capacity: float | None, then: float) -> None:
    parsed = change.parse(kind, text)  # type: ignore[arg-type]
    one = resource(kind, unit, capacity)
    assert change.capacities([one], [parsed]) == {"it": pytest.approx(then)}
    assert len(change.change_texts([parsed], [one])) == 1


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("cpu", "many"),
        ("cpu", "0x"),
        ("cpu", "1->2->3"),
        ("disk", "2.5"),
        ("disk", "0"),
        ("disk", "1->5000"),
        ("network", "fast"),
        ("network", "10"),
        ("network", "0GbE"),
        ("network", "0GbE->10GbE"),
        ("network", ""),
    ],
)
def test_unreadable_changes_are_refused_with_their_option(kind: str, text: str) -> None:
    with pytest.raises(InputError, match=r"--(cpus|disks|network)"):
        change.parse(kind, text)  # type: ignore[arg-type]


def test_changes_of_unknown_capacities_must_be_written_in_full() -> None:
    unknown = resource("network", "By/s", None)
    with pytest.raises(InputError, match="does not record how fast"):
        change.capacities([unknown], [change.parse("network", "2x")])
    with pytest.raises(InputError, match=r"no counter of the CPU or any other .* --source ssh://"):
        change.capacities([unknown], [change.parse("cpu", "2x")])
    seen = resource("cpu", "cores", 2.0)
    with pytest.raises(InputError, match="no counter of the disk, and its machine reports none"):
        change.capacities([seen], [change.parse("disk", "2x")])
    limited = resource("disk", "By/s", 10e6)
    with pytest.raises(InputError, match="--disks 2x"):
        change.capacities([limited], [change.parse("disk", "48")])


def test_memory() -> None:
    assert change.memory("64GiB") == 64 * 2**30
    assert change.memory("32GiB->64GiB") == 64 * 2**30
    with pytest.raises(InputError):
        change.memory("much")
