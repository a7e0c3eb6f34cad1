"""What loops run over: ranges, arrays, and combinations of them, also of symbolic size."""

from __future__ import annotations

import builtins
import functools
import itertools
import math
import operator
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from .array import TracedArray
from .counted import Counted, Sequence
from .dispatch import dispatch
from .iterators import NOTHING, Iterating
from .numbers import (
    DATA,
    INT64,
    SymbolicNumber,
    SymbolicSize,
    as_kind,
    isinstance_symbolic,
    origins,
    parameters_known,
    plain_parameter,
    unless_too_wide,
)
from .tracer import Tracer, current

# What an integer of 32 bits is at most: a bound from there on says nothing of memory.
_MOST = int(np.iinfo(np.int32).max)


def as_size(tracer: Tracer, number: Any, name: str = "n") -> Any:
    """An integer that may stand in shapes, slices and bounds of loops: an int or a size."""
    if type(number) is SymbolicSize:
        return number
    if type(number) is SymbolicNumber and number.kind in (int, bool):
        (known,) = parameters_known(number)
        if known is not number:
            return operator.index(known)
        value = tracer.cast(number.value, "int64")
        low, high = number.bounds or (None, None)
        high = None if high is not None and high >= _MOST else high
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
    """A bound of a loop: a parameter of the call needn't be part of the program for that.

    One that is the size of an argument's axis becomes a part: the loop goes along that axis.
    """
    number = plain_parameter(number)
    if type(number) is SymbolicNumber and tracer.is_size(number.hint):
        number = tracer.parameter(number)
    if type(number) is SymbolicNumber and number.kind is int:
        value = tracer.cast(number.value, "int64")
        low, high = number.bounds or (None, None)
        return tracer.symbol_of(value, low, high, "n", number.origins)
    if _is_traced_integer(number) and number.dtype == np.uint64:
        # Python counts on beyond what our counters hold.
        most = tracer.constant(np.uint64(INT64.stop - 1))
        unless_too_wide(tracer, tracer.op("less_equal", [number.value, most]))
    return as_size(tracer, number)


def _is_traced_integer(obj: Any) -> bool:
    if type(obj) is not TracedArray or obj.ndim or obj.dtype.kind not in "iu":
        return False
    return obj.known() is None


SHORT = 16  # items that are taken one by one where a loop of the program would do, too


class Range(Sequence):
    """`range` with bounds that may be symbolic."""

    has_table = computes = False

    @property
    def __class__(self) -> type:
        return range

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

    def as_array(self) -> TracedArray:
        """What NumPy's functions see of it."""
        return dispatch.function(np.arange, (self.start, self.stop, self.step), {})

    def __len__(self) -> int:
        return len(range(self.start, self.stop, self.step))

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.start, self.stop, self.step))

    def __getitem__(self, key: Any) -> Any:
        return range(self.start, self.stop, self.step)[key]


class Rest:
    """The items of something that a loop can run over, but for the first ones."""

    def __init__(self, turns: Any, first: int) -> None:
        self._turns, self._first = turns, first
        self.count, self.has_table = turns.count - first, turns.has_table
        self.computes = turns.computes

    def item(self, k: Any) -> Any:
        """The item at a position."""
        return self._turns.item(k + self._first)

    def __iter__(self) -> Iterator[Any]:
        return (self.item(k) for k in range(self.count))


def as_numpys(obj: Any) -> Any:
    """A sequence that isn't a list or tuple as the array that NumPy sees; other objects as is."""
    if type(obj) is range:
        obj = Range(current(), obj.start, obj.stop, obj.step)
    return obj.as_array() if issubclass(type(obj), Sequence) else obj


class Rows:
    """The rows, or elements, of an array."""

    has_table = computes = False

    def __init__(self, array: TracedArray) -> None:
        self.array = array
        self.count = array.shape[0]

    def item(self, k: Any) -> Any:
        """The row at a position."""
        return self.array[k]


