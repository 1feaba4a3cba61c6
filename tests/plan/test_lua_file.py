"""Files with Lua code: how they become part of a workload."""

from pathlib import Path

from headcount.plan.lua_file import with_code


def test_the_byte_order_mark_of_a_windows_editor_is_skipped(tmp_path: Path) -> None:
    (tmp_path / "a.lua").write_bytes(b'\xef\xbb\xbfplay("b")\r\n')
    found = with_code({"lua": "a.lua", "steps": []}, tmp_path, "shop.toml")
    assert found == {"file": "a.lua", "lua": 'play("b")\r\n', "steps": []}


def test_what_a_step_sends_is_no_file(tmp_path: Path) -> None:
    step = {"name": "run", "op": "post", "path": "/", "json": {"lua": "report.lua"}}
    assert with_code([{"steps": [step]}], tmp_path, "shop.toml") == [{"steps": [step]}]
