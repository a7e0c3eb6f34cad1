"""A program's text, for the peers that compile text."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from typing import Any

_ELEMENTWISE = (ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.Name, ast.Load, ast.Constant)


def text_of(program: Callable[..., Any]) -> str:
    """The `def` statement."""
    return textwrap.dedent(inspect.getsource(program))


def elementwise_expression(program: Callable[..., Any]) -> str:
    """What the program returns, where that is all it does and nothing but operators are in it.

    Raises
    ------
    ValueError
        Where it does more.
    """
    body = ast.parse(text_of(program)).body[0].body
    value = body[0].value if isinstance(body[0], ast.Return) else None
    if value is None or not all(isinstance(node, _ELEMENTWISE) for node in ast.walk(value)):
        raise ValueError("the program isn't one elementwise expression")
    return ast.unparse(value)


def pythran_module(program: Callable[..., Any], arguments: tuple[Any, ...]) -> str:
    """A module of Pythran's, which exports the program for arguments of these types."""
    types = ", ".join(map(_pythran_type, arguments))
    export = f"#pythran export {program.__name__}({types})"
    return f"import numpy as xp\n\n{export}\n{text_of(program)}"


def _pythran_type(value: Any) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(map(_pythran_type, value))})"
    return f"{value.dtype}[{', '.join(':' * value.ndim)}]"
