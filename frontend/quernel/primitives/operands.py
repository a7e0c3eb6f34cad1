"""What goes into an operation: traced arrays, constants and Python numbers, and their dtypes."""

from __future__ import annotations

import enum
from typing import Any, NoReturn

import numpy as np

from ..dtypes import NAMES, TEXT
from ..traced.array import TracedArray, constant, fresh, is_traced
from ..traced.counted import Sequence
from ..traced.iterables import as_numpys
from ..traced.numbers import DATA, DTYPES, SymbolicNumber, SymbolicSize
from ..traced.open_types import Open
from ..traced.scalars import integer_bounds
from ..traced.tracer import Tracer, current
from .joining import stacked
from .sizes import require

_INHOMOGENEOUS = (
    "setting an array element with a sequence. The requested array has an inhomogeneous shape "
    "after {} dimensions. The detected shape was ({}) + inhomogeneous part."
)


def dtype_of(tracer: Tracer, dtype: Any) -> np.dtype:
    """The NumPy dtype that an argument called ``dtype`` names.

    Raises
    ------
    UnsupportedError
        For dtypes that compiled code doesn't have.
    """
    found = np.dtype(dtype)
    if found.name not in NAMES or not found.isnative or found.fields is not None:
        tracer.fail(f"dtype {found}", f"use {TEXT}")
    return found


def default_float(tracer: Tracer) -> np.dtype:
    """What creation functions give without a dtype."""
    return np.dtype(tracer.options.default_float or "float64")


class Operand:
    """An input of an operation.

    Attributes
    ----------
    type : np.dtype or type
        Its dtype; for a Python number the type, such as ``int``, which is all that counts.
        Of a number whose type data decide it can't be asked.
    kinds : list
        All the types that it may have.
    number : bool, int, float, complex or None
        The Python number, where it is known.
    value : graph value or None
        Where it isn't.
    """

    __slots__ = ("kinds", "number", "value")

    def __init__(self, type_: Any, number: Any, value: Any) -> None:
        self.kinds = type_.kinds if type(type_) is Open else [type_]
        self.number = number
        self.value = value

    @property
    def type(self) -> Any:
        """The one type; refused where data decide it."""
        if len(self.kinds) > 1:
            refuse_open(self.kinds, self.value)
        return self.kinds[0]

    def as_dtype(self, tracer: Tracer, dtype: str) -> Any:
        """The graph value in a dtype."""
        if self.value is None:
            # NumPy's own check: a Python integer that doesn't fit is an OverflowError.
            return tracer.constant(np.dtype(dtype).type(self.number))
        value = self.value
        if self.kinds == [int] and np.dtype(dtype).kind in "fc":
            value = tracer.cast(value, "float64")  # as NumPy reads a Python integer
        return tracer.cast(value, dtype)


def refuse_open(kinds: Any, value: Any) -> NoReturn:
    """Refuse what comes out in another dtype for each of the types that a number may have.

    Where the program's sides can be captured apart, the capture begins anew with that.
    """
    current().decide(value)
    names = " or ".join(kind.__name__ if isinstance(kind, type) else kind.name for kind in kinds)
    current().fail(
        f"a dtype that depends on whether a number is {names}, which data decide",
        "convert the number where it is made, such as np.float64(x)",
    )


def operand(tracer: Tracer, obj: Any) -> Operand:
    """The operand that a Python object is, by NumPy's rules (NEP 50)."""
    kind = type(obj)
    if getattr(obj, "open", None) is not None and kind in (TracedArray, SymbolicNumber):
        return Operand(obj.open, None, obj.value)
    if kind is TracedArray:
        return Operand(obj.dtype, None, obj.value)
    if kind is SymbolicNumber:
        return Operand(type(obj.hint), None, obj.value)
    if kind is SymbolicSize:
        return Operand(int, None, tracer.op("dim", [], dim=obj.dim))
    if kind in (bool, int, float, complex):
        return Operand(kind, obj, None)
    if isinstance(obj, enum.Enum) and isinstance(obj, (int, float, complex)):
        obj = np.asarray(obj)[()]  # the dtype of no Python number gives way
    if isinstance(obj, np.generic | np.ndarray):
        dtype_of(tracer, obj.dtype)
        return Operand(obj.dtype, None, tracer.constant(obj))
    if kind in (list, tuple, range) or issubclass(kind, Sequence):
        return operand(tracer, as_array(tracer, obj))
    tracer.fail(f"an operand of type {kind.__name__}", "use arrays and numbers")


