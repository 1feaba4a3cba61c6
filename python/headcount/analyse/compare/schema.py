"""The published JSON Schemas of what `headcount compare`, `gate` and `history` print.

`python -m headcount.analyse.compare.schema NAME > docs/schemas/NAME.schema.json` writes one anew;
without a name it is that of a comparison.
"""

import sys
from collections.abc import Sequence

from headcount.analyse.compare.comparison import Comparison
from headcount.analyse.compare.gate import Gate
from headcount.analyse.compare.history import History
from headcount.bundle.level import Record
from headcount.bundle.schema import record_schema, text

RECORDS: dict[str, type[Record]] = {"comparison": Comparison, "gate": Gate, "history": History}
"""What is printed, and what it holds."""


def published(name: str) -> str:
    """A schema as it stands in its file."""
    return text(record_schema(name, RECORDS[name]))


def comparison() -> str:
    """The schema of a comparison."""
    return published("comparison")


def _main(arguments: Sequence[str]) -> int:
    name = arguments[0] if arguments else "comparison"
    if len(arguments) > 1 or name not in RECORDS:
        names = "|".join(RECORDS)
        print(f"usage: python -m headcount.analyse.compare.schema [{names}]", file=sys.stderr)
        return 2
    sys.stdout.write(published(name))
    return 0


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1:]))
