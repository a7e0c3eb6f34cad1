"""What loops run over: ranges, arrays, and combinations of them, also of symbolic size."""

from __future__ import annotations

import builtins
import itertools
import operator
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from .array import TracedArray
from .counted import Counted
from .iterators import Iterating
from .numbers import (
    DATA,
    SymbolicNumber,
    SymbolicSize,
    as_kind,
    isinstance_symbolic,
    need_parameters,
    origins,
)
from .tracer import Tracer

# What integers of 32 and 64 bits are at most: memory for so many elements is none.
_MOSTS = {int(np.iinfo(dtype).max) for dtype in ("int32", "uint32", "int64")}


def as_size(tracer: Tracer, number: Any, name: str = "n") -> Any:
    """An integer that may stand in shapes, slices and bounds of loops: an int or a size."""
    if type(number) is SymbolicSize:
        return number
    if type(number) is SymbolicNumber and number.kind in (int, bool):
        need_parameters(number)
        value = tracer.cast(number.value, "int64")
        low, high = number.bounds or (None, None)
        high = None if high in _MOSTS else high
        # Not there before the program computes it, though the same in the whole call.
        return tracer.symbol_of(value, low, high, name, number.origins | {DATA})
    if _is_traced_integer(number):
        value = tracer.cast(_fitting(tracer, number.value, name), "int64")
        return tracer.symbol_of(value, None, None, name, frozenset([DATA]))
    return operator.index(1.5 if is_no_integer(number) else number)


def is_no_integer(number: Any) -> bool:
    """Whether a number of the program is a float, or complex."""
    if type(number) is SymbolicNumber:
        return number.kind in (float, complex)
    return type(number) is TracedArray and number.is_scalar and number.dtype.kind in "fc"


_TOO_LARGE = {
    "i": ("OverflowError", "Python int too large to convert to C long"),
    "n": ("ValueError", "Maximum allowed dimension exceeded"),
}


def _fitting(tracer: Tracer, value: Any, name: str) -> Any:
    """An integer that fits into 64 bits with a sign: a slice's bound is cut, all else is an error.

    Raises
    ------
    OverflowError, ValueError
        In the program, as NumPy does for an index, and for a size.
    """
    if value.dtype != "uint64":
        return value
    most = tracer.constant(np.uint64(2**63 - 1))
    if name in _TOO_LARGE:
        tracer.check(tracer.op("less_equal", [value, most]), *_TOO_LARGE[name])
        return value
    return tracer.op("minimum", [value, most])


def _turns_bound(tracer: Tracer, number: Any) -> Any:
    """A bound of a loop: a parameter of the call needn't be part of the program for that."""
    if type(number) is SymbolicNumber and number.kind is int:
        value = tracer.cast(number.value, "int64")
        low, high = number.bounds or (None, None)
        return tracer.symbol_of(value, low, high, "n", number.origins)
    return as_size(tracer, number)


def _is_traced_integer(obj: Any) -> bool:
    if type(obj) is not TracedArray or obj.ndim or obj.dtype.kind not in "iu":
        return False
    return obj.known() is None


class Range:
    """`range` with bounds that may be symbolic."""

    def __init__(self, tracer: Tracer, *bounds: Any) -> None:
        self.tracer = tracer
        sizes = [_turns_bound(tracer, bound) for bound in bounds]
        if len(sizes) == 1:
            sizes = [0, *sizes]
        self.start, self.stop = sizes[:2]
        self.step = operator.index(sizes[2]) if len(sizes) > 2 else 1
        if self.step == 0:
            raise ValueError("range() arg 3 must not be zero")

    @property
    def count(self) -> Any:
        """How many turns there are; less than 0 where there is none."""
        if self.step > 0:
            distance, step = self.stop - self.start, self.step
        else:
            distance, step = self.start - self.stop, -self.step
        return distance if step == 1 else (distance + (step - 1)) // step

    def item(self, k: Any) -> Any:
        """The element at a position."""
        return self.start + k * self.step

    def __len__(self) -> int:
        return len(range(self.start, self.stop, self.step))

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.start, self.stop, self.step))

    def __getitem__(self, key: Any) -> Any:
        return range(self.start, self.stop, self.step)[key]


