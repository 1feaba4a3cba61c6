"""Commands start fast: what only an analysis needs is loaded when one is made."""

import json
import subprocess
import sys
from pathlib import Path

HEAVY = ("scipy.stats", "scipy.optimize")
"""What takes longer to load than everything else together."""

PROGRAM = """
import json, sys
import headcount.cli.line
headcount.cli.line.app_of()
print(json.dumps(sorted(sys.modules)))
"""


def test_commands_start_without_what_takes_long_to_load() -> None:
    output = subprocess.check_output([sys.executable, "-c", PROGRAM], text=True)
    loaded = json.loads(output)
    assert "headcount.cli.bundles" in loaded
    assert [name for name in HEAVY if name in loaded] == []


UNUSED = ("importlib.metadata", "markdown_it", "rich.markdown", "rich.traceback")
"""What Typer and the version would load, a third of the CPU of `--help`."""
HELP = """
import json, sys
import headcount.cli.line
headcount.cli.run_line(["--help"])
print("modules:", json.dumps(sorted(sys.modules)))
"""


def test_help_loads_nothing_that_it_does_not_show() -> None:
    printed = subprocess.check_output([sys.executable, "-c", HELP], text=True)
    text, _, modules = printed.partition("modules:")
    assert "Usage: headcount" in text
    assert [name for name in UNUSED if name in json.loads(modules)] == []


SHOW = """
import json, sys
import headcount.cli.line
headcount.cli.run_line(["show", sys.argv[1]])
print("modules:", json.dumps(sorted(sys.modules)))
"""


def test_a_finished_run_is_shown_without_what_computes_an_answer(
    finished_run: Path,
) -> None:
    command = [sys.executable, "-c", SHOW, str(finished_run)]
    _, _, modules = subprocess.check_output(command, text=True).partition("modules:")
    loaded = json.loads(modules)
    assert "headcount.bundle.reader" in loaded
    unused = ("duckdb", "headcount.controller.run", "scipy")
    assert [name for name in unused if name in loaded] == []
