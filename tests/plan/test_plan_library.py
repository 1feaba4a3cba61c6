"""The `[library]` of a workload: its bounds, how it shrinks, and which steps may name its files."""

from typing import Any

import pytest
from plan_cases import SMB_WORKLOAD, TREE, smb_plan, smb_workload, spoilt, workload

from headcount.errors import InputError
from headcount.plan.plan import validate
from headcount.plan.workload import Workload

CLASSES: list[dict[str, Any]] = [
    {"name": "text", "content": "text", "size": "64KiB", "files": 50, "uploads": 2},
    {"name": "office", "content": "office", "size": "1MiB", "files": 3},
    {"name": "read-only", "content": "compressed", "size": 4096, "files": 1, "uploads": 0},
]


def step(**path: Any) -> dict[str, Any]:
    return {"name": "open", "op": "open", "path": path}


def of_library(**path: Any) -> dict[str, Any]:
    """Make a workload with a library and no tree, of one step."""
    values = spoilt("scenarios.0.steps", [step(**path)], SMB_WORKLOAD)
    del values["tree"]
    return values | {"library": {"classes": CLASSES}}


def mistake(values: dict[str, Any]) -> str:
    with pytest.raises(InputError) as caught:
        validate(Workload, values, "the workload")
    return str(caught.value)


@pytest.mark.parametrize(
    ("key", "value", "part"),
    [
        ("name", "a b", "classes.0.name:"),
        ("name", "", "classes.0.name:"),
        ("name", "office", 'two classes are called "office"; names must differ'),
        ("content", "poems", "classes.0.content:"),
        ("size", "1000", "it is 1000; files of a library are whole blocks of 4 KiB"),
        ("size", 0, "whole blocks of 4 KiB"),
        ("files", 0, "classes.0.files:"),
        ("files", 100_001, "classes.0.files:"),
        ("uploads", -1, "classes.0.uploads:"),
        ("filles", 1, 'there is no such key; did you mean "files"?'),
    ],
)
def test_a_mistake_is_named_with_its_place(key: str, value: Any, part: str) -> None:
    classes = [CLASSES[0] | {key: value}, *CLASSES[1:]]
    assert part in mistake(of_library(file="home") | {"library": {"classes": classes}})


def test_a_library_has_classes() -> None:
    assert "library.classes:" in mistake(of_library(file="home") | {"library": {"classes": []}})


def test_the_protocol_must_have_files() -> None:
    assert smb_workload("tree", None).tree is None  # it only echoes
    probe = {"name": "probe", "op": "probe", "path": {"file": "missing"}}
    values = spoilt("scenarios.0.steps", [probe], SMB_WORKLOAD) | {"tree": None}
    with pytest.raises(InputError, match=r'the protocol "smb" needs a \[tree\] or a \[library\]'):
        validate(Workload, values, "the workload")
    with pytest.raises(
        InputError, match=r'\[library\] is only for the protocols "files" and "smb"'
    ):
        workload("library", {"classes": CLASSES})


@pytest.mark.parametrize(
    "path",
    [
        {"file": "library"},
        {"file": "library", "class": "read-only"},
        {"file": "library", "class": ["text", "office"]},
        {"file": "upload"},
        {"file": "upload", "class": ["read-only", "text"]},
        {"file": "home"},
        {"file": "folder"},
        {"file": "missing"},
    ],
)
def test_files_of_the_library_are_named(path: dict[str, Any]) -> None:
    validate(Workload, of_library(**path), "the workload")


@pytest.mark.parametrize(
    ("path", "part"),
    [
        (
            {"file": "library", "class": "txt"},
            'scenario "look", step "open": the [library] has no class "txt"; did you mean "text"?',
        ),
        ({"file": "library", "class": ["text", 7]}, 'has no class "7"'),
        ({"file": "library", "class": []}, "class must be the name of a class"),
        (
            {"file": "upload", "class": "read-only"},
            'no user uploads files of the class "read-only"',
        ),
        ({"file": "static"}, 'a file of the group "static", and the workload has no [tree]'),
    ],
)
def test_files_that_are_not_there_are_refused(path: dict[str, Any], part: str) -> None:
    assert part in mistake(of_library(**path))


def test_without_a_library_its_files_are_refused() -> None:
    values = spoilt("scenarios.0.steps", [step(file="upload")], SMB_WORKLOAD)
    assert 'group "upload", and the workload has no [library]' in mistake(values)


def test_a_scaled_library_has_fewer_files_and_as_many_uploads() -> None:
    plan = smb_plan(workload=of_library(file="library"), scale=0.1)
    assert plan.library is not None
    assert [(c.files, c.uploads) for c in plan.library.classes] == [(5, 2), (1, 1), (1, 0)]
    assert plan.library.bytes == 5 * 65536 + 1048576 + 4096
    assert plan.library.upload_bytes == 2 * 65536 + 1048576


def test_the_engine_reads_bytes() -> None:
    alone = smb_plan(workload=of_library(file="library")).data_set
    assert alone is not None
    assert alone.pop("library")[0] == {
        "name": "text",
        "content": "text",
        "bytes": 65536,
        "files": 50,
        "uploads": 2,
    }
    kinds = ("static_files", "volatile_files", "new_files", "shared_files")
    assert alone == {"folders": 1, **dict.fromkeys(kinds, 0)}
    both = smb_plan(workload=of_library(file="library") | {"tree": TREE})
    assert both.tree is not None
    assert both.data_set is not None
    assert {**both.data_set, "library": []} == {**both.tree.engine_form(), "library": []}
    # A tree alone is written as it always was: its marker on servers must not change.
    alone_tree = smb_plan()
    assert alone_tree.tree is not None
    assert alone_tree.data_set == alone_tree.tree.engine_form()
