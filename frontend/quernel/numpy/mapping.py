"""`np.vectorize`: a function of numbers, called for each element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..primitives.operands import lift
from ..primitives.shaping import broadcast_arrays
from ..traced.tracer import current
from .calling import captured
from .registry import stands_for
from .shapes import ravel


def _results_of_each(function: Any, columns: Any, dtypes: Any, shape: Any) -> Any:
    """The results for all elements; captured as a user's function is.

    As in NumPy, the first element's result decides about dtypes that nobody has named, and the
    function gets Python's numbers.
    """
    count = len(columns[0])
    if dtypes is None:
        if count == 0:
            raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
        first = function(*[column[0] for column in columns])
        several = isinstance(first, tuple)
        dtypes = [np.asarray(part).dtype for part in (first if several else (first,))]
    else:
        several = len(dtypes) > 1
    results = [np.empty(count, dtype) for dtype in dtypes]
    for k in range(count):
        made = function(*[column[k].item() for column in columns])
        if several:
            for place in range(len(results)):
                results[place][k] = made[place]
        else:
            results[0][k] = made
    shaped = [result.reshape(shape) for result in results]
    return tuple(shaped) if several else shaped[0]


def vectorized(
    function: Any,
    otypes: Any = None,
    doc: Any = None,
    excluded: Any = None,
    cache: Any = False,
    signature: Any = None,
) -> Callable[..., Any]:
    """What stands for ``np.vectorize(function, ...)``."""
    tracer = current()
    if excluded or signature is not None:
        tracer.fail("np.vectorize with excluded= or signature=", "write the loop")
    dtypes = None if otypes is None else [np.dtype(kind) for kind in otypes]

    def call(*args: Any, **kwargs: Any) -> Any:
        if kwargs or not args:
            tracer.fail("a vectorized function with keywords or no arguments", "name no arguments")
        arrays = broadcast_arrays(*[lift(arg) for arg in args])
        shape = arrays[0].shape
        columns = [ravel(array) for array in arrays]
        return captured(_results_of_each, function, columns, dtypes, shape)

    return call


stands_for(np.vectorize, vectorized)
