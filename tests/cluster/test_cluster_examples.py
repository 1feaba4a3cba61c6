"""Examples for Slurm and Kubernetes: what can be checked without either of them."""

import os
import subprocess
from pathlib import Path

import pytest
import ray
import yaml

CONTRIB = Path(__file__).parents[2] / "contrib"
SLURM = CONTRIB / "slurm.sh"
TOOLS = {
    "scontrol": "printf 'n1\\nn2\\nn3\\n'",
    "getent": 'echo "10.0.0.1 STREAM n1"',
    "srun": 'echo "srun $*" >> "$LOG"; stat -c %a "$RAY_AUTH_TOKEN_PATH" >> "$LOG"; exec sleep 600',
    "python3": 'case "$2" in *token_hex*) printf secret;; *) echo 3;; esac',
    "headcount": 'sleep 1; echo "headcount $*" >> "$LOG"; exit 4',
}
"""Programs of a site, as far as the script uses them."""


@pytest.fixture
def site(tmp_path: Path) -> dict[str, str]:
    for name, line in TOOLS.items():
        path = tmp_path / "venv" / "bin" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{line}\n", "utf-8")
        path.chmod(0o755)
    return {
        **os.environ,
        "VENV": str(tmp_path / "venv"),
        "HOME": str(tmp_path),
        "LOG": str(tmp_path / "log"),
        "SLURM_JOB_NODELIST": "n[1-3]",
        "SLURM_JOB_NUM_NODES": "3",
        "SLURM_CPUS_ON_NODE": "8",
    }


def test_the_script_for_slurm_starts_a_head_and_agents(
    site: dict[str, str], tmp_path: Path
) -> None:
    line = [str(SLURM), "run", "web-mix", "--target", "http://x y"]
    ended = subprocess.run(line, env=site, check=False, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 4, ended  # what headcount says is what the job says
    log = (tmp_path / "log").read_text("utf-8").splitlines()
    starts = sorted(one for one in log if one.startswith("srun"))
    assert len(starts) == 3
    assert "--nodelist=n1 ray start --block --head --port=6379 --num-cpus=0" in starts[0]
    for number, start in enumerate(starts[1:], start=2):
        assert f"--nodelist=n{number} ray start --block --address=n1:6379 --num-cpus=8" in start
    assert log.count("600") == 3
    assert not any("secret" in one for one in log)
    on = "--agents 2 --cluster ray://10.0.0.1:6379"
    assert log[-1] == f"headcount run web-mix --target http://x y {on}"
    assert list(tmp_path.glob(".headcount-slurm-*")) == []


def test_the_script_for_slurm_needs_two_nodes(site: dict[str, str]) -> None:
    ended = subprocess.run(
        [str(SLURM), "run"],
        env={**site, "SLURM_JOB_NUM_NODES": "1"},
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (ended.returncode, "give two nodes or more" in ended.stderr) == (2, True)


def test_the_example_for_kubernetes_has_a_token_and_one_agent_on_a_node() -> None:
    found = yaml.safe_load((CONTRIB / "kuberay.yaml").read_text("utf-8"))
    assert (found["apiVersion"], found["kind"]) == ("ray.io/v1", "RayCluster")
    spec = found["spec"]
    assert spec["rayVersion"] == ray.__version__
    assert spec["authOptions"] == {"mode": "token"}
    assert spec["headGroupSpec"]["rayStartParams"]["num-cpus"] == "0"
    (group,) = spec["workerGroupSpecs"]
    assert group["minReplicas"] == group["replicas"] == group["maxReplicas"]
    template = group["template"]
    (rule,) = template["spec"]["affinity"]["podAntiAffinity"][
        "requiredDuringSchedulingIgnoredDuringExecution"
    ]
    assert rule["labelSelector"]["matchLabels"] == template["metadata"]["labels"]
    for pod in (spec["headGroupSpec"]["template"], template):
        (container,) = pod["spec"]["containers"]
        assert container["resources"]["requests"] == container["resources"]["limits"]
