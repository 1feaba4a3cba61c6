"""The data set of a database: a discussion's documents, and a directory of people."""

from pydantic import Field, field_validator

from headcount.fields.model import Size, Strict
from headcount.fields.units import size_bytes

MOST_BODY_BYTES = 1 << 20
"""The longest body the engine writes."""


class Discussion(Strict):
    """Documents in categories and threads, and people. `seed` is the data set's own."""

    documents: int = Field(ge=1, le=100_000_000, description="Documents before a run")
    categories: int = Field(ge=1, le=10_000, description="Categories of the documents")
    body_size: Size = Field(description="Size of a document's body")
    people: int = Field(ge=1, le=10_000_000, description="People in the directory")
    seed: int = Field(default=1, ge=0, lt=2**63)

    @field_validator("body_size")
    @classmethod
    def _possible(cls, value: str | int) -> str | int:
        if not 1 <= size_bytes(value) <= MOST_BODY_BYTES:
            raise ValueError(f"it is {value}; it must be from 1 byte to 1 MiB")
        return value

    def scaled(self, scale: float) -> "Discussion":
        """Fewer documents and people, at least one of each, in as many categories."""
        counts = {
            "documents": max(1, round(self.documents * scale)),
            "people": max(1, round(self.people * scale)),
        }
        return self.model_copy(update=counts)

    def engine_form(self) -> dict[str, int]:
        """The data set as the engine reads it."""
        values: dict[str, int] = self.model_dump(exclude={"body_size"})
        return {**values, "body_bytes": size_bytes(self.body_size)}

    @property
    def text(self) -> str:
        """What is in it, for people."""
        return (
            f"{self.documents:,} documents of {self.body_size} in {self.categories:,} categories, "
            f"and {self.people:,} people"
        )
