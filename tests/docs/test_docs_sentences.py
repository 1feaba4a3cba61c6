"""Every sentence that an answer can carry is explained in docs/reading-the-answer.md."""

import ast
import re

import pytest
from pages import ROOT, blocks, codes, text

from headcount.analyse.search import Flag

PAGE = [
    *codes(text("reading-the-answer.md")),
    *"".join(blocks(text("reading-the-answer.md"), "")).splitlines(),
]
"""What stands in backticks, and the lines of the example."""

SOURCES = {
    "plateau.py": ("_sentence",),
    "verdict.py": (
        "_capacity_sentence",
        "_lower_bound_sentence",
        "_missed_sentence",
        "_ladder_sentence",
        "_plateau_flags",
        "_own_delay",
        "_flags",
    ),
    "search_doubts.py": ("_flags", "stalls", "_left_out", "_recovery", "_uneven", "_changing"),
    "agents.py": ("full_agents", "full_text"),
    "neighbours.py": ("_programs", "_steal"),
    "generator.py": ("generator_result",),
    "level.py": ("_invalid", "_logging_on", "_unsteady", "_shortfall"),
    "failures/summary.py": ("wrong_data_reasons",),
    "unserved.py": ("reasons",),
    "judge.py": ("_sentence",),
    "steadiness.py": ("steadiness",),
}
"""Functions of the analysis whose texts reach a reader."""

FEWEST_LETTERS = 10
"""Shorter texts are parts of sentences, such as "is" and "are"."""


def sentences(module: str, function: str) -> list[str]:
    """The texts that a function returns, appends, or keeps in a dict, as regular expressions."""
    path = ROOT / "python" / "headcount" / "analyse" / module
    bodies = [
        node
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef) and node.name == function
    ]
    assert len(bodies) == 1, f"{module} has no {function} any more"
    values: list[ast.expr | None] = []
    for node in ast.walk(bodies[0]):
        if isinstance(node, ast.Return):
            values += node.value.elts if isinstance(node.value, ast.List) else [node.value]
        elif isinstance(node, ast.Dict) and function != "_sentence":
            values += node.values
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(".append"):
            values += node.args
    return [found for value in values if (found := pattern(value))]


def pattern(value: ast.expr | None) -> str | None:
    """A text with anything where a figure stands; None if it is not a text, or only part of one."""
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        parts: list[ast.expr] = [value]
    elif isinstance(value, ast.JoinedStr):
        parts = value.values
    else:
        return None
    fixed = [part.value if isinstance(part, ast.Constant) else None for part in parts]
    if sum(len(str(part)) for part in fixed if part) < FEWEST_LETTERS:
        return None
    return "".join(re.escape(str(part)) if part else ".*" for part in fixed)


@pytest.mark.parametrize(
    ("module", "function"), [(m, f) for m, functions in SOURCES.items() for f in functions]
)
def test_every_sentence_is_explained(module: str, function: str) -> None:
    found = sentences(module, function)
    assert found, f"{function} has no texts"
    for sentence in found:
        assert any(re.fullmatch(sentence, code) for code in PAGE), f"not explained: {sentence}"


@pytest.mark.parametrize("flag", Flag)
def test_every_flag_of_the_search_is_explained(flag: Flag) -> None:
    assert flag.value in PAGE
