"""float16 and bfloat16: stored so, computed in float32, as NumPy's loops do.

NumPy's loops for float16 widen each operand to float32, compute there and round the result, and so
do those that ml_dtypes adds for bfloat16. So a ufunc of either is the ufunc of float32 between
casts, and the compiler knows them as memory alone: what it loads, chooses, moves and stores.
Functions of math of float16, of which NumPy has other loops, too, are in `half_functions`.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ..primitives.elementwise import layout_of
from ..primitives.operands import operand, refuse_open
from ..traced.array import TracedArray, result
from ..traced.numbers import isinstance_symbolic
from ..traced.open_types import kinds_of
from ..traced.tracer import Tracer, current
from .ufunc_loops import kinds_of_loops, resolved

HALF = np.dtype(np.float16)
BFLOAT16 = "bfloat16"
_SINGLE = np.dtype(np.float32)
# Of these dtypes NumPy has loops that compute in float16.
_NARROW = {np.dtype(name) for name in ("bool", "int8", "uint8", "float16")}
_STORED = (HALF.name, BFLOAT16)
# The operands have a dtype each: a Python integer takes the first of the floats by itself.
_OF_TWO_KINDS = {np.ldexp}
# What they give is a matter of the bits of a float16.
_OF_BITS = {np.nextafter, np.spacing}
# Of bfloat16 these have loops that round what float32's give.
_OF_BFLOAT16 = {
    np.add, np.subtract, np.multiply, np.divide, np.negative, np.positive, np.absolute, np.square,
    np.sqrt, np.exp, np.log, np.sin, np.cos, np.tanh, np.maximum, np.minimum, np.equal,
    np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal, np.isnan, np.isinf,
    np.isfinite, np.signbit, np.floor, np.ceil, np.trunc, np.rint,
}  # fmt: skip
# Functions that move elements, and make arrays for them.
_MOVES = {
    np.array, np.asarray, np.ascontiguousarray, np.asfortranarray, np.copy, np.copyto, np.empty,
    np.empty_like, np.zeros, np.zeros_like, np.ones, np.ones_like, np.full, np.full_like,
    np.reshape, np.ravel, np.transpose, np.moveaxis, np.swapaxes, np.expand_dims, np.squeeze,
    np.broadcast_to, np.concatenate, np.stack, np.vstack, np.hstack, np.split, np.flip, np.fliplr,
    np.flipud, np.roll, np.take, np.shape, np.size, np.ndim, np.atleast_1d, np.atleast_2d,
}  # fmt: skip


def refuse_bfloat16(function: Any, args: tuple, kwargs: dict[str, Any]) -> None:
    """Leave what isn't known to be the same of bfloat16 to NumPy.

    Raises
    ------
    UnsupportedError
    """
    if function not in _MOVES and any(map(_has_bfloat16, (*args, *kwargs.values()))):
        what = getattr(function, "__name__", "a function")
        current().fail(f"np.{what} of bfloat16", "use .astype(np.float32)")


def _has_bfloat16(obj: Any) -> bool:
    if "ml_dtypes" not in sys.modules:  # which gives NumPy the dtype
        return False
    if type(obj) in (tuple, list):
        return any(map(_has_bfloat16, obj))
    return type(obj) is TracedArray and obj.open is None and obj.dtype.name == BFLOAT16


def _is_narrow(obj: Any) -> bool:
    """Whether a number or an array is one of those that NumPy may compute with in float16."""
    if isinstance_symbolic(obj):
        return bool in kinds_of(obj.open or obj.kind)
    return type(obj) is bool or getattr(obj, "dtype", None) in _NARROW


def half_loop(
    tracer: Tracer, ufunc: np.ufunc, inputs: tuple, fixed: tuple | None, casting: str
) -> tuple[str, ...] | None:
    """The dtypes of the loop that NumPy takes, where it is one of those; else None.

    Raises
    ------
    UnsupportedError
        Where what float32 gives isn't float16's after it is rounded.
    """
    is_asked = fixed is not None and any(
        part is not None and part.name in _STORED for part in fixed
    )
    is_new = any(map(_has_bfloat16, inputs))
    is_narrow = ufunc in _OF_TWO_KINDS or any(map(_is_narrow, inputs))
    if not (is_asked or is_new or is_narrow):
        return None
    items = [operand(tracer, obj) for obj in inputs]
    if len(items) != ufunc.nin:
        return None
    found = next((item for item in items if len(item.kinds) > 1), None)
    if found is not None:  # its type data decide
        if np.dtype(bool) in found.kinds or HALF in found.kinds:
            refuse_open(found.kinds, found.value)
        return None
    types = resolved(ufunc, kinds_of_loops(tracer, [x.type for x in items]), fixed, casting)
    if is_new and (ufunc not in _OF_BFLOAT16 or any(_is_number(obj) for obj in inputs)):
        tracer.fail(f"np.{ufunc.__name__} of bfloat16", "use .astype(np.float32)")
    if not any(name in _STORED for name in types):
        return None
    if ufunc in _OF_BITS:
        tracer.fail(f"np.{ufunc.__name__} of float16", "cast with .astype")
    return types


def _is_number(obj: Any) -> bool:
    """Whether it is a NumPy number of bfloat16, of which ml_dtypes has operators of its own."""
    return type(obj) is TracedArray and obj.is_scalar and _has_bfloat16(obj)


def widened(tracer: Tracer, inputs: tuple, types: tuple[str, ...]) -> tuple:
    """The inputs of such a loop, in the dtypes in which it is computed here."""
    return tuple(_widened(tracer, obj, name) for obj, name in zip(inputs, types, strict=False))


def _widened(tracer: Tracer, obj: Any, name: str) -> Any:
    value = operand(tracer, obj).as_dtype(tracer, name)
    if name in _STORED:
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