class Combined(Iterating):
    """An iterator that a loop can run over rolled, where it is known how far it has been used.

    Parameters
    ----------
    make : callable
        Makes what gives the items one by one.
    python : type, optional
        What it is in Python.

    Attributes
    ----------
    has_table : bool
        Whether Python's own sequences are among what it runs over.
    """

    has_table = False

    @property
    def computes(self) -> bool:
        """Whether to read an item may call functions of the user's."""
        return any(part.lazy for part in (self, *self.inner))

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
    def left(self) -> Any:
        """The items that are left, as what a loop can run over; None where they can't be."""
        if self.count is None or self._native is NOTHING or not self._is_in_step:
            return None
        return Rest(self, self.position) if self.position else self

    @property
    def _is_in_step(self) -> bool:
        """Whether all that it goes on with has given as many items, each read at its own place."""
        inner = self.inner
        is_apart = len(set(map(id, inner))) == len(inner)
        return is_apart and all(part.position == self.position for part in inner)

    def _further(self) -> Iterable[Any]:
        return _Further(self, self.position) if self._is_in_step else super()._further()


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
    """The rows, or elements, of an array, or the items of a list of the program, one by one."""

    def __init__(self, array: Any, python: Any = None) -> None:
        super().__init__(self._one_by_one, [array], python)
        turns = Rows(array) if type(array) is TracedArray else array
        self.array, self.count, self.item = array, turns.count, turns.item

    def _one_by_one(self) -> Iterator[Any]:
        for k in range(operator.index(self.count)):
            if k == SHORT:
                iter(self.array)  # refuses too many
            yield self.item(k)


class Enumerated(Combined):
    """`enumerate`."""

    def __init__(self, tracer: Tracer, inner: Any, start: Any = 0) -> None:
        super().__init__(lambda: builtins.enumerate(inner, start), [inner], builtins.enumerate)
        self.turns, self.start = turns_of(tracer, inner), start
        self.count, self.has_table = self.turns.count, self.turns.has_table

    def item(self, k: Any) -> tuple:
        """Number and element."""
        return self.start + k, self.turns.item(k)


class Zipped(Combined):
    """`zip`."""

    def __init__(self, tracer: Tracer, *inner: Any) -> None:
        super().__init__(lambda: builtins.zip(*inner, strict=False), inner, builtins.zip)
        self.parts = [turns_of(tracer, item) for item in inner]
        self.has_table = any(part.has_table for part in self.parts)
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


class Computed(Combined):
    """What is computed of each item of something: a generator expression, `map`.

    Parameters
    ----------
    turns : object
        What has the items, as `turns_of` gives it.
    value : callable
        Computes what a loop gets, of an item.
    """

    def __init__(self, make: Any, held: Any, turns: Any, value: Any, python: type) -> None:
        super().__init__(make, held, python)
        self.lazy = True
        self.count, self.has_table = turns.count, turns.has_table
        self._turns, self._value = turns, value

    def item(self, k: Any) -> Any:
        """What is computed of the item at a position."""
        return self._value(self._turns.item(k))


class Reversed(Combined):
    """`reversed`."""

    def __init__(self, tracer: Tracer, inner: Any) -> None:
        super().__init__(self._backwards, [inner], builtins.reversed)
        self._inner = inner
        self.turns = turns_of(tracer, inner)
        self.count, self.has_table = self.turns.count, self.turns.has_table

    def _backwards(self) -> Iterator[Any]:
        return (self._inner[k] for k in builtins.reversed(range(len(self._inner))))

    def item(self, k: Any) -> Any:
        """The element at a position from the end."""
        return self.turns.item(self.count - 1 - k)


