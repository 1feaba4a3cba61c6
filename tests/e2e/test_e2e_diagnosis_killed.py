"""A real server whose processes the kernel really ends, because they have too little memory."""

from pathlib import Path

import pytest

from processes import Headcount

pytestmark = pytest.mark.e2e


@pytest.mark.timeout(200)
def test_a_server_killed_while_users_arrive_has_too_little_memory(tmp_path: Path) -> None:
    headcount = Headcount(tmp_path)
    ended = headcount.run(
        *("run", "notes-discussion", "--target", "lab:postgresql", "--limit", "memory=24MB"),
        *("--levels", "4,64", "--duration", "3s", "--settle", "0s"),
        *("--scale", "0.05", "--compress", "500"),
    )
    folder = str(headcount.bundles()[0])
    assert f"headcount show {folder}" in " ".join(ended.message.split()), ended
    shown = " ".join(headcount.run("show", folder).out.split())
    assert "Too little memory: the kernel kills its processes" in shown
    found = headcount.run("diagnose", folder, "--json").json["diagnosis"]
    headcount.close()
    figure = found["figures"][0]
    assert (found["limit"], found["detail"], found["confidence_word"]) == (
        "memory",
        "killed",
        "high",
    )
    assert figure["value"] >= 1
    assert figure["unit"] == "{kill}"
    assert found["size"] == pytest.approx(24e6, rel=0.01)
