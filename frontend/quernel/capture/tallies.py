"""Sets and counters of elements: how many differ, and which one there are most of.

In which order Python would go through such a set, data decide, so nobody may ask for more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from ..primitives.operands import lift, python_number
from ..raised import IN_NUMPY
from ..traced.array import TracedArray
from ..traced.counted import Counted
from ..traced.dispatch import dispatch
from ..traced.tracer import Tracer, current
from .grown import Grown
from .standins import is_of_program
from .tables import columns_of, looked_up


def tallying(tracer: Tracer) -> dict[Any, Callable[..., Any]]:
    """What captured code calls in place of `set` and `Counter`."""

    def make_set(*args: Any) -> Any:
        items = _elements(args)
        is_exact = items is not None and items.dtype.kind in "iub"  # 0.0 and -0.0 are one item
        return Distinct(items) if is_exact else set(*args)

    def make_counter(*args: Any, **kwargs: Any) -> Any:
        items = None if kwargs else _elements(args)
        return Counter(*args, **kwargs) if items is None else Tally(items, args[0])

    make_set.__wrapped__, make_counter.__wrapped__ = set, Counter  # type: ignore[attr-defined]
    return {set: make_set, Counter: make_counter}


def _elements(args: tuple) -> TracedArray | None:
    """The elements of the one argument as an array; None where no data are among them."""
    given = args[0] if len(args) == 1 else None
    if type(given) is Grown:
        given = given.as_array()
    if type(given) in (list, tuple) and any(map(is_of_program, given)):
        columns = columns_of(list(given))
        given = lift(columns) if type(columns) is list else None
    is_plain = type(given) is TracedArray and given.ndim == 1 and given.known() is None
    return given if is_plain and given.dtype.kind in "iubf" else None


class Distinct(Counted):
    """A set of integers that data say."""

    __slots__ = ("_array",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, array: TracedArray) -> None:
        self._array = array

    @property
    def __class__(self) -> type:
        return set

    @property
    def count(self) -> Any:  # type: ignore[override]
        """How many differ."""
        return dispatch.function(np.unique, (self._array,), {}).shape[0]

    def item(self, k: Any) -> NoReturn:
        """Nobody knows the order."""
        self._refuse()

    def as_array(self) -> NoReturn:
        """NumPy sees an object."""
        self._refuse()

    def __getattr__(self, name: str) -> NoReturn:
        self._refuse()

    def _refuse(self, *args: Any) -> NoReturn:
        what = "more of a set, or a Counter, of elements than how many differ, or the most common"
        current().fail(what, "use np.unique")


class Tally(Distinct):
    """A Counter of elements.

    Parameters
    ----------
    given : array or list
        What has the items as Python sees them.
    """

    __slots__ = ("_given",)

    def __init__(self, array: TracedArray, given: Any) -> None:
        super().__init__(array)
        self._given = given
        if array.dtype.kind == "f":
            held = dispatch.function(np.all, (~np.isnan(array),), {})
            array.tracer.check(held.value, IN_NUMPY, "a Counter of NaN", undoes=True)

    @property
    def __class__(self) -> type:
        return Counter

    def most_common(self, n: Any = None) -> list[tuple]:
        """The most common item, the first of those that are, with how often it is there."""
        if type(n) is not int or n != 1:
            self._refuse()
        array = self._array
        tracer, size = array.tracer, array.shape[0]
        held = lift(size) > 0
        tracer.check(held.value, IN_NUMPY, "a Counter of nothing", undoes=True)
        options = {"return_index": True, "return_counts": True}
        _, firsts, counts = dispatch.function(np.unique, (array,), options)
        most = dispatch.function(np.max, (counts,), {})
        places = dispatch.function(np.where, (counts == most, firsts, size), {})
        place = dispatch.function(np.min, (places,), {})
        item = looked_up(tracer, self._given, place)
        return [(self._given[place] if item is None else item, python_number(most, int))]


for _name in (
    "eq ne lt le gt ge bool contains getitem setitem delitem iter add radd sub rsub and or xor "
    "rand ror rxor iadd isub iand ior ixor repr str format copy deepcopy reduce_ex sizeof"
).split():
    setattr(Distinct, f"__{_name}__", Distinct._refuse)
