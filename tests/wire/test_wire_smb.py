"""The requests that the engine counts are those that an independent capture sees."""

import json
import os
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parent / "wire_played.py"


def test_the_engine_counts_the_requests_that_tshark_sees() -> None:
    # A namespace of one's own needs root; without it, a user namespace in which one is.
    namespace = (
        ["unshare", "--net"] if os.getuid() == 0 else ["unshare", "--net", "--map-root-user"]
    )
    command = [*namespace, sys.executable, str(SCRIPT), "7"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert run.returncode == 0, run.stderr
    counts = json.loads(run.stdout)
    assert counts["sent"] == counts["seen"]
    # All that the workload has was played, or the test would show little.
    assert len(counts["sent"]) == 15
    assert min(counts["sent"].values()) >= 3
