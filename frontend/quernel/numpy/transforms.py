"""The generalised ufuncs of `np.fft`, which NumPy's own Python functions call."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.fft import _pocketfft, _pocketfft_umath

from ..primitives.operands import lift, operand
from ..raised import EVENTS
from ..traced.array import TracedArray, fresh
from ..traced.tracer import Tracer
from ..traced.views import graph_dims
from .registry import implements
from .shapes import moveaxis
from .ufunc_loops import loop_types

# What the runtime calls them.
_NAMES = ("fft", "ifft", "rfft_n_even", "rfft_n_odd", "irfft")
TRANSFORMS: dict[Any, str] = {getattr(_pocketfft_umath, name): name for name in _NAMES}


def transform(
    tracer: Tracer, ufunc: np.ufunc, inputs: tuple, axes: Any, out: TracedArray
) -> TracedArray:
    """The transforms of an array's lines.

    Parameters
    ----------
    inputs : tuple
        The array, and what its transforms are multiplied by: a real number.
    axes : list of tuples
        The lines' axis in the array, that of the number, which has none, and in the result.
    out : TracedArray
        Its shape is that of the result.
    """
    (axis,), _, (place,) = axes
    items = [operand(tracer, obj) for obj in inputs]
    types = loop_types(tracer, ufunc, items)
    values = [item.as_dtype(tracer, name) for item, name in zip(items, types, strict=False)]
    tracer.floats.meet(sum(EVENTS.values()))
    results = graph_dims((out.shape[place],))
    answer = fresh(tracer, tracer.routine(TRANSFORMS[ufunc], values, axis, results)[-1])
    return moveaxis(answer, axis, place)


@implements(_pocketfft._cook_nd_args)
def sizes_and_axes(a: Any, s: Any = None, axes: Any = None, invreal: Any = 0) -> tuple[list, list]:
    """How long the lines of each axis are, and which axes these are: NumPy's own helper.

    Raises
    ------
    ValueError
    UnsupportedError
        Where NumPy warns that it will take the sizes otherwise.
    """
    a = lift(a)
    sizes = None if s is None else list(s)
    if sizes is not None and (axes is None or None in sizes):
        a.tracer.fail("a Fourier transform with `s` of None, or without `axes`", "name the axes")
    places = list(range(-a.ndim, 0)) if axes is None else list(axes)
    if sizes is None:
        sizes = [a.shape[axis] for axis in places]
        if invreal:
            sizes[-1] = (a.shape[places[-1]] - 1) * 2
    if len(sizes) != len(places):
        raise ValueError("Shape and axes have different lengths.")
    pairs = zip(sizes, places, strict=True)
    return [a.shape[axis] if type(n) is int and n == -1 else n for n, axis in pairs], places
