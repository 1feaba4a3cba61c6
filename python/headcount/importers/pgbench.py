"""Scripts of pgbench: statements, transactions, random numbers and pauses."""

import re
from dataclasses import dataclass, field
from pathlib import Path

from headcount.errors import InputError
from headcount.importers.names import free_name, label_name, variable_name, workload_name
from headcount.importers.pgbench_expression import (
    Call,
    Constant,
    Expression,
    NotReadError,
    Number,
    Operation,
    Variable,
    computed,
    expression,
    sql_text,
)
from headcount.importers.pgbench_statements import Command, Statement, parts
from headcount.importers.sql_journey import Entry, Pause, SqlJourney, SqlStep, Transaction
from headcount.importers.stranger import text_of
from headcount.importers.toml_text import LARGEST

MOST_STATEMENTS = 1_000
"""More than a person would write."""
_BEGIN = re.compile(
    r"(begin|start transaction)( work| transaction)?( isolation level (?P<level>.+))?"
)
_LEVELS = {
    "read committed": "read-committed",
    "read uncommitted": "read-committed",
    "repeatable read": "repeatable-read",
    "serializable": "serializable",
}
_ENDS = {"end", "commit", "end transaction", "commit transaction", "end work", "commit work"}
_ABORTS = {"rollback", "abort"}
_UNITS_S = {"us": 1e-6, "ms": 1e-3, "s": 1.0}
_PAUSE = re.compile(r"(?P<number>:\w+(?=\s|$)|[\d.]+)\s*(?P<unit>\w*)")
"""`10`, `10ms`, `10 ms` or `:delay ms`."""
_QUOTED = re.compile(r"'(?:[^']|'')*'")
_NAMED = {"insert": "into", "select": "from", "delete": "from"}
"""The word before the table's name; UPDATE has none."""
_OF_PGBENCH = {"client_id": "n"}
"""Variables of pgbench, with the users' names for them."""


def pgbench_journey(path: Path, name: str = "", scale: int = 1) -> SqlJourney:
    """The journey of a script, at this scale of pgbench's tables (`-s`).

    Raises InputError that names the file.
    """
    made = _Reader(name or workload_name(path.stem), scale)
    for part in parts(text_of(path)):
        made.take(part)
    return made.journey(path)


