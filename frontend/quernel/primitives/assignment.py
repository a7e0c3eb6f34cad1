"""What is assigned to elements, with the checks by which NumPy converts single numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..traced.array import TracedArray, fresh, is_traced
from ..traced.iterables import as_numpys
from ..traced.numbers import RANK, SymbolicSize, unless_too_wide
from ..traced.open_types import Open, base_of, kinds_of
from ..traced.scalars import number_type
from ..traced.tracer import Tracer
from .joining import stacked
from .operands import array_value, refuse_open

_NAN = "cannot convert float NaN to integer"
_INFINITE = "cannot convert float infinity to integer"
_COMPLEX = {
    "i": "int() argument must be a string, a bytes-like object or a real number, not 'complex'",
    "f": "float() argument must be a string or a real number, not 'complex'",
}
_LARGE = "Python int too large to convert to C long"


def assigned(tracer: Tracer, obj: Any, dtype: np.dtype, alone: bool = True) -> Any:
    """The graph value of an object that is assigned to elements of a dtype.

    Parameters
    ----------
    alone : bool
        Whether NumPy converts a NumPy scalar by itself, as for basic indices; otherwise it casts
        it as it casts arrays.

    Raises
    ------
    ValueError, OverflowError, TypeError
        NumPy's own, where a known number can't be converted. Others are checked in the program.
    """
    if obj is None or type(obj) in RANK or (alone and issubclass(type(obj), np.generic)):
        if issubclass(type(obj), np.complexfloating) and dtype.kind not in "cb":
            tracer.refuse_lost_parts()
        return tracer.constant(_converted(obj, dtype))
    obj = as_numpys(obj)
    if type(obj) in (list, tuple):
        return _of_sequence(tracer, obj, dtype)
    kind = number_type(obj)
    if kind is complex and dtype.kind in "iuf":
        raise TypeError(_COMPLEX["f" if dtype.kind == "f" else "i"])
    if kind is None or dtype.kind not in "iu":
        return array_value(tracer, obj, dtype)
    if type(kind) is Open:
        kind = _one_of(kind, obj, dtype, alone)
    bounds = getattr(obj, "bounds", None)
    if bounds is not None and kind in (bool, int) and _within(bounds, dtype):
        return array_value(tracer, obj, dtype)
    if isinstance(kind, type):
        return _of_python(tracer, _value(tracer, obj), kind, dtype)
    if alone and dtype.kind == "i" and kind.kind != "b" and not np.can_cast(kind, dtype):
        return _through_long(tracer, obj, kind, dtype)
    return array_value(tracer, obj, dtype)


def _converted(obj: Any, dtype: np.dtype) -> Any:
    place = np.zeros(1, dtype)
    with np.errstate(all="ignore"):
        place[0] = obj
    return place[0]


def _of_sequence(tracer: Tracer, obj: Any, dtype: np.dtype) -> Any:
    if not is_traced(obj):
        place = np.zeros(np.shape(obj), dtype)
        with np.errstate(all="ignore"):
            place[...] = obj
        return tracer.constant(place)
    parts = [fresh(tracer, assigned(tracer, item, dtype)) for item in obj]
    return stacked(parts).value


def _one_of(kind: Open, number: Any, dtype: np.dtype, alone: bool) -> Any:
    """The type by whose checks a number goes that data give one of several types."""
    kinds = kinds_of(kind)
    python = [part for part in kinds if isinstance(part, type)]
    scalars = [part for part in kinds if not isinstance(part, type)]
    checked = alone and dtype.kind == "i"  # by the same checks as Python numbers
    if checked or all(np.can_cast(part, dtype) for part in scalars):
        base = base_of(kind)
        floats = [part is float or getattr(part, "kind", "") == "f" for part in (base, *python)]
        if base != np.uint64 and "c" not in [part.kind for part in scalars]:
            return float if any(floats) else int
    refuse_open(kinds, number.value)


def _within(bounds: tuple[int, int], dtype: np.dtype) -> bool:
    limits = np.iinfo(dtype)
    return limits.min <= bounds[0] and bounds[1] <= limits.max


def _value(tracer: Tracer, obj: Any) -> Any:
    if type(obj) is SymbolicSize:
        return tracer.op("dim", [], dim=obj.dim)
    return obj.value


def _of_python(tracer: Tracer, value: Any, kind: type, dtype: np.dtype) -> Any:
    """A Python number as an integer, which has to be one of the dtype's."""
    if kind is float:
        value = tracer.cast(value, "float64")
        value = _integer(tracer, value, 2.0**64 if dtype == np.uint64 else 2.0**63)
        if dtype == np.uint64:
            shown = [tracer.cast(value, "int64")]
            _check(tracer, "greater", value, np.float64(-1), _bounds(dtype), shown)
            return tracer.cast(value, "uint64")
    elif kind is bool:
        return tracer.cast(value, dtype.name)
    return _narrowed(tracer, tracer.cast(value, "int64"), dtype)


