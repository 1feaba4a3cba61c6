"""The published JSON Schemas of a bundle's files, made from the models that write them.

`python -m headcount.bundle.schema DIR` writes them, one file each, as `docs/schemas/` has them.
"""

import json
import sys
from pathlib import Path
from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from headcount.bundle.confirmation import Confirmation
from headcount.bundle.environment import EnvironmentFile
from headcount.bundle.level import SCHEMA_VERSION, Levels, Record
from headcount.bundle.manifest import Manifest
from headcount.bundle.shares import SharesFile
from headcount.bundle.verdict import Verdict
from headcount.bundle.versus import Versus

DIALECT = "https://json-schema.org/draft/2020-12/schema"

FILES: dict[str, type[Record]] = {
    "confirmation": Confirmation,
    "environment": EnvironmentFile,
    "levels": Levels,
    "manifest": Manifest,
    "shares": SharesFile,
    "verdict": Verdict,
    "versus": Versus,
}
"""The files with a schema, without `.json`, and what they hold."""


def schemas() -> dict[str, dict[str, Any]]:
    """The schema of each file, by the file's name without `.json`.

    The `$id` carries the version; it changes with any change that an existing reader would notice.
    """
    return {name: record_schema(name, model) for name, model in FILES.items()}


def write(folder: Path) -> list[Path]:
    """Write every schema to `folder` as NAME.schema.json; returns the paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, schema in schemas().items():
        path = folder / f"{name}.schema.json"
        path.write_text(text(schema), "utf-8")
        paths.append(path)
    return paths


def text(schema: dict[str, Any]) -> str:
    """A schema as it stands in its file."""
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def record_schema(name: str, model: type[Record], version: int = SCHEMA_VERSION) -> dict[str, Any]:
    """The schema of what a model writes, under a name and a version."""
    head = {
        "$schema": DIALECT,
        "$id": f"urn:headcount:schema:{name}:{version}",
        "version": version,
    }
    return head | model.model_json_schema(mode="serialization", schema_generator=_Written)


class _Written(GenerateJsonSchema):
    """Of what is written: every key is there, those with a default too."""

    def field_is_required(self, field: Any, total: bool) -> bool:
        """Always."""
        del field, total
        return True


def _main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print("usage: python -m headcount.bundle.schema DIR", file=sys.stderr)
        return 2
    for path in write(Path(arguments[0])):
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1:]))
