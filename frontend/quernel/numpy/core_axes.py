"""Where a generalised ufunc has its axes: `axes=`, `axis=` and `keepdims=` of a call.

Its own axes, those that its signature names, are the last ones of its operands, so other axes are
moved there before, and those of results from there behind.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from ..primitives.operands import as_array
from ..traced.tracer import current
from .shapes import moveaxis

_GROUP = re.compile(r"\(([^)]*)\)")


def called(
    compute: Any,
    ufunc: np.ufunc,
    inputs: tuple,
    axes: Any = None,
    axis: Any = None,
    keepdims: bool = False,
) -> Any:
    """The answer of ``compute(inputs)`` with the axes that a call names.

    Raises
    ------
    TypeError, ValueError
        Where NumPy raises one; the text isn't NumPy's.
    """
    if axes is not None and axis is not None:
        raise TypeError("cannot specify both 'axis' and 'axes'")
    if not isinstance(keepdims, bool):
        raise TypeError("'keepdims' must be a boolean")
    tracer = current()
    arrays = [as_array(tracer, x) for x in inputs]
    *given, result = (group.split(",") if group else [] for group in _groups(ufunc))
    if keepdims and (result or len({len(names) for names in given}) > 1):
        raise TypeError("does not support keepdims")
    if axis is not None:
        if result or any(len(names) != 1 for names in given):
            raise TypeError("axis can only be used with a single shared core dimension")
        axes = [(axis,)] * len(given) + [(axis,)] * bool(keepdims)
    counts = [_count(names, x.ndim) for names, x in zip(given, arrays, strict=True)]
    count = counts[0] if keepdims else _count_of_result(given, result, counts)
    places = None if axes is None else _places(axes, [*counts, count], bool(result))
    if places is not None:
        arrays = [_moved(x, where) for x, where in zip(arrays, places, strict=False)]
    answer = compute(tuple(arrays))
    if keepdims:
        answer = as_array(tracer, answer)[(..., *(None,) * count)]
    if places is None or not count:
        return answer
    return moveaxis(answer, tuple(range(-count, 0)), _checked(places[-1], answer.ndim))


def _groups(ufunc: np.ufunc) -> list[str]:
    return _GROUP.findall(ufunc.signature)


def _count(names: list[str], rank: int) -> int:
    """How many axes of its own an operand has: those with a question mark where there is room."""
    needed = sum(not name.endswith("?") for name in names)
    if rank < needed:
        raise ValueError("does not have enough dimensions")
    return len(names) if rank >= len(names) else needed


def _count_of_result(given: list[list[str]], result: list[str], counts: list[int]) -> int:
    missing = {
        name
        for names, count in zip(given, counts, strict=True)
        for name in names
        if count < len(names) and name.endswith("?")
    }
    return sum(name not in missing for name in result)


def _places(axes: Any, counts: list[int], needs_last: bool) -> list[tuple]:
    """The axes of each operand; of a result without axes of its own none need to be given."""
    if not isinstance(axes, list):
        raise TypeError("axes should be a list")
    items = [item if isinstance(item, tuple) else (item,) for item in axes]
    if len(items) == len(counts) - 1 and not needs_last:
        items.append(tuple(range(-counts[-1], 0)))
    if len(items) != len(counts) or any(
        len(item) != count for item, count in zip(items, counts, strict=True)
    ):
        raise ValueError("axes should be a list with an entry for all inputs and outputs")
    return items


def _checked(places: tuple, rank: int) -> tuple:
    return normalize_axis_tuple(places, rank, "axes")


def _moved(x: Any, places: tuple) -> Any:
    if not places:
        return x
    return moveaxis(x, _checked(places, x.ndim), tuple(range(-len(places), 0)))
