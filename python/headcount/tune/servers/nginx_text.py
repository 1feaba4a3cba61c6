"""nginx's configuration as text: where each directive stands, and how it is replaced."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from headcount.errors import InputError

LUA = "_by_lua_block"
"""Suffix of directives whose block is a program in Lua (OpenResty, lua-nginx-module)."""
_LUA = re.compile(
    r"--\[(=*)\[.*?\]\1\]|--[^\n]*|\[(=*)\[.*?\]\2\]"
    r"|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|[{}]",
    re.DOTALL,
)
"""Comments, quoted texts and braces of Lua (Lua 5.1 manual, 2.1)."""


@dataclass(frozen=True, slots=True)
class Directive:
    """A directive with its place.

    Attributes:
        context: The blocks it is in, `http server` for one of a server; empty at the top.
        name: Its name.
        words: What follows, without quotation marks.
        start, end: Where it begins, and where it ends: behind its semicolon, or its opening brace.
        is_block: Whether a block follows.

    """

    context: str
    name: str
    words: tuple[str, ...]
    start: int
    end: int
    is_block: bool


def directives(text: str, context: str = "") -> Iterator[Directive]:
    """All directives of a file in their order; raises InputError where the file ends within one.

    `context` is where the file is included.
    """
    blocks = [context] if context else []
    words: list[str] = []
    start = 0
    for word, is_mark, at, end in _tokens(text):
        if not is_mark:
            start = start if words else at
            words.append(word)
        elif word != "}" and words:
            is_block = word == "{"
            yield Directive(" ".join(blocks), words[0], tuple(words[1:]), start, end, is_block)
            blocks += words[:1] if is_block else []
            words = []
        elif word == "}" and not words and len(blocks) > bool(context):
            blocks.pop()
        else:
            raise InputError(f'"{word}" stands where no directive or block begins or ends')
    if words or len(blocks) != bool(context):
        raise InputError("it ends within a directive or a block")


def _tokens(text: str) -> Iterator[tuple[str, bool, int, int]]:
    """Words and marks such as `;`, with where they begin and end (nginx: ngx_conf_read_token)."""
    at, length = 0, len(text)
    first = ""
    while at < length:
        char = text[at]
        if char.isspace():
            at += 1
        elif char == "#":
            end = text.find("\n", at)
            at = length if end < 0 else end
        elif char in ";{}":
            yield char, True, at, at + 1
            at = _lua_end(text, at + 1) if char == "{" and first.endswith(LUA) else at + 1
            first = ""
        else:
            word, end = _quoted(text, at) if char in "\"'" else _bare(text, at)
            yield word, False, at, end
            first = first or word
            at = end


def _lua_end(text: str, at: int) -> int:
    """Where the brace is that closes a block of Lua: others are in pairs, quoted or in comments."""
    depth = 1
    for found in _LUA.finditer(text, at):
        depth += {"{": 1, "}": -1}.get(found[0], 0)
        if depth == 0:
            return found.start()
    raise InputError("a block of Lua is not closed")


def _quoted(text: str, at: int) -> tuple[str, int]:
    mark, end = text[at], at + 1
    while end < len(text) and text[end] != mark:
        end += 2 if text[end] == "\\" else 1
    if end >= len(text):
        raise InputError("a quotation mark is not closed")
    return text[at + 1 : end], end + 1


def _bare(text: str, at: int) -> tuple[str, int]:
    end = at
    while end < len(text) and not text[end].isspace() and text[end] not in ";{":
        if text.startswith("${", end):
            end = text.find("}", end)
            if end < 0:
                raise InputError("a variable's brace is not closed")
        end += 2 if text[end] == "\\" else 1
    # A brace that opens a block stands apart, or ends the word; one that closes is a word's own.
    return text[at:end], end


def replaced(text: str, found: Directive, line: str) -> str:
    """The text with another directive in the place of one."""
    return text[: found.start] + line + text[found.end :]


def inserted(text: str, context: str, line: str) -> str | None:
    """The text with one more directive at the beginning of a block; None without that block."""
    if not context:
        return f"{line}\n{text}"
    for found in directives(text):
        if found.is_block and f"{found.context} {found.name}".strip() == context:
            return f"{text[: found.end]}\n{line}{text[found.end :]}"
    return None
