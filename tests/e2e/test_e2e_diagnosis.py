"""The diagnosis names limits that were injected around a real server.

A short part of `python -m bench.diagnosis`: strong limits on the application server. The harness
sees to it that the diagnosis reads the bundles and nothing else.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[2]
FEW, ALL = ("cpu-quota",), ("cpu-quota", "network", "generator", "think")
"""Limits of the suite, and those of `make proof`: a generator's limit needs a quiet machine."""
EXPECTED = {"cpu-quota": "cpu", "network": "network", "generator": "generator", "think": "none"}


@pytest.mark.timeout(400)
def test_the_diagnosis_names_the_injected_limit(tmp_path: Path, proof: bool) -> None:
    classes = ALL if proof else FEW
    judged = tmp_path / "judged.json"
    command = [sys.executable, "-m", "bench.diagnosis", "--short", "--seed", "3"]
    command += ["--trials", str(len(classes)), "--classes", *classes, "--servers", "app"]
    command += ["--keep", str(tmp_path / "kept"), "--json", str(judged)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    found = {one["truth"]["class"]: one["limit"] for one in json.loads(judged.read_text())}
    assert found == {name: EXPECTED[name] for name in classes}, ran.stdout
    assert "confidently wrong about the generator: 0" in ran.stdout
    again = subprocess.run(
        [sys.executable, "-m", "bench.diagnosis", "--judge", str(tmp_path / "kept")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert f"diagnosis        {len(classes)} of {len(classes)}" in again.stdout, again.stdout
