"""The JSON Schema of what `headcount audit --json` prints.

`python -m headcount.analyse.audit.schema > docs/schemas/audit.schema.json` writes it anew.
"""

import sys
from typing import Any

from headcount.analyse.audit.result import SCHEMA_VERSION, Audit
from headcount.bundle.schema import record_schema, text


def schema() -> dict[str, Any]:
    """The schema; its `$id` carries the version."""
    return record_schema("audit", Audit, SCHEMA_VERSION)


if __name__ == "__main__":
    sys.stdout.write(text(schema()))