@dataclass
class _Reader:
    name: str
    scale: int
    entries: list[Entry] = field(default_factory=list)
    variables: dict[str, dict[str, list[int]]] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)
    known: dict[str, Number] = field(default_factory=dict)
    """Numbers that are the same for every user."""
    kept: dict[str, str] = field(default_factory=dict)
    """The workload's names for variables of the script of which users have values."""
    derived: dict[str, Expression] = field(default_factory=dict)
    """Variables that the server computes."""
    open_gsets: list[tuple[str, SqlStep]] = field(default_factory=list)
    step_names: set[str] = field(default_factory=set)
    block: Transaction | None = None
    skipped: int = 0
    skipped_line: int = 0

    def __post_init__(self) -> None:
        self.known["scale"] = self.scale

    def take(self, part: Statement | Command) -> None:
        """Take the next part of the script."""
        if isinstance(part, Command) and part.name in ("if", "endif", "elif", "else"):
            self._branch(part)
        elif self.skipped:
            return
        elif isinstance(part, Statement):
            self._statement(part)
        else:
            self._command(part)

    def journey(self, path: Path) -> SqlJourney:
        """What has been taken."""
        if self.skipped:
            self.left_out.append(f"line {self.skipped_line}: \\if without its \\endif")
        if self.block is not None:
            self._give_up_block("it has no COMMIT")
        if not any(not isinstance(entry, Pause) for entry in self.entries):
            raise InputError(f"{path} has no statement that could be played; see pgbench's -f")
        return SqlJourney(
            self.name,
            f"The pgbench script {path.name}",
            self.entries,
            self.variables,
            self.left_out,
        )

    def _branch(self, command: Command) -> None:
        if command.name == "if":
            self.skipped += 1
            if self.skipped == 1:
                self.skipped_line = command.line
        elif command.name == "endif" and self.skipped:
            self.skipped -= 1
            if not self.skipped:
                self.left_out.append(
                    f"lines {self.skipped_line} to {command.line}: \\if to \\endif"
                )

    def _command(self, command: Command) -> None:
        if command.name in ("set", "setrandom"):
            self._set(command)
        elif command.name == "sleep" and (pause := self._pause(command.rest)) is not None:
            self._add(pause)
        else:
            self.left_out.append(f"line {command.line}: \\{command.name} {command.rest}".rstrip())

    def _pause(self, text: str) -> Pause | None:
        found = _PAUSE.fullmatch(text)
        if found is None:
            return None
        number, unit = found["number"], found["unit"]
        value = self.known.get(number[1:]) if number.startswith(":") else _number(number)
        scale_s = _UNITS_S.get((unit or "s").lower())
        return None if value is None or scale_s is None else Pause(float(value) * scale_s)

    def _set(self, command: Command) -> None:
        name, text = (*command.rest.split(maxsplit=1), "", "")[:2]
        try:
            if command.name == "setrandom":
                low, high = text.split(maxsplit=1)
                found: Expression = expression(f"random({low}, {high})")
            else:
                found = expression(text)
            self._keep(name, found, command.line)
        except (NotReadError, ValueError, OverflowError):
            self.left_out.append(
                f"line {command.line}: \\set {command.rest}; give {variable_name(name)} a value in "
                "[variables]"
            )
            self.kept[name] = variable_name(name)

    def _keep(self, name: str, found: Expression, line: int) -> None:
        value = computed(found, self.known)
        is_drawn = isinstance(found, Call) and found.function.startswith("random")
        bound = found if is_drawn else self._bound(found)
        given = found.given[:2] if isinstance(found, Call) else ()
        bounds = [computed(one, self.known) for one in given]
        if any(one is not None and abs(one) > LARGEST for one in [value, *bounds]):
            raise NotReadError("it is out of bounds")
        self.known.pop(name, None)
        self.kept.pop(name, None)
        self.derived.pop(name, None)
        if value is not None:
            self.known[name] = value
        elif isinstance(found, Call):
            low, high = (int(one) for one in bounds if one is not None)
            own = free_name(variable_name(name), self.variables)
            self.variables[own] = {"int": [low, high]}
            self.kept[name] = own
            if found.function != "random":
                self.left_out.append(f"line {line}: {found.function} is drawn evenly here")
        else:
            self.derived[name] = bound

    def _statement(self, statement: Statement) -> None:
        text = " ".join(statement.words)
        begin = _BEGIN.fullmatch(text)
        if begin and self.block is None and _LEVELS.keys() >= {begin["level"] or "serializable"}:
            name = free_name("transaction", self.step_names)
            self.step_names.add(name)
            self.block = Transaction(name, _LEVELS.get(begin["level"] or ""), [])
        elif self.block is not None and text in _ENDS:
            block, self.block = self.block, None
            self.entries += [block] if block.steps else []
        elif self.block is not None and text in _ABORTS:
            self._give_up_block("it ends with ROLLBACK")
            self._add(self._step(statement))
        else:
            self._add(self._step(statement))

    def _give_up_block(self, why: str) -> None:
        """Turn a transaction that is not supported into plain statements."""
        block, self.block = self.block, None
        if block is not None:
            begin = SqlStep(free_name("begin", self.step_names), "BEGIN")
            self.step_names.add(begin.name)
            self.entries += [begin, *block.steps]
            self.left_out.append(f"the transaction around {len(block.steps)} statements: {why}")

    def _add(self, entry: SqlStep | Pause) -> None:
        (self.entries if self.block is None else self.block.steps).append(entry)

    def _step(self, statement: Statement) -> SqlStep:
        if len(self.step_names) >= MOST_STATEMENTS:
            raise InputError(
                f"line {statement.line} of the script is past {MOST_STATEMENTS:,} statements, the "
                "most that are imported; give a script of one transaction"
            )
        step = SqlStep(free_name(_name(statement.words), self.step_names), "")
        self.step_names.add(step.name)
        self._note_quoted(statement)
        step.statement = "".join(
            self._value(piece.text, step) if piece.is_variable else piece.text
            for piece in statement.pieces
        )
        if statement.taken is not None:
            self.open_gsets.append((statement.taken, step))
        return step

    def _note_quoted(self, statement: Statement) -> None:
        """List variables within quotes, where pgbench puts their values and no parameter can be."""
        plain = "".join(piece.text for piece in statement.pieces if not piece.is_variable)
        given = self.known.keys() | self.kept.keys() | self.derived.keys()
        for quoted in _QUOTED.findall(plain):
            self.left_out += (
                f"line {statement.line}: :{name} within quotes is not filled in; use '...' || $1"
                for name in re.findall(r"(?<!:):([A-Za-z_]\w*)", quoted)
                if name in given
            )

    def _value(self, name: str, step: SqlStep) -> str:
        """The text for a variable in a statement: a parameter, or an expression of others."""
        if name in self.derived:
            return sql_text(
                self.derived[name], lambda own: f"{_parameter(f'{{{own}}}', step)}::bigint"
            )
        if name in self.known:
            return _parameter(str(self.known[name]), step)
        own = self.kept.get(name) or _OF_PGBENCH.get(name) or self._taken(name)
        return _parameter(f"{{{own}}}", step)

    def _bound(self, found: Expression) -> Expression:
        """An expression with its variables' present values: the script may set them again."""
        match found:
            case Variable(name) if name in self.known:
                return Constant(self.known[name])
            case Variable(name) if name in self.derived:
                return self.derived[name]
            case Variable(name):
                return Variable(self.kept.get(name) or _OF_PGBENCH.get(name) or variable_name(name))
            case Operation(operator, left, right):
                return Operation(operator, self._bound(left), self._bound(right))
            case Call(function, _):
                raise NotReadError(function)
        return found

    def _taken(self, name: str) -> str:
        """A variable that `gset` takes from the row of an earlier statement, the latest first."""
        own = variable_name(name)
        fitting = [
            (name.removeprefix(prefix), step)
            for prefix, step in reversed(self.open_gsets)
            if name.startswith(prefix)
        ]
        named = [one for one in fitting if re.search(rf"\b{one[0]}\b", one[1].statement)]
        for column, step in named or fitting:
            step.captures[own] = column
            return own
        note = f"a value of {name}: give {own} one in [variables]"
        if note not in self.left_out:
            self.left_out.append(note)
        return own


def _parameter(text: str, step: SqlStep) -> str:
    """A parameter of a statement, new each time: the server infers a type for each place."""
    step.parameters.append(text)
    return f"${len(step.parameters)}"


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _name(words: list[str]) -> str:
    """What a person would call a statement: `update-pgbench_accounts`."""
    verb = words[0] if words else "statement"
    before = _NAMED.get(verb)
    place = words.index(before) + 1 if before in words else 1
    table = words[place] if place < len(words) and (before or verb == "update") else ""
    return label_name(f"{verb} {table}".strip())
