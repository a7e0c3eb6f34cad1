"""Patterns: what a compiled program demands of an object, as JSON, and the guards made from them.

A pattern is written when a function is captured. Matching it against the objects of the running
process, which may be another process than the one that compiled, gives the runtime's guard.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..describe import Undescribable, describe
from .calls import CONTAINERS, DTYPES
from .named_tuples import class_form, is_named_tuple

Pattern = list


class Mismatch(Exception):
    """An object isn't what the pattern demands."""


def array_pattern(index: int, dtype: str, dims: list, layout: Any, written: bool) -> Pattern:
    """Pattern of an array; a dimension is an integer or the name of a symbol.

    The layout is ``"C"``, ``"strided"`` for any strides, or a list: ``"dense"`` or ``"nested"`` and
    the axes in the order of memory, or ``"strides"``, the axes and the strides in elements.
    """
    return ["array", index, dtype, dims, layout, written]


def writes_array(pattern: Pattern) -> bool:
    """Whether an array of a pattern is written."""
    kind = pattern[0]
    if kind == "array":
        return bool(pattern[-1])
    return kind in CONTAINERS and any(map(writes_array, pattern[-1]))


def guard(pattern: Pattern, obj: Any, symbols: dict[str, int]) -> tuple:
    """The runtime's guard for `obj`, in the form that `_runtime.Specialization` takes.

    Parameters
    ----------
    symbols : dict
        Sizes bound so far, by symbol name; extended here.

    Raises
    ------
    Mismatch
    """
    return _MATCHERS[pattern[0]](pattern, obj, symbols)


def _array(pattern: Pattern, obj: Any, symbols: dict[str, int]) -> tuple:
    _, index, dtype, dims, layout, written = pattern
    if type(obj) is not np.ndarray or DTYPES.get(obj.dtype.num) != dtype or obj.ndim != len(dims):
        raise Mismatch
    if layout == "C" and not obj.flags.c_contiguous:
        raise Mismatch
    if type(layout) is list and not _lies(obj, *layout):
        raise Mismatch
    shape = []
    for dim, size in zip(dims, obj.shape, strict=True):
        if isinstance(dim, int):
            if dim != size:
                raise Mismatch
            shape.append(dim)
            continue
        if size < 2 or symbols.setdefault(dim, size) != size:
            raise Mismatch
        shape.append(("sym", symbol_index(dim)))
    layout = (layout[0], *map(tuple, layout[1:])) if type(layout) is list else layout
    return ("array", index, dtype, tuple(shape), layout, written)


def _lies(array: np.ndarray, how: str, axes: list[int], strides: Any = None) -> bool:
    """Whether an array lies as a layout says, axes of one element apart."""
    if how == "strides":
        trios = zip(array.shape, array.strides, strides, strict=True)
        return all(size < 2 or step == wanted * array.itemsize for size, step, wanted in trios)
    count, span, is_dense = array.itemsize, 0, True
    for axis in reversed(axes):
        size, step = array.shape[axis], array.strides[axis]
        if size > 1 and abs(step) <= span:
            return False
        is_dense = is_dense and (size < 2 or step == count)
        count *= size
        span += (size - 1) * abs(step)
    return is_dense == (how == "dense")


def _scalar(pattern: Pattern, obj: Any, symbols: dict[str, int]) -> tuple:
    _, index, kind = pattern
    if scalar_kind(obj) != kind:
        raise Mismatch
    return ("scalar", index, kind)


def _constant(pattern: Pattern, obj: Any, symbols: dict[str, int]) -> tuple:
    try:
        text = describe(obj)
    except Undescribable:
        raise Mismatch from None
    if text != pattern[1]:
        raise Mismatch
    return (pattern[0], obj)


def _items(pattern: Pattern, obj: Any, symbols: dict[str, int]) -> tuple:
    kind, parts = pattern
    if type(obj).__name__ != kind or len(obj) != len(parts):
        raise Mismatch
    return (kind, [guard(p, item, symbols) for p, item in zip(parts, obj, strict=True)])


def _named(pattern: Pattern, obj: Any, symbols: dict[str, int]) -> tuple:
    _, form, parts = pattern
    kind = type(obj)
    if not is_named_tuple(obj) or class_form(kind) != form or len(obj) != len(parts):
        raise Mismatch
    return ("named", kind, [guard(p, item, symbols) for p, item in zip(parts, obj, strict=True)])


def _dict(pattern: Pattern, obj: Any, symbols: dict[str, int]) -> tuple:
    _, keys, parts = pattern
    if type(obj) is not dict or len(obj) != len(keys):
        raise Mismatch
    by_text = {describe(key): key for key in obj if type(key) in (str, int, bool)}
    if any(key not in by_text for key in keys):
        raise Mismatch
    names = [by_text[key] for key in keys]
    guards = [guard(p, obj[name], symbols) for p, name in zip(parts, names, strict=True)]
    return ("dict", names, guards)


_MATCHERS = {
    "array": _array,
    "scalar": _scalar,
    "value": _constant,
    "is": _constant,
    "tuple": _items,
    "list": _items,
    "dict": _dict,
    "named": _named,
}


def scalar_kind(obj: Any) -> str | None:
    """The runtime's name of a number's kind, or None for what isn't one."""
    kind = type(obj)
    if kind in (float, complex):
        return kind.__name__
    if kind is int:
        return "int" if -(2**63) <= obj < 2**63 else None
    if isinstance(obj, np.generic) and DTYPES.get(obj.dtype.num):
        return f"np.{DTYPES[obj.dtype.num]}"
    return None


def symbol_index(name: str) -> int:
    """The number of a symbol from its name ``n<number>``."""
    return int(name[1:])


_LAYOUTS = {
    "C": "",
    "dense": ", axes {0} in memory",
    "nested": ", any strides with axes {0} in memory",
    "strided": ", any strides",
    "strides": ", strides {1}",
}


def guard_text(pattern: Pattern, path: str) -> list[str]:
    """A guard in words, one line for each leaf."""
    kind = pattern[0]
    if kind == "array":
        _, _, dtype, dims, layout, written = pattern
        text = f"{path}: {dtype}[{', '.join(map(str, dims))}]"
        how, *parts = layout if type(layout) is list else [layout]
        text += _LAYOUTS[how].format(*parts)
        return [text + (", written" if written else "")]
    if kind == "scalar":
        return [f"{path}: any {pattern[2]}"]
    if kind in ("tuple", "list"):
        texts = [guard_text(p, f"{path}[{k}]") for k, p in enumerate(pattern[1])]
        return sum(texts, [f"{path}: {kind} of {len(pattern[1])}"])
    if kind == "named":
        texts = [guard_text(p, f"{path}[{k}]") for k, p in enumerate(pattern[2])]
        return sum(texts, [f"{path}: {pattern[1][1]} of {len(pattern[2])}"])
    if kind == "dict":
        pairs = zip(pattern[1], pattern[2], strict=True)
        return sum((guard_text(p, f"{path}[{key}]") for key, p in pairs), [])
    return [f"{path} is {pattern[1]}" if kind == "is" else f"{path} == {pattern[1]}"]
