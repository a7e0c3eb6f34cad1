"""The methods of ufuncs other than their call."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..primitives.operands import as_array
from ..traced.dispatch import dispatch
from ..traced.tracer import current
from .accumulation import ufunc_accumulate
from .calling import owned
from .half_precision import refuse_bfloat16
from .reducing_parts import reduceat
from .reductions import ufunc_reduce
from .ufunc_at import at


def called(ufunc: np.ufunc, method: str, inputs: tuple, kwargs: dict[str, Any]) -> Any:
    """A call of one of a ufunc's methods on traced arrays."""
    refuse_bfloat16(ufunc, inputs, kwargs)
    start = current().tick()
    methods = {
        "reduce": ufunc_reduce,
        "accumulate": ufunc_accumulate,
        "reduceat": reduceat,
        "outer": outer,
        "at": at,
    }
    return owned(methods[method](ufunc, *inputs, **kwargs), start)


def outer(ufunc: np.ufunc, a: Any, b: Any, **kwargs: Any) -> Any:
    """``ufunc.outer``: every element of one array with every element of the other."""
    tracer = current()
    a, b = as_array(tracer, a), as_array(tracer, b)
    left = a.reshaped((*a.shape, *(1,) * b.ndim), certain=True)
    return dispatch.ufunc(ufunc, "__call__", (left, b), kwargs)
