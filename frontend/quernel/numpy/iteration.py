"""`np.ndindex` and `np.ndenumerate`: one loop over the places of an array."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..primitives.operands import lift
from ..primitives.shaping import shape_of
from ..traced.iterables import Combined
from .registry import constructs
from .shapes import product


def _places(shape: tuple) -> Iterator[tuple]:
    return itertools.product(*(range(operator.index(size)) for size in shape))


class Places(Combined):
    """`np.ndindex`: the places of an array of a shape in C order."""

    def __init__(self, shape: tuple) -> None:
        super().__init__(lambda: _places(shape), [], np.ndindex)
        self.shape = shape
        self.count = product(shape)

    def item(self, k: Any) -> tuple:
        """The place of an element, by its number."""
        place: list[Any] = []
        for axis, size in reversed(list(enumerate(self.shape))):
            whole = k // size if axis else 0
            place.insert(0, k - whole * size if axis else k)
            k = whole
        return tuple(place)


class Elements(Combined):
    """`np.ndenumerate`: places and elements."""

    def __init__(self, array: Any) -> None:
        super().__init__(
            lambda: ((place, array[place]) for place in _places(array.shape)),
            [array],
            np.ndenumerate,
        )
        self.array, self.places = array, Places(array.shape)
        self.count = self.places.count

    def item(self, k: Any) -> tuple:
        """Place and element, by its number."""
        place = self.places.item(k)
        return place, self.array[place]


@constructs(np.ndindex)
def ndindex(kind: type, *shape: Any) -> Places:
    """`np.ndindex`."""
    whole = len(shape) == 1 and type(shape[0]) is tuple
    return Places(shape_of(shape[0] if whole else shape))


@constructs(np.ndenumerate)
def ndenumerate(kind: type, arr: Any) -> Elements:
    """`np.ndenumerate`."""
    return Elements(lift(arr))
