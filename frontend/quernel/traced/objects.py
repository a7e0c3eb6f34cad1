"""Which object a view is: two views of one place in memory are one object of Python, or two.

What captured code makes once is one traced array, wherever names carry it. What each turn of a loop
makes, or each side of a branch, is one traced array behind it for several objects; a number of the
program says which one it is. Most programs need none of these numbers: the capture begins anew with
them where two views are compared, or returned, and only they tell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .memory import storages_of
from .restarts import Restart
from .storage import Storage
from .tracer import Tracer

if TYPE_CHECKING:
    from .array import TracedArray

_NOWHERE, _OWNER = -1, -2  # no view's number: where a name is none of them, and what is no view
_SERIALS = 1 << 24  # more than a capture makes; the turn's number stands above


class Identity:
    """Which object a traced array is. Two arrays that have this in common are one object.

    Parameters
    ----------
    value : graph value, optional
        The number, where paths have met on which it is another one.
    is_open : bool
        Whether paths have met, also where numbers aren't counted.
    """

    __slots__ = ("serial", "turn", "value", "is_open", "around", "holds")

    def __init__(self, tracer: Tracer, value: Any = None, is_open: bool = False) -> None:
        self.serial, self.turn = tracer.tick(), tracer.turn
        self.value, self.is_open = value, is_open
        self.around: Identity | None = None
        self.holds: Any = None

    def where(self, tracer: Tracer, holds: Any) -> Identity:
        """The same object, which counts only where a condition holds: a function makes that."""
        made = Identity(tracer, is_open=self.is_open)
        made.around, made.holds = self, holds
        return made

    def number(self, tracer: Tracer) -> Any:
        """The number of the object, which no other object of the call has."""
        if self.around is not None:
            number, none = self.around.number(tracer), tracer.constant(np.int64(_NOWHERE))
            return tracer.op("where", [self.holds(), number, none])
        if self.value is not None:
            return self.value
        serial = tracer.constant(np.int64(self.serial))
        if self.turn is None:
            return serial
        above = tracer.op("multiply", [self.turn, tracer.constant(np.int64(_SERIALS))])
        return tracer.op("add", [above, serial])


def counts_objects(tracer: Tracer) -> bool:
    """Whether the program numbers the objects that its turns make."""
    return bool(tracer.choices.objects)


def number_of_object(array: TracedArray, known: dict[int, Any] | None = None) -> Any:
    """The number of the object that an array is; of memory that data choose, the chosen one's.

    What owns its memory has one number for all: it is told from others by its memory, and is no
    view, which is all that numbers tell apart. Memory of a loop's own may stand for views, though.

    Parameters
    ----------
    known : dict, optional
        Those of the memories that choices are made of, by identity: each is asked once.
    """
    place = array.storage
    condition = getattr(place, "condition", None)
    if array.is_view or (condition is None and array.identity.is_open):
        return array.identity.number(array.tracer)
    if condition is None:
        return array.tracer.constant(np.int64(_OWNER))
    known = {} if known is None else known
    if id(place) not in known:
        sides = [number_of_object(side, known) for side in (place.first, place.second)]
        known[id(place)] = array.tracer.op("where", [condition, *sides])
    return known[id(place)]


def named(array: TracedArray, identity: Identity) -> TracedArray:
    """The traced array of the same elements that is an object."""
    made = array.again()
    made.identity = identity
    return made


def are_one_object(first: TracedArray, second: TracedArray) -> Any:
    """Whether two views are one object: a bool, or a condition of the program.

    Raises
    ------
    Restart
        Where only numbers tell, which the program doesn't count yet.
    """
    if first is second or first.identity is second.identity:
        return True
    is_open = first.identity.is_open or second.identity.is_open
    alike = first.is_view and second.is_view and first.dtype == second.dtype
    if not is_open or not alike or first.ndim != second.ndim:
        return False
    if not set(storages_of(first)).intersection(storages_of(second)):
        return False
    tracer = first.tracer
    if not counts_objects(tracer):
        raise Restart(objects=["all"])
    return tracer.op("equal", [x.identity.number(tracer) for x in (first, second)])


def begin_counting(tracer: Tracer) -> None:
    """Have memory for how many turns the program has begun; loops and branches hand it on."""
    if counts_objects(tracer):
        tracer.turns = Storage(tracer.constant(np.int64(0)))


def begin_turn(tracer: Tracer) -> None:
    """Count a turn of a rolled loop, which tells what it makes from what others make."""
    if tracer.turns is not None:
        one = tracer.constant(np.int64(1))
        tracer.turn = tracer.op("add", [tracer.turns.value, one])
        tracer.turns.put(tracer.turn)
