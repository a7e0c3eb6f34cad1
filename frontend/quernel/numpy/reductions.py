"""Reductions over axes, each as NumPy computes it."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from ..primitives import elementwise
from ..primitives.elementwise import apply
from ..primitives.operands import array_value, as_array, dtype_of, lift, mask_of
from ..primitives.shaping import broadcast_to
from ..primitives.sizes import require_elements
from ..traced.array import TracedArray, element_or_array, fresh
from ..traced.memory import dense, reduced_layout
from ..traced.numbers import isinstance_symbolic
from ..traced.tracer import Tracer, current
from ..traced.turned import place_of_best, reduced
from ..traced.views import graph_dims
from .combiners import IDENTITY, combiner_of, is_logical
from .half_precision import HALF, narrowed
from .half_reductions import reduce_half
from .joining import concatenate
from .one_by_one import reduce_in_order
from .out_arguments import stored
from .registry import implements
from .ufunc_loops import combining_types

MISSING = getattr(np, "_NoValue", None)
_NO_IDENTITY = "zero-size array to reduction operation {} which has no identity"


def axes_of(array: TracedArray, axis: Any) -> list[int]:
    """The axes that an ``axis=`` argument names; NumPy's AxisError where there is none such."""
    if axis is None or (array.ndim == 0 and axis in (0, -1)):
        return list(range(array.ndim))
    return sorted(normalize_axis_tuple(axis, array.ndim))


def keeps(keepdims: Any) -> bool:
    """Whether a ``keepdims=`` argument, which has to be an integer, says yes."""
    return keepdims is not MISSING and bool(operator.index(keepdims))


def reduce_value(
    array: TracedArray,
    kind: str,
    axis: Any,
    keepdims: Any = False,
    scalar: bool = True,
    first: TracedArray | None = None,
) -> TracedArray:
    """A reduction whose result has the operand's dtype.

    Parameters
    ----------
    first : TracedArray, optional
        A number that stands before the elements.
    """
    tracer = array.tracer
    axes = axes_of(array, axis)
    value = array.value
    if first is not None:
        value = reduced(tracer, _behind(array, axes, first).value, kind, [array.ndim - len(axes)])
    elif axes:
        value = reduced(tracer, value, kind, axes)
    layout = reduced_layout(value.shape, array.lying, axes)
    if not keepdims:
        return fresh(tracer, value, scalar and not value.shape, layout)
    made = fresh(tracer, value, layout=layout)
    shape = [1 if k in axes else size for k, size in enumerate(array.shape)]
    return with_units(made, shape, axes)


def _behind(array: TracedArray, axes: list[int], first: TracedArray) -> TracedArray:
    """Along a last axis, the elements of some axes in the order of memory, behind a first one."""
    gone = [axis for axis in array.order.in_memory(range(array.ndim)) if axis in axes]
    kept = [axis for axis in range(array.ndim) if axis not in axes]
    sizes, count = [array.shape[axis] for axis in kept], math.prod(array.shape[k] for k in axes)
    rows = array.transpose((*kept, *gone)).reshaped((*sizes, count), certain=True)
    return concatenate([broadcast_to(first, (*sizes, 1)), rows], -1)


def with_units(made: TracedArray, shape: list, axes: list[int]) -> TracedArray:
    """A new array with axes of one element put in, where a reduction has taken others."""
    tracer, layout = made.tracer, made.storage.layout
    value = tracer.op("reshape", [made.value], shape=graph_dims(shape))
    kept = [axis for axis in range(len(shape)) if axis not in axes]
    order = layout.in_memory(kept)
    return fresh(tracer, value, layout=dense(tuple(shape), (*axes, *order)))


def ufunc_reduce(
    ufunc: np.ufunc,
    a: Any,
    axis: Any = 0,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = MISSING,
    where: Any = True,
) -> Any:
    """``ufunc.reduce``."""
    tracer = current()
    array = as_array(tracer, a)
    out = out[0] if type(out) is tuple else out
    if _passes_nan(ufunc, array.dtype):
        return stored(_without_nan(ufunc, array, axis, keepdims, initial, where), out)
    counts = ufunc is np.add and array.dtype == bool and dtype is None and where is True
    if is_logical(ufunc):
        array = array if array.dtype == bool else apply(np.not_equal, array, 0)
    if not is_reduced(ufunc, array.dtype):
        return stored(_in_order(ufunc, array, axis, dtype, keepdims, initial, where), out)
    if not is_logical(ufunc):
        dtype = out.dtype if dtype is None and out is not None else dtype
        array = array.astype(_loop(tracer, ufunc, array, dtype), copy=False)
    if array.dtype == HALF:
        return stored(_of_half(ufunc, array, axis, keepdims, initial, where), out)
    kind = combiner_of(ufunc, array.dtype)
    initial = None if initial is MISSING else initial
    if type(initial) in (list, tuple) or getattr(initial, "ndim", 0):
        raise ValueError("setting an array element with a sequence.")
    mask, in_order = mask_of(where), kind == "prod" and array.dtype.kind in "fc"
    if in_order and array.dtype.kind == "c" and not (mask is True or mask is MISSING):
        # What is left out has no part in a product: infinity times 1 isn't infinity.
        tracer.fail("a product of complex numbers with where=", "choose them first: x[mask].prod()")
    array = _masked(array, kind, mask, initial)
    if kind in ("min", "max") and initial is None:
        _refuse_nothing(array, axis, ufunc.__name__)
    first = None
    if initial is not None:  # NumPy stores it into an array of the dtype
        first = fresh(tracer, array_value(tracer, initial, array.dtype))
    before = first if in_order else None
    answer: Any = reduce_value(array, kind, axis, keeps(keepdims), first=before)
    if counts and not answer.ndim:
        tracer.note_count(answer.value, array.size)
    if first is not None and not in_order:
        answer = apply(ufunc, answer, first)
        if ufunc is np.add and array.dtype.kind == "f" and _may_be_negative_zero(initial):
            # Programs begin sums with 0.0; that of nothing but -0.0 is -0.0 here.
            alike = reduce_value(_negative_zeros(array), "all", axis, keeps(keepdims))
            alike = apply(np.logical_and, alike, _negative_zeros(first))
            answer = element_or_array(elementwise.where(alike, first, answer))
    return stored(answer, out)


