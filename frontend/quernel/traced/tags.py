"""Which of its types a number has, as a number of the program: the tag of an `Open` number.

A tag counts the kinds of the number's `Open` type. Joins of branches and loops hand it on beside
the number, and operations compute it, so that a result has the type that NumPy gives it.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from .open_types import Open, kinds_of, same_type
from .scalars import dtype_name, number_of, number_type
from .tracer import Tracer
from .undecided import Either


def tag_of(tracer: Tracer, number: Any, kinds: list[Any]) -> Any:
    """The tag of a number among some kinds: an int64 graph value; None where nobody knows."""
    own = number_type(number)
    if type(own) is not Open:
        place = _place(own, kinds)
        return None if place is None else tracer.constant(np.int64(place))
    either = tracer.alternative_of(number.value, exact=True)
    if either is not None:
        sides = [tag_of(tracer, side, kinds) for side in (either.first, either.second)]
        return None if None in sides else tracer.op("where", [either.condition, *sides])
    tag, known = tracer.tag_of(number.value)
    places = [_place(kind, kinds) for kind in known]
    return None if tag is None or None in places else mapped(tracer, tag, places)


def has_type(tracer: Tracer, number: Any, kind: Any) -> Any:
    """Whether a number has a type that it may have: True, or a graph value; None if unknown."""
    kinds = kinds_of(number_type(number))
    if len(kinds) == 1:
        return True
    tag = tag_of(tracer, number, kinds)
    place = _place(kind, kinds)
    return None if tag is None else tracer.op("equal", [tag, tracer.constant(np.int64(place))])


def _place(kind: Any, kinds: list[Any]) -> int | None:
    return next((k for k, other in enumerate(kinds) if same_type(kind, other)), None)


def mapped(tracer: Tracer, tag: Any, table: list[int]) -> Any:
    """The entry of a table at the place that a tag, or another number of the program, says."""
    answer = tracer.constant(np.int64(table[-1]))
    for k, entry in enumerate(table[:-1]):
        if any(other != entry for other in table[k:]):
            same = tracer.op("equal", [tag, tracer.constant(np.int64(k))])
            answer = tracer.op("where", [same, tracer.constant(np.int64(entry)), answer])
    return answer


def note_result(tracer: Tracer, answer: Any, operands: Any, found: list[Any]) -> None:
    """Note the tag of what is computed from numbers of which data decide the types.

    Parameters
    ----------
    found : list
        The type of the result for each choice of the operands' types, the last one's fastest.
    """
    own = number_type(answer)
    choices = [kinds_of(number_type(operand)) for operand in operands]
    if type(own) is not Open or len(found) != len(list(itertools.product(*choices))):
        return
    tag, places = tracer.constant(np.int64(0)), [_place(kind, own.kinds) for kind in found]
    for operand, kinds in zip(operands, choices, strict=True):
        part = tag_of(tracer, operand, kinds)
        if part is None or None in places:
            return
        count = tracer.constant(np.int64(len(kinds)))
        tag = tracer.op("add", [tracer.op("multiply", [tag, count]), part])
    tracer.tag(answer.value, mapped(tracer, tag, places), own.kinds)


def by_tag(tracer: Tracer, number: Any) -> Any:
    """A number of which data decide the type, as the numbers that it may be; None if unknown."""
    kinds = number.open.kinds
    tag = tag_of(tracer, number, kinds)
    if tag is None:
        return None
    values = [tracer.narrowed(number.value, dtype_name(kind)) for kind in kinds]
    parts = [number_of(tracer, value, kind) for value, kind in zip(values, kinds, strict=True)]
    made = parts[-1]
    for k in reversed(range(len(parts) - 1)):
        same = tracer.op("equal", [tag, tracer.constant(np.int64(k))])
        made = Either(same, parts[k], made)
    return made
