"""How many items a list may have that the program fills, as what all attempts can read."""

from __future__ import annotations

from typing import Any

from ..traced.numbers import DATA, SymbolicSize, origins
from ..traced.restarts import Restart
from ..traced.tracer import Tracer, current

_ROOM = 4096  # where nobody knows how many turns a loop has


def is_known(size: Any) -> bool:
    """Whether a size is made of numbers and sizes of arguments alone."""
    return type(size) is int or not any(x[0] != "dim" for x in origins(size))


def want(note: tuple) -> None:
    """Ask for what a list that grows has to know at its beginning, if it doesn't.

    The attempt goes on without, to see what else has to be known, up to `begin_with_wanted`.
    """
    choices = current().choices
    choices.wanted |= {note} - choices.growing


def begin_with_wanted() -> None:
    """Begin anew if a list that grows hasn't known something at its beginning.

    Raises
    ------
    Restart
    """
    if current().choices.wanted:
        raise Restart(growing=current().choices.wanted)


def room_note(site: tuple, place: tuple, depth: int) -> tuple:
    """How often the loops around append at some place."""
    tracer = current()
    found: Any = 1
    for count in (loop.count for loop in tracer.interpreter.rolled[depth:]):
        found = found * _bounded(tracer, count)
    found = found if type(found) in (int, SymbolicSize) else _ROOM
    return ("room", site, place, as_text(found))


def _bounded(tracer: Tracer, count: Any) -> Any:
    """The turns of a loop, as far as they are known before it."""
    if count is None:
        return _ROOM
    if is_known(count):
        return count
    sources = origins(count)
    if DATA not in sources and not any(source[0] == "loop" for source in sources):
        known = tracer.count_now(count)
        return tracer.need(sources) if known is None else known
    most = None if type(count) is not SymbolicSize else tracer.most(count)
    if most is not None and is_known(most):
        return most
    varying = {source[1] for source in sources if source[0] == "varying"}
    values = [leaf.obj for leaf in tracer.inputs if leaf.path in varying]
    return max([_ROOM, *(4 * value for value in values if type(value) is int)])


def room_of(tracer: Tracer, site: tuple) -> Any:
    """How many items a list may have."""
    rooms = [x[3] for x in sorted(tracer.choices.growing, key=repr) if x[:2] == ("room", site)]
    total: Any = 0
    for room in rooms:
        total = total + size_of(tracer, room)
    if type(total) is int:
        return max(total, 1)
    return total


def as_text(size: Any) -> Any:
    """A size that another attempt can read: symbols stand as the axes of the arguments."""
    if type(size) is int:
        return size
    tracer = current()
    text = str(size.dim)
    names = {}
    for number, dim in tracer.symbols.values():
        names[f"s{dim.symbols[0]}"] = min(tracer.symbol_dims[number])
    return text, tuple(sorted(names.items()))


def size_of(tracer: Tracer, text: Any) -> Any:
    """The size of a text, in this attempt."""
    if type(text) in (int, str):
        return int(text)
    form, names = text
    sizes = {}
    for name, (path, axis) in names:
        leaf = next(leaf for leaf in tracer.inputs if leaf.path == path)
        size = leaf.shape[axis]
        is_symbol = tracer.is_symbolic(path, axis, size)
        sizes[name] = tracer.size(tracer.symbol(path, axis, size)[1]) if is_symbol else size
    return eval(form.replace("floordiv", "//"), {}, sizes)
