"""The published JSON Schema of the answer of `headcount price --json`.

`python -m headcount.analyse.prices.schema > docs/schemas/price.schema.json` writes it anew.
"""

import sys

from headcount.analyse.prices.price_report import PriceReport
from headcount.bundle.schema import record_schema, text


def price() -> str:
    """The schema as it stands in its file."""
    return text(record_schema("price", PriceReport))


if __name__ == "__main__":
    sys.stdout.write(price())