def _of_half(
    ufunc: np.ufunc, array: TracedArray, axis: Any, keepdims: Any, initial: Any, where: Any
) -> Any:
    """``ufunc.reduce`` of float16, which float32 computes."""
    if ufunc not in (np.add, np.multiply):
        if initial is not MISSING and initial is not None:
            initial = lift(initial).astype(HALF)[()]
        wide = array.astype(np.float32)
        answer = ufunc_reduce(ufunc, wide, axis, None, None, keepdims, initial, where)
        return narrowed(array.tracer, answer, (HALF.name,))
    if mask_of(where) is not True:
        array.tracer.fail("a sum of float16 with where=", "write zeros with np.where")
    start = ufunc.identity if initial is MISSING or initial is None else initial
    axes = axes_of(array, axis)

    def reduce(wide: TracedArray, inner: tuple) -> Any:
        return ufunc_reduce(ufunc, wide, inner, None, None, True)

    made = reduce_half(ufunc, array, axes, start, reduce)
    if not keeps(keepdims):
        return made
    return with_units(made, [1 if k in axes else n for k, n in enumerate(array.shape)], axes)


def _may_be_negative_zero(number: Any) -> bool:
    if type(number) in (float, np.float32, np.float64):
        return repr(float(number)) == "-0.0"
    return type(number) is TracedArray or isinstance_symbolic(number)


def _negative_zeros(array: TracedArray) -> TracedArray:
    return apply(np.logical_and, apply(np.signbit, array), apply(np.equal, array, 0))


def _passes_nan(ufunc: np.ufunc, dtype: np.dtype) -> bool:
    """Whether a ufunc passes over NaN, and there may be some."""
    return ufunc in (np.fmin, np.fmax) and dtype.kind in "fc"


def is_reduced(ufunc: np.ufunc, dtype: np.dtype) -> bool:
    """Whether the compiler has a reduction by a ufunc; else it goes from element to element."""
    if _passes_nan(ufunc, dtype):
        return True
    if dtype == HALF:
        return is_reduced(ufunc, np.dtype(np.float32))
    return combiner_of(ufunc, np.dtype(bool) if is_logical(ufunc) else dtype) is not None


def _in_order(
    ufunc: np.ufunc,
    array: TracedArray,
    axis: Any,
    dtype: Any,
    keepdims: Any,
    initial: Any,
    mask: Any,
) -> Any:
    tracer, axes = array.tracer, axes_of(array, axis)
    if len(axes) != 1 or mask_of(mask) is not True:
        why = f"np.{ufunc.__name__}.reduce over several axes, or with where="
        tracer.fail(why, "write the loop")
    initial = None if initial is MISSING else initial
    made = reduce_in_order(tracer, ufunc, array, axes[0], dtype, initial)
    if not keeps(keepdims):
        return made
    return with_units(lift(made), [*array.shape[: axes[0]], 1, *array.shape[axes[0] + 1 :]], axes)


def _loop(tracer: Tracer, ufunc: np.ufunc, array: TracedArray, dtype: Any) -> np.dtype:
    """The dtype in which NumPy reduces."""
    return dtype_of(tracer, combining_types(tracer, ufunc, array.dtype, dtype)[0])


def _refuse_nothing(array: TracedArray, axis: Any, name: str) -> None:
    sizes = [array.shape[k] for k in axes_of(array, axis)]
    require_elements(array.tracer, sizes, ValueError(_NO_IDENTITY.format(name)))


def _masked(array: TracedArray, kind: str, mask: Any, initial: Any) -> TracedArray:
    if mask is True or mask is MISSING:
        return array
    neutral = IDENTITY.get(kind, initial)
    if neutral is None:
        raise ValueError(
            f"reduction operation '{kind}imum' does not have an identity, so to use a where mask "
            "one has to specify 'initial'"
        )
    return elementwise.where(mask, array, np.asarray(neutral).astype(array.dtype)[()])


