"""From the options of the command line to a plan, to its file, and back."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plan_cases import WORKLOAD, plan, smb_plan, smb_workload, workload

from headcount import workloads
from headcount.errors import InputError
from headcount.fields.units import MOST_USERS, duration_text, seconds
from headcount.plan.levels import parse_ladder
from headcount.plan.plan import Plan, engine_plan, load, validate
from headcount.plan.resolve import Overrides, resolve
from headcount.plan.workload import Workload
from headcount.protocols.registry import lab_target, protocol_of

TARGETS = {
    "app": ["lab:app", "app://127.0.0.1:7410", "app://[::1]:7410"],
    "smb": ["lab:samba", "smb://127.0.0.1:4450/home{n}", "smb://[::1]/home{n:05}"],
    "http": ["lab:apache", "http://127.0.0.1:8080/pages", "https://[::1]"],
    "mail": ["lab:mail", "imap://127.0.0.1:10143", "imaps://[::1]"],
    "mail+sql": ["lab:mail+lab:postgresql", "imap://[::1]+postgresql://127.0.0.1:5433/shop"],
    "sql": ["lab:postgresql", "postgresql://127.0.0.1:5433/shop", "postgresql://[::1]/a%20b"],
}


def targets_of(protocol: str) -> list[str]:
    """Targets of a protocol: at least its lab server, and what its targets look like."""
    its = protocol_of(protocol)
    return TARGETS.get(protocol, [lab_target(its), its.form.replace("host", "127.0.0.1")])


CASES = [
    (name, target)
    for name in workloads.names()
    for target in targets_of(workloads.load(name).protocol)
]

durations = st.floats(1, 100_000).map(duration_text)
pauses = st.one_of(
    durations.filter(lambda text: seconds(text) <= 86_400),
    st.floats(0.001, 1000).map(lambda s: f"exponential:{duration_text(s)}"),
    st.tuples(st.floats(0, 10), st.floats(10, 100)).map(
        lambda bounds: f"uniform:{duration_text(bounds[0])}..{duration_text(bounds[1])}"
    ),
)
kinds = st.one_of(
    st.fixed_dictionaries({"users": st.integers(1, MOST_USERS)}),
    st.fixed_dictionaries({"levels": st.sampled_from(["1,4,8", "10..200/10", "5"])}),
    st.fixed_dictionaries({"search": st.just(True)}),
)
paces = st.one_of(
    st.just({}),
    st.fixed_dictionaries({"think": pauses}),
    st.fixed_dictionaries({"pace": pauses.filter(lambda text: text != "0ms")}),
)
others = st.fixed_dictionaries(
    {},
    optional={
        "duration": durations,
        "settle": st.floats(0, 1000).map(duration_text),
        "ramp": st.floats(0, 1000).map(duration_text),
        "seed": st.integers(0, 2**63 - 1),
        "workers": st.integers(1, 64),
        "scale": st.floats(1e-6, 1),
        "authorised_by": st.text(max_size=20),
        "criteria": st.just(["p99<=2s", "mean<=1s"]),
        "quick": st.booleans(),
        "budget": durations,
        "soak": durations,
        "start_users": st.integers(1, 100),
        "max_users": st.integers(1, MOST_USERS),
        "server": st.dictionaries(st.text(max_size=5), st.text(max_size=5), max_size=2),
    },
)
clients = st.fixed_dictionaries(
    {},
    optional={
        "client": st.fixed_dictionaries(
            {},
            optional={
                "user": st.sampled_from(["u{n}", "Jürgen {n:03}"]),
                "domain": st.text(max_size=5),
                "dialects": st.just("3.0.2,3.1.1"),
                "verify": st.sampled_from(["on", "off"]),
            },
        ),
        "shares": st.integers(1, 100_000),
    },
)


def reread(text: str, folder: Path) -> Plan:
    path = folder / "plan.toml"
    path.write_text(text, "utf-8", newline="")
    return load(path)


@settings(max_examples=80)
@given(st.sampled_from(CASES), kinds, paces, others, clients)
def test_a_plan_written_and_read_is_the_same_plan(
    tmp_path_factory: pytest.TempPathFactory,
    case: tuple[str, str],
    kind: dict[str, Any],
    pace: dict[str, Any],
    other: dict[str, Any],
    client: dict[str, Any],
) -> None:
    name, target = case
    found = workloads.load(name)
    client_settings = client if found.protocol == "smb" else {}
    if found.protocol.startswith("mail"):
        client_settings = {"client": {"domain": "test.invalid"}}
    if found.run.steady == "required":  # short settling is refused
        other = {key: value for key, value in other.items() if key != "settle"}
    # Where scenarios have pauses of their own, a pace would change nothing, and is refused.
    paced = {} if any(scenario.pause for scenario in found.scenarios) else pace
    resolved = resolve(found, target, Overrides(**kind, **paced, **other, **client_settings))
    again = reread(resolved.to_toml(), tmp_path_factory.mktemp("plan"))
    assert again == resolved
    assert json.loads(engine_plan(again)) == json.loads(engine_plan(resolved))
    assert again.to_toml() == resolved.to_toml()


def test_the_engines_plan_says_what_the_plan_says() -> None:
    values = {"draw": "uniform", "low": "1s", "high": "3s"}
    written = plan(workload=workload("pace", {"kind": "open", "time": values}).model_dump())
    assert json.loads(engine_plan(written)) == {
        "seed": 1,
        "workers": 1,
        "pace": {"pace": "open", "every": {"draw": "uniform", "low_s": 1.0, "high_s": 3.0}},
        "step_timeout_ms": 30_000,
        "report_every_ms": 1000,
        "log_on": "first-scenario",
        "scenarios": [
            {
                "name": "read",
                "weight": 1.0,
                "limit_ms": 1000.0,
                "limit_per_mib_ms": 0.0,
                "late_ms": 1000.0,
                "pause": None,
                "steps": [{"name": "read", "op": "read", "bytes": 4096}],
            }
        ],
    }


def test_a_limit_that_grows_with_the_size_reaches_the_engine() -> None:
    grown = plan(workload=workload("scenarios.0.limit_per_mib", "1500us").model_dump())
    (scenario,) = json.loads(engine_plan(grown))["scenarios"]
    assert (scenario["limit_ms"], scenario["limit_per_mib_ms"]) == (1000.0, 1.5)
    later = plan(workload=workload("scenarios.0.late", "4s").model_dump())
    assert json.loads(engine_plan(later))["scenarios"][0]["late_ms"] == 4000.0


@pytest.mark.parametrize(
    ("target", "asked", "scale"),
    [
        ("lab:samba", None, 0.02),
        ("lab:samba", 1.0, 1.0),
        ("lab:samba", 0.5, 0.5),
        ("smb://127.0.0.1/data", None, 1.0),
        ("smb://127.0.0.1/data", 0.02, 0.02),
    ],
)
def test_only_servers_of_the_lab_have_the_labs_scale(
    target: str, asked: float | None, scale: float
) -> None:
    base = smb_workload("run.lab_scale", 0.02)
    assert resolve(base, target, Overrides(scale=asked)).scale == scale


def test_shares_are_for_the_client_and_also_for_a_lab_server() -> None:
    lab = resolve(smb_workload(), "lab:samba", Overrides(shares=3, server={"oplocks": "no"}))
    assert lab.client == {"shares": "3"}
    assert lab.server == {"oplocks": "no", "shares": "3"}
    theirs = Overrides(shares=3, client={"signing": "off"})
    own = resolve(smb_workload(), "smb://127.0.0.1/home{n}", theirs)
    assert (own.client, own.server) == ({"signing": "off", "shares": "3"}, {})
    with pytest.raises(InputError, match=r"--shares is for file servers; lab:app has no shares"):
        resolve(workload(), "lab:app", Overrides(shares=3))
    with pytest.raises(InputError, match="need a target with a pattern"):
        resolve(smb_workload(), "smb://127.0.0.1/data", Overrides(shares=3))


def test_options_change_the_plan_and_nothing_else() -> None:
    base = workload()
    changed = resolve(
        base,
        "lab:app",
        Overrides(users=7, think="exponential:2s", duration="20s", criteria=["p50<=1s"], seed=3),
    )
    assert (changed.mode, changed.levels, changed.seed) == ("level", [7], 3)
    assert changed.workload.pace.time.mean_s == 2.0
    assert changed.workload.run.duration == "20s"
    assert [criterion.text for criterion in changed.criteria] == ["p50<=1s"]
    same = {"pace", "run", "criteria"}
    assert changed.workload.model_dump(exclude=same) == base.model_dump(exclude=same)
    assert resolve(base, "lab:app", Overrides()).mode == "search"
    ladder = resolve(workloads.load("sys-60"), "lab:app", Overrides())
    assert (ladder.mode, ladder.levels[:3], len(ladder.levels)) == ("ladder", [1, 4, 8], 16)


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ({"users": 1, "levels": "1"}, "--users, --levels and --search exclude each other"),
        ({"users": 1, "search": True}, "exclude each other"),
        ({"users": 0}, "--users is 0; it must be from 1 to 1,000,000"),
        ({"users": -1}, "--users is -1"),
        ({"levels": "1..5"}, "write it like 1,4,8,12 or 10..200/10"),
        ({"levels": "9..1/1"}, "has no levels"),
        ({"levels": "1..9/0"}, "has no levels"),
        ({"levels": "1..9999/1"}, "more than 1,000 levels"),
        ({"levels": "0"}, "a level has 0 users"),
        ({"levels": ""}, "is not a ladder"),
        ({"levels": "10-100"}, 'did you mean "10..100/10"'),
        ({"levels": "10:100:30"}, 'did you mean "10..100/30"'),
        ({"levels": "1..100"}, 'did you mean "1..100/11"'),
        ({"think": "1s", "pace": "1s"}, "exclude each other"),
        ({"think": "2x"}, '--think is "2x"; write it like'),
        ({"think": "uniform:1s"}, "write it like uniform:1s..3s"),
        ({"think": "uniform:3s..1s"}, "low (3s) must not be above high (1s)"),
        ({"pace": "0s"}, "an open pace needs an interval above 0"),
        ({"duration": "9x"}, 'workload.run.duration: it is "9x"'),
        ({"workers": 0}, "workers:"),
        ({"criteria": ["p95>1s"]}, "must be written with <="),
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, Any], part: str) -> None:
    with pytest.raises(InputError) as caught:
        resolve(workload(), "lab:app", Overrides(**options))
    assert part in str(caught.value)


@given(st.integers(1, 500), st.integers(0, 300), st.integers(1, 50))
def test_a_ladder_is_what_range_gives(first: int, length: int, step: int) -> None:
    last = first + length
    expected = list(range(first, last + 1, step))
    assert parse_ladder(f"{first}..{last}/{step}") == expected
    assert parse_ladder(",".join(map(str, expected))) == expected
    assert parse_ladder(f"{first}, {first}..{last}/{step}") == [first, *expected]


@given(st.floats(1e-6, 1))
def test_a_scaled_data_set_is_whole_blocks_and_never_empty(scale: float) -> None:
    scaled = plan(scale=scale)
    for size, whole in ((scaled.file_bytes, 2**20), (scaled.range_bytes, 2**19)):
        assert size % 4096 == 0
        assert size == max(int(whole * scale) // 4096 * 4096, 4096)
    assert scaled.range_bytes <= scaled.file_bytes


def test_the_file_of_a_plan_has_no_place_for_a_secret() -> None:
    def keys(value: Any) -> set[str]:
        if isinstance(value, list):
            return {key for part in value for key in keys(part)}
        if isinstance(value, dict):
            return set(value) | {key for part in value.values() for key in keys(part)}
        return set()

    for written in (plan(), smb_plan(client={"user": "ada", "verify": "off"})):
        assert not {"token", "password", "secret"} & keys(tomllib.loads(written.to_toml()))
    for key in ("password", "token"):
        with pytest.raises(InputError, match=f"{key}: there is no such key"):
            smb_plan(client={key: "s3cret"})


def test_rows_before_that_of_the_first_user_are_for_nobody(tmp_path: Path) -> None:
    (tmp_path / "users.csv").write_text("name\n" + "ada\n" * 10, "utf-8")
    variable = {"file": str(tmp_path / "users.csv"), "order": "unique"}
    look = {"name": "look", "op": "get", "path": "/{user.name}"}
    values = {key: value for key, value in WORKLOAD.items() if key != "data"}
    values |= {"protocol": "http", "variables": {"user": variable}}
    values["scenarios"] = [{**WORKLOAD["scenarios"][0], "steps": [look]}]
    of_file = validate(Workload, values, "it")

    def planned(first_user: int, users: int | None = None) -> Plan:
        client = {"first_user": str(first_user)}
        return resolve(of_file, "http://127.0.0.1/", Overrides(client=client, users=users))

    assert planned(0).search.max_users == 10
    assert planned(4).search.max_users == 6
    assert planned(4, users=6).levels == [6]
    with pytest.raises(InputError, match="10 rows, the first user has row 5, and each of 7 users"):
        planned(4, users=7)
    with pytest.raises(InputError, match="the first user has row 21, and each user needs"):
        planned(20)
