"""Formulas of checks: arithmetic over what a document prints, and nothing else.

A small part of Python's expressions: numbers, names, attributes, arithmetic, comparisons, `and`,
`or`, `if`, lists, list comprehensions, and the functions of `functions.py`. Numbers are decimals,
so `29581 / 2200` is judged by the printed digits and not by those of binary fractions.
"""

import ast
import operator
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from headcount.analyse.published.functions import FUNCTIONS

_BINARY: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
_COMPARE: Mapping[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


class NotPrintedError(LookupError):
    """A formula needs what the document does not print; the text says what."""


class FormulaError(ValueError):
    """A formula that is not an expression, or uses what formulas may not."""


def evaluate(formula: str, names: Mapping[str, Any]) -> Any:
    """The value of a formula.

    Raises NotPrintedError if something it needs is not printed, FormulaError if it is invalid.
    """
    try:
        tree = ast.parse(formula, mode="eval")
    except SyntaxError as error:
        raise FormulaError(f"{formula}: {error}") from error
    return _value(tree.body, names)


def _value(node: ast.expr, names: Mapping[str, Any]) -> Any:
    found = _EVALUATE.get(type(node))
    if found is None:
        raise FormulaError(f"formulas may not use {ast.unparse(node)}")
    return found(node, names)


def _name(node: Any, names: Mapping[str, Any]) -> Any:
    if node.id not in names:
        raise FormulaError(f"no {node.id} is known")
    return exact(names[node.id])


def exact(value: Any) -> Any:
    """Whole numbers as decimals; everything else as it is."""
    if isinstance(value, list | tuple):
        return [exact(one) for one in value]
    return Decimal(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _constant(node: Any, _names: Mapping[str, Any]) -> Any:
    value = node.value
    return Decimal(repr(value)) if type(value) in (int, float) else value


def _operation(node: Any, names: Mapping[str, Any]) -> Any:
    if type(node.op) not in _BINARY:
        raise FormulaError(f"formulas may not use {ast.unparse(node)}")
    return _BINARY[type(node.op)](_value(node.left, names), _value(node.right, names))


def _negative(node: Any, names: Mapping[str, Any]) -> Any:
    value = _value(node.operand, names)
    return not value if isinstance(node.op, ast.Not) else -value


def _compare(node: Any, names: Mapping[str, Any]) -> bool:
    left = _value(node.left, names)
    for sign, part in zip(node.ops, node.comparators, strict=True):
        right = _value(part, names)
        if not _COMPARE[type(sign)](left, right):
            return False
        left = right
    return True


def _both(node: Any, names: Mapping[str, Any]) -> bool:
    # Evaluate every part, so that a figure that is not printed is noticed whatever the others say.
    parts = [bool(_value(part, names)) for part in node.values]
    return all(parts) if isinstance(node.op, ast.And) else any(parts)


def _choice(node: Any, names: Mapping[str, Any]) -> Any:
    return _value(node.body if _value(node.test, names) else node.orelse, names)


def _list(node: Any, names: Mapping[str, Any]) -> list[Any]:
    return [_value(part, names) for part in node.elts]


def _comprehension(node: Any, names: Mapping[str, Any]) -> list[Any]:
    each = node.generators[0]
    made = []
    for item in _value(each.iter, names):
        several = isinstance(each.target, ast.Tuple)
        parts = each.target.elts if several else [each.target]
        own = dict(zip((part.id for part in parts), item if several else [item], strict=True))
        made.append(_value(node.elt, {**names, **own}))
    return made


def _call(node: Any, names: Mapping[str, Any]) -> Any:
    name = ast.unparse(node.func)
    if name not in FUNCTIONS or node.keywords:
        raise FormulaError(f"there is no function {name}")
    return exact(FUNCTIONS[name](*(_value(part, names) for part in node.args)))


def _attribute(node: Any, names: Mapping[str, Any]) -> Any:
    return exact(getattr(_value(node.value, names), node.attr))


def _item(node: Any, names: Mapping[str, Any]) -> Any:
    return _value(node.value, names)[int(_value(node.slice, names))]


_EVALUATE: Mapping[type[ast.expr], Callable[[Any, Mapping[str, Any]], Any]] = {
    ast.Name: _name,
    ast.Constant: _constant,
    ast.BinOp: _operation,
    ast.UnaryOp: _negative,
    ast.Compare: _compare,
    ast.BoolOp: _both,
    ast.IfExp: _choice,
    ast.List: _list,
    ast.ListComp: _comprehension,
    ast.Call: _call,
    ast.Attribute: _attribute,
    ast.Subscript: _item,
}
