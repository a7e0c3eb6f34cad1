"""Operators and methods of traced arrays, each by the NumPy function that it stands for."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import indexing
from .array import TracedArray, fresh

_BINARY = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "truediv": np.divide,
    "floordiv": np.floor_divide,
    "mod": np.remainder,
    "matmul": np.matmul,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "lshift": np.left_shift,
    "rshift": np.right_shift,
}
_COMPARISONS = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}
_UNARY = {"neg": np.negative, "pos": np.positive, "abs": np.absolute, "invert": np.invert}
_FUNCTIONS = (
    "sum prod mean var std min max argmin argmax any all clip round ravel transpose swapaxes "
    "squeeze repeat diagonal trace dot cumsum cumprod"
).split()


def _ufunc(ufunc: np.ufunc, *inputs: Any, **kwargs: Any) -> Any:
    from ..numpy.ufuncs import dispatch

    return dispatch(ufunc, "__call__", inputs, kwargs)


def _function(function: Any, *args: Any, **kwargs: Any) -> Any:
    from ..numpy.registry import call

    return call(function, args, kwargs)


def _define_binary(name: str, ufunc: np.ufunc) -> None:
    def forward(self: TracedArray, other: Any) -> Any:
        if other is None or isinstance(other, str | dict):
            return NotImplemented
        return _ufunc(ufunc, self, other)

    def backward(self: TracedArray, other: Any) -> Any:
        return _ufunc(ufunc, other, self)

    def in_place(self: TracedArray, other: Any) -> Any:
        if self.is_scalar:
            return forward(self, other)
        return _ufunc(ufunc, self, other, out=(self,))

    setattr(TracedArray, f"__{name}__", forward)
    setattr(TracedArray, f"__r{name}__", backward)
    setattr(TracedArray, f"__i{name}__", in_place)


for _name, _target in _BINARY.items():
    _define_binary(_name, _target)
for _name, _target in _COMPARISONS.items():
    setattr(TracedArray, f"__{_name}__", lambda self, other, f=_target: _ufunc(f, self, other))
for _name, _target in _UNARY.items():
    setattr(TracedArray, f"__{_name}__", lambda self, f=_target: _ufunc(f, self))


def _power(base: Any, exponent: Any, out: Any = None) -> Any:
    """``base ** exponent`` with the shortcuts that the operator, not the ufunc, takes."""
    from ..numpy.ufuncs import power_shortcut

    shortcut = power_shortcut(base, exponent)
    inputs = (base, exponent) if shortcut is None else (base,)
    return _ufunc(shortcut or np.power, *inputs, **({} if out is None else {"out": (out,)}))


def _in_place_power(self: TracedArray, exponent: Any) -> Any:
    return _power(self, exponent) if self.is_scalar else _power(self, exponent, self)


TracedArray.__pow__ = _power
TracedArray.__rpow__ = lambda self, base: _ufunc(np.power, base, self)
TracedArray.__ipow__ = _in_place_power
TracedArray.__divmod__ = lambda self, other: _ufunc(np.divmod, self, other)
TracedArray.__rdivmod__ = lambda self, other: _ufunc(np.divmod, other, self)
TracedArray.__getitem__ = indexing.get
TracedArray.__setitem__ = indexing.put


def _define_method(name: str) -> None:
    function = getattr(np, name)

    def method(self: TracedArray, *args: Any, **kwargs: Any) -> Any:
        if name == "transpose" and (len(args) > 1 or (args and isinstance(args[0], int))):
            args = (args,)
        return _function(function, self, *args, **kwargs)

    method.__name__ = name
    setattr(TracedArray, name, method)


for _name in _FUNCTIONS:
    _define_method(_name)


def _reshape(self: TracedArray, *shape: Any, order: str = "C", copy: Any = None) -> Any:
    shape = shape[0] if len(shape) == 1 else shape
    return _function(np.reshape, self, shape, order=order, copy=copy)


def _astype(
    self: TracedArray,
    dtype: Any,
    order: str = "K",
    casting: str = "unsafe",
    subok: bool = True,
    copy: bool = True,
) -> TracedArray:
    from ..numpy.operands import dtype_of

    new = dtype_of(self.tracer, dtype)
    if not np.can_cast(self.dtype, new, casting):
        raise TypeError(f"Cannot cast array data from {self.dtype!r} to {new!r}")
    if not copy and new == self.dtype:
        return self
    value = self.tracer.cast(self.value, new.name)
    return fresh(self.tracer, value, self.is_scalar)


def _copy(self: TracedArray, order: str = "C") -> TracedArray:
    return fresh(self.tracer, self.value, self.is_scalar)


def _flatten(self: TracedArray, order: str = "C") -> TracedArray:
    return _copy(_function(np.ravel, self, order=order))


def _fill(self: TracedArray, value: Any) -> None:
    self[...] = value


def _item(self: TracedArray, *args: Any) -> Any:
    known = self.known()
    if known is None:
        self.tracer.fail(
            "`.item()` of an element that is only known when the function runs",
            "leave it an array element: x[i]",
        )
    return known.item(*args)


def _tolist(self: TracedArray) -> Any:
    known = self.known()
    if known is None:
        self.tracer.fail("`.tolist()` of an array", "return the array itself")
    return known.tolist()


TracedArray.reshape = _reshape
TracedArray.astype = _astype
TracedArray.copy = _copy
TracedArray.__copy__ = _copy
TracedArray.__deepcopy__ = lambda self, memo: _copy(self)
TracedArray.flatten = _flatten
TracedArray.fill = _fill
TracedArray.item = _item
TracedArray.tolist = _tolist
TracedArray.conj = TracedArray.conjugate = lambda self: _ufunc(np.conjugate, self)
TracedArray.T = property(lambda self: _function(np.transpose, self))
TracedArray.mT = property(lambda self: _function(np.swapaxes, self, -1, -2))
TracedArray.real = property(lambda self: self)
