"""Results that are written to the arrays which ``out=`` names."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..primitives.elementwise import where as select
from ..traced.array import TracedArray
from ..traced.tracer import Tracer
from .ufunc_loops import output_error

READ_ONLY = "output array is read-only"


def stored(answer: Any, out: Any) -> Any:
    """`answer`, written into ``out=`` where that is given."""
    if out is None:
        return answer
    if not np.can_cast(answer.dtype, out.dtype, "same_kind"):
        raise TypeError(f"Cannot cast {answer.dtype!r} to {out.dtype!r}")
    if answer.shape != out.shape:
        raise ValueError("output parameter has the wrong shape")
    out.require_writeable(READ_ONLY)
    out[...] = answer
    return out


def store(
    tracer: Tracer, ufunc: np.ufunc, target: Any, answer: Any, where: Any, casting: str
) -> TracedArray:
    """`answer`, cast and repeated to an array that ``out=`` names."""
    if type(target) is not TracedArray:
        tracer.fail("out= with something else than an array of the compiled function")
    if not np.can_cast(answer.dtype, target.dtype, casting):
        raise output_error(ufunc, casting, answer.dtype, target.dtype)
    if where is not True:
        answer = select(where, answer.astype(target.dtype, copy=False), target)
    if answer.ndim > target.ndim:
        raise ValueError(
            f"non-broadcastable output operand with shape {target.shape} doesn't match the "
            f"broadcast shape {answer.shape}"
        )
    target.require_writeable(READ_ONLY)
    target[...] = answer
    return target