class Rows:
    """The rows, or elements, of an array."""

    def __init__(self, array: TracedArray) -> None:
        self.array = array
        self.count = array.shape[0]

    def item(self, k: Any) -> Any:
        """The row at a position."""
        return self.array[k]


class Combined(Iterating):
    """An iterator that a loop can run over rolled, as long as nobody has begun to use it.

    Parameters
    ----------
    make : callable
        Makes what gives the items one by one.
    python : type, optional
        What it is in Python.
    """

    def __init__(self, make: Any, held: Any, python: Any = None) -> None:
        super().__init__(None, held)
        self._make, self._python = make, python

    @property
    def __class__(self) -> type:
        return self._python or type(self)

    def _started(self) -> Any:
        if self._native is None:
            self._native = self._make()
        return self._native

    @property
    def is_sized(self) -> bool:
        """Whether its count is that of the items that are left, each read at its own place."""
        parts = [self, *self.inner]
        return not any(part.position for part in parts) and self._is_apart

    @property
    def _is_apart(self) -> bool:
        return len(set(map(id, self.inner))) == len(self.inner)

    def _further(self) -> Iterable[Any]:
        if not self._is_apart or any(part.position != self.position for part in self.inner):
            return super()._further()
        return _Further(self, self.position)


class _Further:
    """The items that are left, each read when it is asked for, as often as a loop is captured."""

    def __init__(self, turns: Combined, first: int) -> None:
        self._turns, self._first = turns, first

    def __iter__(self) -> _Reading:
        return _Reading(self._turns, self._first)


class _Reading:
    def __init__(self, turns: Combined, first: int) -> None:
        self._turns, self._next = turns, first

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        if self._next >= operator.index(self._turns.count):
            raise StopIteration
        self._next += 1
        return self._turns.item(self._next - 1)

    def taken(self) -> _Further:
        """The items that are left."""
        return _Further(self._turns, self._next)


class Each(Combined):
    """The rows, or elements, of an array, one by one."""

    def __init__(self, array: TracedArray) -> None:
        super().__init__(lambda: iter(array), [array])
        self.count, self.item = array.shape[0], array.__getitem__


class Enumerated(Combined):
    """`enumerate`."""

    def __init__(self, tracer: Tracer, inner: Any, start: Any = 0) -> None:
        super().__init__(lambda: builtins.enumerate(inner, start), [inner], builtins.enumerate)
        self.turns, self.start = turns_of(tracer, inner), start
        self.count = self.turns.count

    def item(self, k: Any) -> tuple:
        """Number and element."""
        return self.start + k, self.turns.item(k)


class Zipped(Combined):
    """`zip`."""

    def __init__(self, tracer: Tracer, *inner: Any) -> None:
        super().__init__(lambda: builtins.zip(*inner, strict=False), inner, builtins.zip)
        self.parts = [turns_of(tracer, item) for item in inner]
        self.count = self.parts[0].count
        for part in self.parts[1:]:
            self.count = _least(tracer, self.count, part.count)

    def item(self, k: Any) -> tuple:
        """The elements at a position."""
        return tuple(part.item(k) for part in self.parts)


def _least(tracer: Tracer, first: Any, second: Any) -> Any:
    """The smaller one of two counts, which the program computes where only data know them."""
    if DATA not in origins(first, second):
        return min(first, second)
    values = [as_kind(tracer, count, int) for count in (first, second)]
    least = tracer.op("minimum", values)
    return tracer.symbol_of(least, 0, None, "count", frozenset([DATA]))


class Reversed(Combined):
    """`reversed`."""

    def __init__(self, tracer: Tracer, inner: Any) -> None:
        super().__init__(self._backwards, [inner], builtins.reversed)
        self._inner = inner
        self.turns = turns_of(tracer, inner)
        self.count = self.turns.count

    def _backwards(self) -> Iterator[Any]:
        return (self._inner[k] for k in builtins.reversed(range(len(self._inner))))

    def item(self, k: Any) -> Any:
        """The element at a position from the end."""
        return self.turns.item(self.count - 1 - k)


