"""The plan's `[lines]`: groups of users who reach a lab server over a line of their own.

`[lines.branch]` with `share = "40%"`, `latency = "30ms"` puts 40% of the users into an office
that is 30 ms away. The other users reach the server as without it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from headcount.errors import InputError
from headcount.fields.mistakes import nearest
from headcount.plan.limits import RESOURCES
from headcount.plan.line_limits import check_line

SHARE = "share"
LIMITS = ("latency", "jitter", "loss", "reorder", "network")
"""What a line limits: the names in `[limits]` for the path between users and server."""
OTHERS = "others"
"""The name of users without a line in results."""
EXAMPLE = "branch=40%,latency=30ms,loss=0.1%"
MOST_LINES = 16
"""Most lines: each has a process, which takes CPU of the server's machine."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,31}")
_SHARE = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,4})?)\s*%")
LEAST_PERCENT = 0.1
ROUNDING = 1e-9

Lines = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class UserLine:
    """The line of a group of users.

    Attributes:
        share: Share of all users, from 0 to 1.
        limits: Seconds, shares and bits/s, by the names in `LIMITS`.

    """

    share: float
    limits: Mapping[str, float]


def user_lines(lines: Lines) -> dict[str, UserLine]:
    """The lines as figures, by name; raises InputError for an invalid line."""
    if len(lines) > MOST_LINES:
        raise InputError(f"the plan has {len(lines)} lines; give at most {MOST_LINES}")
    found = {name: _user_line(name, keys) for name, keys in lines.items()}
    percent = 100 * sum(one.share for one in found.values())
    if percent > 100 * (1 + ROUNDING):
        shares = " and ".join(f"{name} {keys[SHARE]}" for name, keys in lines.items())
        raise InputError(
            f"the lines have {percent:g}% of the users together ({shares}); give at most 100%, the "
            "rest of the users need no line"
        )
    return found


def _user_line(name: str, keys: Mapping[str, str]) -> UserLine:
    if not _NAME.fullmatch(name) or name == OTHERS:
        raise InputError(
            f'"{name}" cannot be the name of a line: write a word of up to 32 letters, digits, - '
            f'and _, and not "{OTHERS}"'
        )
    known = (SHARE, *LIMITS)
    for key in keys:
        if key not in known:
            raise InputError(
                f'the line {name}: there is no "{key}"{nearest(key, list(known))} (there is: '
                f"{', '.join(known)})"
            )
    if SHARE not in keys:
        raise InputError(f"the line {name} needs a share of the users, such as 40%")
    match = _SHARE.fullmatch(keys[SHARE].strip())
    percent = float(match[1]) if match else 0.0
    if not LEAST_PERCENT <= percent <= 100:
        raise InputError(
            f'the share of the line {name} is "{keys[SHARE]}"; write it like 40%: from '
            f"{LEAST_PERCENT}% to 100%"
        )
    texts = {key: keys[key] for key in LIMITS if key in keys}
    if not texts:
        raise InputError(
            f"the line {name} limits nothing; say what it is like, such as latency=30ms "
            f"({', '.join(LIMITS)})"
        )
    what = f"of the line {name}"
    limits = {
        key: float(RESOURCES[key].read(text, f"the {key} {what}")) for key, text in texts.items()
    }
    check_line(texts, f"the line {name}: ", "latency=30ms")
    return UserLine(percent / 100, limits)


def check_lines(lines: Lines, lab: str | None, target: str, others: Mapping[str, bool]) -> None:
    """Check that the lines can be read and are for a server that runs here; raises InputError.

    `others`: options that rule lines out, and whether they are given.
    """
    if not lines:
        return
    user_lines(lines)
    if lab is None:
        raise InputError(
            f"lines are for lab servers, which Headcount starts itself; {target} is not one: put "
            "load generators where its users are instead"
        )
    if lab == "files":
        raise InputError(
            "lab:files has no network between users and files: use --line with another lab server, "
            "such as lab:samba"
        )
    for option, is_given in others.items():
        if is_given:
            raise InputError(
                f"{option} and lines exclude each other: users on a line connect from its address "
                f"on this machine; leave out {option} or --line"
            )


def line_of(text: str) -> tuple[str, dict[str, str]]:
    """A line from its command line form: `branch=40%,latency=30ms`. Raises InputError."""
    hint = f"write it like --line {EXAMPLE}"
    pairs = [part.partition("=") for part in text.split(",")]
    if not all(name.strip() and value.strip() for name, _, value in pairs):
        raise InputError(f"--line {text}: {hint}")
    (name, _, share), *rest = [(key.strip(), "=", value.strip()) for key, _, value in pairs]
    keys = {SHARE: share}
    for key, _, value in rest:
        if key in keys:
            raise InputError(f"--line {text}: it has {key} twice; {hint}")
        keys[key] = value
    return name, keys


def lines_of(texts: list[str] | None) -> dict[str, dict[str, str]] | None:
    """The lines of a command line, by name; None without any. Raises InputError."""
    found: dict[str, dict[str, str]] = {}
    for text in texts or []:
        name, keys = line_of(text)
        if name in found:
            raise InputError(f"--line gives {name} twice; give each line a name of its own")
        found[name] = keys
    return found or None


def line_text(keys: Mapping[str, str]) -> str:
    """A line in words.

    >>> line_text({"share": "40%", "latency": "30ms"})
    '40% of the users, latency=30ms'
    """
    limits = (f"{key}={keys[key]}" for key in LIMITS if key in keys)
    return ", ".join((f"{keys[SHARE]} of the users", *limits))
