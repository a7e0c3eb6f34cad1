"""Python's own generators of random numbers, objects of `random.Random` and its subclasses.

Their numbers are those of a Mersenne twister, as a RandomState's are. Where it lies in the memory
of such an object no interface says, so each process looks whether it is where CPython has it.
"""

from __future__ import annotations

import ctypes
import functools
import sys
import weakref
from typing import Any

import numpy as np

SIZE = 625  # 32-bit words: how many of the numbers are taken, and the numbers
# By the identity of the object, which its memory keeps.
_MEMORIES: weakref.WeakValueDictionary[int, np.ndarray] = weakref.WeakValueDictionary()


def is_base(kind: type) -> bool:
    """Whether a class is `random.Random`, or the class of C below it."""
    return kind in (_class_of("random"), _class_of("_random"))


def is_random_class(kind: type) -> bool:
    """Whether the objects of a class are generators."""
    base = _class_of("_random")
    return base is not None and issubclass(kind, base)


def is_random(obj: Any) -> bool:
    """Whether an object is a generator."""
    return is_random_class(type(obj))


def _class_of(module: str) -> Any:
    """The class in a module, if somebody has imported that."""
    return getattr(sys.modules.get(module), "Random", None)


def memory_of(obj: Any) -> np.ndarray | None:
    """Where an object has its words, as an array that keeps the object; None if nobody knows."""
    return _memory(obj) if _is_as_known() else None


def _memory(obj: Any) -> np.ndarray:
    known = _MEMORIES.get(id(obj))
    if known is None:
        block = (ctypes.c_uint32 * SIZE).from_address(id(obj) + object.__basicsize__)
        block.owner = obj
        known = _MEMORIES[id(obj)] = np.frombuffer(block, np.uint32)
    return known


@functools.cache
def _is_as_known() -> bool:
    """Whether a generator's memory and its public state say the same, whichever is changed."""
    import random

    enough = object.__basicsize__ + 4 * SIZE <= random.Random.__basicsize__
    if sys.implementation.name != "cpython" or not enough:
        return False
    made = random.Random(7)
    made.random()
    memory = _memory(made)
    if words_of(made).tolist() != memory.tolist():
        return False
    memory[:] = np.arange(3, SIZE + 3)
    return words_of(made).tolist() == memory.tolist()


def words_of(obj: Any) -> np.ndarray:
    """The words of an object, as its memory has them."""
    *numbers, taken = obj.getstate()[1]
    return np.array([taken, *numbers], np.uint32)
