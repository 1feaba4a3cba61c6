"""Expressions of pgbench's `set`: parsed, computed if all of it is known, or written as SQL."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

Number = int | float
_TOKEN = re.compile(r"\s*(?:(\d+\.\d*|\.\d+|\d+)|:(\w+)|(\w+)|([-+*/%(),]))")
_MOST_TOKENS = 300
"""More than a person would write."""
_DEEPEST = 50
"""More nested parentheses than a person would write."""


class NotReadError(ValueError):
    """An expression in a form that is not supported."""


@dataclass(frozen=True, slots=True)
class Constant:
    """A number."""

    value: Number


@dataclass(frozen=True, slots=True)
class Variable:
    """A value that was set before, or that pgbench sets."""

    name: str


@dataclass(frozen=True, slots=True)
class Operation:
    """An operator with its two values."""

    operator: str
    left: "Expression"
    right: "Expression"


@dataclass(frozen=True, slots=True)
class Call:
    """A function of values."""

    function: str
    given: tuple["Expression", ...]


Expression = Constant | Variable | Operation | Call


def expression(text: str) -> Expression:
    """Read an expression; raises NotReadError."""
    tokens = _tokens(text)
    reader = _Reader(tokens)
    found = reader.sum_(0)
    if reader.place < len(tokens):
        raise NotReadError(tokens[reader.place][1])
    return found


def _tokens(text: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    place, rest = 0, text.rstrip()
    while place < len(rest):
        if len(found) >= _MOST_TOKENS:
            raise NotReadError("it is too long")
        token = _TOKEN.match(rest, place)
        if token is None:
            raise NotReadError(rest[place:])
        kinds = ("number", "variable", "word", "sign")
        found.append((kinds[(token.lastindex or 1) - 1], token[token.lastindex or 1]))
        place = token.end()
    return found


class _Reader:
    def __init__(self, tokens: list[tuple[str, str]]) -> None:
        self.tokens = tokens
        self.place = 0

    def sum_(self, depth: int) -> Expression:
        return self._chain(("+", "-"), self._product, depth)

    def _product(self, depth: int) -> Expression:
        return self._chain(("*", "/", "%"), self._value, depth)

    def _chain(
        self, operators: tuple[str, ...], one: Callable[[int], Expression], depth: int
    ) -> Expression:
        found = one(depth)
        while self._sign() in operators:
            operator = self._sign()
            self.place += 1
            found = Operation(operator, found, one(depth))
        return found

    def _sign(self) -> str:
        if self.place >= len(self.tokens) or self.tokens[self.place][0] != "sign":
            return ""
        return self.tokens[self.place][1]

    def _take(self, sign: str) -> None:
        if self._sign() != sign:
            raise NotReadError(f"no {sign}")
        self.place += 1

    def _value(self, depth: int) -> Expression:
        if self.place >= len(self.tokens) or depth > _DEEPEST:
            raise NotReadError("it ends in the middle" if depth <= _DEEPEST else "it is too deep")
        kind, text = self.tokens[self.place]
        self.place += 1
        if kind == "number":
            return Constant(float(text) if "." in text else int(text))
        if kind == "variable":
            return Variable(text)
        if kind == "word":
            return self._call(text, depth)
        if text == "-":
            return Operation("-", Constant(0), self._value(depth + 1))
        if text != "(":
            raise NotReadError(text)
        found = self.sum_(depth + 1)
        self._take(")")
        return found

    def _call(self, function: str, depth: int) -> Expression:
        self._take("(")
        given = []
        while self._sign() != ")":
            given.append(self.sum_(depth + 1))
            if self._sign() == ",":
                self.place += 1
        self._take(")")
        return Call(function, tuple(given))


def computed(found: Expression, known: Mapping[str, Number]) -> Number | None:
    """Its value if all of it is known; whole numbers are divided as in pgbench, towards 0."""
    match found:
        case Constant(value):
            return value
        case Variable(name):
            return known.get(name)
        case Operation(operator, left, right):
            first, second = computed(left, known), computed(right, known)
            return None if first is None or second is None else _result(operator, first, second)
    return None


def _result(operator: str, first: Number, second: Number) -> Number | None:
    if operator in "/%" and second == 0:
        return None
    are_whole = isinstance(first, int) and isinstance(second, int)
    quotient = abs(first) // abs(second) if operator in "/%" else 0
    if are_whole and (first < 0) != (second < 0):
        quotient = -quotient
    match operator:
        case "+":
            return first + second
        case "-":
            return first - second
        case "*":
            return first * second
        case "/":
            return quotient if are_whole else first / second
    return first - second * quotient if are_whole else None


def sql_text(found: Expression, value: Callable[[str], str]) -> str:
    """The expression as SQL has it; `value` gives the text of a variable. Raises NotReadError."""
    match found:
        case Constant(number):
            return str(number)
        case Variable(name):
            return value(name)
        case Operation(operator, left, right):
            return f"({sql_text(left, value)} {operator} {sql_text(right, value)})"
    raise NotReadError(found.function)
