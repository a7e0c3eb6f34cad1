"""Views of an array's bytes as elements of another dtype, of any size.

An element is made of *words*, unsigned integers of one size: those of the base's elements and those
of the view's are the same words, of the smaller of both sizes. So both directions are shifts and
masks of integers, and a view is written through by making whole elements of the base.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..raised import IN_NUMPY
from .turned import sliced
from .views import SliceView, View, graph_dims


def word_size(dtype: np.dtype) -> int:
    """Bytes of the numbers that an element is made of: a complex one has two."""
    return dtype.itemsize // 2 if dtype.kind == "c" else dtype.itemsize


class DtypeView(View):
    """The bytes of the base as elements of another dtype; those of the last axis, in their order.

    Attributes
    ----------
    base : tuple
        The shape of the base; elements of another size need a last axis, whose bytes are those of
        whole elements.
    """

    def __init__(self, old: np.dtype, new: np.dtype, shape: tuple) -> None:
        self.old, self.new = old, new
        self.base = shape
        self._word = min(word_size(old), word_size(new))

    @property
    def resizes(self) -> bool:
        """Whether elements have another size than those of the base."""
        return self.old.itemsize != self.new.itemsize

    @property
    def kind(self) -> str:
        """The kind of the form."""
        return "bytes" if self.resizes else "dtype"

    def shape(self) -> tuple:
        """The shape of the view."""
        if not self.resizes:
            return self.base
        *outer, last = self.base
        if self.old.itemsize > self.new.itemsize:
            return (*outer, last * (self.old.itemsize // self.new.itemsize))
        return (*outer, last // (self.new.itemsize // self.old.itemsize))

    def dtype(self, base: np.dtype) -> np.dtype:
        """The other dtype."""
        return self.new

    def read(self, tracer: Any, base: Any) -> Any:
        """The view's value."""
        return self._made(tracer, base, self.old, self.new, graph_dims(self.shape()))

    def write(self, tracer: Any, base: Any, new: Any) -> Any:
        """The base's value after the view has become `new`."""
        return self._made(tracer, new, self.new, self.old, graph_dims(self.base))

    def _made(self, tracer: Any, value: Any, old: np.dtype, new: np.dtype, shape: list) -> Any:
        """Elements of a dtype, and of a shape, of the bytes of others."""
        if old.itemsize == new.itemsize and not {old.kind, new.kind} & {"b", "c"}:
            return tracer.op("bitcast", [value], dtype=new.name)
        if not shape:
            made = self._made(tracer, tracer.op("reshape", [value], shape=[1]), old, new, [1])
            return tracer.op("reshape", [made], shape=[])
        words = _words(tracer, value, self._word)
        return _elements(tracer, words, new, self._word, shape)

    def before(self, view: View) -> list[View] | None:
        """A slice of a view of bytes as such a view of a slice."""
        return _swapped(self, view) if self.resizes and type(view) is SliceView else None

    def form(self) -> list:
        """The form."""
        if self.resizes:
            return ["bytes", [self.new.num], [self.old.itemsize, self.new.itemsize]]
        return ["dtype", [self.new.num]]


def _bits(tracer: Any, value: Any, dtype: str) -> Any:
    return value if value.dtype == dtype else tracer.op("bitcast", [value], dtype=dtype)


def _words(tracer: Any, value: Any, word: int) -> Any:
    """The words of elements, along the last axis."""
    dtype = np.dtype(value.dtype)
    if dtype.kind == "b":
        return tracer.cast(value, "uint8")
    if dtype.kind == "c":
        parts = [_apart(tracer, tracer.op(kind, [value])) for kind in ("real", "imag")]
        value = _joined(tracer, tracer.op("where", [_is_first(tracer, parts[0]), *parts]))
        dtype = np.dtype(value.dtype)
    size = dtype.itemsize
    value = _bits(tracer, value, f"uint{8 * size}")
    if size == word:
        return value
    shifts = tracer.constant(np.arange(0, 8 * size, 8 * word).astype(value.dtype))
    shifted = tracer.op("right_shift", [_apart(tracer, value), shifts])
    return _joined(tracer, tracer.cast(shifted, f"uint{8 * word}"))


