"""Operators and methods of traced arrays, each by the NumPy function that it stands for."""

from __future__ import annotations

import operator
from collections import deque
from typing import Any

import numpy as np

from ..primitives.layouts import laid_as
from ..primitives.operands import dtype_of, lift, python_number, refuse_open
from ..primitives.sizes import require
from ..traced.array import TracedArray, fresh
from ..traced.bounds import is_scalar_index, position
from ..traced.dispatch import OPERATOR, dispatch
from ..traced.iterables import Each
from ..traced.numbers import SymbolicNumber
from ..traced.views import same_dims
from . import indexing
from .method_forms import NAMES, function_arguments

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


_LIST_LIMIT = 256
_REPEATED = (list, tuple, str, bytes, bytearray, deque)  # what numbers repeat, not multiply


def _ufunc(ufunc: np.ufunc, *inputs: Any, **kwargs: Any) -> Any:
    return dispatch.ufunc(ufunc, OPERATOR, inputs, kwargs)


def _function(function: Any, *args: Any, **kwargs: Any) -> Any:
    return dispatch.function(function, args, kwargs)


def _is_complex(obj: Any) -> bool:
    """Whether an object is a Python complex number."""
    return type(obj) is complex or (type(obj) is SymbolicNumber and obj.kind is complex)


def _repeated(number: TracedArray, sequence: Any) -> Any:
    """A NumPy number times one of Python's sequences: an integer repeats it, others raise."""
    known = number.known()
    if known is None and number.dtype.kind in "iu":
        number.tracer.fail(
            f"a {type(sequence).__name__} repeated as often as an element says",
            "use np.array(...) for a product with each item",
        )
    return (number.dtype.type(1) if known is None else known) * sequence


def _define_binary(name: str, ufunc: np.ufunc) -> None:
    python = getattr(operator, f"__{name}__")

    def forward(self: TracedArray, other: Any) -> Any:
        if self.is_scalar and name == "mul" and isinstance(other, _REPEATED):
            return _repeated(self, other)
        if other is None or isinstance(other, str | dict):
            return NotImplemented
        return _ufunc(ufunc, self, other)

    def backward(self: TracedArray, other: Any) -> Any:
        if self.is_scalar and name == "mul" and isinstance(other, _REPEATED):
            return _repeated(self, other)
        if self.is_scalar and self.dtype == np.float64 and _is_complex(other):
            return python(other, _number(self))  # to Python's complex it is a float
        return _ufunc(ufunc, other, self)

    def in_place(self: TracedArray, other: Any) -> Any:
        if self.is_scalar:
            return forward(self, other)
        return _ufunc(ufunc, self, other, out=(self,))

    setattr(TracedArray, f"__{name}__", forward)
    setattr(TracedArray, f"__r{name}__", backward)
    setattr(TracedArray, f"__i{name}__", in_place)


def _define_comparison(name: str, ufunc: np.ufunc) -> None:
    def compare(self: TracedArray, other: Any) -> Any:
        if name in ("eq", "ne") and (other is None or isinstance(other, str | bytes)):
            return _unlike(self, other, name == "ne")
        return _ufunc(ufunc, self, other)

    setattr(TracedArray, f"__{name}__", compare)


def _unlike(numbers: TracedArray, other: Any, answer: bool) -> Any:
    """A comparison with what no number is equal to."""
    if numbers.ndim == 0:
        return answer if other is None and numbers.is_scalar else np.bool_(answer)
    return _function(np.full_like, numbers, answer, dtype=bool)


for _name, _target in _BINARY.items():
    _define_binary(_name, _target)
for _name, _target in _COMPARISONS.items():
    _define_comparison(_name, _target)
for _name, _target in _UNARY.items():
    setattr(TracedArray, f"__{_name}__", lambda self, f=_target: _ufunc(f, self))


def _power_shortcut(base: Any, exponent: Any) -> np.ufunc | None:
    """The ufunc that NumPy's ``**`` takes instead of `np.power` for some plain exponents."""
    if type(base) is not TracedArray or base.is_scalar:
        return None
    if type(exponent) is SymbolicNumber:
        exponent = exponent.known()
    if type(exponent) not in (int, float):
        return None
    if exponent == 2 and (base.dtype.kind in "fc" or type(exponent) is int):
        return np.square
    if base.dtype.kind in "fc":
        return {1.0: np.positive, -1.0: np.reciprocal, 0.5: np.sqrt}.get(float(exponent))
    return None


