"""Ufuncs of numbers whose type data decide: computed where each of the types gives the same."""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ..capture.arithmetic import (
    GROWING,
    OPERATORS,
    fits,
    has_opposite,
    is_step,
    zero_message,
)
from ..primitives.operands import Operand, refuse_open
from ..signals import let_out
from ..traced.numbers import RANK, unless_too_wide
from ..traced.open_types import base_of
from ..traced.tags import has_type
from ..traced.tracer import Tracer

# What Python computes by itself where no operand is NumPy's.
_OPERATORS: dict[str, Callable[..., Any]] = {
    **OPERATORS,
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
_PRODUCTS = {"multiply", "divide"}
_DIVISIONS = {"divide", "floor_divide", "remainder"}
# Python has these for booleans; to all else a boolean of Python's is an integer.
_OF_BOOLEANS = {"bitwise_and", "bitwise_or", "bitwise_xor"}
_WIDE = {"int64", "float64", "complex128", "bool"}


def open_operands(
    tracer: Tracer,
    name: str,
    items: list[Operand],
    inputs: tuple,
    resolve: Callable[[list[Any]], tuple[str, ...]],
    python: Callable[..., Any] | None,
) -> tuple[list[Operand], list[Any]]:
    """The operands with one type each, and the types that a scalar result may have.

    Parameters
    ----------
    name : str
        The ufunc's.
    resolve : function
        The names of a loop's dtypes for the operands' types.
    python : function, optional
        What Python computes by itself where all operands are its own numbers.

    Raises
    ------
    UnsupportedError
        Where the types don't give the same loop, nor one that computes the same numbers.
    """
    choices = list(itertools.product(*(item.kinds for item in items)))
    try:
        loops = [resolve(_as_computed(name, kinds, python)) for kinds in choices]
    except TypeError as error:
        let_out(error)
        return _refuse(items)
    bases = [_base(item, obj) for item, obj in zip(items, inputs, strict=True)]
    if name in _COMPARISONS:
        held = [_held(tracer, item, base) for item, base in zip(items, bases, strict=True)]
        own = resolve([item.type for item in held])
        integral = all(np.dtype(part).kind in "biu" for loop in loops for part in loop)
        if integral or (_are_scalars(items) and _compare_exactly(own, loops, choices)):
            return held, _results(name, items, choices, loops, python)
    held = _of_one_loop(tracer, items, bases, loops)
    if held is None:
        held = [_chosen(tracer, item, base) for item, base in zip(items, bases, strict=True)]
    own = resolve([item.type for item in held])
    exact = _are_scalars(items) and _is_exact(name, own, loops)
    if not exact and any(loop != own for loop in loops):
        return _refuse(items)
    if python is not None and name in _DIVISIONS:
        _check_divisor(tracer, name, items, inputs, choices)
    if python is not None and own[-1] == "int64":
        _check_width(tracer, name, held, items, inputs, choices)
    return held, _results(name, items, choices, loops, python)


def _is_pythons(kinds: Iterable[Any]) -> bool:
    """Whether Python computes numbers of some types by itself."""
    return all(isinstance(kind, type) for kind in kinds)


def pythons_of(name: str) -> Callable[..., Any] | None:
    """The operator of Python's that stands for a ufunc."""
    return _OPERATORS.get(name) or _COMPARISONS.get(name)


def _as_computed(name: str, kinds: tuple, python: Any) -> list[Any]:
    """The types by which a loop is chosen; Python computes with booleans as with integers."""
    if python is not None and name not in _OF_BOOLEANS and _is_pythons(kinds):
        return [int if kind is bool else kind for kind in kinds]
    return list(kinds)


def _check_divisor(
    tracer: Tracer, name: str, items: list[Operand], inputs: tuple, choices: list[tuple]
) -> None:
    """Where both numbers are Python's, a division by zero raises."""
    divisor = items[1]
    if divisor.number is not None and divisor.number != 0:
        return
    for kinds in filter(_is_pythons, choices):
        parts = _of_types(tracer, items, inputs, kinds)
        if divisor.number is None:
            zero = tracer.constant(np.dtype(divisor.value.dtype).type(0))
            parts.append(tracer.op("equal", [divisor.value, zero]))
        kind = max(*kinds, int, key=RANK.__getitem__)
        tracer.check(_not_all(tracer, parts), "ZeroDivisionError", zero_message(name, kind))


def _check_width(
    tracer: Tracer,
    name: str,
    held: list[Operand],
    items: list[Operand],
    inputs: tuple,
    choices: list[tuple],
) -> None:
    """Where all numbers are Python's, an integer that exceeds 64 bits leaves the call to NumPy."""
    numbers = [item.number for item in items]
    if name not in (*GROWING, "negative", "absolute") or is_step(name, *numbers):
        return
    values = [item.as_dtype(tracer, "int64") for item in held]
    if len(values) == 1:
        exact = has_opposite(tracer, *values)
    else:
        exact = fits(tracer, name, *values, tracer.op(name, values))
    for kinds in filter(_is_pythons, choices):
        others = _not_all(tracer, _of_types(tracer, items, inputs, kinds))
        unless_too_wide(tracer, tracer.op("logical_or", [others, exact]))


def _of_types(tracer: Tracer, items: list[Operand], inputs: tuple, kinds: tuple) -> list[Any]:
    """Whether numbers have some of their types: a condition for each whose type data decide."""
    parts = zip(items, inputs, kinds, strict=True)
    return [_is_of(tracer, *part) for part in parts if len(part[0].kinds) > 1]


def _not_all(tracer: Tracer, conditions: list[Any]) -> Any:
    all_hold = functools.reduce(lambda a, b: tracer.op("logical_and", [a, b]), conditions)
    return tracer.op("logical_not", [all_hold])


def _is_of(tracer: Tracer, item: Operand, obj: Any, kind: type) -> Any:
    """Whether a number whose type data decide has one of its types."""
    holds = has_type(tracer, obj, kind)
    return _refuse([item]) if holds is None else holds


def _are_scalars(items: list[Operand]) -> bool:
    return all(item.value is None or not item.value.shape for item in items)


def _is_exact(name: str, own: tuple[str, ...], loops: list[tuple[str, ...]]) -> bool:
    """Whether a loop gives the numbers that each of some loops gives."""
    names = {part for loop in loops for part in loop}
    if name == "add" and any(loop[-1] == "bool" for loop in loops):
        return False  # the sum of two of NumPy's booleans is one
    if name in _PRODUCTS and len({np.dtype(loop[-1]).kind == "c" for loop in loops}) > 1:
        return False  # an imaginary part of 0 times infinity is NaN, and zeros get other signs
    widest = np.result_type(*(np.dtype(loop[-1]) for loop in loops))
    return name in _EXACT and own[-1] == widest.name and names <= _WIDE


def _compare_exactly(
    own: tuple[str, ...], loops: list[tuple[str, ...]], choices: list[tuple]
) -> bool:
    """Whether a loop compares as each of some loops does, for each choice of the types."""
    if own[0] != "float64":
        return False
    for (loop, *_), kinds in zip(loops, choices, strict=True):
        # A loop of float32 cuts Python's numbers, and no others that it takes.
        cuts = loop == "float32" and any(isinstance(kind, type) for kind in kinds)
        if cuts or not (loop in ("float32", "float64") or np.dtype(loop).kind in "biu"):
            return False
    return True


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


def _of_one_loop(
    tracer: Tracer, items: list[Operand], bases: list[Any], loops: list[tuple[str, ...]]
) -> list[Operand] | None:
    """The operands as the numbers of a loop of floats, if each of the types gives that loop."""
    dtypes = [np.dtype(part) for part in loops[0][: len(items)]]
    are_floats = all(
        dtype.kind == "f" for dtype, base in zip(dtypes, bases, strict=True) if base is not None
    )
    if not are_floats or any(loop != loops[0] for loop in loops):
        return None
    return [
        item if base is None else _held(tracer, item, dtype)
        for item, base, dtype in zip(items, bases, dtypes, strict=True)
    ]


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
    if not np.can_cast(dtype, np.dtype(widest), "safe"):
        return _held(tracer, item, base)
    return Operand(widest, None, tracer.cast(item.value, np.dtype(widest).name))


def _results(
    name: str, items: list[Operand], choices: list[tuple], loops: list[tuple], python: Any
) -> list:
    """The type of a scalar result for each choice: Python's where no operand is NumPy's."""
    found: list[Any] = [np.dtype(loop[-1]) for loop in loops]
    if python is None:
        return found
    for k, kinds in enumerate(choices):
        if not _is_pythons(kinds):
            continue
        numbers = [
            kind(1)
            if item.number is None or (item.number == 0 and name in _DIVISIONS)
            else item.number
            for kind, item in zip(kinds, items, strict=True)
        ]
        if name == "power":  # of which Python raises errors, and gives complex numbers
            _refuse(items)
        try:
            found[k] = type(python(*numbers))
        except TypeError as error:
            let_out(error)
            _refuse(items)
    return found
