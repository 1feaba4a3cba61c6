"""The flow of a scenario: its steps, and what decides which ones are played, and how often."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ConfigDict, Discriminator, Field, Tag, model_validator

from headcount.errors import InputError
from headcount.fields.mistakes import as_mistake
from headcount.fields.model import Name, Strict
from headcount.plan.pace import Think, think_of
from headcount.plan.step import Step, value_text

MOST_ROUNDS = 1_000_000
"""Most rounds of a loop that the engine accepts."""
MOST_RETRIES = 1_000
"""Most times that the engine repeats a transaction."""
MOST_WEIGHT = 1e9
"""The largest weight of a branch."""
Scalar = str | int | float | bool


class Condition(Strict):
    """Whether a value of the user is this or that; all that is given must hold."""

    value: str = Field(description='A text with placeholders: "{stock}"')
    equals: Scalar | None = Field(default=None, description="It is this")
    differs: Scalar | None = Field(default=None, description="It is anything but this")
    contains: str | None = Field(default=None, description="A text in it")
    lacks: str | None = Field(default=None, description="A text that is not in it")
    matches: str | None = Field(default=None, description="A regular expression found in it")
    above: Scalar | None = Field(default=None, description="A number below it")
    below: Scalar | None = Field(default=None, description="A number above it")
    exists: bool | None = Field(default=None, description="Whether there is a value at all")

    @model_validator(mode="after")
    def _says_something(self) -> "Condition":
        keys = [key for key in type(self).model_fields if key != "value"]
        if all(getattr(self, key) is None for key in keys):
            raise ValueError(f"it has no condition: give one of {', '.join(keys)}")
        return self

    @property
    def text(self) -> str:
        """The condition, for people."""
        given = self.model_dump(exclude_none=True, exclude={"value"})
        tests = (f"{key} {value_text(value)}" for key, value in given.items())
        return f"{self.value} {' and '.join(tests)}"


class Until(Strict):
    """Rounds until a condition holds."""

    until: Condition
    at_most: int = Field(ge=1, le=MOST_ROUNDS, description="Rounds after which the step fails")

    @property
    def text(self) -> str:
        """The condition of the loop, for people."""
        return f"until {self.until.text}, at most {self.at_most} times"


class If(Strict):
    """Steps that are played if a condition holds, and others if not."""

    model_config = ConfigDict(serialize_by_alias=True)

    condition: Condition = Field(alias="if")
    then: list["Entry"] = Field(min_length=1, description="Steps if it holds")
    otherwise: list["Entry"] = Field(
        default=[], alias="else", description="Steps if it does not hold"
    )

    @property
    def text(self) -> str:
        """The entry in one line, for people."""
        other = f" else ({texts(self.otherwise)})" if self.otherwise else ""
        return f"if {self.condition.text} ({texts(self.then)}){other}"


def _rounds(value: Any) -> str:
    """The form in which a loop's rounds are given."""
    if isinstance(value, Mapping | Until):
        return "until"
    return "between" if isinstance(value, list | tuple) else "times"


class Repeat(Strict):
    """Steps that are played several times: so often, between two numbers, or until it is so."""

    repeat: Annotated[
        Annotated[int, Field(ge=0, le=MOST_ROUNDS), Tag("times")]
        | Annotated[tuple[int, int], Tag("between")]
        | Annotated[Until, Tag("until")],
        Discriminator(_rounds),
    ] = Field(description="How often: 3, [1, 5] to draw from, or { until = ..., at_most = 20 }")
    steps: list["Entry"] = Field(min_length=1, description="What is repeated")

    @model_validator(mode="after")
    def _in_order(self) -> "Repeat":
        if isinstance(self.repeat, tuple):
            low, high = self.repeat
            if not 0 <= low <= high <= MOST_ROUNDS:
                raise ValueError(
                    f"repeat is [{low}, {high}]; the rounds must be from 0 to {MOST_ROUNDS:,}, the "
                    "lower number first"
                )
        return self

    @property
    def text(self) -> str:
        """The entry in one line, for people."""
        match self.repeat:
            case Until():
                rounds = self.repeat.text
            case (low, high):
                rounds = f"{low} to {high} times"
            case _:
                rounds = f"{self.repeat} times"
        return f"repeat {rounds} ({texts(self.steps)})"


