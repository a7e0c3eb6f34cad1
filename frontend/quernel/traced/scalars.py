"""Numbers of the program, Python's and NumPy's alike: their types, values, sources and truth."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..signals import let_out
from .array import TracedArray, fresh
from .counted import Counted
from .numbers import (
    DATA,
    DTYPES,
    INT64,
    RANK,
    SymbolicNumber,
    as_kind,
    is_dynamic,
    isinstance_symbolic,
    origins,
)
from .open_types import Open, base_of
from .tracer import Tracer


def number_type(obj: Any) -> Any:
    """A Python type, a NumPy dtype, or `Open`; None for what isn't a number."""
    if isinstance_symbolic(obj):
        return obj.open or obj.kind
    if type(obj) in RANK:
        return type(obj) if type(obj) is not int or obj in INT64 else None
    if type(obj) is TracedArray:
        return (obj.open or obj.dtype) if obj.is_scalar else None
    if isinstance(obj, np.generic) and obj.dtype.kind in "biufc":
        return obj.dtype
    return None


def dtype_name(kind: Any) -> str:
    """The name of the dtype that holds numbers of a type."""
    kind = base_of(kind)
    return DTYPES[kind] if isinstance(kind, type) else kind.name


def integer_bounds(dtype: np.dtype) -> tuple[int, int]:
    """What the integers of a dtype lie between, as far as an int64 goes."""
    if dtype.kind == "b":
        return 0, 1
    limits = np.iinfo(dtype)
    return int(limits.min), min(int(limits.max), INT64.stop - 1)


def value_of(tracer: Tracer, obj: Any, kind: Any) -> Any:
    """The graph value of a number as one of another type."""
    kind = base_of(kind)
    if type(obj) is TracedArray:
        return tracer.cast(obj.value, dtype_name(kind))
    if isinstance(obj, np.generic):
        return tracer.constant(obj.astype(dtype_name(kind)))
    if isinstance(kind, type):
        return as_kind(tracer, obj, kind)
    own = base_of(number_type(obj))
    return tracer.cast(as_kind(tracer, obj, own), kind.name)


def number_of(tracer: Tracer, value: Any, kind: Any, sources: Any = (DATA,)) -> Any:
    """The number of a type that a graph value is."""
    base = base_of(kind)
    if isinstance(base, type):
        number: Any = SymbolicNumber(tracer, value, base(1), sources)
    else:
        number = fresh(tracer, value, is_scalar=True)
    number.open = kind if type(kind) is Open else None
    return number


def sources_of(obj: Any) -> frozenset:
    """What a number was computed from."""
    if type(obj) is TracedArray:
        return frozenset([DATA])
    return origins(obj)


def truth(tracer: Tracer, obj: Any) -> Any:
    """Python's truth of an object: a bool, or a zero-dimensional graph value."""
    if type(obj) is SymbolicNumber and obj.of_program:
        return _not_zero(tracer, obj.value)
    if issubclass(type(obj), Counted):
        return truth(tracer, obj.count)
    if isinstance_symbolic(obj):
        return _size_truth(obj)
    if type(obj) is TracedArray and obj.known() is None:
        if obj.ndim == 0:
            return _not_zero(tracer, obj.value)
        if is_dynamic(*obj.shape):
            _require_one(obj)
            return _not_zero(tracer, obj.reshaped((), certain=True).value)
        if all(size == 1 for size in obj.shape):
            return _not_zero(tracer, tracer.op("reshape", [obj.value], shape=[]))
    return bool(obj)


def _require_one(array: TracedArray) -> None:
    """Check that an array has one element, without which it has no truth.

    Raises
    ------
    ValueError
        In the program; NumPy has a text for no element, and one for more.
    """
    tracer = array.tracer
    sizes = [as_kind(tracer, array.size, int), tracer.constant(np.int64(1))]
    for wrong, relation in ((0, "greater_equal"), (2, "equal")):
        try:
            bool(np.zeros(wrong))
        except ValueError as error:
            let_out(error)
            tracer.check(tracer.op(relation, sizes), "ValueError", str(error))


def _size_truth(obj: Any) -> Any:
    answer = obj != 0
    return answer.value if type(answer) is SymbolicNumber else answer


def _not_zero(tracer: Tracer, value: Any) -> Any:
    known = tracer.constants.elements(value)
    if known is not None:
        return bool(known)
    if value.dtype == "bool":
        return value
    zero = tracer.constant(np.dtype(value.dtype).type(0))
    return tracer.op("not_equal", [value, zero])


def either_of(tracer: Tracer, conditions: list[Any]) -> Any:
    """Whether one of some conditions holds."""
    unknown = [condition for condition in conditions if not isinstance(condition, bool)]
    if True in [condition for condition in conditions if isinstance(condition, bool)]:
        return True
    if not unknown:
        return False
    answer = unknown[0]
    for condition in unknown[1:]:
        answer = tracer.op("logical_or", [answer, condition])
    return answer


def bool_of(tracer: Tracer, condition: Any) -> Any:
    """A condition as a Python bool: known, or of the program."""
    if isinstance(condition, bool):
        return condition
    return SymbolicNumber(tracer, condition, True, (DATA,), (0, 1))
