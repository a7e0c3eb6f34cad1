"""Python numbers that stay symbolic: parameters of the call, and sizes of its arrays.

Both behave as Python numbers while they are used in arithmetic. Anything that needs to know the
number (a branch, an index, a hash) restarts the capture with the number as part of the program.
"""

from __future__ import annotations

import operator
from typing import Any, NoReturn

from ..expressions import evaluate, is_plain, symbols_of


class Symbolic:
    """What symbolic numbers and symbolic sizes have in common."""

    __slots__ = ("tracer", "hint")

    def known(self) -> NoReturn:
        """Restart the capture with the number known."""
        raise NotImplementedError

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        from ..numpy.ufuncs import dispatch

        return dispatch(ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Any, types: Any, args: tuple, kwargs: dict) -> Any:
        from ..numpy.registry import call

        return call(function, args, kwargs)


def _needs_value(name: str) -> Any:
    def method(self: Symbolic, *args: Any) -> NoReturn:
        self.known()

    method.__name__ = name
    return method


for _name in (
    "bool int float index complex hash round trunc floor ceil str repr format lt le gt ge eq ne "
    "floordiv rfloordiv mod rmod divmod rdivmod pow rpow and rand or ror xor rxor lshift rlshift "
    "rshift rrshift invert array"
).split():
    setattr(Symbolic, f"__{_name}__", _needs_value(f"__{_name}__"))


class SymbolicNumber(Symbolic):
    """A Python int or float that differs from call to call.

    Parameters
    ----------
    value : graph value
        Zero-dimensional, int64 or float64.
    origins : frozenset of str
        Paths of the parameters it was computed from.
    hint : int or float
        The number in the call that is captured.
    """

    __slots__ = ("value", "origins", "sizes")

    def __init__(
        self, tracer: Any, value: Any, hint: Any, origins: frozenset = frozenset(), sizes: Any = ()
    ) -> None:
        self.tracer = tracer
        self.value = value
        self.hint = hint
        self.origins = origins
        self.sizes = frozenset(sizes)

    @property
    def __class__(self) -> type:
        return type(self.hint)

    def known(self) -> NoReturn:
        """Restart the capture with the parameters known that the number comes from."""
        from .tracer import Restart

        raise Restart(values=self.origins, dims=self.sizes)

    @property
    def real(self) -> SymbolicNumber:
        """The number itself."""
        return self

    def __neg__(self) -> SymbolicNumber:
        if type(self.hint) is int:
            self.known()
        return self._derived("negative", -self.hint, self)

    def __pos__(self) -> SymbolicNumber:
        return self

    def __abs__(self) -> SymbolicNumber:
        if type(self.hint) is int:
            self.known()
        return self._derived("absolute", abs(self.hint), self)

    def __pow__(self, exponent: Any) -> Any:
        if type(exponent) is int and exponent == 2 and type(self.hint) is float:
            return self * self
        self.known()

    def _derived(self, op: str, hint: Any, *operands: Any) -> SymbolicNumber:
        values = [as_float(self.tracer, x) for x in operands]
        origins = frozenset().union(*(getattr(x, "origins", ()) for x in operands))
        sizes = frozenset().union(*(size_origins(x) for x in operands))
        return SymbolicNumber(self.tracer, self.tracer.op(op, values), hint, origins, sizes)


def size_origins(obj: Any) -> frozenset:
    """The argument dimensions that a number was computed from."""
    if type(obj) is SymbolicSize:
        return frozenset(obj.tracer.dims_of(obj.dim))
    return getattr(obj, "sizes", frozenset())


def as_float(tracer: Any, obj: Any) -> Any:
    """The float64 graph value of a Python or symbolic number."""
    import numpy as np

    if type(obj) is SymbolicSize:
        return tracer.cast(tracer.op("dim", [], dim=obj.dim), "float64")
    if type(obj) is SymbolicNumber:
        return tracer.cast(obj.value, "float64")
    return tracer.constant(np.float64(obj))


def _hint(obj: Any) -> Any:
    return obj.hint if type(obj) in (SymbolicNumber, SymbolicSize) else obj


def _arithmetic(op: str, python: Any, reflected: bool) -> Any:
    def method(self: Any, other: Any) -> Any:
        if type(other) not in (int, float, bool, SymbolicNumber, SymbolicSize):
            return NotImplemented
        left, right = (other, self) if reflected else (self, other)
        hints = _hint(left), _hint(right)
        if op == "divide":
            # By zero Python raises; a kernel would give infinity.
            if type(right) is SymbolicNumber or (
                type(right) is SymbolicSize and least_size(right) < 1
            ):
                _known(right, right)
            if hints[1] == 0:
                _known(left, right)
        elif not any(type(hint) is float for hint in hints):
            _known(left, right)  # Python integers don't overflow, ours would
        return _of(left, right)._derived(op, python(*hints), left, right)

    return method


