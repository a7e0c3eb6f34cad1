"""float16: stored so, computed in float32, as NumPy's loops do.

NumPy's loops for float16 widen each operand to float32, compute there and round the result. So a
ufunc of float16 is the ufunc of float32 between casts, and the compiler knows float16 as memory
alone: what it loads, chooses, moves and stores.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..primitives.elementwise import layout_of
from ..primitives.operands import operand
from ..traced.array import result
from ..traced.tracer import Tracer
from .ufunc_loops import kinds_of_loops, resolved

HALF = np.dtype(np.float16)
_SINGLE = np.dtype(np.float32)
# Of these dtypes NumPy has loops that compute in float16.
_NARROW = {np.dtype(name) for name in ("bool", "int8", "uint8", "float16")}
# What they give is a matter of the bits of a float16.
_OF_BITS = {np.nextafter, np.spacing}


def half_loop(
    tracer: Tracer, ufunc: np.ufunc, inputs: tuple, fixed: tuple | None, casting: str
) -> tuple[str, ...] | None:
    """The dtypes of the loop that NumPy takes, where it computes in float16; else None.

    Raises
    ------
    UnsupportedError
        Where what float32 gives isn't float16's after it is rounded.
    """
    is_asked = fixed is not None and HALF in fixed
    dtypes = [getattr(obj, "dtype", None) for obj in inputs]
    if not is_asked and not any(dtype in _NARROW for dtype in dtypes):
        return None
    items = [operand(tracer, obj) for obj in inputs]
    if len(items) != ufunc.nin or any(len(item.kinds) > 1 for item in items):
        return None
    types = resolved(ufunc, kinds_of_loops(tracer, [x.type for x in items]), fixed, casting)
    if HALF.name not in types:
        return None
    if ufunc in _OF_BITS:
        tracer.fail(f"np.{ufunc.__name__} of float16", "cast with .astype")
    return types


def widened(tracer: Tracer, inputs: tuple, types: tuple[str, ...]) -> tuple:
    """The inputs of a loop that computes in float16, in the dtypes in which it is computed here."""
    return tuple(_widened(tracer, obj, name) for obj, name in zip(inputs, types, strict=False))


def _widened(tracer: Tracer, obj: Any, name: str) -> Any:
    value = operand(tracer, obj).as_dtype(tracer, name)
    if name == HALF.name:
        value = tracer.cast(value, _SINGLE.name)
    return result(tracer, value, layout_of(value, [obj]))


def narrowed(tracer: Tracer, answer: Any, types: tuple[str, ...]) -> Any:
    """The results of such a loop, in its dtypes.

    Parameters
    ----------
    types : tuple of str
        Those of the results.
    """
    if type(answer) is tuple:
        pairs = zip(answer, types, strict=True)
        return tuple(narrowed(tracer, part, (name,)) for part, name in pairs)
    value = tracer.cast(answer.value, types[0])
    return result(tracer, value, layout_of(value, [answer]))
