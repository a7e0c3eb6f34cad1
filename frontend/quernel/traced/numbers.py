"""Python numbers that stay symbolic: parameters, sizes, loop counters, results of the program.

They behave as Python numbers in arithmetic (`arithmetic.py`) and in comparisons (`comparisons.py`),
which give them their operators. Anything that needs to know the number (a branch, an index, a hash)
asks where it comes from: a parameter's or a size's value becomes part of the program, a loop is
unrolled, and what comes from data is refused.
"""

from __future__ import annotations

import enum
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..raised import IN_NUMPY, TOO_WIDE, WIDE_HINT
from .dispatch import dispatch

DATA = ("data",)
RANK = {bool: 0, int: 1, float: 2, complex: 3}
DTYPES = {bool: "bool", int: "int64", float: "float64", complex: "complex128"}
INT64 = range(-(2**63), 2**63)


NEED = ("this needs", "use it in arithmetic, comparisons, indices and slices only")
# What of a number can't be done without it, by special method; and what to write instead.
_NEEDS = {
    "__hash__": (
        "a key of a dict, or an item of a set, from",
        "use an array that the number is an index into",
    ),
    "__index__": ("an index, an axis or a count from", "pass it as an argument"),
}


class Symbolic:
    """What symbolic numbers and symbolic sizes have in common."""

    __slots__ = ("tracer", "hint", "bounds", "open")

    def known(self, asked_by: str = "") -> Any:
        """The number, which becomes a part of the program.

        Parameters
        ----------
        asked_by : str
            The special method that has to know it.

        Raises
        ------
        Restart
            Where something has been computed from it by now, or it is no parameter.
        """
        number = self.tracer.parameter(self)
        if isinstance_symbolic(number):
            self.tracer.need(origins(self), _values(self), _NEEDS.get(asked_by, NEED))
        return number

    @property
    def dynamic(self) -> bool:
        """Whether the number differs within one call."""
        return any(origin[0] in ("loop", "data") for origin in origins(self))

    @property
    def of_program(self) -> bool:
        """Whether the program computes the number: none of a parameter becomes a part of it."""
        return self.dynamic or all(origin[0] == "dim" for origin in origins(self))

    @property
    def real(self) -> Any:
        """The real part; the number itself where it is real."""
        if self.kind is complex:
            return SymbolicNumber(self.tracer, _part(self, "real"), 1.0, origins(self))
        return self + 0 if self.kind is bool else self

    @property
    def imag(self) -> Any:
        """The imaginary part."""
        if self.kind is complex:
            return SymbolicNumber(self.tracer, _part(self, "imag"), 1.0, origins(self))
        return 0.0 if self.kind is float else 0

    def conjugate(self) -> Any:
        """The number with the opposite imaginary part."""
        return derived("conjugate", complex, self) if self.kind is complex else self.real

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: Any) -> Any:
        return self

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("__") and hasattr(self.kind, name):
            return getattr(self.known(), name)
        text = f"{self.kind.__name__!r} object has no attribute {name!r}"
        raise AttributeError(text, name=name, obj=self)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return dispatch.ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Any, types: Any, args: tuple, kwargs: dict) -> Any:
        return dispatch.function(function, args, kwargs)


def _part(number: Any, name: str) -> Any:
    return number.tracer.op(name, [number.value])


# What of a number needs to know it, by special method.
_ASKING = {
    "bool": bool, "int": int, "float": float, "index": operator.index, "complex": complex,
    "hash": hash, "round": round, "trunc": math.trunc, "floor": math.floor, "ceil": math.ceil,
    "str": str, "repr": repr, "format": format, "array": np.array,
}  # fmt: skip


def _needs_value(name: str, python: Callable[..., Any]) -> Any:
    def method(self: Symbolic, *args: Any, **kwargs: Any) -> Any:
        return python(self.known(name), *args, **kwargs)

    method.__name__ = name
    return method


for _name, _python in _ASKING.items():
    setattr(Symbolic, f"__{_name}__", _needs_value(f"__{_name}__", _python))


class SymbolicNumber(Symbolic):
    """A Python number that differs from call to call, or within one.

    Parameters
    ----------
    value : graph value
        Zero-dimensional: bool, int64, float64 or complex128.
    hint : number
        One of its type; for a parameter the number in the call that is captured.
    origins : frozenset
        What it was computed from: ``("value", path)``, ``("dim", path, axis)``, ``("loop", key)``
        and ``("data",)``.
    bounds : (int, int), optional
        What it lies between.

    Attributes
    ----------
    open : Open or None
        Its types, where data decide which one it has.
    """

    __slots__ = ("value", "origins")

    def __init__(
        self, tracer: Any, value: Any, hint: Any, origins: Any = (), bounds: Any = None
    ) -> None:
        self.tracer = tracer
        self.value = value
        self.hint = hint
        self.origins = frozenset(origins)
        self.bounds = bounds
        self.open = None

    @property
    def kind(self) -> type:
        """The Python type."""
        return type(self.hint)

    @property
    def __class__(self) -> type:
        return type(self.hint)


