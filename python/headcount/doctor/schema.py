"""The published JSON Schema of what `headcount doctor --json` prints.

`python -m headcount.doctor.schema > docs/schemas/doctor.schema.json` writes it.
"""

import sys

from headcount.bundle.schema import record_schema, text
from headcount.doctor.examination import SCHEMA_VERSION, Examination


def published() -> str:
    """The schema as it stands in its file."""
    return text(record_schema("doctor", Examination, SCHEMA_VERSION))


if __name__ == "__main__":
    sys.stdout.write(published())
