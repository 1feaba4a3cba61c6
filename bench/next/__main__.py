"""`python -m bench.next`: take the first limit away, and compare with what was expected next."""

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.foreign.play import PlayError
from bench.foreign.tools import CACHE, Tools, install
from bench.next.server import servers
from bench.next.trial import WITHIN, Outcome, run


def main(arguments: Sequence[str]) -> int:
    """Play all; returns 1 where a server left nothing to compare."""
    parser = argparse.ArgumentParser(prog="python -m bench.next", description=__doc__)
    parser.add_argument("--only", nargs="+", metavar="WORD", help="servers with a word in the name")
    parser.add_argument("--keep", type=Path, help="folder for the bundles")
    parser.add_argument("--json", type=Path, metavar="FILE", help="all outcomes, for programs")
    options = parser.parse_args(arguments)
    install()
    tools, outcomes, failed = Tools(CACHE), [], 0
    with tempfile.TemporaryDirectory(prefix="hcn-", dir="/var/tmp") as spare:
        for server in servers():
            if options.only and not any(word in server.name for word in options.only):
                continue
            try:
                outcomes.append(run(server, options.keep or Path(spare), tools))
            except (PlayError, RuntimeError, OSError) as error:
                print(f"no answer    {server.name}: {error}", flush=True)
                failed += 1
            else:
                print(line(outcomes[-1]), flush=True)
    if outcomes:
        print(summary(outcomes))
    if options.json is not None:
        records = [one.record() for one in outcomes]
        options.json.write_text(json.dumps(records, indent=1) + "\n", "utf-8")
    return 1 if failed else 0


def line(one: Outcome) -> str:
    """An outcome on a line."""
    expected = "nothing expected" if one.predicted is None else f"expected {one.predicted}"
    if one.predicted_per_s is not None and one.factor is not None:
        expected += f" at {one.predicted_per_s:,.0f}/s ({one.factor:.2f} times)"
    mark = "near" if one.is_near else "FAR"
    return (
        f"{mark:5} {one.first:9} then {one.found:9} at {one.found_per_s:8,.0f}/s, {expected:45} "
        f"{one.server.name}"
    )


def summary(outcomes: Sequence[Outcome]) -> str:
    """How many were near, and named."""
    near = sum(one.is_near for one in outcomes)
    named = sum(one.is_named for one in outcomes)
    number = len(outcomes)
    return f"within {WITHIN} times: {near} of {number}; next limit named: {named} of {number}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