def _power(base: Any, exponent: Any, out: Any = None) -> Any:
    """``base ** exponent`` with the shortcuts that the operator, not the ufunc, takes."""
    shortcut = _power_shortcut(base, exponent)
    inputs = (base, exponent) if shortcut is None else (base,)
    return _ufunc(shortcut or np.power, *inputs, **({} if out is None else {"out": (out,)}))


def _in_place_power(self: TracedArray, exponent: Any) -> Any:
    return _power(self, exponent) if self.is_scalar else _power(self, exponent, self)


def _divmod(left: Any, right: Any) -> Any:
    for number in (left, right):
        if getattr(number, "open", None) is not None:  # Python has errors of its own
            refuse_open(number.open.kinds, number.value)
    return _ufunc(np.divmod, left, right)


TracedArray.__pow__ = _power
TracedArray.__rpow__ = lambda self, base: _ufunc(np.power, base, self)
TracedArray.__ipow__ = _in_place_power
TracedArray.__divmod__ = _divmod
TracedArray.__rdivmod__ = lambda self, other: _divmod(other, self)
TracedArray.__getitem__ = indexing.get
TracedArray.__setitem__ = indexing.put


def _define_method(name: str) -> None:
    function = getattr(np, name)

    def method(self: TracedArray, *args: Any, **kwargs: Any) -> Any:
        args, kwargs = function_arguments(name, args, kwargs)
        return _function(function, self, *args, **kwargs)

    method.__name__ = name
    setattr(TracedArray, name, method)


for _name in NAMES:
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
    new = dtype_of(self.tracer, dtype)
    if not np.can_cast(self.dtype, new, casting):
        raise TypeError(
            f"Cannot cast array data from {self.dtype!r} to {new!r} according to the rule "
            f"{casting!r}"
        )
    if not copy and new == self.dtype:
        return self
    value = self.tracer.cast(self.value, new.name)
    return laid_as(fresh(self.tracer, value, self.is_scalar), self, order)


def _copy(self: TracedArray, order: str = "C") -> TracedArray:
    if self.is_scalar:
        return self
    return laid_as(fresh(self.tracer, self.value), self, order)


def _flatten(self: TracedArray, order: str = "C") -> TracedArray:
    return _copy(_function(np.ravel, self, order=order))


def _fill(self: TracedArray, value: Any, /) -> None:
    self[...] = value


def _item(self: TracedArray, *args: Any) -> Any:
    known = self.known()
    if known is not None:
        return known.item(*args)
    if not args:
        error = ValueError("can only convert an array of size 1 to a Python scalar")
        require(self.tracer, self.size, "equal", 1, error)
        return _number(self.reshaped((), certain=True))
    key = args[0] if len(args) == 1 else args
    if len(args) == 1 and type(key) is not tuple:
        return _number(self.reshaped((self.size,), certain=True)[key])
    return _number(self[key])


def _number(element: TracedArray) -> Any:
    if element.dtype == np.uint64:
        element.tracer.fail("`.item()` of a uint64, which may be too large", "use it as it is")
    known = element.tracer.constants.of(element.value)
    if known is not None:
        return known.item()
    kinds = {"b": bool, "i": int, "u": int, "f": float, "c": complex}
    if element.dtype.kind not in kinds:
        element.tracer.fail(f"`.item()` of {element.dtype}", "use float(x)")
    return python_number(element, kinds[element.dtype.kind])


def _tolist(self: TracedArray) -> Any:
    known = self.known()
    if known is not None:
        return known.tolist()
    if not self.shape:
        return _number(self)
    total = self.size
    if type(total) is not int or total > _LIST_LIMIT:
        self.tracer.fail("`.tolist()` of an array of many elements", "return the array itself")
    return [_tolist(self[k]) for k in range(self.shape[0])]


def _compress(self: TracedArray, condition: Any, axis: Any = None, out: Any = None) -> Any:
    return _function(np.compress, condition, self, axis, out)


