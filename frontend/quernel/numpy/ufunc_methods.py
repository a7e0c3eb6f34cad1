"""The methods of ufuncs other than their call."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..capture.tracer import current
from .operands import as_array


def method(ufunc: np.ufunc, name: str, inputs: tuple, kwargs: dict[str, Any]) -> Any:
    """A call of ``ufunc.reduce``, ``accumulate``, ``outer`` or ``at`` on traced arrays."""
    from .accumulation import ufunc_accumulate
    from .reductions import ufunc_reduce
    from .ufunc_at import at

    methods = {"reduce": ufunc_reduce, "accumulate": ufunc_accumulate, "outer": outer, "at": at}
    if name not in methods:
        current().fail(f"np.{ufunc.__name__}.{name} is not supported yet", "write the loop")
    return methods[name](ufunc, *inputs, **kwargs)


def outer(ufunc: np.ufunc, a: Any, b: Any, **kwargs: Any) -> Any:
    """``ufunc.outer``: every element of one array with every element of the other."""
    from .ufuncs import dispatch

    tracer = current()
    a, b = as_array(tracer, a), as_array(tracer, b)
    left = a.reshaped((*a.shape, *(1,) * b.ndim), certain=True)
    return dispatch(ufunc, "__call__", (left, b), kwargs)
