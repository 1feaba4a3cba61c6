"""The published JSON Schema of a prediction.

`python -m headcount.analyse.prediction.schema > docs/schemas/prediction.schema.json` writes it.
"""

import json
from typing import Any

from headcount.analyse.prediction.prediction import SCHEMA_VERSION, Prediction

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema() -> dict[str, Any]:
    """The schema; its `$id` carries the version."""
    head = {
        "$schema": DIALECT,
        "$id": f"urn:headcount:schema:prediction:{SCHEMA_VERSION}",
        "version": SCHEMA_VERSION,
    }
    return head | Prediction.model_json_schema(mode="serialization")


if __name__ == "__main__":
    print(json.dumps(schema(), indent=2, ensure_ascii=False))
