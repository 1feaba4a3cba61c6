"""Programs: which workloads have one, and what a load file makes of a plan."""

import hashlib
from pathlib import Path

import pytest
from plan_cases import SMB_WORKLOAD, spoilt

from headcount import workloads
from headcount.cli.loadfile import load_file
from headcount.errors import InputError
from headcount.plan.plan import Plan, load, validate
from headcount.plan.resolve import Overrides, resolve
from headcount.plan.workload import Workload
from headcount.protocols.program import check_load_file

TEXT = """\
Mkdir "\\clients\\client1\\a" NT_STATUS_OK
NTCreateX "\\clients\\client1\\a\\x" 0x40 0x2 5 NT_STATUS_OK
WriteX 5 0 100 100 NT_STATUS_OK
Close 5 NT_STATUS_OK
Deltree "\\clients\\client1" NT_STATUS_OK
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "load.txt"
    path.write_text(TEXT, "utf-8")
    return path


def replay(file: Path) -> Plan:
    loaded = load_file(file, ignore_times=False)
    return resolve(
        workloads.load("replay"), "lab:samba", Overrides(users=2, seed=1, loadfile=loaded)
    )


def test_a_load_file_gives_its_operations_path_and_hash_and_nothing_else(file: Path) -> None:
    plan = replay(file)
    weights = {scenario.name: scenario.weight for scenario in plan.workload.scenarios}
    assert weights == {"Mkdir": 1, "NTCreateX": 1, "WriteX": 1, "Close": 1, "Deltree": 1}
    program = plan.workload.program
    assert program is not None
    assert program.path == str(file)
    assert program.sha256 == hashlib.sha256(TEXT.encode()).hexdigest()
    assert program.engine_form() == {
        "kind": "load-file",
        "path": str(file),
        "ignores_times": False,
    }
    assert "client1" not in plan.to_toml()
    check_load_file(program)


def test_a_plan_is_not_played_with_another_file(file: Path, tmp_path: Path) -> None:
    written = tmp_path / "plan.toml"
    written.write_text(replay(file).to_toml(), "utf-8")
    again = load(written)
    assert again == replay(file)
    file.write_text(TEXT + "\n", "utf-8")
    with pytest.raises(InputError, match="has changed since this run was planned"):
        check_load_file(again.workload.program)
    file.unlink()
    with pytest.raises(InputError, match="cannot be read: No such file"):
        check_load_file(again.workload.program)


def test_a_load_file_has_to_be_named() -> None:
    plan = resolve(workloads.load("replay"), "lab:samba", Overrides(users=2))
    with pytest.raises(InputError, match="--loadfile FILE"):
        check_load_file(plan.workload.program)
    check_load_file(resolve(workloads.load("disk-mix"), "lab:samba", Overrides()).workload.program)
    check_load_file(None)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Close 5 NT_STATUS_OK\n", "line 1: Close on handle 5, which no NTCreateX before it"),
        ("\nLeap 5\n", 'line 2: "Leap" is not an operation of a load file of dbench'),
        ('Mkdir "\\client1\\..\\x" NT_STATUS_OK\n', "line 1: the path"),
        ('1.5 Mkdir "\\client1\\x" NT_STATUS_OK\n', "give --ignore-times"),
        ("", "this file has no operations, so it is not a load file"),
    ],
)
def test_an_invalid_load_file_is_refused_with_the_line(file: Path, text: str, message: str) -> None:
    file.write_text(text, "utf-8")
    with pytest.raises(InputError) as caught:
        load_file(file, ignore_times=False)
    assert message in str(caught.value)
    assert str(file) in str(caught.value)


def test_a_missing_load_file_is_refused_with_an_example(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none"):
        with pytest.raises(InputError, match=r"/usr/share/dbench/client\.txt"):
            load_file(path, ignore_times=False)


def test_options_of_programs_are_for_workloads_with_one(file: Path) -> None:
    loaded = load_file(file, ignore_times=False)
    for name in ("home-folders", "disk-mix"):
        with pytest.raises(InputError, match="--loadfile is for workloads that play one"):
            resolve(workloads.load(name), "lab:samba", Overrides(loadfile=loaded))
    with pytest.raises(InputError, match="--workspace is for disk-mix"):
        resolve(workloads.load("home-folders"), "lab:samba", Overrides(workspace="20MiB"))


@pytest.mark.parametrize(
    ("workspace", "files"), [("20MiB", 80), ("80MiB", 320), ("80MB", 305), ("256KiB", 1)]
)
def test_the_workspace_sets_the_number_of_files(workspace: str, files: int) -> None:
    plan = resolve(workloads.load("disk-mix"), "lab:samba", Overrides(workspace=workspace))
    assert plan.workload.tree is not None
    assert plan.workload.tree.static_files == files


@pytest.mark.parametrize("workspace", ["1KiB", "1000TiB"])
def test_a_workspace_has_bounds(workspace: str) -> None:
    with pytest.raises(InputError, match="--workspace is"):
        resolve(workloads.load("disk-mix"), "lab:samba", Overrides(workspace=workspace))


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ({"kind": "load-file", "path": "/x"}, "give both path and sha256 of a load file"),
        ({"kind": "disk-mix", "ignore_times": True}, 'are for the kind "load-file"'),
        ({"kind": "netbench"}, "program.kind"),
        ({"kind": "disk-mix", "sha256": "short"}, "program.sha256"),
    ],
)
def test_an_invalid_program_is_a_mistake(program: dict[str, object], message: str) -> None:
    with pytest.raises(InputError) as caught:
        validate(Workload, spoilt("program", program, SMB_WORKLOAD), "the workload")
    assert message in str(caught.value)


def test_the_disk_mix_is_the_published_one() -> None:
    workload = workloads.load("disk-mix")
    assert workload.run.ladder == [4, 12, 20, 28, 36, 44, 52, 60]
    assert (workload.run.duration, workload.run.ramp, workload.run.settle) == ("600s", "5s", "25s")
    assert workload.pace.time.mean_s == 0
    assert workload.tree is not None
    assert 80e6 < workload.tree.user_bytes < 85e6
    shares = {scenario.name: scenario.weight for scenario in workload.scenarios}
    assert sum(shares.values()) == pytest.approx(100, abs=0.1)
