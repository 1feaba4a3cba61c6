"""The engine's example programs: built once, run as processes of their own."""

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
LONGEST_S = 120.0


def build(crate: str, name: str) -> Path:
    """Build the example `name` of `crates/<crate>` as released, and return the program."""
    command = ["cargo", "build", "--release", "--quiet", "--message-format=json"]
    command += ["--package", f"headcount-{crate}", "--example", name]
    built = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    for line in built.stdout.splitlines():
        message = json.loads(line)
        if message.get("executable") and message["target"]["name"] == name:
            return Path(message["executable"])
    raise RuntimeError(f"cargo built no program for the example {name}")


def run(command: Sequence[str | Path], longest_s: float = LONGEST_S) -> str:
    """What a program prints; raises CalledProcessError when it fails."""
    ran = subprocess.run(
        command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True, timeout=longest_s
    )
    return ran.stdout


def engine_cost(program: Path, case: str, prefix: list[str]) -> dict[str, Any]:
    """The figures of one case of the example `engine_cost`."""
    measured: dict[str, Any] = json.loads(run([*prefix, program, case]))
    return measured


def cpu_s(command: list[str]) -> float:
    """CPU time that a command and its children use, in seconds; it must succeed."""
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise subprocess.CalledProcessError(process.returncode, command)
    return usage.ru_utime + usage.ru_stime
