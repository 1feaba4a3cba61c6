"""Scenarios: what users do, step by step."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from headcount.fields.model import Duration, Name, Strict, within
from headcount.plan.pace import Think


class Step(BaseModel):
    """One protocol operation; the keys beside `name` and `op` are the protocol's own."""

    model_config = ConfigDict(frozen=True, extra="allow", defer_build=True)

    name: Name
    op: str

    @property
    def options(self) -> dict[str, Any]:
        """What the protocol needs to know."""
        return {"op": self.op, **(self.model_extra or {})}

    @property
    def text(self) -> str:
        """The operation and its options in one line, for people."""
        return " ".join([self.op, *_options(self.model_extra or {}, "")])


def _options(values: Mapping[str, Any], above: str) -> list[str]:
    """`key=value` of each option; of options that are tables `key.inner=value`."""
    texts: list[str] = []
    for key, value in values.items():
        if isinstance(value, Mapping):
            texts += _options(value, f"{above}{key}.")
        else:
            texts.append(f"{above}{key}={_value(value)}")
    return texts


def _value(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(str(each) for each in value)
    return str(value).lower() if isinstance(value, bool) else str(value)


class Scenario(Strict):
    """One thing a user does."""

    name: Name
    title: str = ""
    weight: float = Field(
        ge=1e-9,
        le=1e9,
        description="How often it is drawn, relative to the others; absent with a script",
    )
    limit: Annotated[Duration, within("1us", "1h")] = Field(
        description="A slower scenario counts as overload"
    )
    limit_per_mib: Annotated[Duration, within("1us", "1h")] | None = Field(
        default=None, description="The limit is at least this for each MiB moved"
    )
    late: Annotated[Duration, within("1us", "1h")] | None = Field(
        default=None, description="A scenario that starts later than this counts as overload"
    )
    pause: Think | None = Field(
        default=None, description="Think time after it, instead of the pace's (closed pace)"
    )
    origin: str = Field(default="", description="Where its figures come from")
    steps: list[Step] = Field(min_length=1)

    @property
    def limit_text(self) -> str:
        """What it may take, for people."""
        more = f", or {self.limit_per_mib} for each MiB if that is more"
        return self.limit + (more if self.limit_per_mib else "")
