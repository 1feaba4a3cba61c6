"""The engine accepts as many users as doctor says that a limit of handles allows."""

import subprocess
import sys

from headcount.generator.handles import most_users

ASKED = """
import sys
from headcount.generator.handles import ensure_handles
from headcount.errors import MachineLimitError
users = int(sys.argv[1])
ensure_handles("app", users)
try:
    ensure_handles("app", users + 1)
except MachineLimitError:
    print("refused")
"""


def test_the_engine_accepts_that_many_users_and_no_more() -> None:
    line = ["/bin/sh", "-c", 'ulimit -n 500 && exec "$@"', "sh", sys.executable, "-c", ASKED]
    ended = subprocess.run(
        [*line, str(most_users(500))], capture_output=True, text=True, check=False, timeout=60
    )
    assert (ended.returncode, ended.stdout) == (0, "refused\n"), ended.stderr
