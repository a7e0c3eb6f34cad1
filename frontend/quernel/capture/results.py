"""What a function returns, as a tree that the runtime builds the result from."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..expressions import symbols_of
from .array import TracedArray, constant
from .numbers import isinstance_symbolic
from .tracer import Tracer

_CONSTANTS = (type(None), bool, int, float, str)


class ResultTree:
    """Collects the outputs while the tree is made.

    Attributes
    ----------
    values : list
        The graph values that the program computes as its outputs.
    aliases : set of int
        Inputs that the result shares memory with.
    """

    def __init__(self, tracer: Tracer) -> None:
        self.tracer = tracer
        self.values: list[Any] = []
        self.aliases: set[int] = set()
        self._arrays: list[TracedArray] = []

    def of(self, obj: Any) -> list:
        """The tree of a returned object."""
        if type(obj) is TracedArray:
            return self._array(obj)
        if isinstance_symbolic(obj):
            obj.known()
        if type(obj) is np.ndarray:
            return self._array(constant(self.tracer, obj))
        if type(obj) in (tuple, list):
            return [type(obj).__name__, [self.of(item) for item in obj]]
        if type(obj) is dict:
            if not all(type(key) in (str, int) for key in obj):
                self.tracer.fail("returning a dict with keys that aren't strings or integers")
            return ["dict", list(obj), [self.of(item) for item in obj.values()]]
        if type(obj) in _CONSTANTS:
            return ["const", obj]
        if isinstance(obj, np.generic):
            storage = constant(self.tracer, np.array(obj)).storage
            return self._array(TracedArray(self.tracer, storage, is_scalar=True))
        self.tracer.fail(
            f"returning an object of type {type(obj).__name__}",
            "return arrays, numbers, and tuples, lists or dicts of them",
        )

    def _array(self, array: TracedArray) -> list:
        leaf = array.storage.leaf
        if leaf is not None and not array.is_scalar:
            index = next(k for k, other in enumerate(self.tracer.inputs) if other is leaf)
            self.aliases.add(index)
            if not array.views:
                return ["input", index]
            return ["view", index, [view.form() for view in array.views], _axes(array)]
        index = next((k for k, other in enumerate(self._arrays) if other is array), None)
        if index is None:
            index = len(self.values)
            self._arrays.append(array)
            self.values.append(array.value)
        return ["scalar" if array.is_scalar else "output", index]


def _axes(array: TracedArray) -> dict[str, int]:
    """Which axis of the argument gives each symbol of a view's sizes."""
    sizes = array.tracer.shape(array.storage.value)
    axes = {str(s.dim): k for k, s in enumerate(sizes) if isinstance_symbolic(s)}
    for view in array.views:
        for size in (*view.shape(), *getattr(view, "offsets", ())):
            if isinstance_symbolic(size) and not axes.keys() >= set(symbols_of(str(size.dim))):
                size.known()
    return axes
