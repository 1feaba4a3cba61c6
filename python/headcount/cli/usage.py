"""What is wrong with a command line, in one message: what, where, and what to type instead."""

import difflib
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from headcount.cli.outputs import WRITERS, bundle_folder

MEANT_OPTIONS = {
    "run": {
        "--url": "--target",
        "--host": "--target",
        "--server": "--target",
        "--vus": "--users",
        "--clients": "--users",
        "--client-count": "--users",
        "--concurrency": "--users",
        "--connections": "--users",
        "--threads": "--users",
        "-u": "--users",
        "-c": "--users",
        "-n": "--users",
        "--jobs": "--workers",
        "-j": "--workers",
        "--time": "--duration",
        "-d": "--duration",
        "-T": "--duration",
        "--rate": "--pace",
        "--rps": "--pace",
        "-R": "--pace",
        "--stages": "--levels",
        "--stage": "--levels",
        "--steps": "--levels",
        "--thresholds": "--criteria",
        "--threshold": "--criteria",
        "--slo": "--criteria",
        "--warmup": "--settle",
        "--ramp-up": "--ramp",
        "--rampup": "--ramp",
        "--sleep": "--think",
        "--think-time": "--think",
        "--dry-run": "--plan",
        "--output": "--runs",
        "-o": "--runs",
        "--out": "--runs",
        "--insecure": "--client verify_certificates=off",
        "-k": "--client verify_certificates=off",
        "--quiet": "--json",
        "-q": "--json",
    },
    "report": {"--html": "--output", "--format": "--pdf", "--out": "--output"},
    "disk": {"--bs": "--blocks", "--iodepth": "--depths", "--runtime": "--seconds"},
}
"""The counterparts of options of k6, wrk, hey, pgbench, fio and others, by verb."""
SECRET_OPTIONS = ("--password", "--pass", "-P", "-p", "--token", "--secret")
"""Options that may be followed by a secret, which messages never repeat."""
MEANT_VERBS = {
    **dict.fromkeys(("bench", "benchmark", "test", "load", "measure", "start", "capacity"), "run"),
    **dict.fromkeys(("list", "ls", "results"), "runs"),
    **dict.fromkeys(("analyse", "analyze", "explain", "why", "log"), "diagnose"),
    **dict.fromkeys(("diff", "ab"), "compare"),
    **dict.fromkeys(("top", "monitor", "stat"), "watch"),
    **dict.fromkeys(("pdf", "html"), "report"),
    **dict.fromkeys(("csv", "xlsx"), "export"),
    **dict.fromkeys(("fio", "iops"), "disk"),
    **dict.fromkeys(("check", "preflight", "selftest", "env", "info"), "doctor"),
    **dict.fromkeys(("version", "-v", "-V"), "--version"),
    **dict.fromkeys(("help",), "--help"),
}
"""Other names that people give to a verb."""


def message(error: Any, arguments: Sequence[str]) -> str:
    """The message for an error of the command line's parser."""
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "headcount"
    verb = path.partition(" ")[2]
    option = getattr(error, "option_name", None)
    if option is not None and hasattr(error, "possibilities"):
        return _no_option(option, verb, path, context)
    param = getattr(error, "param", None)
    text: str = error.format_message().rstrip(".")
    if param is not None and text.startswith("Missing"):
        return _missing(param, path)
    if param is not None:
        return f"{_value(param, error)} ({path} --help)"
    if text.startswith("No such command") and context is not None:
        return _no_verb(arguments, verb, path, list(context.command.commands))
    if "unexpected extra argument" in text:
        return _extra(re.findall(r"argument\S* \((.*)\)$", text), verb, path)
    return f"{text[:1].lower()}{text[1:]} ({path} --help explains it)"


