"""Ufuncs of numbers whose type data decide: computed where each of the types gives the same."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..capture.numbers import RANK
from ..capture.open_types import base_of
from ..capture.tracer import Tracer
from .operands import Operand, refuse_open

# What Python computes by itself where no operand is NumPy's.
_OPERATORS: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "floor_divide": operator.floordiv,
    "remainder": operator.mod,
    "bitwise_and": operator.and_,
    "bitwise_or": operator.or_,
    "bitwise_xor": operator.xor,
    "left_shift": operator.lshift,
    "right_shift": operator.rshift,
    "power": operator.pow,
    "negative": operator.neg,
    "positive": operator.pos,
    "absolute": operator.abs,
    "invert": operator.invert,
}
_COMPARISONS = {
    "equal": operator.eq,
    "not_equal": operator.ne,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
}
# Where an integer held as a float gives what the integer gives.
_EXACT = {"add", "subtract", "multiply", "divide", "positive", "absolute", "maximum", "minimum"}
_WIDE = {"int64", "float64", "complex128", "bool"}


def open_operands(
    tracer: Tracer,
    ufunc: np.ufunc,
    items: list[Operand],
    inputs: tuple,
    resolve: Callable[[list[Any]], tuple[str, ...]],
) -> tuple[list[Operand], list[Any]]:
    """The operands with one type each, and the types that a scalar result may have.

    Parameters
    ----------
    resolve : function
        The names of a loop's dtypes for the operands' types.

    Raises
    ------
    UnsupportedError
        Where the types don't give the same loop, nor one that computes the same numbers.
    """
    name = ufunc.__name__
    choices = list(itertools.product(*(item.kinds for item in items)))
    try:
        loops = [resolve(list(kinds)) for kinds in choices]
    except TypeError:
        return _refuse(items)
    bases = [_base(item, obj) for item, obj in zip(items, inputs, strict=True)]
    compares = name in _COMPARISONS
    integral = all(np.dtype(part).kind in "biu" for loop in loops for part in loop)
    if compares and integral:
        held = [_held(tracer, item, base) for item, base in zip(items, bases, strict=True)]
        return held, _results(name, items, choices, loops)
    held = [_chosen(tracer, item, base) for item, base in zip(items, bases, strict=True)]
    own = resolve([item.type for item in held])
    is_scalar = all(item.value is None or not item.value.shape for item in items)
    exact = is_scalar and _is_exact(name, own, loops)
    if not exact and any(loop != own for loop in loops):
        return _refuse(items)
    return held, _results(name, items, choices, loops)


def _is_exact(name: str, own: tuple[str, ...], loops: list[tuple[str, ...]]) -> bool:
    """Whether a loop gives the numbers that each of some loops gives."""
    names = {part for loop in loops for part in loop}
    if name in _COMPARISONS:
        return own[0] == "float64" and all(
            part == "float64" or np.dtype(part).kind in "biu" for part in names
        )
    widest = np.result_type(*(np.dtype(loop[-1]) for loop in loops))
    return name in _EXACT and own[-1] == widest.name and names <= _WIDE


def _refuse(items: list[Operand]) -> Any:
    found = next(item for item in items if len(item.kinds) > 1)
    refuse_open(found.kinds, found.value)


def _base(item: Operand, obj: Any) -> Any:
    return base_of(obj.open) if len(item.kinds) > 1 else None


def _held(tracer: Tracer, item: Operand, base: Any) -> Operand:
    """The operand as a number of the dtype that holds it."""
    if base is None:
        return item
    dtype = np.dtype(base)
    return Operand(dtype, None, tracer.cast(item.value, dtype.name))


def _chosen(tracer: Tracer, item: Operand, base: Any) -> Operand:
    """The operand as one of the types that it may have: the one whose checks go for all."""
    if base is None:
        return item
    weak = [kind for kind in item.kinds if isinstance(kind, type)]
    dtype = np.dtype(base)
    if any(not isinstance(kind, type) and kind == dtype for kind in item.kinds):
        return Operand(dtype, None, tracer.cast(item.value, dtype.name))
    if int in weak and dtype.kind in "iu" and dtype != np.uint64:
        return Operand(int, None, tracer.cast(item.value, "int64"))
    if not weak:
        return _refuse([item])
    widest = max(weak, key=RANK.__getitem__)
    if widest is bool:
        return Operand(np.dtype(bool), None, tracer.cast(item.value, "bool"))
    return Operand(widest, None, tracer.cast(item.value, np.dtype(widest).name))


def _results(name: str, items: list[Operand], choices: list[tuple], loops: list[tuple]) -> list:
    """The type of a scalar result for each choice: Python's where no operand is NumPy's."""
    found: list[Any] = [np.dtype(loop[-1]) for loop in loops]
    python = _OPERATORS.get(name) or _COMPARISONS.get(name)
    if python is None:
        return found
    for k, kinds in enumerate(choices):
        if not all(isinstance(kind, type) for kind in kinds):
            continue
        numbers = [
            kind(1) if item.number is None else item.number
            for kind, item in zip(kinds, items, strict=True)
        ]
        if name == "power" and numbers[1] < 0:
            _refuse(items)
        try:
            found[k] = type(python(*numbers))
        except TypeError:
            _refuse(items)
    return found