def _narrowed(tracer: Tracer, value: Any, dtype: np.dtype) -> Any:
    """An int64 as an integer of a dtype, which has to have it."""
    limits = np.iinfo(dtype)
    if limits.min > np.iinfo(np.int64).min:
        _check(tracer, "greater_equal", value, np.int64(limits.min), _bounds(dtype), [value])
    if limits.max < np.iinfo(np.int64).max:
        _check(tracer, "less_equal", value, np.int64(limits.max), _bounds(dtype), [value])
    return tracer.cast(value, dtype.name)


def _bounds(dtype: np.dtype) -> str:
    return f"Python integer {{0}} out of bounds for {dtype.name}"


def _check(
    tracer: Tracer, op: str, value: Any, limit: Any, message: str, shown: Any = (),
    error: str = "OverflowError",
) -> None:  # fmt: skip
    tracer.check(tracer.op(op, [value, tracer.constant(limit)]), error, message, shown)


def integer_part(tracer: Tracer, value: Any, op: str = "trunc") -> Any:
    """A float64 without its fraction; the program stops where Python's `int` would raise.

    What it gives is a whole float64 between -2**63 and 2**63; where Python's is larger, NumPy
    answers the call.
    """
    _check_finite(tracer, value)
    value = tracer.op(op, [value])
    least, beyond = (tracer.constant(np.float64(end)) for end in (-(2.0**63), 2.0**63))
    sides = [tracer.op("greater_equal", [value, least]), tracer.op("less", [value, beyond])]
    unless_too_wide(tracer, tracer.op("logical_and", sides))
    return value


def _integer(tracer: Tracer, value: Any, limit: float) -> Any:
    _check_finite(tracer, value)
    value = tracer.op("trunc", [value])
    _check_size(tracer, value, limit, _LARGE)
    return value


def _check_finite(tracer: Tracer, value: Any) -> None:
    known = tracer.op("equal", [value, value])
    tracer.check(known, "ValueError", _NAN)
    size = tracer.op("absolute", [value])
    _check(tracer, "less", size, np.float64(np.inf), _INFINITE)


def _check_size(tracer: Tracer, value: Any, limit: float, message: str) -> None:
    _check(tracer, "less", value, np.float64(limit), message)
    _check(tracer, "greater_equal", value, np.float64(-(2.0**63)), message)


def _through_long(tracer: Tracer, obj: TracedArray, kind: np.dtype, dtype: np.dtype) -> Any:
    """A NumPy scalar as a signed integer: NumPy makes a C long of it first."""
    value = obj.value
    if kind == np.uint64:
        _check(tracer, "less_equal", value, np.uint64(2**63 - 1), _LARGE)
    elif kind.kind in "fc":  # a complex number is refused here
        value = _integer(tracer, tracer.cast(value, "float64"), 2.0**63)
    return _narrowed(tracer, tracer.cast(value, "int64"), dtype)