def _think(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    with as_mistake():
        return think_of(value, "pause")


class Pause(Strict):
    """The user thinks within a scenario, which counts towards no response time."""

    pause: Annotated[Think, BeforeValidator(_think)] = Field(
        description='How long: "2s", "uniform:1s..3s", "exponential:2s"'
    )

    @property
    def text(self) -> str:
        """The entry in one line, for people."""
        return f"pause {self.pause.text}"


class Branch(Strict):
    """One of several ways on."""

    weight: float = Field(
        default=1.0, ge=0, le=MOST_WEIGHT, description="How often it is taken, beside the others"
    )
    steps: list["Entry"] = Field(default=[], description="What the user does on this way")


class Choose(Strict):
    """One of several ways on, drawn by weight."""

    choose: list[Branch] = Field(min_length=1, description="The ways on")

    @property
    def text(self) -> str:
        """The entry in one line, for people."""
        ways = [f"{one.weight:g}: {texts(one.steps)}" for one in self.choose]
        return f"choose ({' | '.join(ways)})"


class Set(Strict):
    """Variables that get values."""

    model_config = ConfigDict(serialize_by_alias=True)

    values: dict[str, Scalar] = Field(
        alias="set", min_length=1, description="Variables and their new values"
    )

    @property
    def text(self) -> str:
        """The entry in one line, for people."""
        each = (f"{name} = {value_text(value)}" for name, value in self.values.items())
        return f"set {', '.join(each)}"


class Page(Strict):
    """Steps that belong to one page, for people who read the workload."""

    page: str = Field(description="What the page is called")
    steps: list["Entry"] = Field(min_length=1, description="What it consists of")

    @property
    def text(self) -> str:
        """The entry in one line, for people."""
        return f"page {self.page} ({texts(self.steps)})"


class Lua(Strict):
    """Lua code that decides which of its steps are played."""

    lua: str = Field(description='The code, or the file that has it: "checkout.lua"')
    file: str | None = Field(default=None, description="The file that the code came from")
    steps: list["Entry"] = Field(min_length=1, description="What it may play, by name")

    @property
    def text(self) -> str:
        """The entry in one line, for people."""
        return f"lua {self.file or 'code'} ({texts(self.steps)})"


class Transaction(Strict):
    """Steps of which a database keeps all or none; its name is that of the steps around them."""

    transaction: Name
    isolation: Literal["read-committed", "repeatable-read", "serializable"] | None = Field(
        default=None, description="How far it is kept from others; the server's own by default"
    )
    retries: int = Field(
        default=0,
        ge=0,
        le=MOST_RETRIES,
        description="How often it is played again after a serialization failure or a deadlock",
    )
    on: str | None = Field(default=None, description="The second protocol, if it is of that")
    steps: list["Entry"] = Field(min_length=1)

    @property
    def text(self) -> str:
        """The entry in one line, for people."""
        level = f" {self.isolation}" if self.isolation else ""
        again = f" at most {self.retries + 1} times" if self.retries else ""
        return f"transaction {self.transaction}{level}{again} ({texts(self.steps)})"


_KINDS = {
    "lua": "lua",
    "if": "if",
    "repeat": "repeat",
    "pause": "pause",
    "choose": "choose",
    "set": "set",
}


def _kind(value: Any) -> str:
    """The kind of an entry: a step has an operation."""
    if isinstance(value, Strict | Step):
        return _OF_MODEL[type(value)]
    if not isinstance(value, Mapping) or "op" in value:
        return "step"
    return next((kind for key, kind in _KINDS.items() if key in value), _page(value))


def _page(value: Mapping[str, Any]) -> Literal["page", "transaction", "step"]:
    if "steps" not in value:
        return "step"
    return "page" if "page" in value else "transaction" if "transaction" in value else "step"


Entry = Annotated[
    Annotated[Step, Tag("step")]
    | Annotated[If, Tag("if")]
    | Annotated[Repeat, Tag("repeat")]
    | Annotated[Pause, Tag("pause")]
    | Annotated[Choose, Tag("choose")]
    | Annotated[Set, Tag("set")]
    | Annotated[Page, Tag("page")]
    | Annotated[Lua, Tag("lua")]
    | Annotated[Transaction, Tag("transaction")],
    Discriminator(_kind),
]
"""One entry of `steps`."""
_OF_MODEL = {
    Step: "step",
    If: "if",
    Repeat: "repeat",
    Pause: "pause",
    Choose: "choose",
    Set: "set",
    Page: "page",
    Lua: "lua",
    Transaction: "transaction",
}
Played = Step | If | Repeat | Pause | Choose | Set | Page | Lua | Transaction


def _inner(entry: Played) -> Sequence[Played]:
    """The entries within an entry."""
    match entry:
        case If():
            return [*entry.then, *entry.otherwise]
        case Repeat() | Page() | Lua() | Transaction():
            return entry.steps
        case Choose():
            return [step for branch in entry.choose for step in branch.steps]
    return ()


def operations(entries: Sequence[Played]) -> Iterator[Step]:
    """All steps, in the order in which they stand."""
    for entry in entries:
        if isinstance(entry, Step):
            yield entry
        yield from operations(_inner(entry))


def transactions(entries: Sequence[Played]) -> Iterator[Transaction]:
    """All transactions, in the order in which they stand."""
    for entry in entries:
        if isinstance(entry, Transaction):
            yield entry
        yield from transactions(_inner(entry))


def pauses(entries: Sequence[Played]) -> Iterator[Think]:
    """All pauses within a scenario, in the order in which they stand."""
    for entry in entries:
        if isinstance(entry, Pause):
            yield entry.pause
        yield from pauses(_inner(entry))


def most_steps(entries: Sequence[Played]) -> int:
    """The most steps that one pass through these entries plays.

    That of Lua code is unknown before it is played: each of its steps counts once.
    """
    return sum(map(_most, entries))


def _most(entry: Played) -> int:
    match entry:
        case Step():
            return 1
        case If():
            return max(most_steps(entry.then), most_steps(entry.otherwise))
        case Repeat():
            rounds = entry.repeat
            most = rounds.at_most if isinstance(rounds, Until) else rounds
            return (most[1] if isinstance(most, tuple) else most) * most_steps(entry.steps)
        case Choose():
            return max(most_steps(branch.steps) for branch in entry.choose)
        case Page() | Lua() | Transaction():
            # The beginning and the end of a transaction are steps of their own.
            return most_steps(entry.steps) + (2 if isinstance(entry, Transaction) else 0)
    return 0


def texts(entries: Sequence[Played]) -> str:
    """Entries in one line, for people."""
    return "; ".join(entry.text for entry in entries)


def check_entries(entries: Sequence[Played], where: str) -> None:
    """Raise InputError for a choice that never takes any way, or a transaction in another."""
    for entry in entries:
        if isinstance(entry, Transaction) and any(transactions(entry.steps)):
            raise InputError(
                f"{where}: a transaction cannot be in another; write its steps into the outer one"
            )
        if isinstance(entry, Choose) and not any(branch.weight for branch in entry.choose):
            raise InputError(f"{where}: of the weights of choose one must be above 0")
        check_entries(_inner(entry), where)
