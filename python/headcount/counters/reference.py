"""The reference page of counters, generated from the catalogue.

`python -m headcount.counters.reference > docs/counters.md` rewrites it.
"""

import sys
from collections.abc import Iterable
from itertools import groupby

from headcount.counters.catalogue import Counter, catalogue

INTRODUCTION = """\
# Counters

Headcount samples resource figures once a second. These names appear in `series.parquet`,
`levels.json` and reports. They follow
[OpenTelemetry](https://opentelemetry.io/docs/specs/semconv/system/) where it defines one, with
attributes in braces; the rest are Headcount's own.

| side | counters of | available |
|---|---|---|
| `sut` | the machine under test and its server's processes | on the machine that runs Headcount; \
elsewhere through a [source](counter-sources.md), without processes |
| `generator` | Headcount's process and control group | always |
| `line` | the delay line between users and server; `process.cpu.utilization` is its CPU | with \
[limits](limits.md#users-who-are-far-away) on latency, jitter, loss or reorder |
| `line-NAME` | the same of a [group of users](limits.md#users-in-several-places) | with `--line` |
| `server` | the server's own statistics | `app://`, `lab:app`, `lab:nginx`, `lab:apache`, \
`lab:mail`, `lab:postgresql`, `lab:samba` |

A figure that cannot be read is absent, never zero. Rates and shares of time cover the time since
the previous sample, so a run's first sample has none; numbers of things are those at the sample.
`levels.json` keeps mean, maximum, 95th percentile and number of samples over the steady part of a
level. Queues and thread states are means of about [ten samples a second](counter-cost.md).

*Unit* is a [UCUM](https://ucum.org/ucum) code: `1` is a share from 0 to 1, `By` bytes, `{...}` a
count. *max* or *last* after it is the most telling figure of a level; otherwise, use the mean. *Per
device* or *per interface*: also available for each, with its name as the last attribute:
`system.disk.io{disk.io.direction=read,system.device=vda}`.

This page is generated: `python -m headcount.counters.reference > docs/counters.md`.
"""


def reference() -> str:
    """The page: an introduction, then a table for each part of the system."""
    parts = [INTRODUCTION]
    for title, counters in groupby(catalogue().values(), key=_part):
        parts.append(f"## `{title}`\n\n{_table(counters)}")
    return "\n".join(parts)


def _part(counter: Counter) -> str:
    """The table a counter belongs to: `system.cpu`, `system.linux.memory`, `process`, ..."""
    words = counter.name.partition("{")[0].split(".")
    if words[0] != "system":
        return words[0]
    return ".".join(words[: 3 if words[1] == "linux" else 2])


def _table(counters: Iterable[Counter]) -> str:
    lines = ["| counter, unit | meaning |", "|---|---|"]
    lines += [
        f"| `{counter.name}`, {_unit(counter)} | {_cell(counter.meaning)} |" for counter in counters
    ]
    return "\n".join(lines) + "\n"


def _unit(counter: Counter) -> str:
    """The unit, the figure to look at unless it is the mean, and what it is given per."""
    parts = [f"`{counter.unit}`"]
    if counter.aggregate != "mean":
        parts.append(counter.aggregate)
    if counter.per:
        parts.append(f"per {counter.per}")
    return ", ".join(parts)


def _cell(text: str) -> str:
    """Text that a cell of a Markdown table can hold."""
    return text.replace("|", "\\|")


if __name__ == "__main__":
    sys.stdout.write(reference())
