"""Numbers of knobs that depend on the machine: `2 * cpus`, `memory_mib / 4`."""

import ast
import math
import operator
from collections.abc import Callable, Mapping

from headcount.errors import InputError

Names = Mapping[str, float]

_BINARY: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_FUNCTIONS: Mapping[str, Callable[..., float]] = {"min": min, "max": max, "ceil": math.ceil}


def number(formula: str, names: Names) -> int:
    """The value of a formula, rounded down; raises InputError where it is none."""
    try:
        return math.floor(_value(ast.parse(formula, mode="eval").body, names))
    except (SyntaxError, ZeroDivisionError, RecursionError, OverflowError) as error:
        raise InputError(f"the formula {formula}: {error}") from error


def _value(node: ast.expr, names: Names) -> float:
    match node:
        case ast.Constant(value=int() | float() as value):
            return value
        case ast.Name(id=name):
            if name not in names:
                raise InputError(f"no {name} is known; these are: {', '.join(sorted(names))}")
            return names[name]
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return _BINARY[type(op)](_value(left, names), _value(right, names))
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in _FUNCTIONS:
            return _FUNCTIONS[name](*(_value(one, names) for one in args))
        case _:
            raise InputError(f"{ast.unparse(node)} cannot be part of a formula")