def _sort(self: TracedArray, axis: Any = -1, kind: Any = None, order: Any = None) -> None:
    made = _function(np.sort, self, axis, kind, order)
    self.require_writeable("sort array is read-only")
    self[...] = made


def _partition(
    self: TracedArray, kth: Any, axis: Any = -1, kind: Any = "introselect", order: Any = None
) -> None:
    self.require_writeable("partition array is read-only")
    self[...] = _function(np.partition, self, kth, axis, kind, order)


def _conjugate(self: TracedArray, out: Any = None) -> TracedArray:
    if self.dtype.kind != "c" and out is None:
        return self  # as NumPy's method does, unlike np.conjugate
    return _ufunc(np.conjugate, self, **({} if out is None else {"out": (out,)}))


def _contains(self: TracedArray, item: Any) -> Any:
    if self.is_scalar:
        raise TypeError(f"argument of type 'numpy.{self.dtype.type.__name__}' is not iterable")
    return _function(np.any, _ufunc(np.equal, self, item))


class Flat(Each):
    """`x.flat`: the elements in C order, which an index has begin anew as an iterator."""

    def __init__(self, array: TracedArray) -> None:
        self.base = array
        self._view = array.reshaped((array.size,), certain=True)
        super().__init__(self._view, np.flatiter)

    def __len__(self) -> int:
        return len(self._view)

    def __getitem__(self, key: Any) -> Any:
        self.begin()
        found = self._view[self._place(key)]
        return found.copy() if isinstance(found, np.ndarray) else found

    def __setitem__(self, key: Any, value: Any) -> None:
        self.base.require_writeable("underlying array is read-only")
        self.begin()
        place = self._place(key)
        value = lift(value)
        if value.ndim:
            value = self._repeated(value, 1 if is_scalar_index(key) else self._view[place].size)
        if value is not None:
            self._view[place] = value

    def _repeated(self, value: TracedArray, count: Any) -> Any:
        """The elements of an array over and over again; None where there are none."""
        if type(count) is int and count == 1 and not same_dims(value.shape, (1,)):
            error = ValueError("Error setting single item of array.")
            require(self.base.tracer, value.size, "equal", 1, error)
        if type(value.size) is int and not value.size:
            return None
        return _function(np.resize, value, count)

    def _place(self, key: Any) -> Any:
        if is_scalar_index(key):
            return position(self.base.tracer, key, self._view.shape[0], None)
        return key

    def copy(self) -> TracedArray:
        """The elements as an array."""
        return self._view.copy()


def _set_flat(self: TracedArray, value: Any) -> None:
    value = lift(value)
    Flat(self)[...] = _function(np.resize, value, self.size) if value.ndim else value


def _to_device(self: TracedArray, device: Any, /, *, stream: Any = None) -> TracedArray:
    if stream is not None:
        raise ValueError("The stream argument in to_device() is not supported")
    if device != "cpu":
        raise ValueError(f"Unsupported device: {device}. Only 'cpu' is allowed.")
    return self


def _part(kind: str) -> property:
    def get(self: TracedArray) -> Any:
        return _function(np.real if kind == "real" else np.imag, self)

    def put(self: TracedArray, value: Any) -> None:
        if self.dtype.kind != "c" and kind == "imag":
            raise TypeError("array does not have imaginary part to set")
        get(self)[...] = value

    return property(get, put)


TracedArray.reshape = _reshape
TracedArray.astype = _astype
TracedArray.copy = _copy
TracedArray.__copy__ = _copy
TracedArray.__deepcopy__ = lambda self, memo: _copy(self)
TracedArray.__contains__ = _contains
TracedArray.flatten = _flatten
TracedArray.device = "cpu"
TracedArray.to_device = _to_device
TracedArray.fill = _fill
TracedArray.item = _item
TracedArray.tolist = _tolist
TracedArray.compress = _compress
TracedArray.sort = _sort
TracedArray.partition = _partition
TracedArray.conj = TracedArray.conjugate = _conjugate
TracedArray.T = property(lambda self: _function(np.transpose, self))
TracedArray.mT = property(lambda self: _function(np.swapaxes, self, -1, -2))
TracedArray.flat = property(Flat, _set_flat)
TracedArray.real = _part("real")
TracedArray.imag = _part("imag")
