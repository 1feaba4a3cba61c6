"""The published JSON Schemas of what Headcount writes, prints and reads, made from its models.

`python -m headcount.schemas docs/schemas` writes them all, one file each.
"""

import json
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from headcount.analyse.audit import result as audit
from headcount.analyse.compare.comparison import Comparison
from headcount.analyse.compare.gate import Gate
from headcount.analyse.compare.history import History
from headcount.analyse.outage.comparison import FailoverComparison
from headcount.analyse.prediction import prediction
from headcount.analyse.prices.price_report import PriceReport
from headcount.bundle.confirmation import Confirmation
from headcount.bundle.environment import EnvironmentFile
from headcount.bundle.failover import Failover
from headcount.bundle.latency import LatencyFile
from headcount.bundle.level import SCHEMA_VERSION, Levels, Record
from headcount.bundle.manifest import Manifest
from headcount.bundle.shares import SharesFile
from headcount.bundle.tuning import Tuning
from headcount.bundle.verdict import Verdict
from headcount.bundle.versus import Versus
from headcount.counters.log import own_record
from headcount.doctor import examination
from headcount.plan.file_schema import plan_schema, workload_schema
from headcount.plan.plan import FORMAT
from headcount.report.export.answer_json import Exported

DIALECT = "https://json-schema.org/draft/2020-12/schema"

BUNDLE: Mapping[str, type[Record]] = {
    "confirmation": Confirmation,
    "environment": EnvironmentFile,
    "failover": Failover,
    "latency": LatencyFile,
    "levels": Levels,
    "manifest": Manifest,
    "shares": SharesFile,
    "tuning": Tuning,
    "verdict": Verdict,
    "versus": Versus,
}
"""Files of a bundle, by name without `.json`, with the model of each."""

PRINTED: Mapping[str, type[Record]] = {
    "comparison": Comparison,
    "export": Exported,
    "failover-comparison": FailoverComparison,
    "gate": Gate,
    "history": History,
    "price": PriceReport,
}
"""What verbs print or export, by name, with the model of each."""


class _Written(GenerateJsonSchema):
    """Schemas of what is written: every key is present, also one with a default."""

    def field_is_required(self, field: Any, total: bool) -> bool:
        """Always return True."""
        del field, total
        return True


def record_schema(name: str, model: type[Record], version: int = SCHEMA_VERSION) -> dict[str, Any]:
    """The schema of the JSON that a model writes.

    Its `$id` has the version, which changes with anything that an existing reader would notice.
    """
    schema = model.model_json_schema(mode="serialization", schema_generator=_Written)
    return _headed(name, version) | schema


def _headed(name: str, version: int) -> dict[str, Any]:
    return {"$schema": DIALECT, "$id": f"urn:headcount:schema:{name}:{version}", "version": version}


def _prediction() -> dict[str, Any]:
    head = _headed("prediction", prediction.SCHEMA_VERSION)
    return head | prediction.Prediction.model_json_schema(mode="serialization")


def _watch_log() -> dict[str, Any]:
    head = _headed("watch-log", own_record.VERSION)
    head["title"] = "A line of a log that headcount watch writes"
    return head | own_record.RECORD.json_schema(mode="serialization")


def _file(name: str, version: int, schema: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    return _headed(name, version) | schema()


WORKLOAD_VERSION = 1
"""Version of the schema of workload files."""
SCHEMAS: Mapping[str, Callable[[], dict[str, Any]]] = {
    **{name: partial(record_schema, name, model) for name, model in {**BUNDLE, **PRINTED}.items()},
    "audit": partial(record_schema, "audit", audit.Audit, audit.SCHEMA_VERSION),
    "doctor": partial(record_schema, "doctor", examination.Examination, examination.SCHEMA_VERSION),
    "prediction": _prediction,
    "watch-log": _watch_log,
    "workload": partial(_file, "workload", WORKLOAD_VERSION, workload_schema),
    "plan": partial(_file, "plan", FORMAT, plan_schema),
}
"""Every schema, by the name of its file without `.schema.json`."""


def text(schema: Mapping[str, Any]) -> str:
    """A schema as the text of its file."""
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def write(folder: Path) -> list[Path]:
    """Write every schema to `folder`; returns the paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, schema in SCHEMAS.items():
        path = folder / f"{name}.schema.json"
        path.write_text(text(schema()), "utf-8")
        paths.append(path)
    return paths


def _main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print("usage: python -m headcount.schemas FOLDER", file=sys.stderr)
        return 2
    for path in write(Path(arguments[0])):
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1:]))
