"""Scripts of pgbench, cut into statements and commands, each with its line."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_PART = re.compile(
    r"""(?P<comment>--[^\n]*|/\*.*?(?:\*/|\Z))
    |(?P<quoted>(?<=\b[eE])'(?:[^'\\]|\\.|'')*(?:'|\Z)|'(?:[^']|'')*(?:'|\Z)|"(?:[^"]|"")*(?:"|\Z)
        |(?P<tag>\$(?:[A-Za-z_]\w*)?\$).*?(?:(?P=tag)|\Z))
    |(?P<cast>::)
    |:(?P<variable>[A-Za-z_]\w*)
    |(?P<command>\\\w+(?:\\\r?\n|[^\n])*)
    |(?P<end>\\?;)
    |(?P<text>[^-/'"$:\\;]+|.)""",
    re.VERBOSE | re.DOTALL,
)
"""What a script consists of; PostgreSQL 15, 4.1 (lexical structure), and pgbench's own signs."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a statement: text as it is, or the name of a variable."""

    text: str
    is_variable: bool = False


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of SQL; `taken` is the prefix of its `gset`, None without one."""

    line: int
    pieces: tuple[Piece, ...]
    taken: str | None = None

    @property
    def words(self) -> list[str]:
        """Its words in small letters, without variables."""
        plain = "".join(piece.text if not piece.is_variable else "?" for piece in self.pieces)
        return re.findall(r"[\w.]+", plain.lower())


@dataclass(frozen=True, slots=True)
class Command:
    """A command of pgbench's: `set aid random(1, 10)`."""

    line: int
    name: str
    rest: str


def parts(text: str) -> Iterator[Statement | Command]:
    """The statements and commands of a script, in their order."""
    line = begun = 1
    pieces: list[Piece] = []
    for part in _PART.finditer(text):
        kind = part.lastgroup or "text"
        kind = "quoted" if kind == "tag" else kind
        if kind == "command":
            command = re.sub(r"\\\r?\n", " ", part["command"][1:])
            name, *words = command.split(maxsplit=1)
            name, rest = name.lower(), words[0] if words else ""
            is_gset = name == "gset" and _is_there(pieces)
            if _is_there(pieces):
                yield Statement(begun, _trimmed(pieces), rest.strip() if is_gset else None)
            pieces = []
            if not is_gset:
                yield Command(line, name, rest.strip())
        elif kind == "end":
            if _is_there(pieces):
                yield Statement(begun, _trimmed(pieces))
            pieces = []
        elif kind != "comment":
            if not _is_there(pieces):
                begun = line + len(part[0]) - len(part[0].lstrip("\n"))
            is_variable = kind == "variable"
            pieces.append(Piece(part["variable"] if is_variable else part[0], is_variable))
        line += part[0].count("\n")
    if _is_there(pieces):
        yield Statement(begun, _trimmed(pieces))


def _is_there(pieces: list[Piece]) -> bool:
    return any(piece.is_variable or piece.text.strip() for piece in pieces)


def _trimmed(pieces: list[Piece]) -> tuple[Piece, ...]:
    """Text between variables as one piece, with single blanks; quoted text stays as it is."""
    found: list[Piece] = []
    for piece in pieces:
        is_quoted = piece.text[:1] in "'\"$" and len(piece.text) > 1
        text = piece.text if piece.is_variable or is_quoted else re.sub(r"\s+", " ", piece.text)
        if found and not piece.is_variable and not found[-1].is_variable:
            found[-1] = Piece(found[-1].text + text)
        else:
            found.append(Piece(text, piece.is_variable))
    if not found[0].is_variable:
        found[0] = Piece(found[0].text.lstrip())
    if not found[-1].is_variable:
        found[-1] = Piece(found[-1].text.rstrip())
    return tuple(piece for piece in found if piece.text)
