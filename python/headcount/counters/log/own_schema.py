"""The published JSON Schema of a line of Headcount's log of counters.

`python -m headcount.counters.log.own_schema > docs/schemas/watch-log.schema.json` rewrites it.
"""

import json
import sys

from headcount.counters.log.own_record import RECORD, VERSION


def text() -> str:
    """The text of the schema's file."""
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:headcount:schema:watch-log:{VERSION}",
        "version": VERSION,
        "title": "A line of a log that headcount watch writes",
    }
    return json.dumps(head | RECORD.json_schema(mode="serialization"), indent=2) + "\n"


if __name__ == "__main__":
    sys.stdout.write(text())