def _elements(tracer: Any, words: Any, dtype: np.dtype, word: int, shape: list) -> Any:
    """The elements that words are the bytes of."""
    if dtype.kind == "b":
        return _truths(tracer, words)
    size = word_size(dtype)
    if size > word:
        count, wide = size // word, f"uint{8 * size}"
        outer, last = shape[:-1], shape[-1] * (2 if dtype.kind == "c" else 1)
        value = None
        for k in range(count):
            part = tracer.cast(_every(tracer, words, k, count, [*outer, last]), wide)
            if k:
                shift = tracer.constant(np.dtype(wide).type(8 * word * k))
                value = tracer.op("bitwise_or", [value, tracer.op("left_shift", [part, shift])])
            else:
                value = part
        words = value
    if dtype.kind != "c":
        return _bits(tracer, words, dtype.name)
    words = _bits(tracer, words, f"float{8 * size}")
    return tracer.op("complex", [_every(tracer, words, k, 2, shape) for k in (0, 1)])


def _truths(tracer: Any, words: Any) -> Any:
    """Bytes as booleans: NumPy computes with others than 0 and 1 what nobody has defined."""
    one = tracer.constant(np.uint8(1))
    plain = tracer.op("less_equal", [words, one])
    if plain.shape:
        plain = tracer.op("reduce", [plain], kind="all", axes=list(range(len(plain.shape))))
    tracer.check(plain, IN_NUMPY, "bytes as booleans that are neither 0 nor 1", undoes=True)
    return tracer.op("not_equal", [words, tracer.constant(np.uint8(0))])


def _apart(tracer: Any, value: Any) -> Any:
    """A value with one more axis, of one element."""
    return tracer.op("reshape", [value], shape=[*value.shape, 1])


def _joined(tracer: Any, value: Any) -> Any:
    """A value with its last two axes as one."""
    *outer, rows, columns = value.shape
    return tracer.op("reshape", [value], shape=[*outer, rows * columns])


def _is_first(tracer: Any, value: Any) -> Any:
    """Which of two parts is the first, for values with such an axis."""
    return tracer.constant(np.array([True, False]).reshape((1,) * (len(value.shape) - 1) + (2,)))


def _every(tracer: Any, value: Any, start: int, step: int, shape: list) -> Any:
    """Elements along the last axis, so many apart."""
    zeros, ones = [0] * (len(shape) - 1), [1] * (len(shape) - 1)
    attributes = {"offsets": [*zeros, start], "sizes": list(shape), "strides": [*ones, step]}
    return sliced(tracer, value, attributes)


def _swapped(view: DtypeView, part: SliceView) -> list[View] | None:
    """A slice of a view of bytes as such a view of a slice, where that is one."""
    (*starts, start), (*sizes, size) = part.offsets, part.sizes
    *steps, step = part.strides
    alone = type(size) is int and size == 1
    if view.old.itemsize < view.new.itemsize:
        ratio = view.new.itemsize // view.old.itemsize
        if not alone and step != 1:
            return None
        below = SliceView([*starts, start * ratio], [*sizes, size * ratio], [*steps, 1])
        return [below, DtypeView(view.old, view.new, below.shape())]
    ratio = view.old.itemsize // view.new.itemsize
    if alone:
        count, inner = 1, SliceView([*[0] * len(starts), start % ratio], [*sizes, 1], _ones(part))
        below = SliceView([*starts, start // ratio], [*sizes, count], [*steps, 1])
    elif type(step) is int and step > 0 and step % ratio == 0:
        strides = [*[1] * len(steps), ratio]
        inner = SliceView([*[0] * len(starts), start % ratio], part.sizes, strides)
        below = SliceView([*starts, start // ratio], part.sizes, [*steps, step // ratio])
    elif step == 1 and _divides(start, ratio) and _divides(size, ratio):
        below = SliceView([*starts, start // ratio], [*sizes, size // ratio], [*steps, 1])
        return [below, DtypeView(view.old, view.new, below.shape())]
    else:
        return None
    return [below, DtypeView(view.old, view.new, below.shape()), inner]


def _ones(part: SliceView) -> list[int]:
    return [1] * len(part.strides)


def _divides(number: Any, ratio: int) -> bool:
    return type(number) is int and number % ratio == 0
