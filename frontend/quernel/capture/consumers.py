"""What takes the items of a generator: Python's functions, as loops over it.

They are captured as helpers of the user's are. Those that Python carries out item by item as they
are asked for are generators here, too, so that all is done in Python's order.
"""

from __future__ import annotations

import ast
import builtins
import functools
import itertools
import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..traced.iterables import as_size, turns_of
from ..traced.scalars import number_type
from ..traced.tracer import Tracer, current
from .folding import each, folded, reduction, some, total
from .foreign import Foreign
from .generators import Generating, as_generator
from .source import Definition
from .standins import nothing_text

_LISTED = """
def list(items):
    out = []
    for item in items:
        out.append(item)
    return out
"""
_MOST_PLACES = 4096  # of which the helpers are kept
_EAGER = (tuple, set, frozenset, dict, sorted, np.fromiter)


def consumed_by(tracer: Tracer, function: Any, args: list, kwargs: dict) -> Any:
    """What one of Python's functions gives of generators; NotImplemented for any other one."""
    if issubclass(type(function), Foreign):  # of which every look is a read
        return NotImplemented
    plain = getattr(function, "__wrapped__", function)
    maker = _MAKERS.get(plain) if _is_hashable(plain) else None
    is_eager = any(plain is kind for kind in _EAGER)
    if maker is None and plain is not list and not is_eager:
        return NotImplemented
    args = list(map(as_generator, args))
    if not any(type(arg) is Generating for arg in args):
        return NotImplemented
    if plain is list and not kwargs:
        return listed(tracer, *args)
    if is_eager and type(args[0]) is Generating:
        return tracer.interpreter.stand_in(function)(listed(tracer, args[0]), *args[1:], **kwargs)
    return NotImplemented if maker is None else maker(tracer, *args, **kwargs)


def _is_hashable(obj: Any) -> bool:
    return type(obj) in (type, type(len)) or obj is functools.reduce


def listed(tracer: Tracer, items: Generating) -> Any:
    """`list` of a generator: one of the program's, or Python's."""
    definition = definition_at(tracer, _LISTED)
    return tracer.interpreter.function(definition, {}, None, None, None)(items)


def definition_at(tracer: Tracer, text: str) -> Definition:
    """A function of ours that fills a list, for the place where the user's code calls it."""
    callers = tracer.callers
    file, line, name = callers.location or callers.within or ("", 1, "")
    return _definition(text, file, line, tracer.interpreter.column, name)


@functools.lru_cache(maxsize=_MOST_PLACES)
def _definition(text: str, file: str, line: int, column: int, name: str) -> Definition:
    """One for each place, as each has items of its own."""
    for own in ("out", "keys", "held"):
        text = text.replace(own, f"{own}_{column}")
    node = ast.parse(text).body[0]
    for part in ast.walk(node):
        if hasattr(part, "lineno"):
            part.lineno = part.end_lineno = line  # type: ignore[attr-defined]
    return Definition(node, file, name, name)


def generator(function: Callable, *args: Any) -> Any:
    """A generator of one of the functions below."""
    return folded(current(), function, *args)


# Functions of all items


def _sum(tracer: Tracer, items: Any, start: Any = 0) -> Any:
    return folded(tracer, total, items, start)


def _any(tracer: Tracer, items: Any) -> Any:
    return folded(tracer, some, items)


def _all(tracer: Tracer, items: Any) -> Any:
    return folded(tracer, each, items)


def _extreme(python: Any) -> Callable:
    def call(tracer: Tracer, *args: Any, key: Any = None, **kwargs: Any) -> Any:
        if len(args) > 1:
            return NotImplemented
        compared = {max: greater, min: less}[python]
        text = None if kwargs else nothing_text(python)
        key = key and tracer.interpreter.stand_in(key)
        return folded(tracer, best_of, args[0], compared, key, text, kwargs.get("default"))

    return call


def _reduce(tracer: Tracer, function: Any, items: Any, *initial: Any) -> Any:
    if type(items) is not Generating:
        return NotImplemented
    function = tracer.interpreter.stand_in(function)
    if initial:
        return folded(tracer, reduction, *initial, items, function)
    return folded(tracer, reduced, items, function)


def _next(tracer: Tracer, items: Any, *default: Any) -> Any:
    return folded(tracer, first_or, items, *default) if default else folded(tracer, first, items)


def greater(first: Any, second: Any) -> Any:
    """What `max` asks."""
    return first > second


def less(first: Any, second: Any) -> Any:
    """What `min` asks."""
    return first < second


def best_of(items: Any, compared: Any, key: Any, text: Any, default: Any) -> Any:
    """`max` or `min`."""
    is_first = True
    for item in items:
        its = item if key is None else key(item)
        if is_first or compared(its, best_key):  # noqa: F821  (which isn't read at first)
            best, best_key, is_first = item, its, False  # noqa: F841
    if is_first:
        if text is not None:
            raise ValueError(text)
        return default
    return best