class Grid(Iterating):
    """`np.ndindex` and `np.ndenumerate`: positions on some axes, the last one fastest."""

    def __init__(self, shape: tuple, array: TracedArray | None = None) -> None:
        super().__init__(None, [array])
        self.shape, self.array = shape, array

    def _started(self) -> Iterator[Any]:
        if self._native is None:
            places = np.ndindex(*(max(operator.index(size), 0) for size in self.shape))
            self._native = (self.item(place) for place in places)
        return self._native

    @property
    def is_begun(self) -> bool:
        """Whether somebody has begun to go through it."""
        return self._native is not None

    def item(self, place: tuple) -> Any:
        """What the loop gets at a position."""
        return place if self.array is None else (place, self.array[place])


class Product(Grid):
    """`itertools.product` of what loops can run over rolled."""

    def __init__(self, parts: list[Any]) -> None:
        super().__init__(tuple(part.count for part in parts))
        self.parts = parts

    def item(self, place: tuple) -> tuple:
        """The elements at a position."""
        return tuple(part.item(k) for part, k in zip(self.parts, place, strict=True))


class NumberedGrid(Grid):
    """`enumerate` of all positions on some axes, which nobody has begun to go through."""

    def __init__(self, grid: Grid, start: Any) -> None:
        super().__init__(grid.shape)
        self.held, self.grid, self.start = [grid], grid, start

    def item(self, place: tuple) -> tuple:
        """Number and element."""
        number = 0
        for k, size in zip(place, self.shape, strict=True):
            number = number * size + k
        return self.start + number, self.grid.item(place)


def turns_of(tracer: Tracer, iterable: Any) -> Any:
    """Something with `count` and `item` for what a loop can run over rolled, or None."""
    if type(iterable) is range:
        return Range(tracer, iterable.start, iterable.stop, iterable.step)
    if type(iterable) is Range or issubclass(type(iterable), Counted):
        return iterable
    if isinstance(iterable, Combined):
        return iterable if iterable.is_sized else None
    if type(iterable) is TracedArray and iterable.ndim:
        return Rows(iterable)
    return None


def looping_functions(tracer: Tracer) -> dict[Any, Any]:
    """What stands in for the functions that make something to loop over."""

    def make_range(*bounds: Any) -> Any:
        if any(isinstance_symbolic(x) or type(x) is TracedArray for x in bounds):
            made = Range(tracer, *bounds)
            if all(type(x) is int for x in (made.start, made.stop)):
                return range(made.start, made.stop, made.step)
            return made
        return range(*bounds)

    def is_sized(*inner: Any) -> bool:
        return bool(inner) and all(turns_of(tracer, item) is not None for item in inner)

    def make_enumerate(iterable: Any, start: Any = 0) -> Any:
        if isinstance(iterable, Grid) and not iterable.is_begun:
            return NumberedGrid(iterable, start)
        if is_sized(iterable):
            return Enumerated(tracer, iterable, start)
        return enumerate(iterable, start)

    def make_zip(*iterables: Any, strict: bool = False) -> Any:
        if is_sized(*iterables) and not strict:
            return Zipped(tracer, *iterables)
        return zip(*iterables, strict=strict)

    def make_reversed(iterable: Any) -> Any:
        is_array = type(iterable) is TracedArray and iterable.ndim > 0
        if is_array or type(iterable) in (range, Range):
            return Reversed(tracer, iterable)
        return reversed(iterable)

    def make_grid(*shape: Any) -> Grid:
        sizes = shape[0] if len(shape) == 1 and type(shape[0]) in (tuple, list) else shape
        return Grid(tuple(as_size(tracer, size) for size in sizes))

    def make_product(*iterables: Any, repeat: int = 1) -> Any:
        is_again = not any(isinstance(item, Iterating) for item in iterables)
        if is_again and is_sized(*iterables) and repeat >= 1:
            return Product([turns_of(tracer, item) for item in iterables] * repeat)
        return itertools.product(*iterables, repeat=repeat)

    def make_ndenumerate(array: Any) -> Any:
        return Grid(array.shape, array) if type(array) is TracedArray else np.ndenumerate(array)

    return {
        range: make_range,
        enumerate: make_enumerate,
        zip: make_zip,
        reversed: make_reversed,
        itertools.product: make_product,
        np.ndindex: make_grid,
        np.ndenumerate: make_ndenumerate,
    }
