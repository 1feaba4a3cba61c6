"""Servers as Debian ships them, started by a user who is not root."""

import os

import pytest
from other_user import USER, run, usable_folder

from processes import processes_with

PROGRAM = """
from pathlib import Path
from headcount.lab.MODULE import CLASS
server = CLASS({"profile": "stock"})
try:
    print(Path(f"/proc/{server.pids[0]}").stat().st_uid)
finally:
    server.stop()
"""


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("nginx", "NginxServer"),
        ("apache", "ApacheServer"),
        ("postgresql", "PostgresqlServer"),
    ],
)
def test_a_user_without_rights_can_start_it(module: str, name: str) -> None:
    with usable_folder() as folder:
        done = run(folder, PROGRAM.replace("MODULE", module).replace("CLASS", name))
        assert done.returncode == 0, done.stderr
        assert int(done.stdout) == (USER if os.geteuid() == 0 else os.geteuid())
        assert not processes_with(str(folder))
