"""`sorted`, where data say what comes first: the places in order, and the items there."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ..raised import IN_NUMPY
from ..traced.array import TracedArray
from ..traced.dispatch import dispatch
from ..traced.tracer import Tracer
from .consumers import definition_at
from .folding import is_long
from .standins import is_of_program
from .tables import columns_of, looked_up

_ORDERED = """
def ordered(items, key, order):
    keys = []
    held = []
    for item in items:
        held.append(item)
        keys.append(key(item))
    out = []
    for k in order(np.array(keys)):
        out.append(held[k])
    return out
"""


def ordering(tracer: Tracer) -> Callable[..., Any]:
    """What captured code calls in place of `sorted`."""

    def call(items: Any, /, *, key: Any = None, reverse: Any = False) -> Any:
        its = tracer.interpreter.stand_in(key) if key is not None else _itself
        order = functools.partial(_order, tracer, bool(reverse))
        if is_long(tracer, items):
            definition, names = (
                definition_at(tracer, _ORDERED),
                {"np": tracer.rebuilder.module(np, None)},
            )
            function = tracer.interpreter.function(definition, names, None, None, None)
            return function(items, its, lambda keys: order([keys]))
        items = list(items)
        keys = list(map(its, items))
        if not any(map(is_of_program, _numbers(keys))):
            given = iter(keys)
            return sorted(items, key=lambda _: next(given), reverse=reverse)
        columns, table = columns_of(keys), columns_of(items)
        if columns is None or table is None:
            tracer.fail(
                "sorted() of these by what data say",
                "sort numbers of one type, or tuples of them, by such",
            )
        numbers = columns if type(columns) is tuple else (columns,)
        places = order([dispatch.function(np.array, (list(column),), {}) for column in numbers])
        return [looked_up(tracer, items, places[k]) for k in range(len(items))]

    call.__wrapped__ = sorted  # type: ignore[attr-defined]
    return call


def _itself(item: Any) -> Any:
    return item


def _numbers(keys: list[Any]) -> list[Any]:
    return [part for key in keys for part in (key if type(key) is tuple else (key,))]


def _order(tracer: Tracer, reverse: bool, columns: list[TracedArray]) -> TracedArray:
    """The places of what is sorted by columns, the first of which counts most."""
    for column in columns:
        if column.ndim != 1 or column.dtype.kind == "c":
            tracer.fail("sorted() by what are no numbers", "sort by a number, or a tuple of them")
        if column.dtype.kind == "f":
            held = dispatch.function(np.all, (~np.isnan(column),), {})
            tracer.check(held.value, IN_NUMPY, "sorted() by NaN", undoes=True)
    if reverse:  # equal ones stay in their order
        columns = [column[::-1] for column in columns]
    if len(columns) == 1:
        places = dispatch.function(np.argsort, (columns[0],), {"kind": "stable"})
    else:
        places = dispatch.function(np.lexsort, (tuple(columns[::-1]),), {})
    return columns[0].shape[0] - 1 - places[::-1] if reverse else places
