"""The reference of counters for people, made from the catalogue.

`python -m headcount.counters.reference > docs/counters.md` writes it anew.
"""

import sys
from collections.abc import Iterable
from itertools import groupby

from headcount.counters.catalogue import Counter, catalogue

INTRODUCTION = """\
# Counters

Resource figures, sampled once a second. Each name is the one that `series.parquet`, `levels.json`
and the reports use. Names are [OpenTelemetry's](https://opentelemetry.io/docs/specs/semconv/system/)
where it has one, with the attributes in braces; the rest are Headcount's own.

| side | whose counters | when there are any |
|---|---|---|
| `sut` | the machine of the system under test, and its server's processes | it runs on the \
machine that Headcount runs on; or a [source](counter-sources.md) reads it, without the processes |
| `generator` | Headcount's own process, all its threads, and its control group | always |
| `server` | what the server says of itself | targets that say something: `app://`, \
`lab:app`, `lab:nginx`, `lab:apache`, `lab:mail`, \
`lab:postgresql`, `lab:samba` |

A figure that cannot be read is absent, never zero. Rates and shares of time cover the time since
the sample before, so the first sample of a run has none. `levels.json` keeps mean, maximum, 95th
percentile and the number of samples of each counter over the steady part of a level. A server's
processes are read less often where there are so many of them that reading them each second would
cost more than 1 % of a core. Queues and states of threads are looked at about ten times a second;
[what that costs](counter-cost.md) is counted too.

*Unit* is a [UCUM](https://ucum.org/ucum) code: `1` is a share from 0 to 1, `By` bytes, `{...}` a
count. *Per* says that the counter is also given for each device or interface, whose name is then
the last attribute: `system.disk.io{disk.io.direction=read,system.device=vda}`. *Look at* is the
figure of a level that says most.

This page is made from the catalogue: `python -m headcount.counters.reference > docs/counters.md`.
"""


def reference() -> str:
    """The page: an introduction, then a table for each part of the system."""
    parts = [INTRODUCTION]
    for title, counters in groupby(catalogue().values(), key=_part):
        parts.append(f"## `{title}`\n\n{_table(counters)}")
    return "\n".join(parts)


def _part(counter: Counter) -> str:
    """What a counter is counted under: `system.cpu`, `system.linux.memory`, `process`, ..."""
    words = counter.name.partition("{")[0].split(".")
    if words[0] != "system":
        return words[0]
    return ".".join(words[: 3 if words[1] == "linux" else 2])


def _table(counters: Iterable[Counter]) -> str:
    lines = ["| counter | unit | per | look at | meaning |", "|---|---|---|---|---|"]
    lines += [
        f"| `{counter.name}` | `{counter.unit}` | {counter.per or ''} | {counter.aggregate} | "
        f"{_cell(counter.meaning)} |"
        for counter in counters
    ]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    """Text that a cell of a Markdown table can hold."""
    return text.replace("|", "\\|")


if __name__ == "__main__":
    sys.stdout.write(reference())
