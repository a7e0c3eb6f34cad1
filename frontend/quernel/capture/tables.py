"""Python's sequences of numbers as tables that data look up."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..primitives.gathering import gathered
from ..primitives.operands import lift, python_number
from ..traced.array import TracedArray, constant, fresh
from ..traced.iterables import SHORT, Range
from ..traced.numbers import DATA, SymbolicNumber, as_kind, origins
from ..traced.open_types import open_types_of
from ..traced.scalars import sources_of
from ..traced.tracer import Tracer
from .growing import check, resolved
from .paths import whole_loop
from .settling import is_of_open_type
from .standins import MOST_OBJECTS, chosen

_INT64 = range(-(2**63), 2**63)
_NUMBERS = {float: np.float64, int: np.int64, bool: np.bool_}


def looked_up(tracer: Tracer, sequence: Any, index: Any) -> Any:
    """The item of a list or tuple at an index that only data know.

    None where the items are many, and aren't numbers of one type or tuples of such: which one it is
    then can't be a value of the program.
    """
    if not is_of_data(index) and not _is_of_rolled(tracer, index):
        return None
    if type(sequence) in (range, Range):
        return _of_range(tracer, sequence, index)
    if type(sequence) not in (list, tuple) or not sequence:
        return None
    columns = columns_of(list(sequence))
    if columns is None:
        _settle_types(sequence)
        if len(sequence) > MOST_OBJECTS or not is_of_data(index):
            return None
    place = _checked(tracer, index, len(sequence), f"{type(sequence).__name__} index")
    return _item(tracer, columns, place) if columns is not None else _one_of(sequence, place)


def _one_of(sequence: Any, place: SymbolicNumber) -> Any:
    """One of a few objects, which may be of any kinds."""
    tracer, found = place.tracer, sequence[-1]
    for k in reversed(range(len(sequence) - 1)):
        found = chosen(tracer, (place == k).value, sequence[k], found)
    return found


def _checked(tracer: Tracer, index: Any, count: Any, what: str) -> Any:
    """The place of an index, which the program sees to be inside."""
    place = resolved(index, count)
    for condition in (place >= 0, place < count):
        check(tracer, condition, "IndexError", f"{what} out of range")
    if type(index) is SymbolicNumber:
        place.origins = index.origins
    return place


def _of_range(tracer: Tracer, sequence: Any, index: Any) -> Any:
    if type(sequence) is range:
        sequence = Range(tracer, sequence.start, sequence.stop, sequence.step)
    place = _checked(tracer, index, max(sequence.count, 0), "range object index")
    found = sequence.item(SymbolicNumber(tracer, as_kind(tracer, place, int), 1, origins(place)))
    return SymbolicNumber(tracer, as_kind(tracer, found, int), 1, origins(found))


class Table:
    """The items of a list or tuple of numbers, or of tuples of them, which a loop runs over."""

    has_table, computes = True, False

    def __init__(self, tracer: Tracer, sequence: Any, columns: Any) -> None:
        self._tracer, self._sequence, self._columns = tracer, sequence, columns
        self.count = len(sequence)

    def item(self, k: Any) -> Any:
        """The item at a position that is known to be inside."""
        if type(k) is int:
            return self._sequence[k]
        place = SymbolicNumber(self._tracer, as_kind(self._tracer, k, int), 1, origins(k))
        return _item(self._tracer, self._columns, place)


def table_of(tracer: Tracer, sequence: Any) -> Table | None:
    """A long list or tuple as what a loop of the program can run over; None where it can't."""
    if type(sequence) not in (list, tuple) or len(sequence) <= SHORT:
        return None
    columns = columns_of(list(sequence))
    return None if columns is None else Table(tracer, sequence, columns)


def _settle_types(sequence: Any) -> None:
    """Begin anew where items are numbers of which data decide the type, if that can be done.

    Raises
    ------
    Restart
    """
    for item in sequence:
        if type(item) is tuple:
            _settle_types(item)
        elif is_of_open_type(item):
            item.tracer.decide(item.value)


def _is_of_rolled(tracer: Tracer, index: Any) -> bool:
    """Whether an index is a number that a `while` loop hands on, of which data decide the end.

    Else the loop is unrolled: where it turns out that it can't be, the capture begins anew.
    """
    if type(index) is not SymbolicNumber or index.kind is not int or index.open:
        return False
    loops = {whole_loop(origin[1]) for origin in index.origins if origin[0] == "loop"}
    loops = {key for key in loops if key[-1][0] == "while"}
    tracer.choices.looked_up |= loops
    return not loops.isdisjoint(tracer.choices.rolled)


def is_of_data(index: Any) -> bool:
    """Whether an index is an integer that only data know, of whichever type."""
    kinds = open_types_of(index)
    if kinds:
        return all(kind is int or issubclass(kind, np.integer) for kind in kinds)
    if type(index) is SymbolicNumber:
        return index.kind is int and DATA in index.origins
    is_integer = type(index) is TracedArray and index.is_scalar and index.dtype.kind in "iu"
    return is_integer and index.known() is None


def columns_of(items: list[Any]) -> Any:
    """The table of some items, or a tuple of tables; None where they aren't of one type."""
    kind = _kind(items[0])
    if kind is tuple and all(type(item) is tuple and len(item) == len(items[0]) for item in items):
        columns = tuple(columns_of(list(column)) for column in zip(*items, strict=True))
        return None if not columns or None in columns else columns
    if kind in _NUMBERS and all(_kind(item) is kind for item in items):
        if any(map(is_of_open_type, items)):
            return None
        is_wide = kind is int and any(type(item) is int and item not in _INT64 for item in items)
        return None if is_wide else items
    if issubclass(kind, np.generic) and all(type(item) is kind for item in items):
        return items
    is_traced = kind is TracedArray and all(
        type(item) is TracedArray and item.is_scalar and item.dtype == items[0].dtype
        for item in items
    )
    return items if is_traced and not any(map(is_of_open_type, items)) else None


def _kind(item: Any) -> type:
    return item.kind if type(item) is SymbolicNumber else type(item)


def _item(tracer: Tracer, columns: Any, place: SymbolicNumber) -> Any:
    if type(columns) is tuple:
        return tuple(_item(tracer, column, place) for column in columns)
    kind = _kind(columns[0])
    is_known = not any(type(item) in (TracedArray, SymbolicNumber) for item in columns)
    table = constant(tracer, np.array(columns, _NUMBERS.get(kind))) if is_known else lift(columns)
    found = gathered(table, [fresh(tracer, place.value)], [0])
    if kind not in _NUMBERS:
        return fresh(tracer, found.value, True)
    number = python_number(found, kind)
    number.origins = place.origins.union(*map(sources_of, () if is_known else columns))
    if kind is int and is_known:
        number.bounds = (min(columns), max(columns))
    return number
