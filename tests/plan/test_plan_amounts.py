"""Criteria on throughput and counters: what is understood, and what is refused."""

import pytest

from headcount import workloads
from headcount.cli.running import criteria_of
from headcount.errors import InputError
from headcount.plan.criteria import Criterion, check_bounded, parse, parse_all

CPU = ("sut", "system.cpu.utilization")
DISK = ("sut", "system.disk.utilization.busiest")


@pytest.mark.parametrize(
    ("text", "criterion"),
    [
        ("rate>=500/s", Criterion("rate>=500/s", "rate", 500.0, False)),
        ("rate > 1.5k/s", Criterion("rate>1.5k/s", "rate", 1500.0, True)),
        ("send:rate>=300/min", Criterion("send:rate>=300/min", "rate", 5.0, False, None, "send")),
        ("bytes>=30MB/s", Criterion("bytes>=30MB/s", "bytes", 30e6, False)),
        ("bytes>=16MiB/s", Criterion("bytes>=16MiB/s", "bytes", 16 * 2.0**20, False)),
        ("sent>=75%", Criterion("sent>=75%", "sent", 0.75, False)),
        (
            "bytes >= 30MB/s for 30s",
            Criterion("bytes>=30MB/s for 30s", "bytes", 30e6, False, stretch_s=30.0),
        ),
        (
            "sut:cpu<80%",
            Criterion("sut:cpu<80%", "counter", 0.8, True, counter=CPU, unit="1"),
        ),
        (
            "sut:disk.busy<85% for 1m",
            Criterion(
                *("sut:disk.busy<85% for 1m", "counter", 0.85, True),
                counter=DISK,
                unit="1",
                stretch_s=60.0,
            ),
        ),
        (
            "server:web.workers.busy<=400",
            Criterion(
                *("server:web.workers.busy<=400", "counter", 400.0, False),
                counter=("server", "web.workers.busy"),
                unit="{worker}",
            ),
        ),
        (
            "sut:memory.available>=1GiB",
            Criterion(
                *("sut:memory.available>=1GiB", "counter", 2.0**30, False),
                counter=("sut", "system.linux.memory.available"),
                unit="By",
            ),
        ),
        (
            "sut:system.disk.operation_time{disk.io.direction=read,system.device=vda}<20ms",
            Criterion(
                "sut:system.disk.operation_time{disk.io.direction=read,system.device=vda}<20ms",
                "counter",
                20.0,
                True,
                counter=(
                    "sut",
                    "system.disk.operation_time{disk.io.direction=read,system.device=vda}",
                ),
                unit="ms",
            ),
        ),
    ],
)
def test_amounts_are_read(text: str, criterion: Criterion) -> None:
    assert parse(text) == criterion
    assert criterion.at_least == (">" in text)
    assert criterion.allowed_share is None


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("rate>=500", "write it like 500/s"),
        ("rate<=500/s", "must be written with >="),
        ("rate>=0/s", "never be broken"),
        ("bytes>=30MB", "write it like 30MB/s"),
        ("bytes>=30Mb/s", "write it like 4096, 16KiB or 20MB"),
        ("sent>=100%", "never be met or broken"),
        ("sut:cpu<100%", "never be met or broken"),
        ("sut:cpu<80", "write it like 5%"),
        ("sut:cpuu<80%", 'names no counter that Headcount knows: "cpuu"; did you mean "cpu"?'),
        ("server:web.workers.busy<=80%", "write a number"),
        ("p95<=1s for 30s", "only rate, bytes, sent and counters"),
        ("rate>=5/s for 2h", "the stretch must be from 1s to 1h"),
        ("rps>=500", 'did you mean "rate>=500/s"?'),
        ("cpu<80%", 'did you mean "sut:cpu<80%"?'),
        ("throughput>=30MB/s", 'did you mean "bytes>=30MB/s"?'),
    ],
)
def test_unreadable_or_pointless_criteria_are_refused(text: str, part: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(text)
    assert part in str(caught.value)


def test_a_task_has_a_rate_and_no_bytes() -> None:
    assert parse_all(["read:rate>=5/s"], ["work"], ["read"])
    with pytest.raises(InputError, match="no due time and no bytes"):
        parse_all(["read:bytes>=5MB/s"], ["work"], ["read"])


def test_a_search_needs_a_criterion_that_many_users_break() -> None:
    floors = [parse("rate>=500/s"), parse("bytes>=30MB/s")]
    with pytest.raises(ValueError, match=r"such as p95<=1s; rate>=500/s and bytes>=30MB/s alone"):
        check_bounded(floors)
    check_bounded([*floors, parse("sut:cpu<80%")])


def test_a_stretch_on_the_command_line_belongs_to_its_criterion() -> None:
    given = ["p95<=1s bytes >= 30MB/s for 30s", "sut:cpu < 80%  for 1m  errors<1%"]
    assert [parse(text).text for text in criteria_of(given)] == [
        "p95<=1s",
        "bytes>=30MB/s for 30s",
        "sut:cpu<80% for 1m",
        "errors<1%",
    ]


def test_the_goals_of_1998_are_rules_of_file_copy() -> None:
    workload = workloads.load("file-copy")
    for name, bytes_per_s in (("node", 15e6), ("failover", 30e6)):
        found = workload.read_criteria(workload.rules[f"goals-1998-{name}"])
        limits = {(one.scenario or one.metric, one.stretch_s): one.limit for one in found}
        assert limits == {
            ("files-64k", None): 1.0,
            ("files-1m", None): 5.0,
            ("errors", None): 0.01,
            ("bytes", 30.0): bytes_per_s,
            ("sent", None): 0.75,
            ("counter", 30.0): 0.8,
        }
