"""The process in which one sort runs, so that nothing else counts as its memory and CPU.

`python -m headcount.sort.child` reads an order (JSON) from standard input and writes a line of JSON
every tenth of a second, and a last one with what the sort took. It is killed when its parent ends.
"""

import json
import sys

from headcount import _engine
from headcount.errors import ExitCode, HeadcountError


def main() -> int:
    """Sort once; returns the exit code."""
    order = json.loads(sys.stdin.readline() or "null")
    if order is None or not _engine.end_with_parent(order["parent"]):
        return int(ExitCode.INTERRUPTED)
    try:
        took = _engine.sort_file(
            order["source"],
            order["target"],
            order["record_bytes"],
            [(offset, length) for offset, length in order["keys"]],
            order["records"],
            order["sortsize_bytes"],
            order["threads"],
            order["work"],
            order["cold"],
            _print_progress,
        )
    except HeadcountError as error:
        print(json.dumps({"error": str(error), "exit_code": int(error.exit_code)}), flush=True)
        return int(error.exit_code)
    print(json.dumps({"sorted": json.loads(took)}), flush=True)
    return 0


def _print_progress(far: str) -> None:
    print(f'{{"far": {far}}}', flush=True)


if __name__ == "__main__":
    sys.exit(main())
