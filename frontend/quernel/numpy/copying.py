"""`copy.copy` and `copy.deepcopy` of what is captured."""

from __future__ import annotations

import copy
from typing import Any

from .registry import implements


@implements(copy.copy)
def shallow(x: Any) -> Any:
    """`copy.copy`."""
    return copy.copy(x)


@implements(copy.deepcopy)
def deep(x: Any, memo: Any = None) -> Any:
    """`copy.deepcopy`: of NumPy's arrays it makes arrays in C order, of numbers the same ones."""
    return copy.deepcopy(x, memo)
