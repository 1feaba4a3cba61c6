"""Answers and advice, for people and for programs."""

from collections.abc import Sequence
from typing import Any

from headcount.storage import number_text
from headcount.storage.advice import Advice
from headcount.storage.formula import Answer


def answer_lines(answers: Sequence[Answer]) -> list[str]:
    """Lines with each result, its formula, the formula with its numbers, and the source."""
    written = []
    for answer in answers:
        figure = number_text.rounded_text(answer.value, answer.unit)
        if not answer.formula:  # its title names the unit
            figure = number_text.cell(answer.value, answer.unit)
        written.append(f"{answer.title}: {figure}")
        if answer.formula:
            written.append(f"  {answer.formula}")
            written.append(f"  {answer.worked} = {number_text.in_full(answer.value, answer.unit)}")
        written.append(f"  {answer.source}")
    return written


def advice_lines(advice: Sequence[Advice]) -> list[str]:
    """Lines with each advice and its source."""
    return [f"- {one.text} [{one.rule}]" for one in advice]


def inputs(answers: Sequence[Answer]) -> dict[str, Any]:
    """The inputs of the formulas, by name."""
    return {name: value for answer in answers for name, value in answer.inputs.items()}


def results(answers: Sequence[Answer]) -> dict[str, dict[str, Any]]:
    """Each result by its name: figure, unit, formula, the formula with its numbers, source."""
    return {
        answer.name: {
            "result": answer.value,
            "unit": answer.unit,
            "formula": answer.formula or None,
            "worked": answer.worked or None,
            "source": answer.source,
        }
        for answer in answers
    }
