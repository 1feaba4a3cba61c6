"""The published JSON Schema of a comparison.

`python -m headcount.analyse.compare.schema > docs/schemas/comparison.schema.json` writes it anew.
"""

import sys

from headcount.analyse.compare.record import Comparison
from headcount.bundle.schema import schema_of, text


def comparison() -> str:
    """The schema as it stands in its file."""
    return text(schema_of("comparison", Comparison))


if __name__ == "__main__":
    sys.stdout.write(comparison())
