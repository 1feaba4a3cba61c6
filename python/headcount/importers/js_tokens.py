"""Tokens of JavaScript: as much as scripts of other load testers need."""

import re
from dataclasses import dataclass

from headcount.errors import InputError

MOST_TOKENS = 200_000
_TOKEN = re.compile(
    r"(?P<skip>[ \t\r\n]+|//[^\n]*|/\*(?:[^*]|\*(?!/))*\*/)"
    r"|(?P<number>0x[0-9a-fA-F]+|(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[A-Za-z_$][\w$]*)"
    r"|(?P<text>\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*')"
    r"|(?P<template>`(?:[^`\\]|\\.)*`)"
    r"|(?P<mark>===|!==|=>|==|!=|>=|<=|&&|\|\||\.\.\.|\?\.|[^\w\s\"'`])",
    re.DOTALL,
)
_REGEX = re.compile(r"(?P<regex>/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*)")
_ESCAPE = re.compile(
    r"\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))", re.DOTALL
)
_PLAIN = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", "v": "\v", "0": "\ufffd", "\n": ""}


@dataclass(frozen=True, slots=True)
class Token:
    """A word, its kind (number, name, text, template, regex, mark, end) and its line from 1."""

    kind: str
    text: str
    line: int


def tokens(script: str, what: str) -> list[Token]:
    """The words of a script, and an end; raises InputError that names `what` and the line."""
    found: list[Token] = []
    line = 1
    place = 0
    while place < len(script):
        match = _TOKEN.match(script, place)
        if script[place] == "/" and match and match.lastgroup == "mark" and _begins_value(found):
            match = _REGEX.match(script, place) or match
        if match is None or len(found) > MOST_TOKENS:
            raise InputError(f"{what}, line {line}: it cannot be read as JavaScript")
        kind = match.lastgroup or "mark"
        if kind != "skip":
            found.append(Token(kind, match[0], line))
        line += match[0].count("\n")
        place = match.end()
    return [*found, Token("end", "", line)]


def _begins_value(before: list[Token]) -> bool:
    """Whether a value comes next, so that a slash begins a pattern instead of dividing."""
    if not before:
        return True
    last = before[-1]
    return last.text == "return" or (last.kind == "mark" and last.text not in (")", "]", "}"))


def unescaped(body: str) -> str:
    """A text between quotes, with its escapes resolved."""
    return _ESCAPE.sub(_character, body)


def _character(found: re.Match[str]) -> str:
    digits = found[1] or found[2] or found[3]
    if digits is None:
        return _PLAIN.get(found[4], found[4])
    code = int(digits, 16)
    is_text = code and code < 0x110000 and not 0xD800 <= code < 0xE000
    return chr(code) if is_text and not 0xE000 <= code <= 0xE001 else "\ufffd"
