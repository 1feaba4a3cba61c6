"""Variables of a workload: texts, random values, rows of files, secrets."""

import csv
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from headcount.errors import InputError
from headcount.fields.model import Strict
from headcount.foreign.file import content
from headcount.plan.secrets import environment_secret

MOST_FILE_BYTES = 64 << 20
"""Longest file: the generator holds it, and sends it to each of its machines."""
MOST_ROWS = 1_000_000
"""Most rows: more than any test has accounts."""
KINDS = ("text", "int", "choice", "uuid", "letters", "file", "secret")
"""The keys that define a variable; each variable has one of them."""
JSON_LINES = (".jsonl", ".ndjson")
"""Suffixes of files with a JSON object on each line."""
_Bounds = tuple[int, int]
_Letters = Annotated[int, Field(ge=1, le=1_000_000)]
"""Types of their own, because the name `int` is a key within the model."""


class Variable(Strict):
    """A value that users have."""

    text: str | None = Field(
        default=None, description="Text, with placeholders of those above it: `user{n:05}`"
    )
    int: _Bounds | None = Field(
        default=None, description="A number drawn between these, both included"
    )
    choice: list[str] | None = Field(default=None, min_length=1, description="One of these texts")
    weights: list[Annotated[float, Field(ge=1e-9, le=1e9)]] | None = Field(
        default=None, description="How often each choice comes; equal by default"
    )
    uuid: Literal[True] | None = Field(default=None, description="A random UUID")
    letters: _Letters | None = Field(default=None, description="This many random letters, a to z")
    file: str | None = Field(
        default=None,
        description="A CSV file with a header line, or JSON lines (`.jsonl`): `{name.column}`",
    )
    order: Literal["unique", "random", "in-turn", "once"] | None = Field(
        default=None, description="Which row a user gets; in-turn by default"
    )
    secret: str | None = Field(
        default=None, description="The environment variable with its value; never kept"
    )
    each: Literal["scenario", "user", "use"] = Field(
        default="scenario", description="When it is drawn again"
    )

    @model_validator(mode="after")
    def _one_kind(self) -> "Variable":
        given = [kind for kind in KINDS if getattr(self, kind) is not None]
        if len(given) != 1:
            raise ValueError(
                f"a variable has one of {', '.join(KINDS)}; it has {' and '.join(given) or 'none'}"
            )
        if self.weights is not None and len(self.weights) != len(self.choice or ()):
            raise ValueError("weights must be as many as the texts of choice")
        if self.order is not None and self.file is None:
            raise ValueError("order belongs to file: which row does a user get?")
        if self.int is not None and self.int[0] > self.int[1]:
            raise ValueError(f"int is {list(self.int)}; write the lower number first")
        if self.file is not None and self.each == "use":
            raise ValueError('the values of a row belong together: each = "scenario" or "user"')
        return self


def _short(value: Any) -> Any:
    """A bare text or number is a text."""
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        return {"text": str(value)}
    return value


Declared = Annotated[Variable, BeforeValidator(_short)]


def with_folder(values: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The values of a workload file with relative paths resolved against its folder."""
    variables = values.get("variables")
    if not isinstance(variables, Mapping):
        return dict(values)
    found = {name: _from_folder(one, folder) for name, one in variables.items()}
    return {**values, "variables": found}


def _from_folder(variable: Any, folder: Path) -> Any:
    if not isinstance(variable, Mapping) or not isinstance(variable.get("file"), str):
        return variable
    return {**variable, "file": str((folder / variable["file"]).absolute())}


def engine_form(
    variables: Mapping[str, Variable], *, with_secrets: bool = True
) -> list[dict[str, Any]]:
    """The variables as the engine reads them, with the rows of files and with secrets.

    `with_secrets`: without, they are empty. Raises InputError for a file that cannot be read, or a
    missing secret.
    """
    return [
        {"name": name, **_form(name, one, with_secrets=with_secrets)}
        for name, one in variables.items()
    ]


def most_users(variables: Mapping[str, Variable]) -> tuple[int, str] | None:
    """The number of users with a row of their own, and the file; None if they need none.

    Raises InputError for a file that cannot be read.
    """
    counts = [
        (len(rows_of(Path(one.file), f"the file of the variable {name}")[1]), one.file)
        for name, one in variables.items()
        if one.file is not None and one.order == "unique"
    ]
    return min(counts, default=None)


def _form(name: str, variable: Variable, *, with_secrets: bool) -> dict[str, Any]:
    plain: dict[str, Any] = variable.model_dump(
        mode="json", exclude_none=True, exclude={"file", "order", "secret"}
    )
    if variable.secret is not None:
        what = f"the variable {name}"
        value = environment_secret(what, variable.secret) if with_secrets else ""
        return {**plain, "value": value}
    if variable.file is None:
        return plain
    columns, rows = rows_of(Path(variable.file), f"the file of the variable {name}")
    return {**plain, "columns": columns, "rows": rows, "order": variable.order or "in-turn"}


def rows_of(path: Path, what: str) -> tuple[list[str], list[list[str]]]:
    """The columns and rows of a file; raises InputError that names the line."""
    found = content(path, MOST_FILE_BYTES, what=f"{what} ({path})")
    try:
        text = found.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = found.count(b"\n", 0, error.start) + 1
        raise InputError(f"{what} ({path}): line {line} is not UTF-8 text") from error
    read = _json_lines if path.suffix.lower() in JSON_LINES else _csv
    columns, rows = read(text, f"{what} ({path})")
    if not rows:
        raise InputError(f"{what} ({path}) has no rows")
    if len(rows) > MOST_ROWS:
        raise InputError(f"{what} ({path}) has {len(rows):,} rows; it may have {MOST_ROWS:,}")
    return columns, rows


def _csv(text: str, what: str) -> tuple[list[str], list[list[str]]]:
    reader = csv.reader(io.StringIO(text), strict=True)
    rows: list[list[str]] = []
    try:
        columns = [name.strip() for name in next(reader, [])]
        for row in reader:
            if row and len(row) != len(columns):
                raise InputError(
                    f"{what}: line {reader.line_num} has {len(row)} values, and the header line "
                    f"has {len(columns)}"
                )
            rows += [row] if row else []
    except csv.Error as error:
        raise InputError(f"{what}: line {reader.line_num} is not CSV: {error}") from error
    return columns, rows


def _json_lines(text: str, what: str) -> tuple[list[str], list[list[str]]]:
    columns: list[str] = []
    rows: list[list[str]] = []
    # Not splitlines(): texts of JSON may contain U+2028 and other ends of lines.
    for number, line in enumerate(io.StringIO(text, newline=None), start=1):
        if not line.strip():
            continue
        try:
            values = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{what}: line {number} is not JSON: {error}") from error
        if not isinstance(values, dict):
            raise InputError(f"{what}: line {number} is not a JSON object")
        columns = columns or list(values)
        if set(values) != set(columns):
            raise InputError(f"{what}: line {number} does not have the keys of the first")
        rows.append([_text(values[column]) for column in columns])
        if "\\u" in line and _has_half_pair("".join([*columns, *rows[-1]])):
            raise InputError(
                f"{what}: line {number} has half of a surrogate pair (\\ud800 to \\udfff), which "
                "is not text; leave it out"
            )
    return columns, rows


def _has_half_pair(text: str) -> bool:
    """Whether a text cannot be sent: programs that cut texts in JSON may halve a character."""
    return any("\ud800" <= sign <= "\udfff" for sign in text)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