def reduced(items: Any, function: Any) -> Any:
    """`functools.reduce` without an initial value."""
    is_first = True
    for item in items:
        best = item if is_first else function(best, item)  # noqa: F821
        is_first = False
    if is_first:
        raise TypeError("reduce() of empty iterable with no initial value")
    return best


def first(items: Any) -> Any:
    """`next`."""
    for item in items:
        return item
    raise StopIteration


def first_or(items: Any, default: Any) -> Any:
    """`next` with a default."""
    for item in items:
        return item
    return default


def contains(items: Any, wanted: Any) -> bool:
    """`in`."""
    for item in items:  # noqa: SIM110  (which is what this stands for)
        if item == wanted:
            return True
    return False


# Generators of generators


def _enumerate(tracer: Tracer, items: Any, start: Any = 0) -> Any:
    return generator(numbered, items, start)


def _map(tracer: Tracer, function: Any, *iterables: Any) -> Any:
    function = tracer.interpreter.stand_in(function)
    if len(iterables) == 1:
        return generator(mapped, function, iterables[0])
    return generator(mapped_together, function, _zip(tracer, *iterables))


def _filter(tracer: Tracer, function: Any, items: Any) -> Any:
    return generator(selected, function and tracer.interpreter.stand_in(function), items)


def _zip(tracer: Tracer, *iterables: Any, strict: bool = False) -> Any:
    places = [k for k, part in enumerate(iterables) if type(part) is Generating]
    if len(places) > 1 or strict:
        tracer.fail("zip() of several generators, or with strict", "put the items into lists")
    at = places[0]
    before, after = (_together(tracer, p) for p in (iterables[:at], iterables[at + 1 :]))
    return generator(zipped, iterables[at], *before, *after)


def _together(tracer: Tracer, parts: tuple) -> tuple[Any, Callable]:
    """How many items some iterables have together, and what gives those at a place."""
    turns = [turns_of(tracer, part) for part in parts]
    pairs = list(zip(parts, turns, strict=True))
    if any(found is None and type(part) not in (list, tuple) for part, found in pairs):
        tracer.fail("zip() of a generator and an iterator", "put the items into lists")
    counts = [len(part) if found is None else found.count for part, found in pairs]
    least = min(counts) if counts else None

    def item(k: Any) -> tuple:
        if number_type(k) is int and type(k) is not int:
            k = as_size(tracer, k)
        return tuple(part[operator.index(k)] if t is None else t.item(k) for part, t in pairs)

    return least, item


def _islice(tracer: Tracer, items: Any, *bounds: Any) -> Any:
    if len(bounds) != 1 or bounds[0] is None:
        tracer.fail("itertools.islice() of a generator with a start", "skip items in a loop")
    return generator(begun, items, bounds[0])


def _takewhile(tracer: Tracer, function: Any, items: Any) -> Any:
    return generator(taken_while, tracer.interpreter.stand_in(function), items)


def _chain(tracer: Tracer, *iterables: Any) -> Any:
    return generator(chained, iterables)


def numbered(items: Any, number: Any) -> Iterator[Any]:
    """`enumerate`."""
    for item in items:
        yield number, item
        number += 1


def mapped(function: Any, items: Any) -> Iterator[Any]:
    """`map`."""
    for item in items:
        yield function(item)


def mapped_together(function: Any, items: Any) -> Iterator[Any]:
    """`map` of several iterables."""
    for item in items:
        yield function(*item)


def selected(function: Any, items: Any) -> Iterator[Any]:
    """`filter`."""
    for item in items:
        if item if function is None else function(item):
            yield item


def zipped(items: Any, count: Any, item_of: Any, others: Any, other_of: Any) -> Iterator[Any]:
    """`zip` of what comes before a generator, the generator, and what comes behind it."""
    if count is not None and count <= 0:
        return
    k = 0
    before = item_of(0)
    for item in items:
        if others is not None and k >= others:
            return
        yield (*before, item, *other_of(k))
        k += 1  # noqa: SIM113  (an `enumerate` would be one more generator)
        if count is not None:
            if k >= count:
                return
            before = item_of(k)


def begun(items: Any, count: Any) -> Iterator[Any]:
    """`itertools.islice` of the first items."""
    if count <= 0:
        return
    k = 0
    for item in items:
        yield item
        k += 1  # noqa: SIM113
        if k >= count:
            return


def taken_while(function: Any, items: Any) -> Iterator[Any]:
    """`itertools.takewhile`."""
    for item in items:
        if not function(item):
            return
        yield item


def chained(iterables: Any) -> Iterator[Any]:
    """`itertools.chain`."""
    for items in iterables:
        yield from items


_MAKERS: dict[Any, Callable] = {
    sum: _sum,
    builtins.any: _any,
    builtins.all: _all,
    max: _extreme(max),
    min: _extreme(min),
    functools.reduce: _reduce,
    next: _next,
    enumerate: _enumerate,
    map: _map,
    filter: _filter,
    zip: _zip,
    itertools.islice: _islice,
    itertools.takewhile: _takewhile,
    itertools.chain: _chain,
}
