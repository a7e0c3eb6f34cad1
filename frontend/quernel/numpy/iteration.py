"""`np.ndindex` and `np.ndenumerate`: one loop over the places of an array."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..primitives.operands import lift
from ..primitives.shaping import shape_of
from ..traced.iterables import Grid
from .registry import constructs


@constructs(np.ndindex)
def ndindex(kind: type, *shape: Any) -> Grid:
    """`np.ndindex`."""
    whole = len(shape) == 1 and type(shape[0]) is tuple
    return Grid(shape_of(shape[0] if whole else shape))


@constructs(np.ndenumerate)
def ndenumerate(kind: type, arr: Any) -> Grid:
    """`np.ndenumerate`."""
    array = lift(arr)
    return Grid(array.shape, array)