def _of(left: Any, right: Any) -> SymbolicNumber:
    number = left if isinstance_symbolic(left) else right
    if type(number) is SymbolicNumber:
        return number
    return SymbolicNumber(number.tracer, None, number.hint)


def isinstance_symbolic(obj: Any) -> bool:
    """Whether `obj` is symbolic; its ``__class__`` says that it is an int or a float."""
    return type(obj) in (SymbolicNumber, SymbolicSize)


def _known(left: Any, right: Any) -> NoReturn:
    from .tracer import Restart

    origins = [getattr(x, "origins", frozenset()) for x in (left, right)]
    raise Restart(origins[0] | origins[1], size_origins(left) | size_origins(right))


for _name, _op, _python in (
    ("add", "add", operator.add),
    ("sub", "subtract", operator.sub),
    ("mul", "multiply", operator.mul),
    ("truediv", "divide", operator.truediv),
):
    setattr(SymbolicNumber, f"__{_name}__", _arithmetic(_op, _python, False))
    setattr(SymbolicNumber, f"__r{_name}__", _arithmetic(_op, _python, True))


class SymbolicSize(Symbolic):
    """A size that is an expression over the symbols of the program.

    Parameters
    ----------
    dim : graph dimension
    """

    __slots__ = ("dim",)

    def __init__(self, tracer: Any, dim: Any) -> None:
        self.tracer = tracer
        self.dim = dim
        self.hint = dim.hint

    @property
    def __class__(self) -> type:
        return int

    def known(self) -> NoReturn:
        """Restart the capture with the size known."""
        from .tracer import Restart

        raise Restart(dims=self.tracer.dims_of(self.dim))

    def __eq__(self, other: object) -> bool:
        if type(other) is SymbolicSize and str(other.dim) == str(self.dim):
            return True
        if type(other) is int and other < 2 and str(self.dim).isidentifier():
            return False
        if type(other) is SymbolicSize:
            _known(self, other)
        if other is None or isinstance(other, str | tuple):
            return False
        self.known()

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __neg__(self) -> Any:
        return self * -1

    def __pos__(self) -> SymbolicSize:
        return self

    def __floordiv__(self, other: Any) -> Any:
        if type(other) is not int or other <= 0:
            self.known()
        return self.tracer.size(self.dim // other)

    def __mod__(self, other: Any) -> Any:
        return self - self // other * other

    __hash__ = Symbolic.__hash__


def _bound(python: Any) -> Any:
    """A comparison that the least size of a symbol (two) may already decide."""

    def method(self: SymbolicSize, other: Any) -> bool:
        if type(other) is int and str(self.dim).isidentifier():
            extremes = python(2, other), python(2**62, other)
            if extremes[0] == extremes[1]:
                return extremes[0]
        if type(other) is SymbolicSize and str(self.dim) == str(other.dim):
            return python(0, 0)
        if isinstance_symbolic(other):
            _known(self, other)
        self.known()

    return method


for _name in ("lt", "le", "gt", "ge"):
    setattr(SymbolicSize, f"__{_name}__", _bound(getattr(operator, _name)))


def _affine(name: str, python: Any, reflected: bool) -> Any:
    number = _arithmetic(name, python, reflected)

    def method(self: SymbolicSize, other: Any) -> Any:
        if type(other) not in (int, bool, SymbolicSize):
            return number(self, other)
        term = other.dim if type(other) is SymbolicSize else int(other)
        left, right = (term, self.dim) if reflected else (self.dim, term)
        try:
            return self.tracer.size(python(left, right))
        except (TypeError, ValueError):
            _known(self, other)

    return method


for _name, _op, _python in (
    ("add", "add", operator.add),
    ("sub", "subtract", operator.sub),
    ("mul", "multiply", operator.mul),
):
    setattr(SymbolicSize, f"__{_name}__", _affine(_op, _python, False))
    setattr(SymbolicSize, f"__r{_name}__", _affine(_op, _python, True))
for _name in ("truediv", "rtruediv"):
    setattr(SymbolicSize, f"__{_name}__", _arithmetic("divide", operator.truediv, _name[0] == "r"))


def symbol_numbers(dim: Any) -> set[int]:
    """The numbers of the symbols in a graph dimension, whose text has ``s0`` for the first."""
    return {int(name[1:]) for name in symbols_of(str(dim))}


def least_size(size: Any) -> int:
    """The least value that a size takes when every symbol is at least two.

    Restarts the capture with the size known where that can't be said.
    """
    if type(size) is int:
        return size
    text = str(size.dim)
    if not is_plain(text):
        size.known()
    smallest = dict.fromkeys(symbols_of(text), 2)
    least = evaluate(text, smallest)
    if any(evaluate(text, {**smallest, name: 1000}) < least for name in smallest):
        size.known()
    return least


def known_if_maybe_empty(size: Any) -> None:
    """Restart the capture with a size known that is 0 in some later call.

    Reductions of nothing, and pieces of nothing, differ from others by more than their size.
    """
    if type(size) is SymbolicSize and least_size(size) < 1:
        size.known()