def strong_type(tracer: Tracer, item: Operand) -> np.dtype:
    """The dtype of the array that NumPy makes of an operand."""
    found = [default_float(tracer) if kind is float else np.dtype(kind) for kind in item.kinds]
    if any(dtype != found[0] for dtype in found):
        refuse_open(item.kinds, item.value)
    return found[0]


def array_value(tracer: Tracer, obj: Any, dtype: np.dtype) -> Any:
    """The graph value of any array-like in a dtype, cast as assignment casts."""
    item = operand(tracer, obj)
    if item.value is None and item.kinds == [float] and dtype.kind in "iub":
        return tracer.constant(np.array(item.number).astype(dtype)[()])
    return item.as_dtype(tracer, dtype.name)


def as_array(tracer: Tracer, obj: Any) -> TracedArray:
    """The traced array of any array-like; a traced array itself as it is."""
    if type(obj) is TracedArray:
        if obj.open is not None:
            kind = strong_type(tracer, operand(tracer, obj))
            return fresh(tracer, tracer.narrowed(obj.value, kind.name), obj.is_scalar)
        return obj
    if type(obj) in (list, tuple):
        return _from_sequence(tracer, obj, ())
    if type(obj) is range or issubclass(type(obj), Sequence):
        return as_numpys(obj)
    if isinstance(obj, np.ndarray):
        dtype_of(tracer, obj.dtype)
        return constant(tracer, obj)
    item = operand(tracer, obj)
    return fresh(tracer, item.as_dtype(tracer, strong_type(tracer, item).name))


def _from_sequence(tracer: Tracer, obj: Any, around: tuple) -> TracedArray:
    """The array of a list or tuple; `around` are the lengths of those that it is in."""
    if not is_traced(obj):
        array = np.array(obj)
        dtype = array.dtype
        if dtype.kind == "f":
            dtype = default_float(tracer) if _is_plain(obj) else dtype
        return constant(tracer, array.astype(dtype_of(tracer, dtype)))
    around = (*around, len(obj))
    parts = [
        _from_sequence(tracer, item, around)
        if type(item) in (list, tuple)
        else as_array(tracer, item)
        for item in obj
    ]
    _require_one_shape(tracer, parts, around)
    return stacked(parts)


def _require_one_shape(tracer: Tracer, parts: list[TracedArray], around: tuple) -> None:
    """Check that the parts of an array, of one rank, have one shape.

    Raises
    ------
    ValueError
        With NumPy's text, which tells the axes that fit.
    """
    first = parts[0].shape
    for part in parts[1:]:
        for axis, (size, own) in enumerate(zip(first, part.shape, strict=False)):
            fitting = (*around, *first[:axis])
            shown = ", ".join(f"{{{k}}}" for k in range(len(fitting))) + "," * (len(fitting) == 1)
            error = ValueError(_INHOMOGENEOUS.format(len(fitting), shown))
            require(tracer, own, "equal", size, error, fitting)


def mask_of(where: Any) -> Any:
    """What a ``where=`` argument chooses; what isn't an array is true or false as in Python.

    Raises
    ------
    TypeError
    """
    if type(where) is TracedArray and not where.is_scalar and where.dtype != bool:
        raise TypeError(
            f"Cannot cast array data from {where.dtype!r} to dtype('bool') according to the rule "
            "'safe'"
        )
    return where


def _is_plain(obj: Any) -> bool:
    """Whether a nested sequence holds Python numbers only."""
    if type(obj) in (list, tuple):
        return all(_is_plain(item) for item in obj)
    return type(obj) in (int, float, bool, complex)


def python_number(array: TracedArray, kind: type) -> SymbolicNumber:
    """The Python number that a zero-dimensional array holds."""
    value = array.tracer.cast(array.value, DTYPES[kind])
    bounds = integer_bounds(array.dtype) if kind is int and array.dtype.kind in "biu" else None
    return SymbolicNumber(array.tracer, value, kind(1), frozenset([DATA]), bounds)


def lift(obj: Any) -> TracedArray:
    """`as_array` in the running capture."""
    return as_array(current(), obj)
