"""What a function returns, as a tree that the runtime builds the result from."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..expressions import symbols_of
from .array import TracedArray, constant
from .numbers import as_kind, is_dynamic, isinstance_symbolic
from .open_types import refuse_open_result
from .tracer import Tracer
from .views import SliceView, graph_dims

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

    def __init__(self, tracer: Tracer, exact: bool = False) -> None:
        self.tracer = tracer
        self.values: list[Any] = []
        self.aliases: set[int] = set()
        self.exact = exact
        self._arrays: dict[int, TracedArray] = {}
        self._counts: dict[int, int] = {}

    def of(self, obj: Any) -> list:
        """The tree of a returned object."""
        refuse_open_result(self.tracer, obj)
        if type(obj) is TracedArray:
            return self._array(obj)
        if isinstance_symbolic(obj):
            return self._number(obj)
        if self.exact and type(obj) in (np.ndarray, list, dict):
            self.tracer.fail(f"going on in Python with a {type(obj).__name__} from outside")
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
        if type(obj) is complex:  # JSON has none
            self.values.append(self.tracer.constant(np.complex128(obj)))
            return ["number", len(self.values) - 1]
        if isinstance(obj, np.generic):
            storage = constant(self.tracer, np.array(obj)).storage
            return self._array(TracedArray(self.tracer, storage, is_scalar=True))
        self.tracer.fail(
            f"returning an object of type {type(obj).__name__}",
            "return arrays, numbers, and tuples, lists or dicts of them",
        )

    def _number(self, number: Any) -> list:
        """A Python number; one that differs from call to call only becomes part of the program."""
        if not number.dynamic:
            number.known()
        self.values.append(as_kind(self.tracer, number, number.kind))
        return ["number", len(self.values) - 1]

    def _array(self, array: TracedArray) -> list:
        leaf = array.storage.leaf
        sizes = [
            part for view in array.views for part in (*view.shape(), *getattr(view, "offsets", ()))
        ]
        if leaf is not None and not array.is_scalar and not is_dynamic(*sizes):
            index = next(k for k, other in enumerate(self.tracer.inputs) if other is leaf)
            self.aliases.add(index)
            if not array.views:
                return ["input", index]
            return ["view", index, [view.form() for view in array.views], _axes(array)]
        if self.exact and not array.is_scalar:
            self._check_alone(array)
        index = next((k for k, other in self._arrays.items() if other is array), None)
        if index is None:
            index = self._store(array)
        if index in self._counts:
            return ["prefix", index, self._counts[index]]
        return ["scalar" if array.is_scalar else "output", index]

    def _check_alone(self, array: TracedArray) -> None:
        """Refuse an array that shares memory with another object that Python sees."""
        others = [other for other in self._arrays.values() if other is not array]
        shared = any(other.storage is array.storage for other in others)
        either = array.storage.frozen[0] or array.storage.is_argument
        if shared or either or array.storage.leaf is not None:
            self.tracer.fail("going on in Python with arrays that share memory")

    def _store(self, array: TracedArray) -> int:
        """The number of the output that an array becomes."""
        tracer, index, value = self.tracer, len(self.values), array.value
        if array.ndim and is_dynamic(array.shape[0]):
            capacity = tracer.most(array.shape[0])
            if capacity is None or is_dynamic(*array.shape[1:]):
                tracer.fail(
                    "returning an array whose size only the data say", "return what it is made of"
                )
            whole = (capacity, *array.shape[1:])
            room = tracer.op("empty", [], shape=graph_dims(whole), dtype=array.dtype.name)
            view = SliceView([0] * array.ndim, list(array.shape), [1] * array.ndim)
            value = view.write(tracer, room, value)
            self._counts[index] = index + 1
        elif is_dynamic(*array.shape):
            tracer.fail("returning an array of which an inner size depends on data", "transpose it")
        self._arrays[index] = array
        self.values.append(value)
        if index in self._counts:
            self.values.append(as_kind(tracer, array.shape[0], int))
        return index


def _axes(array: TracedArray) -> dict[str, int]:
    """Which axis of the argument gives each symbol of a view's sizes."""
    sizes = array.tracer.shape(array.storage.value)
    axes = {str(s.dim): k for k, s in enumerate(sizes) if isinstance_symbolic(s)}
    for view in array.views:
        for size in (*view.shape(), *getattr(view, "offsets", ())):
            if isinstance_symbolic(size) and not axes.keys() >= set(symbols_of(str(size.dim))):
                size.known()
    return axes