class Grid(Combined):
    """`np.ndindex` and `np.ndenumerate`: positions on some axes, the last one fastest.

    Attributes
    ----------
    count : int, number of the program, or None
        None where it isn't known that no size is less than 0.
    """

    def __init__(self, shape: tuple, array: TracedArray | None = None) -> None:
        python = np.ndindex if array is None else np.ndenumerate
        super().__init__(self._places, [array], python)
        self.shape, self.array = shape, array
        self.count: Any = functools.reduce(operator.mul, shape, 1)

    def _places(self) -> Iterator[Any]:
        ranges = (range(operator.index(size)) for size in self.shape)
        return map(self.at, itertools.product(*ranges))

    def at(self, place: tuple) -> Any:
        """What a loop gets at a place."""
        return place if self.array is None else (place, self.array[place])

    def item(self, k: Any) -> Any:
        """What a loop gets in its iteration of that number."""
        place: list[Any] = []
        for axis, size in reversed(list(enumerate(self.shape))):
            whole = k // size if axis else 0
            place.insert(0, k - whole * size if axis else k)
            k = whole
        return self.at(tuple(place))


class Product(Grid):
    """`itertools.product` of what loops can run over rolled."""

    def __init__(self, parts: list[Any]) -> None:
        super().__init__(tuple(part.count for part in parts))
        self._python: Any = itertools.product
        self.parts = parts
        self.has_table = any(part.has_table for part in parts)
        is_known = all(type(size) is int for size in self.shape)
        self.count = math.prod(max(size, 0) for size in self.shape) if is_known else None

    def at(self, place: tuple) -> tuple:
        """The elements at a place."""
        return tuple(part.item(k) for part, k in zip(self.parts, place, strict=True))


class NumberedGrid(Grid):
    """`enumerate` of all positions on some axes, which nobody has begun to go through."""

    def __init__(self, grid: Grid, start: Any) -> None:
        super().__init__(grid.shape)
        self._python: Any = builtins.enumerate
        self.held, self.grid, self.start = [grid], grid, start
        self.count, self.has_table = grid.count, grid.has_table

    def at(self, place: tuple) -> tuple:
        """Number and element."""
        number = 0
        for k, size in zip(place, self.shape, strict=True):
            number = number * size + k
        return self.start + number, self.grid.at(place)


def turns_of(tracer: Tracer, iterable: Any) -> Any:
    """Something with `count` and `item` for what a loop can run over rolled, or None."""
    if type(iterable) is range:
        return Range(tracer, iterable.start, iterable.stop, iterable.step)
    if type(iterable) in (Range, Rest) or issubclass(type(iterable), Counted):
        return iterable
    if isinstance(iterable, Combined):
        return iterable.left
    if type(iterable) is TracedArray and iterable.ndim:
        return Rows(iterable)
    return tracer.interpreter.table(iterable)


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
        if isinstance(iterable, Grid) and not iterable.position:
            return NumberedGrid(iterable, start)
        if is_sized(iterable):
            return Enumerated(tracer, iterable, start)
        return enumerate(iterable, start)

    def make_map(function: Any, *iterables: Any) -> Any:
        function = tracer.interpreter.stand_in(function)
        if not is_sized(*iterables):
            return map(function, *iterables)
        turns = Zipped(tracer, *iterables)
        native = functools.partial(map, function, *iterables)
        return Computed(native, [function, *iterables], turns, lambda items: function(*items), map)

    def make_zip(*iterables: Any, strict: bool = False) -> Any:
        if is_sized(*iterables) and not strict:
            return Zipped(tracer, *iterables)
        return zip(*iterables, strict=strict)

    def make_iter(obj: Any, *sentinel: Any) -> Any:
        is_array = type(obj) is TracedArray and obj.ndim > 0
        is_ours = is_array or issubclass(type(obj), Counted)
        return Each(obj) if is_ours and not sentinel else iter(obj, *sentinel)

    def make_reversed(iterable: Any) -> Any:
        is_array = type(iterable) is TracedArray and iterable.ndim > 0
        if is_array or type(iterable) in (range, Range) or tracer.interpreter.table(iterable):
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
        iter: make_iter,
        range: make_range,
        enumerate: make_enumerate,
        zip: make_zip,
        map: make_map,
        reversed: make_reversed,
        itertools.product: make_product,
        np.ndindex: make_grid,
        np.ndenumerate: make_ndenumerate,
    }
