"""Statements of a k6 script in its plain forms, in their order; the others with their lines."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from headcount.errors import InputError
from headcount.importers.js_expression import Arrow, Call, Member, Name, Parser, UnreadableError
from headcount.importers.js_tokens import Token, tokens

MOST_STATEMENTS = 20_000
DEFAULT = "default"
RETURN = "return"
"""The name of a statement whose value a function returns."""
_LIFE_CYCLE = frozenset({"setup", "teardown", "handleSummary"})
"""Functions that k6 calls itself, once a run."""


@dataclass(frozen=True, slots=True)
class Statement:
    """An expression, and the name that it is assigned to; empty if there is none."""

    name: str
    value: Any
    line: int
    text: str = ""
    """Its first line, with the number."""
    is_declared: bool = False
    """Whether the name is declared here, not only assigned."""


@dataclass
class Function:
    """A function: its parameters, its statements in order, and lines that are not read."""

    parameters: tuple[str, ...] = ()
    statements: list[Statement] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    @property
    def local(self) -> set[str]:
        """The names that mean something else outside it."""
        return {*self.parameters, *(one.name for one in self.statements if one.is_declared)}


@dataclass
class Script:
    """A script: what stands outside its functions, its functions, and what is not read.

    The default function has the name `default`.
    """

    globals: dict[str, Any] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)


def script(text: str, what: str) -> Script:
    """Read a script; raises InputError that names `what`."""
    reader = _Reader(tokens(text, what), text.splitlines())
    reader.outside()
    if not any(one.statements for one in reader.found.functions.values()):
        raise InputError(
            f"{what} is not a k6 script that Headcount can read: it has no export default function "
            "with requests"
        )
    return reader.found


class _Reader(Parser):
    def __init__(self, words: list[Token], lines: list[str]) -> None:
        super().__init__(words)
        self.lines = lines
        self.found = Script()
        self.function: Function | None = None
        """The function whose statements are read; None outside of all."""

    def outside(self) -> None:
        """Everything up to the end of the file."""
        while self.word.kind != "end":
            start = self.place
            if self.take("import"):
                while self.word.kind not in ("text", "end"):
                    self.place += 1
                self.place += self.word.kind == "text"
                self.take(";")
            elif self._begins_default():
                self._read_function(DEFAULT, ())
            elif self._read_named_function():
                pass
            elif self.word.text in ("function", "async"):
                self._leave_out(start)
            else:
                self.take("export")
                for one in self._statement(start):
                    if one.name:
                        self.found.globals[one.name] = one.value

    def _begins_default(self) -> bool:
        """Go to the block of `export default function`, in its forms."""
        start = self.place
        if self.take("export") and self.take("default"):
            self.take("async")
            if self.take("function") and self.word.kind == "name":
                self.place += 1
            if self.take("("):
                while self.word.kind != "end" and not self.take(")"):
                    self.place += 1
                self.take("=>")
                if self.word.text == "{":
                    return True
        self.place = start
        return False

    def _read_named_function(self) -> bool:
        """`function name(a, b) { ... }`, also exported; those of k6's life cycle are left out."""
        start = self.place
        self.take("export")
        self.take("async")
        if not self.take("function"):
            self.place = start
            return False
        name = self.word.text
        self.place += 1
        parameters: list[str] = []
        if name in _LIFE_CYCLE or not self.take("("):
            self._leave_out(start)
            return True
        while self.word.kind != "end" and not self.take(")"):
            parameters.append(self.word.text)
            self.place += 1
            self.take(",")
        if self.word.text != "{" or not all(one.isidentifier() for one in parameters):
            self._leave_out(start)
            return True
        self._read_function(name, tuple(parameters))
        return True

    def _read_function(self, name: str, parameters: tuple[str, ...]) -> None:
        self.function = self.found.functions[name] = Function(parameters)
        self._block(f"the {name} function" if name == DEFAULT else f"the function {name[:40]}")
        self.function = None

    def _block(self, what: str) -> None:
        """The statements between two braces."""
        function = self.function or Function()
        self.need("{")
        while not self.take("}"):
            if self.word.kind == "end":
                raise InputError(f"a brace of {what} is not closed")
            start = self.place
            if self._group():
                continue
            function.statements += self._statement(start)
            if len(function.statements) > MOST_STATEMENTS:
                raise InputError(f"the script has more than {MOST_STATEMENTS:,} statements")

    def _group(self) -> bool:
        """`group("name", function () { ... })`: its statements are those of the function."""
        start = self.place
        if self.take("group") and self.take("(") and self.word.kind in ("text", "template"):
            self.place += 1
            if self.take(","):
                self.take("async")
                self.take("function")
                if self.take("(") and self.take(")"):
                    self.take("=>")
                    if self.word.text == "{":
                        self._block("a group")
                        self.take(")")
                        self.take(";")
                        return True
        self.place = start
        return False

    def _statement(self, start: int) -> Iterator[Statement]:
        line = self.word.line
        try:
            name = ""
            is_declared = self.word.text in ("const", "let", "var")
            if is_declared:
                self.place += 1
                name = self.word.text
                self.place += 1
                self.need("=")
            elif self.word.kind == "name" and self.words[self.place + 1].text == "=":
                name = self.word.text
                self.place += 2
            elif self.take(";"):
                return
            elif self.function is not None and self.take("return"):
                name = RETURN
            value = self.expression()
            self._end_statement()
            yield Statement(name, value, line, self._line(line), is_declared)
        except (UnreadableError, IndexError):
            self.place = start
            self._leave_out(start)

    def _end_statement(self) -> None:
        """Skip the end of a statement; raises UnreadableError if it continues."""
        is_same_line = self.word.line == self.words[self.place - 1].line
        if not self.take(";") and is_same_line and self.word.text not in ("}", ""):
            raise UnreadableError("a statement goes on")

    def _line(self, line: int) -> str:
        text = self.lines[line - 1].strip() if line <= len(self.lines) else ""
        return f"line {line}: {text[:100]}"

    def _leave_out(self, start: int) -> None:
        """Note the line, and skip the statement with its braces."""
        owner = self.function or self.found
        owner.left_out.append(self._line(self.words[start].line))
        self._to_end_of_statement()

    def _to_end_of_statement(self) -> None:
        depth = 0
        line = self.word.line
        first = self.place
        while self.word.kind != "end":
            text = self.word.text if self.word.kind == "mark" else ""
            if depth == 0 and self.place > first and (text == "}" or self.word.line > line):
                return
            depth += text in ("(", "[", "{")
            depth -= text in (")", "]", "}") and depth > 0
            line = self.word.line
            self.place += 1
            if depth == 0 and text in (";", "}"):
                is_else = self.word.text in ("else", "catch", "finally", ")", ";")
                if not is_else:
                    return


def is_call(value: Any, *names: str) -> bool:
    """Whether a value calls a function of this name, such as `http`, `get`."""
    if not isinstance(value, Call):
        return False
    function: Any = Name(names[0])
    for one in names[1:]:
        function = Member(function, one)
    return bool(value.function == function)


def one_parameter(value: Any) -> tuple[str, Any] | None:
    """The parameter and the body of a small function; None for anything else."""
    if isinstance(value, Arrow) and len(value.parameters) == 1:
        return value.parameters[0], value.body
    return None