class SymbolicSize(Symbolic):
    """An integer that is an expression over the symbols of the program.

    Parameters
    ----------
    dim : graph dimension
    """

    __slots__ = ("dim",)

    def __init__(self, tracer: Any, dim: Any) -> None:
        self.tracer = tracer
        self.dim = dim
        self.hint = dim.hint
        self.bounds = None
        self.open = None

    @property
    def kind(self) -> type:
        """The Python type."""
        return int

    @property
    def __class__(self) -> type:
        return int


NUMBERS = (int, float, bool, complex, SymbolicNumber, SymbolicSize)


def plain_number(obj: Any) -> Any:
    """The number that a member of an enumeration of numbers is in arithmetic; else the object."""
    if type(obj) not in NUMBERS and isinstance(obj, enum.Enum):
        for kind in (int, float, complex):
            if isinstance(obj, kind):
                return kind(obj)
    return obj


def isinstance_symbolic(obj: Any) -> bool:
    """Whether `obj` is symbolic; its ``__class__`` says that it is a Python number."""
    return type(obj) in (SymbolicNumber, SymbolicSize)


def origins(*numbers: Any) -> frozenset:
    """What numbers were computed from."""
    found: frozenset = frozenset()
    for number in numbers:
        if type(number) is SymbolicNumber:
            found |= number.origins
        elif type(number) is SymbolicSize:
            found |= number.tracer.origins_of(number.dim)
    return found


def _values(number: Any) -> list[Any]:
    """The graph values that a number of the program is made of."""
    if type(number) is SymbolicNumber:
        return [number.value]
    if type(number) is not SymbolicSize:
        return []
    found = [number.tracer.value_of_symbol(symbol) for symbol in number.dim.symbols]
    return [value for value in found if value is not None]


def kind_of(number: Any) -> type:
    """The Python type of a Python or symbolic number."""
    return number.kind if isinstance_symbolic(number) else type(number)


def as_kind(tracer: Any, number: Any, kind: type) -> Any:
    """The graph value of a Python or symbolic number as the value of another Python type."""
    dtype = DTYPES[kind]
    if type(number) is SymbolicSize:
        return tracer.cast(tracer.op("dim", [], dim=number.dim), dtype)
    if type(number) is SymbolicNumber:
        return tracer.cast(number.value, dtype)
    if dtype == "int64" and type(number) is int and not -(1 << 63) <= number < 1 << 63:
        tracer.fail(TOO_WIDE, WIDE_HINT)
    return tracer.constant(np.dtype(dtype).type(number))


def tracer_of(*numbers: Any) -> Any:
    """The tracer of some numbers, at least one of them symbolic."""
    return next(number.tracer for number in numbers if isinstance_symbolic(number))


def known(*numbers: Any) -> list[Any]:
    """Some numbers, which become a part of the program.

    Raises
    ------
    Restart
        Where something has been computed from one of them by now, or one isn't a parameter.
    """
    return [number.known() if isinstance_symbolic(number) else number for number in numbers]


def parameters_known(*numbers: Any) -> list[Any]:
    """Some numbers; parameters among them become a part of the program.

    What differs within a call the program computes, and likewise what comes from the sizes of
    arguments alone, which are symbols where they have differed between calls.

    Raises
    ------
    Restart
        Where something has been computed from one of the parameters by now.
    """
    if is_dynamic(*numbers):
        return list(numbers)
    found = [x.tracer.parameter(x) if type(x) is SymbolicNumber else x for x in numbers]
    values = frozenset(origin for origin in origins(*found) if origin[0] != "dim")
    if values:
        tracer_of(*found).need(values)
    return found


def plain_parameter(number: Any) -> Any:
    """A number, or what it is where it is a parameter that has become a part of the program."""
    if type(number) is not SymbolicNumber:
        return number
    return number.tracer.decided.get(id(number.value), number)


def is_dynamic(*numbers: Any) -> bool:
    """Whether one of some numbers differs within a call."""
    return any(isinstance_symbolic(number) and number.dynamic for number in numbers)


def derived(op: str, kind: type, *operands: Any, result: type | None = None) -> SymbolicNumber:
    """The number that a graph operation on numbers of one kind gives."""
    tracer = tracer_of(*operands)
    values = [as_kind(tracer, operand, kind) for operand in operands]
    result = result or kind
    return SymbolicNumber(tracer, tracer.op(op, values), result(1), origins(*operands))


def graph_dim(size: Any) -> Any:
    """The graph's form of a size: an int, or the dimension of a symbolic size."""
    return size.dim if type(size) is SymbolicSize else size


def unless_too_wide(tracer: Any, fits: Any) -> None:
    """Leave the call to NumPy, as if nothing had happened, where an integer doesn't fit."""
    tracer.check(fits, IN_NUMPY, TOO_WIDE, undoes=True)
