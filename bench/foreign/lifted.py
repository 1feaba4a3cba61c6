"""`python -m bench.foreign.lifted`: whether causes bind, by plain users and without Headcount.

Each case is played by 16 and 64 plain users, and by 64 again with its cause lifted.
"""

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.foreign.case import Case, cases, filled
from bench.foreign.play import Scene, scene
from bench.foreign.servers.start import PASSWORD
from bench.foreign.tools import CACHE, PROGRAMS, Tools, install

SETTLE_S, SECONDS = "1", 3.0
MORE = 1.25
"""How much more users get through at least once the cause is lifted."""
SIZES = ("kib", "files", "mail")


def main(arguments: Sequence[str]) -> int:
    """Check them; returns how many do not bind."""
    parser = argparse.ArgumentParser(prog="python -m bench.foreign.lifted", description=__doc__)
    parser.add_argument("--part", default="fresh")
    parser.add_argument("--only", nargs="+", default=[""], metavar="WORD")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    options = parser.parse_args(arguments)
    install()
    failed = 0
    for case in cases():
        name = f"{case.kind}: {case.name}"
        if case.part != options.part or not any(word in name for word in options.only):
            continue
        if case.answer.limits == ("generator",):
            continue  # Headcount's own limit, which plain users do not have
        try:
            few, many = seen(case, options.seed, (16, 64), options.seconds)
            free = seen(case.without_cause, options.seed, (64,), options.seconds)[0]
        except (RuntimeError, OSError, subprocess.SubprocessError) as error:
            print(f"no answer  {name}: {error}", flush=True)
            failed += 1
            continue
        binds = does_bind(case, few, many, free)
        failed += not binds
        print(f"{'binds' if binds else 'DOES NOT':9}  {name}", flush=True)
        for label, record in zip(("16", "64", "lifted"), (few, many, free), strict=True):
            print(f"    {label:>6}  {json.dumps(record)}", flush=True)
    return failed


def does_bind(case: Case, few: Mapping[str, Any], many: Mapping[str, Any], free: Any) -> bool:
    """Whether users get through more, or fail less, once its cause is lifted."""
    if case.answer.limits == ("none",):
        return bool(many["rate"] > 3 * few["rate"])
    gains = free["rate"] >= MORE * many["rate"] and free["failed"] * 20 < free["rate"]
    if {"refusal", "errors"} & set(case.answer.limits):
        return bool(gains or many["failed"] > 5 * free["failed"] + 10)
    return bool(gains)


def seen(case: Case, seed: int, levels: Sequence[int], seconds: float) -> list[dict[str, Any]]:
    """What plain users of each number see."""
    with scene(case, seed, Tools(CACHE), beside=False) as there:
        return [_users(case, there, users, seconds) for users in levels]


def _users(case: Case, there: Scene, users: int, seconds: float) -> dict[str, Any]:
    address = there.values[case.plain.get("target", case.stack[-1].name)]
    if case.statement:
        return _pgbench(case, there, users, seconds)
    command = [str(there.tools.shops()), str(PROGRAMS / "users.py"), "--address", address]
    command += ["--scheme", case.plain.get("scheme", case.scheme), "--users", str(users)]
    command += [
        "--think-ms",
        f"{case.think_ms:g}",
        "--settle-s",
        case.plain.get("settle", SETTLE_S),
    ]
    command += ["--seconds", f"{seconds:g}", *([] if case.keep_alive else ["--close"])]
    command += [f"--header={line}" for line in case.headers.split(" | ") if line]
    command += [
        f"--{name}={filled(case.plain[name], there.values)}" for name in SIZES if name in case.plain
    ]
    asks = (
        case.plain["asks"].split()
        if "asks" in case.plain
        else [filled(step, there.values) for step in case.steps]
    )
    done = _run([*there.within, *command, "--asks", *asks], there, seconds)
    found: dict[str, Any] = json.loads(done)
    return found


def _pgbench(case: Case, there: Scene, users: int, seconds: float) -> dict[str, Any]:
    """Statements of a database; pgbench ends a user whose statement fails."""
    text = filled(case.statement, there.values)
    lines = []
    for number, parameter in enumerate(case.parameters, 1):
        low, _, high = parameter.removeprefix("{random:").removesuffix("}").partition("..")
        lines.append(f"\\set p{number} random({low}, {high})")
        text = text.replace(f"${number}", f":p{number}")
    script = there.folder / "script.sql"
    think = f"\\set t random(1, {round(2000 * case.think_ms)})\n\\sleep :t us\n"
    script.write_text("\n".join([*lines, f"{text};", think]), "utf-8")
    address = there.values[case.stack[-1].name]
    where, _, database = address.partition("/")
    host, _, port = where.partition(":")
    program = max(Path("/usr/lib/postgresql").glob("*/bin/pgbench"))
    command = [
        str(program),
        "-n",
        "-h",
        host,
        "-p",
        port,
        "-U",
        "shop",
        "-c",
        str(users),
        "-j",
        "2",
    ]
    command += ["-T", str(round(seconds + 1)), "-f", str(script), database]
    printed = _run([*there.within, *command], there, seconds)
    facts = dict(line.split(" = ", 1) for line in printed.splitlines() if " = " in line)
    lost = printed.count("aborted") + printed.count("ERROR") + printed.count("FATAL")
    lost += sum(int(one) for one in re.findall(r"failed transactions: (\d+)", printed))
    return {
        "rate": float(facts.get("tps", "0").split()[0]),
        "ms": facts.get("latency average", "").strip(),
        "failed": lost,
        "faults": [line for line in printed.splitlines() if "ERROR" in line or "FATAL" in line][:1],
    }


def _run(command: Sequence[str], there: Scene, seconds: float) -> str:
    done = subprocess.run(
        command,
        env={"PGPASSWORD": PASSWORD, "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        cwd=there.folder,
        timeout=seconds + 60,
    )
    if done.returncode and "tps" not in done.stdout:
        if "pgbench" in command[len(there.within)]:
            return f"tps = 0\n{done.stdout}"
        raise RuntimeError(done.stdout[-1000:])
    return done.stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
