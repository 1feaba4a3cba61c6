"""What users typed: log-ins become variables, and no password is ever written down."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from headcount.importers.correlation import is_trivial
from headcount.importers.exchange import Exchange
from headcount.importers.journey import CLOSE, Variable, mark
from headcount.importers.names import folded, free_name, variable_name
from headcount.importers.sent import Sent, sent_values

_PASSWORD = re.compile(r"pass(?:word|wd|phrase|code)?\d*$|pwd|^pin$|kennwort|passwort|motdepasse")
_USER = re.compile(
    r"^(?:user(?:name|id)?|login(?:name|id)?|e?mail(?:address)?|account|j_?username)$"
)
_SECRET = re.compile(r"apikey|secret|accesskey|authtoken|^authorization$|^token$|accesstoken")
_ELEMENT = re.compile(r"<(?:[\w.-]+:)?([\w.-]+)(?:\s[^<>]*)?>([^<>]+)</")
"""An element with a text, and its name without a prefix."""
_BODIES = ("form", "json", "json number", "part")


@dataclass
class Typed:
    """Variables, and the replacement of each value of a user."""

    variables: list[Variable] = field(default_factory=list)
    marks: dict[str, str] = field(default_factory=dict)
    """Replacements of values long enough to be looked for everywhere."""
    named: dict[tuple[str, str], str] = field(default_factory=dict)
    """Replacements of values only in fields of this name (folded)."""
    log_ins: set[int] = field(default_factory=set)
    """Indices of the requests that send a password."""

    def fill(self, sent: Sent) -> str | None:
        """The replacement of a value; None if no user typed it."""
        exact = self.named.get((folded(sent.name), sent.value))
        found = exact or self.marks.get(sent.value)
        if found and sent.place == "json number":
            return found.replace(CLOSE, f":number{CLOSE}")
        return found

    def hidden(self, text: str) -> str:
        """A text without the values that are looked for everywhere."""
        for value, marked in sorted(self.marks.items(), key=lambda one: -len(one[0])):
            text = text.replace(value, marked)
        return text


def is_password(name: str) -> bool:
    """Whether a field of this name is a password."""
    short = folded(name)
    return bool(_PASSWORD.search(short)) and "reset" not in short and "csrf" not in short


def is_secret(name: str) -> bool:
    """Whether a field or header of this name is a key that nobody must see."""
    return bool(_SECRET.search(folded(re.sub(r"^[Xx]-", "", name))))


def typed_values(
    exchanges: Sequence[Exchange], prefix: str, captured: Iterable[Sent] = ()
) -> Typed:
    """The log-ins and keys of a recording; `prefix` begins the names of environment variables.

    `captured`: values that replies gave, which nobody typed.
    """
    found = Typed()
    given = set(captured)
    for index, exchange in enumerate(exchanges):
        sent = [one for one in sent_values(exchange) if one.value and one not in given]
        passwords = [
            one for one in sent if one.place in (*_BODIES, "query") and is_password(one.name)
        ]
        passwords += _passwords_in_xml(exchange.payload.text or "")
        if passwords:
            found.log_ins.add(index)
            for one in sent:
                if one.place in _BODIES and _USER.match(folded(one.name)):
                    _add_user(found, one)
        for one in passwords:
            _add_secret(found, one, prefix)
        for one in sent:
            if one.place in ("header", "query", *_BODIES) and is_secret(one.name):
                _add_secret(found, one, prefix)
    return found


def _passwords_in_xml(text: str) -> list[Sent]:
    """The passwords of a body in XML, such as a SOAP message's."""
    return [
        Sent("body", name, value) for name, value in _ELEMENT.findall(text) if is_password(name)
    ]


def _add_user(found: Typed, sent: Sent) -> None:
    if found.fill(sent) is not None:
        return
    name = free_name(variable_name(sent.name), {one.name for one in found.variables})
    comment = (
        f"One user, as recorded. For many, write a file accounts.csv with the header line "
        f"{name},password and\n"
        f'account = {{ file = "accounts.csv", order = "unique" }}; then send '
        f"{{account.{name}}} and {{account.password}}."
    )
    found.variables.append(Variable(name, sent.value, comment))
    _note(found, sent, mark(name), everywhere="@" in sent.value or not is_trivial(sent.value))


def _add_secret(found: Typed, sent: Sent, prefix: str) -> None:
    if found.fill(sent) is not None:
        return
    base = "token" if folded(sent.name) == "authorization" else variable_name(sent.name)
    name = free_name(base, {one.name for one in found.variables})
    environment = re.sub(r"\W", "_", f"{prefix}_{name.removeprefix('user_')}").upper().strip("_")
    if environment[0].isdigit():
        environment = f"SITE_{environment}"
    comment = f"From the environment, never in a file: export {environment}=..."
    if folded(sent.name) == "authorization":
        comment += "\nIt is what follows Bearer; for Basic, user:password in base64."
    found.variables.append(Variable(name, {"secret": environment}, comment))
    _note(found, sent, mark(name), everywhere=len(sent.value) >= 4)


def _note(found: Typed, sent: Sent, marked: str, *, everywhere: bool) -> None:
    found.named[folded(sent.name), sent.value] = marked
    if everywhere:
        found.marks.setdefault(sent.value, marked)