def _no_option(option: str, verb: str, path: str, context: Any) -> str:
    name = option.partition("=")[0]
    if name in SECRET_OPTIONS:
        return (
            f"there is no option {name}: everybody on this machine can read a command line. Give "
            "--password-file FILE or set HEADCOUNT_PASSWORD (--token-file or HEADCOUNT_TOKEN)"
        )
    if not verb and name in MEANT_VERBS:
        return f"there is no option {name}; did you mean headcount {MEANT_VERBS[name]}?"
    known = [one for param in context.command.get_params(context) for one in param.opts]
    near = MEANT_OPTIONS.get(verb, {}).get(name) or _nearest(name, known)
    hint = f"; did you mean {near}?" if near else ""
    return f"{path} has no option {name}{hint} ({path} --help lists them)"


def _missing(param: Any, path: str) -> str:
    if param.param_type_name == "option":
        return (
            f"{path} needs {param.opts[0]} {param.metavar or 'VALUE'} ({path} --help explains it)"
        )
    name = (param.metavar or param.name).upper()
    more = " (headcount workloads lists them)" if "WORKLOAD" in name else f" ({path} --help)"
    return f"{path} needs {name}, which is missing{more}"


def _value(param: Any, error: Any) -> str:
    """The message for a wrong value of an option that takes numbers or paths."""
    where = param.opts[0] if param.param_type_name == "option" else param.metavar or param.name
    cause = getattr(error, "__cause__", None)
    found = cause.errors() if cause is not None and hasattr(cause, "errors") else []
    given = f' is "{found[0]["input"]}"' if found else ""
    kind = getattr(param.type_descriptor.annotation, "__name__", "")
    low, high = getattr(param, "min", None), getattr(param, "max", None)
    if kind in ("int", "float"):
        number = "a whole number" if kind == "int" else "a number"
        limits = [f"from {low:,}"] if low is not None else []
        limits += [f"to {high:,}"] if high is not None else []
        return f"{where}{given}; write {' '.join([number, *limits])}"
    return f"{where}{given}: {error.message}"


def _no_verb(arguments: Sequence[str], verb: str, path: str, known: list[str]) -> str:
    name = next((one for one in arguments if not one.startswith("-") and one != verb), "")
    name = arguments[1] if verb and len(arguments) > 1 else name
    shown = f'"{name}" is not a verb of {path}'
    if verb:
        near = _nearest(name, known)
        return f"{shown}{f'; did you mean {path} {near}?' if near else ''} ({', '.join(known)})"
    if "://" in name or name.startswith("lab:") or re.fullmatch(r"[\w.-]+:\d+|localhost", name):
        where = name if "://" in name or name.startswith("lab:") else f"http://{name}"
        return (
            f"{shown}; to measure it: headcount run WORKLOAD --target {where} (headcount workloads)"
        )
    at = Path(name)
    if (bundle_folder(at) / "plan.toml").is_file():
        return f"{shown}; it is a run: headcount show {bundle_folder(at)}"
    if at.suffix == ".toml":
        return f"{shown}; to run it: headcount run {name}"
    if (at.exists() and os.sep not in name) or at.is_file():
        return f"{shown}; if it is a counter log: headcount diagnose {name}"
    meant = MEANT_VERBS.get(name.lower()) or _nearest(name, known)
    if meant == "--help" and len(arguments) > 1 and arguments[1] in known:
        meant = f"{arguments[1]} --help"
    hint = f"; did you mean headcount {meant}?" if meant else ""
    return f"{shown}{hint} (headcount --help lists them)"


def _extra(found: list[str], verb: str, path: str) -> str:
    words = found[0].split() if found else []
    first = words[0] if words else ""
    if verb == "run" and ("://" in first or first.startswith("lab:")):
        return f'"{first}" stands alone; write --target {first}'
    if words and all(re.fullmatch(r"\d+,?", word) for word in words):
        return f'"{" ".join(words)}" stands alone; write numbers with commas: --levels 10,20,30'
    if Path(first).suffix.lower() in WRITERS and verb == "report":
        return f'"{first}" stands alone; write -o {first}, or --pdf {first} for a PDF'
    if verb == "runs":
        return f'"{first}" stands alone; write --runs {first}'
    return f'{path} does not take "{" ".join(words)}" ({path} --help lists what it takes)'


def _nearest(name: str, known: Sequence[str]) -> str | None:
    found = difflib.get_close_matches(name.lower(), known, n=1, cutoff=0.6)
    return found[0] if found else None
