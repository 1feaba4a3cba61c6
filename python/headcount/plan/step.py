"""A step: one protocol operation of a scenario."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from headcount.fields.model import Name


class Step(BaseModel):
    """One protocol operation; the keys beside `name` and `op` are the protocol's own."""

    model_config = ConfigDict(frozen=True, extra="allow", defer_build=True)

    name: Name = Field(description="Its name in results; steps of one name count together")
    op: str = Field(description="The operation, one of the protocol's: get or post, say")

    @property
    def options(self) -> dict[str, Any]:
        """What the protocol needs to know."""
        return {"op": self.op, **(self.model_extra or {})}

    @property
    def text(self) -> str:
        """The operation and its options in one line, for people."""
        return " ".join([self.op, *_options(self.model_extra or {}, "")])


def _options(values: Mapping[str, Any], above: str) -> list[str]:
    """`key=value` of each option; for tables `key.inner=value`."""
    texts: list[str] = []
    for key, value in values.items():
        if isinstance(value, Mapping):
            texts += _options(value, f"{above}{key}.")
        else:
            texts.append(f"{above}{key}={value_text(value)}")
    return texts


def value_text(value: Any) -> str:
    """A value of a file in one line, for people."""
    if isinstance(value, list):
        return ",".join(map(value_text, value))
    if isinstance(value, Mapping):
        return f"{{{' '.join(_options(value, ''))}}}"
    return str(value).lower() if isinstance(value, bool) else str(value)