def _without_nan(
    ufunc: np.ufunc, array: TracedArray, axis: Any, keepdims: Any, initial: Any, mask: Any
) -> Any:
    """``np.fmin.reduce`` and its like: NaN only where there is nothing else.

    It sets the flag of invalid values there, of which NumPy's functions warn, and its ufuncs don't.
    """
    least = ufunc is np.fmin
    absent = apply(np.isnan, array)
    neutral = array.dtype.type(np.inf if least else -np.inf)
    base = np.minimum if least else np.maximum
    kept = elementwise.where(absent, neutral, array)
    answer = ufunc_reduce(base, kept, axis, None, None, keepdims, initial, mask)
    if initial is not MISSING and initial is not None:
        return answer
    nothing = ufunc_reduce(np.logical_and, absent, axis, keepdims=keepdims)
    infinite = elementwise.where(nothing, answer, array.dtype.type(0))
    return element_or_array(
        elementwise.where(nothing, apply(np.subtract, infinite, infinite), answer)
    )


# NumPy's functions by the names of their arguments.

_TYPED = ("a", "axis", "dtype", "out", "keepdims", "initial", "where")
_UNTYPED = ("a", "axis", "out", "keepdims", "initial", "where")
_LOGICAL = ("a", "axis", "out", "keepdims")


def bound(names: tuple, args: tuple, kwargs: dict[str, Any]) -> dict[str, Any]:
    """Arguments by their names.

    Raises
    ------
    TypeError
        For more arguments than names.
    """
    if len(args) > len(names):
        raise TypeError(f"takes {len(names)} positional arguments but {len(args)} were given")
    return dict(zip(names, args, strict=False)) | kwargs


def _define(names: tuple, ufunc: np.ufunc, *functions: Any) -> Any:
    def implementation(*args: Any, **kwargs: Any) -> Any:
        given = bound(names, args, kwargs)
        return ufunc_reduce(ufunc, given.pop("a"), given.pop("axis", None), **given)

    implementation.__name__ = functions[0].__name__
    return implements(*functions)(implementation)


sum_ = _define(_TYPED, np.add, np.sum)
prod = _define(_TYPED, np.multiply, np.prod)
max_ = _define(_UNTYPED, np.maximum, np.max, np.amax)
min_ = _define(_UNTYPED, np.minimum, np.min, np.amin)
any_ = _define(_LOGICAL, np.logical_or, np.any)
all_ = _define(_LOGICAL, np.logical_and, np.all)
nanmin = _define(_UNTYPED, np.fmin, np.nanmin)
nanmax = _define(_UNTYPED, np.fmax, np.nanmax)


@implements(np.ptp)
def ptp(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False) -> Any:
    """`np.ptp`: greatest minus least."""
    greatest = max_(a, axis=axis, keepdims=keepdims)
    return stored(apply(np.subtract, greatest, min_(a, axis=axis, keepdims=keepdims)), out)


def _define_position(function: Any) -> Any:
    kind = function.__name__

    def implementation(a: Any, axis: Any = None, out: Any = None, *, keepdims: Any = False) -> Any:
        array = as_array(current(), a)
        keep = keepdims is not MISSING and keepdims
        flat = axis is None or (array.ndim == 0 and axis in (0, -1))
        shape: list[Any] = [1] * array.ndim
        if flat:
            array = array.reshaped((array.size,), certain=True)
        axis = 0 if flat else normalize_axis_index(axis, array.ndim)
        if array.dtype == HALF:
            array = array.astype(np.float32)
        if out is not None and not np.can_cast(out.dtype, np.intp, "safe"):
            what = "array data" if out.ndim else "scalar"
            raise TypeError(
                f"Cannot cast {what} from {out.dtype!r} to {np.dtype(np.intp)!r} according to the "
                "rule 'safe'"
            )
        message = f"attempt to get {kind} of an empty sequence"
        require_elements(array.tracer, [array.shape[axis]], ValueError(message))
        value = place_of_best(array.tracer, array.value, kind, axis)
        if keep:
            if not flat:
                shape = [1 if k == axis else n for k, n in enumerate(array.shape)]
            value = array.tracer.op("reshape", [value], shape=graph_dims(shape))
        return stored(fresh(array.tracer, value, not value.shape), out)

    return implements(function)(implementation)


argmin = _define_position(np.argmin)
argmax = _define_position(np.argmax)


def _define_nan(function: Any, base: Any, fill: Any) -> Any:
    """A reduction that takes NaN for its identity."""

    def implementation(a: Any, *args: Any, **kwargs: Any) -> Any:
        array = as_array(current(), a)
        if array.dtype.kind not in "fc":
            return base(array, *args, **kwargs)
        return base(
            elementwise.where(apply(np.isnan, array), array.dtype.type(fill), array),
            *args,
            **kwargs,
        )

    return implements(function)(implementation)


nansum = _define_nan(np.nansum, sum_, 0)
nanprod = _define_nan(np.nanprod, prod, 1)
