"""Whether two expressions are one object, which data may decide."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..traced.array import TracedArray
from ..traced.memory import storages_of
from ..traced.numbers import SymbolicNumber, SymbolicSize
from ..traced.objects import are_one_object
from ..traced.open_types import Open, same_type
from ..traced.places import ChosenStorage
from ..traced.scalars import bool_of, number_type, value_of
from ..traced.tracer import Tracer
from .class_stand_ins import StandIn
from .foreign import Foreign, real_class
from .opaque import refer_to

_HINT = "compare their elements"


def identical(tracer: Tracer, left: Any, right: Any) -> Any:
    """Python's ``left is right``: a bool, or one of the program.

    Raises
    ------
    UnsupportedError
        Where nobody knows.
    """
    if StandIn in (type(left), type(right)):
        return left == right
    foreign = [side for side in (left, right) if issubclass(type(side), Foreign)]
    if foreign:
        if len(foreign) == 2:
            refer_to(foreign)
        return real_class(left) is real_class(right)
    if left is right:
        return True
    if tracer.is_container(left) and tracer.is_container(right):
        tracer.counts_containers = True  # another call may pass one list twice
        return False
    if _is_array(left) and _is_array(right):
        return bool_of(tracer, _one_array(tracer, left, right))
    kinds = number_type(left), number_type(right)
    if any(kind is None for kind in kinds):  # a float64 dtype equals None
        return False
    if not any(type(side) in (TracedArray, SymbolicNumber, SymbolicSize) for side in (left, right)):
        return False
    for number, kind in zip((left, right), kinds, strict=True):
        if type(kind) is Open:
            tracer.decide(number.value)
            tracer.fail(f"whether a number is another object, where it is {kind.text()}", _HINT)
    if not same_type(*kinds):
        return False
    if kinds[0] not in (bool, np.dtype(bool)):
        tracer.fail("whether two numbers are one object", "compare them by ==")
    sides = [value_of(tracer, side, kinds[0]) for side in (left, right)]
    return bool_of(tracer, tracer.op("equal", sides))


def _is_array(obj: Any) -> bool:
    return type(obj) is TracedArray and not obj.is_scalar


def _one_array(tracer: Tracer, left: TracedArray, right: TracedArray) -> Any:
    """A bool, or a condition: arrays that data choose are the ones that they choose."""
    if left.is_same(right):
        return True
    for array, other in ((left, right), (right, left)):
        place = array.storage
        if type(place) is ChosenStorage and not array.is_view:
            sides = [_one_array(tracer, side, other) for side in (place.first, place.second)]
            return one_of(tracer, place.condition, *sides)
    same = are_one_object(left, right)
    if same is not False:
        return same
    for array in (left, right):
        for storage in storages_of(array):
            if storage.frozen:
                storage.frozen.pool(tracer)
                tracer.fail("whether an array is another one in some turns only", _HINT)
            tracer.check_watched(storage)
            tracer.check_listed(storage, copies=True)
    return False


def one_of(tracer: Tracer, condition: Any, first: Any, second: Any) -> Any:
    """One of two bools, known or of the program."""
    if first is second:
        return first
    sides = [tracer.constant(np.bool_(x)) if isinstance(x, bool) else x for x in (first, second)]
    return tracer.op("where", [condition, *sides])
