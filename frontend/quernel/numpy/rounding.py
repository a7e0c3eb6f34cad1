"""Rounding to decimals and other elementwise functions that aren't ufuncs."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..capture.selecting import check_apart
from ..primitives.elementwise import apply, where
from ..primitives.elementwise import where as select
from ..primitives.layouts import in_fortran
from ..primitives.operands import lift, mask_of, operand
from ..traced.array import TracedArray, fresh, result
from .integers import fit_integers
from .out_arguments import stored
from .registry import implements


@implements(np.round, np.around)
def round_(a: Any, decimals: Any = 0, out: Any = None) -> Any:
    """`np.round`: scale, round to even, scale back."""
    a = lift(a)
    decimals = operator.index(decimals)
    whole = a.dtype.kind in "iu"
    if a.dtype == bool and decimals:
        a.tracer.fail("np.round of booleans to digits", "cast with .astype")
    if whole and decimals >= 0:
        return stored(result(a.tracer, a.value, a.order), out)
    if decimals == 0:
        return stored(apply(np.rint, a), out)
    forth, back = (np.multiply, np.divide) if decimals > 0 else (np.divide, np.multiply)
    scale = float(10 ** abs(decimals))
    rounded = apply(back, apply(np.rint, apply(forth, a, scale)), scale)
    rounded = rounded.astype(a.dtype, copy=False) if whole else rounded
    return stored(in_fortran(rounded, [a]), out)


@implements(np.fix)
def fix(x: Any, out: Any = None) -> Any:
    """`np.fix`."""
    return stored(apply(np.trunc, x), out)


@implements(np.sinc)
def sinc(x: Any) -> Any:
    """`np.sinc`."""
    x = lift(x)
    if x.dtype.kind not in "fc":
        x = x.astype(np.float64)
    y = apply(np.multiply, np.pi, x)
    small = np.finfo(x.dtype).eps if x.dtype.kind == "f" else 1e-20
    y = where(apply(np.equal, y, 0), x.dtype.type(small), y)
    return apply(np.divide, apply(np.sin, y), y)


@implements(np.copyto)
def copyto(dst: Any, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    """`np.copyto`."""
    source = _source(dst, src, casting)
    if where is True:
        dst[...] = source
        return
    where = lift(mask_of(where))
    check_apart(dst, where)
    dst[...] = select(where, source, dst)


def _source(dst: TracedArray, src: Any, casting: str) -> TracedArray:
    """What is copied, in the dtype of the array that it is copied to."""
    tracer = dst.tracer
    item = operand(tracer, src)
    if isinstance(item.type, type) and item.type is not bool:  # a Python number
        own = np.result_type(dst.dtype, item.type(0))
        if casting == "equiv" and dst.dtype != np.dtype(item.type):
            own = np.dtype(item.type)
        fit_integers(tracer, np.copyto, [item], [own.name])
        source = fresh(tracer, item.as_dtype(tracer, own.name))
    else:
        source = lift(src)
    if not np.can_cast(source.dtype, dst.dtype, casting):
        what = "array data" if source.ndim else "scalar"
        raise TypeError(
            f"Cannot cast {what} from {source.dtype!r} to {dst.dtype!r} according to the rule "
            f"'{casting}'"
        )
    return fresh(tracer, tracer.cast(source.value, dst.dtype.name))
