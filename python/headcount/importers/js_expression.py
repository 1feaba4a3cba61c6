"""Expressions of JavaScript: literals, members, calls, comparisons and small functions."""

import re
from dataclasses import dataclass
from typing import Any

from headcount.importers.js_tokens import Token, tokens, unescaped

DEEPEST = 60


class UnreadableError(ValueError):
    """An expression of a form that is not supported."""


@dataclass(frozen=True)
class Name:
    """A variable."""

    name: str


@dataclass(frozen=True)
class Member:
    """`owner.key` or `owner[key]`."""

    owner: Any
    key: str | int


@dataclass(frozen=True)
class Call:
    """`function(arguments)`."""

    function: Any
    arguments: tuple[Any, ...]


@dataclass(frozen=True)
class Binary:
    """Two values and the operator between them."""

    mark: str
    left: Any
    right: Any


@dataclass(frozen=True)
class Template:
    """Texts and expressions alternately, the first a text."""

    parts: tuple[Any, ...]


@dataclass(frozen=True)
class Arrow:
    """A function of one expression."""

    parameters: tuple[str, ...]
    body: Any


_PRIORITY = ({"||", "&&"}, {"===", "!==", "==", "!=", ">", "<", ">=", "<="}, {"+", "-"}, {"*", "/"})


class Parser:
    """Reads expressions from tokens; raises UnreadableError for what it does not know."""

    def __init__(self, words: list[Token], place: int = 0) -> None:
        """Begin at a place."""
        self.words, self.place, self.depth = words, place, 0

    @property
    def word(self) -> Token:
        """The next token."""
        return self.words[self.place]

    def take(self, text: str) -> bool:
        """Go past a token if it is this one."""
        if self.word.text == text and self.word.kind in ("mark", "name"):
            self.place += 1
            return True
        return False

    def need(self, text: str) -> None:
        """Go past a token that must be this one."""
        if not self.take(text):
            raise UnreadableError(f'"{text}" is missing before "{self.word.text[:20]}"')

    def expression(self, level: int = 0) -> Any:
        """An expression; operators have JavaScript's precedence."""
        self.depth += 1
        try:
            if self.depth > DEEPEST * len(_PRIORITY):
                raise UnreadableError("it is nested too deeply")
            if level == len(_PRIORITY):
                return self._postfix()
            left = self.expression(level + 1)
            while self.word.kind == "mark" and self.word.text in _PRIORITY[level]:
                mark = self.word.text
                self.place += 1
                left = Binary(mark, left, self.expression(level + 1))
            return left
        finally:
            self.depth -= 1

    def _postfix(self) -> Any:
        value = self._primary()
        while True:
            if self.take(".") or self.take("?."):
                if self.word.kind != "name":
                    raise UnreadableError("a name is missing")
                value = Member(value, self.word.text)
                self.place += 1
            elif self.take("["):
                key = self.expression()
                self.need("]")
                if not isinstance(key, str | int):
                    raise UnreadableError("a computed key")
                value = Member(value, key)
            elif self.take("("):
                value = Call(value, tuple(self._list(")")))
            else:
                return value

    def _primary(self) -> Any:
        word = self.word
        self.place += 1
        match word.kind:
            case "number":
                return _number(word.text)
            case "text":
                return unescaped(word.text[1:-1])
            case "template":
                return template(word.text[1:-1])
            case "name":
                return self._named(word)
        return self._marked(word)

    def _marked(self, word: Token) -> Any:
        """What begins with a bracket or a sign that was just taken."""
        if word.text == "{":
            return self._object()
        if word.text == "[":
            return self._list("]")
        if word.text == "(":
            return self._bracket()
        if word.text == "-" and self.word.kind == "number":
            self.place += 1
            return -_number(self.words[self.place - 1].text)
        raise UnreadableError(f'"{word.text[:20]}" is not read here')

    def _named(self, word: Token) -> Any:
        constants = {"true": True, "false": False, "null": None, "undefined": None}
        if word.text in constants:
            return constants[word.text]
        if self.take("=>"):
            return Arrow((word.text,), self._body())
        if word.text in ("function", "async", "new", "await", "typeof", "class"):
            raise UnreadableError(f'"{word.text}" is not read here')
        return Name(word.text)

    def _bracket(self) -> Any:
        start = self.place
        names: list[str] = []
        while self.word.kind == "name":
            names.append(self.word.text)
            self.place += 1
            if not self.take(","):
                break
        if self.take(")") and self.take("=>"):
            return Arrow(tuple(names), self._body())
        self.place = start
        value = self.expression()
        self.need(")")
        return value

    def _body(self) -> Any:
        if self.word.text == "{":
            if self.words[self.place + 1].text != "return":
                raise UnreadableError("a function of several statements")
            self.place += 2
            value = self.expression()
            self.take(";")
            self.need("}")
            return value
        return self.expression()

    def _list(self, end: str) -> list[Any]:
        found: list[Any] = []
        while not self.take(end):
            found.append(self.expression())
            if not self.take(","):
                self.need(end)
                break
        return found

    def _object(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while not self.take("}"):
            word = self.word
            self.place += 1
            if word.kind not in ("name", "text", "number"):
                raise UnreadableError("a key that is computed")
            key = unescaped(word.text[1:-1]) if word.kind == "text" else word.text
            found[key] = self.expression() if self.take(":") else Name(key)
            if not self.take(","):
                self.need("}")
                break
        return found


def template(body: str) -> Any:
    """A text in backticks: plain, or a Template if it has expressions."""
    parts = re.split(r"(?<!\\)\$\{([^{}`]*)\}", body)
    if len(parts) == 1:
        return unescaped(body)
    return Template(
        tuple(parsed(part) if index % 2 else unescaped(part) for index, part in enumerate(parts))
    )


def parsed(text: str) -> Any:
    """A whole expression; raises UnreadableError for anything else."""
    try:
        parser = Parser(tokens(text, "the expression"))
    except Exception as error:
        raise UnreadableError(str(error)) from error
    found = parser.expression()
    if parser.word.kind != "end":
        raise UnreadableError(f'"{parser.word.text[:20]}" is not read here')
    return found


def keys_of(value: Any) -> tuple[Any, tuple[str | int, ...]]:
    """The innermost owner of a chain of members, and the keys from there."""
    keys: list[str | int] = []
    while isinstance(value, Member):
        keys.insert(0, value.key)
        value = value.owner
    return value, tuple(keys)


def _number(text: str) -> int | float:
    plain = text.replace("_", "")
    try:
        return int(plain, 0) if re.fullmatch(r"\d+|0x\w+", plain) else float(plain)
    except ValueError as error:
        raise UnreadableError(f'"{text[:20]}" is not a number') from error
