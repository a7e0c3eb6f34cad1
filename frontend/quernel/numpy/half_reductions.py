"""Sums and products of float16, rounded where NumPy rounds them.

NumPy's loop adds up or multiplies, in float32, what it finds along the axis of the shortest steps
in memory, and rounds the result to float16 when it goes on along another axis.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..primitives.shaping import broadcast_to
from ..traced.array import TracedArray, result
from .calling import captured
from .creation import full
from .half_precision import HALF
from .shapes import transpose

_ORDER = "a sum of float16 whose steps in memory nobody knows"
_GAPS = "a sum of float16 over several axes with gaps between them"
_HINT = "sum it as float32: x.sum(dtype=np.float32)"


def _rounded(ufunc: Any, rows: Any, start: Any) -> Any:
    total = start
    for k in range(len(rows)):
        total = ufunc(total, rows[k]).astype(np.float16)
    return total


def _multiplied(ufunc: Any, rows: Any, start: Any) -> Any:
    total = start
    for k in range(len(rows)):
        product = total.astype(np.float32)
        for j in range(rows.shape[1]):
            product = ufunc(product, rows[k, j])
        total = product.astype(np.float16)
    return total


def reduce_half(
    ufunc: np.ufunc,
    array: TracedArray,
    axes: list[int],
    initial: Any,
    reduce: Callable[[TracedArray, tuple], TracedArray],
) -> TracedArray:
    """``ufunc.reduce`` of float16 numbers, without the axes.

    Parameters
    ----------
    initial : scalar
        What NumPy begins with.
    reduce : function
        The sum over some axes of an array of float32, which are kept. Products don't need it: each
        element is multiplied with what the ones before it have come to.
    """
    inner, outer = _split(array, axes)
    wide = array.astype(np.float32)
    is_sum = ufunc is np.add
    if inner and is_sum:
        wide = reduce(wide, inner)
    kept = [axis for axis in range(array.ndim) if axis not in axes]
    sizes = tuple(array.shape[axis] for axis in kept)
    turns = math.prod(array.shape[axis] for axis in outer)
    steps = () if is_sum else (math.prod(array.shape[axis] for axis in inner),)
    order = (*outer, *inner, *kept)
    rows = transpose(wide, order).reshaped((turns, *steps, *sizes), certain=True)
    start = broadcast_to(full((), initial, HALF), sizes)
    loop = _rounded if is_sum else _multiplied
    made = captured(loop, ufunc, rows, start if sizes else start[()])
    return result(made.tracer, made.value, made.order)


def _split(array: TracedArray, axes: list[int]) -> tuple[tuple, tuple]:
    """The reduced axes that one loop of NumPy's goes along, and the others in its order."""
    standing = array.standing_for()
    if standing is None:
        array.tracer.fail(_ORDER, _HINT)
    strides, shape = [abs(step) for step in standing.strides], standing.shape
    long = [axis for axis in range(array.ndim) if array.shape[axis] != 1]
    order = sorted(long, key=lambda axis: -strides[axis])
    inner: list[int] = []
    while order and order[-1] in axes:
        if inner and strides[order[-1]] != strides[inner[0]] * shape[inner[0]]:
            array.tracer.fail(_GAPS, _HINT)  # NumPy copies these to buffers of some size
        inner.insert(0, order.pop())
    units = [axis for axis in axes if axis not in long]
    return (*units, *inner), tuple(axis for axis in order if axis in axes)
