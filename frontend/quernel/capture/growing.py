"""Lists that loops of the program fill: arrays with room for their items, and how many there are.

A list that grows has a loop unrolled, and a side of a branch refused. Where all uses of a list can
be seen (`list_uses.py`), the capture begins anew with the list in another form: a tuple of the
number of items, an array for each number of an item, and what there is to know about the list. So
loops hand it on, and branches join it, as any tuple. The first `append` says of which type the
items are, and loops how many there may be; both are known when the capture begins anew once more.
A list that gets longer than its room leaves the call to NumPy.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

import numpy as np

from ..raised import IN_NUMPY
from ..traced.array import TracedArray, fresh
from ..traced.memory import storages_of
from ..traced.numbers import DATA, DTYPES, SymbolicNumber, as_kind
from ..traced.open_types import Open, joined, kinds_of
from ..traced.restarts import Restart
from ..traced.scalars import bool_of, dtype_name, number_of, number_type, truth, value_of
from ..traced.tracer import Tracer, current
from ..traced.views import graph_dims
from .list_rooms import as_text, begin_with_wanted, is_known, room_note, room_of, size_of, want
from .list_uses import rewritten
from .scopes import Scope
from .standins import as_number

SHORT = 16  # turns of loops that are unrolled for the sake of what grows
_MOST_BYTES = 2**28
FOLDS = (sum, min, max, any, all, sorted)  # functions of Python's that only go through the items
_PYTHONS = {dtype: kind for kind, dtype in DTYPES.items()}
_TOO_LONG = "a list of more items than there is room for"


class Growing:
    """What is known about a list that the program fills.

    Attributes
    ----------
    site : tuple
        Names the list in the function's source; the last part is whether items are seen as what
        they are, not as elements of an array alone.
    depth : int
        How many loops of the program are around the display that makes it.
    is_tuple : bool
        Whether its items are tuples of numbers.
    kinds : tuple
        The types of the numbers, or of the one: Python types and dtypes; ``None`` for arrays.
    """

    def __init__(self, site: tuple, depth: int, is_tuple: bool, kinds: tuple) -> None:
        self.site, self.depth, self.is_tuple, self.kinds = site, depth, is_tuple, kinds


def is_growing(obj: Any) -> bool:
    """Whether a tuple is a list that the program fills."""
    return type(obj) is tuple and len(obj) == 3 and type(obj[2]) is Growing


# Which lists grow


def ask_to_grow(sites: Iterable[tuple | None], count: Any = None, jumps: Any = ()) -> None:
    """Begin anew with lists that grow, if all are known that something has changed.

    Raises
    ------
    Restart
    """
    found, tracer = set(sites), current()
    is_short = type(count) is int and count <= SHORT and not jumps
    if is_short or not found or None in found:
        return
    if not any(("plain", site) in tracer.choices.growing for site in found):
        raise Restart(growing={("use", site) for site in found})


def site_of(environments: Iterable[tuple[Any, dict]], container: Any) -> tuple | None:
    """The site of a list that a name with only uses that can be rewritten is bound to."""
    if type(container) is not list:
        return None
    for environment, before in environments:
        for name, site in environment.scope.growable.items():
            if before.get(name) is container or environment.values.get(name) is container:
                return site
    return None


def chosen_lists(tracer: Tracer, growable: dict[str, tuple]) -> frozenset[str]:
    """The names of a function's lists that grow in this capture."""
    known = tracer.choices.growing
    return frozenset(
        name
        for name, site in growable.items()
        if ("use", site) in known and ("plain", site) not in known
    )


def with_growing(body: list, scope: Scope, names: frozenset[str]) -> list:
    """The statements of a function with some of its lists in the other form."""
    return rewritten(body, scope, names, _CALLS)


def stay_plain(site: tuple) -> NoReturn:
    """Begin anew with a list as Python's."""
    raise Restart(growing={("plain", site)})


# What stands for the uses of a list


def _display(site: tuple, *items: Any) -> tuple:
    made = _empty(site, len(items))
    for item in items:
        made = _put(made, _parts(site, item))
    return made


def _empty(site: tuple, more: Any) -> tuple:
    """A list without items, with room for some more than are appended."""
    tracer = current()
    depth, forms = len(tracer.interpreter.rolled), _forms(tracer, site)
    if not forms:
        return 0, (), Growing(site, depth, False, ())
    room = room_of(tracer, site) + more
    if len({(is_tuple, len(parts)) for is_tuple, parts in forms}) > 1:
        stay_plain(site)
    columns = [[parts[k] for _, parts in forms] for k in range(len(forms[0][1]))]
    kinds = tuple(_kind(site, column) for column in columns)
    dtypes = [
        column[0][1] if kind is None else dtype_name(kind)
        for kind, column in zip(kinds, columns, strict=True)
    ]
    buffers = tuple(
        _buffer(tracer, site, room, dtype, column[0][2])
        for dtype, column in zip(dtypes, columns, strict=True)
    )
    return 0, buffers, Growing(site, depth, forms[0][0], kinds)


def _repeated(site: tuple, times: Any, *items: Any) -> tuple:
    """A list of the same numbers again and again."""
    if number_type(times) is not int or not is_known(times):
        stay_plain(site)
    count = len(items) * times
    if type(count) is int and count <= 0:
        return _display(site)
    made = _empty(site, count)
    for item in items:
        _parts(site, item)
    begin_with_wanted()
    _, buffers, about = made
    tracer = current()
    for k, (kind, buffer) in enumerate(zip(about.kinds, buffers, strict=True)):
        if kind is None:
            stay_plain(site)
        parts = [item[k] if type(item) is tuple else item for item in items]
        for number, part in enumerate(parts):
            value = fresh(tracer, value_of(tracer, part, kind), is_scalar=True)
            where = slice(number, count, len(parts))
            operator.setitem(buffer, where, value)
    return count, buffers, about


def _append(site: tuple, grown: tuple, place: tuple, item: Any) -> tuple:
    parts = _parts(site, item)
    want(room_note(site, place, grown[2].depth))
    return _put(grown, parts)


def _put(grown: tuple, parts: tuple) -> tuple:
    """The list with one more item."""
    if not current().choices.wanted:
        _write(grown, _free_place(current(), grown), parts)
    return grown[0] + 1, *grown[1:]


def _parts(site: tuple, item: Any) -> tuple:
    """The parts of an item, of which the list has known before, or the next attempt does."""
    parts = item if type(item) is tuple else (item,)
    want(("item", site, (type(item) is tuple, tuple(_form(part, site) for part in parts))))
    return parts


def _write(grown: tuple, place: Any, parts: tuple) -> None:
    """Put an item to a place of the buffers."""
    _, buffers, about = grown
    tracer = current()
    for kind, buffer, part in zip(about.kinds, buffers, parts, strict=True):
        if kind is None:
            for storage in storages_of(part):
                tracer.listed[storage] = about.site, False
            operator.setitem(buffer, place, part)
        else:
            number = fresh(tracer, value_of(tracer, part, kind), is_scalar=True)
            operator.setitem(buffer, place, number)


def _set(site: tuple, grown: tuple, item: Any, key: Any) -> tuple:
    place = _checked(grown, _place_of(site, key, grown[0]), "list assignment index out of range")
    parts = _parts(site, item)
    begin_with_wanted()
    _write(grown, place, parts)
    return grown


def _contains(site: tuple, grown: tuple, item: Any) -> Any:
    """Whether an integer, or a tuple of them, is among the items: they are equal, not the same."""
    tracer, parts = current(), item if type(item) is tuple else (item,)
    if not grown[1]:
        return False if grown[0] == 0 else stay_plain(site)
    kinds = [*grown[2].kinds, *(number_type(part) for part in parts)]
    if any(kind is None or not _is_integral(kind) for kind in kinds):
        stay_plain(site)
    if len(parts) != len(grown[1]) or (type(item) is tuple) != grown[2].is_tuple:
        return False
    same = [_items(grown, b) == part for b, part in zip(grown[1], parts, strict=True)]
    found = functools.reduce(operator.and_, same).any()
    return bool_of(tracer, truth(tracer, found))


def _is_integral(kind: Any) -> bool:
    return all(np.dtype(dtype_name(part)).kind in "biu" for part in kinds_of(kind))


def _extend(site: tuple, grown: tuple, place: tuple, *items: Any) -> tuple:
    for number, item in enumerate(items):
        grown = _append(site, grown, (*place, number), item)
    return grown


def _reverse(site: tuple, grown: tuple) -> tuple:
    return _part(site, grown, slice(None, None, -1))


def _free_place(tracer: Tracer, grown: tuple) -> Any:
    """The index of the next item in the buffers."""
    count, buffers, about = grown
    room = buffers[0].shape[0]
    if type(count) is int and type(room) is int:
        if count >= room:  # by turns that are captured one by one
            raise Restart(growing={("room", about.site, ("more", room), str(room))})
        return count
    check(tracer, count < room, IN_NUMPY, _TOO_LONG)
    return _index(tracer, count, room)


def _part(site: tuple, grown: tuple, key: slice) -> tuple:
    """Another list, of the items of a slice."""
    _, buffers, about = grown
    if not buffers:
        return grown
    cut = [operator.getitem(_items(grown, buffer), key) for buffer in buffers]
    made = tuple(fresh(array.tracer, array.value) for array in cut)
    return made[0].shape[0], made, about


def _item(site: tuple, grown: tuple, key: Any) -> Any:
    return _at(grown, _place_of(site, key, grown[0]), "list index out of range")


def _place_of(site: tuple, key: Any, count: Any) -> Any:
    """The place of an item, which may be outside."""
    if number_type(key) is not int and getattr(key, "dtype", np.dtype("f8")).kind not in "iu":
        stay_plain(site)
    return resolved(key, count)


def resolved(key: Any, count: Any) -> Any:
    """The place of an item; where data decide whether it counts from the end, as a choice."""
    if type(key) is int:
        return key if key >= 0 else count + key
    tracer = current()
    places = [as_kind(tracer, x, int) for x in (count, int_of(key))]
    behind = tracer.op("add", places)
    is_behind = tracer.op("less", [places[1], tracer.constant(np.int64(0))])
    place = tracer.op("where", [is_behind, behind, places[1]])
    return SymbolicNumber(tracer, place, 1, (DATA,))


def int_of(key: Any) -> Any:
    """An index as a Python number."""
    return as_number(current(), key, int) if type(key) is TracedArray else key


def _at(grown: tuple, place: Any, error: str) -> Any:
    """The item at a place that may be outside."""
    index, (_, buffers, about) = _checked(grown, place, error), grown
    parts = [_read(current(), grown, k, index) for k in range(len(buffers))]
    return tuple(parts) if about.is_tuple else parts[0]


def _checked(grown: tuple, place: Any, error: str) -> Any:
    """A place that may be outside as an index of the buffers."""
    count, buffers, about = grown
    tracer = current()
    if type(place) is int and type(count) is int and not 0 <= place < count:
        raise tracer.interpreter.raising(IndexError(error))
    if not buffers:
        stay_plain(about.site)  # nobody knows what it would have
    for condition in (place >= 0, place < count):
        check(tracer, condition, "IndexError", error)
    return _index(tracer, place, buffers[0].shape[0])


def _read(tracer: Tracer, grown: tuple, k: int, index: Any) -> Any:
    _, buffers, about = grown
    found = operator.getitem(buffers[k], index)
    if about.kinds[k] is not None:
        return number_of(tracer, found.value, about.kinds[k])
    made = fresh(tracer, found.value)
    tracer.listed[made.storage] = about.site, True
    return made


def _pop(site: tuple, grown: tuple) -> tuple:
    last = grown[0] - 1
    item = _at(grown, last, "pop from empty list")
    return item, (last, *grown[1:])


def _drop(site: tuple, grown: tuple) -> tuple:
    return _pop(site, grown)[1]


def _length(site: tuple, grown: tuple) -> Any:
    return grown[0]


def _listed(site: tuple, grown: tuple) -> Any:
    """The list as a part of what a function returns."""
    return grown if grown[2].kinds else stay_plain(site)


def _given(site: tuple, grown: tuple, function: Any) -> Any:
    """The list as a function of NumPy's sees it: an array."""
    count, buffers, about = grown
    if any(function is fold for fold in FOLDS):
        return current().interpreter.handed_out(grown)
    if not _is_numpys(getattr(function, "__wrapped__", function)) or not buffers:
        stay_plain(site)
    if any(_is_of_several_dtypes(kind) for kind in grown[2].kinds):
        stay_plain(site)
    tracer = current()
    made = [fresh(tracer, _items(grown, buffer).value) for buffer in buffers]
    if any(array.dtype != np.float64 or array.ndim > 1 for array in made) or about.is_tuple:
        check(tracer, count > 0, IN_NUMPY, "an array of a list without items")
    return np.stack(made, axis=1) if about.is_tuple else made[0]


def _is_of_several_dtypes(kind: Any) -> bool:
    """Whether data decide which dtype an array of such numbers has."""
    return kind is not None and len({dtype_name(part) for part in kinds_of(kind)}) > 1


def _is_numpys(function: Any) -> bool:
    module = getattr(function, "__module__", None) or type(function).__module__
    return module.split(".")[0] == "numpy"


def arrays_of(grown: tuple) -> list[tuple[TracedArray, str]]:
    """The numbers of a list's items as an array for each part, and whose numbers they are.

    Raises
    ------
    Restart
        Where the items are no numbers, or data decide their types.
    """
    found, about = [], grown[2]
    if any(kind is None or type(kind) is Open for kind in about.kinds):
        stay_plain(about.site)
    for kind, buffer in zip(grown[2].kinds, grown[1], strict=True):
        made = _items(grown, buffer)
        whose = "python" if isinstance(kind, type) else "numpy"
        found.append((fresh(made.tracer, made.value), whose))
    return found


def _of_all_items(call: Callable[..., Any]) -> Callable[..., Any]:
    """A use of a list that has to have its items."""

    @functools.wraps(call)
    def use(*args: Any) -> Any:
        begin_with_wanted()
        return call(*args)

    return use


_item, _part, _given = map(_of_all_items, (_item, _part, _given))
_CALLS = {
    "display": _display, "append": _append, "extend": _extend, "repeated": _repeated,
    "item": _item, "part": _part, "given": _given,
    "pop": _of_all_items(_pop), "drop": _of_all_items(_drop), "set": _of_all_items(_set),
    "length": _of_all_items(_length), "listed": _of_all_items(_listed),
    "contains": _of_all_items(_contains), "reverse": _of_all_items(_reverse),
}  # fmt: skip


# What others do with a list that has been filled

item_of, part_of, given = _item, _part, _given


def joined_lists(first: tuple, second: tuple) -> tuple:
    """The items of a list, and then those of another one."""
    about, others = first[2], second[2]
    forms = {(part.is_tuple, tuple(map(_name_of, part.kinds))) for part in (about, others)}
    if len(forms) > 1:
        stay_plain(about.site)
    buffers = tuple(
        np.concatenate([_items(grown, buffer) for grown, buffer in ((first, a), (second, b))])
        for a, b in zip(first[1], second[1], strict=True)
    )
    return first[0] + second[0], buffers, about


def _name_of(kind: Any) -> str:
    return "array" if kind is None else repr(kind)


# The arrays


def _items(grown: tuple, buffer: TracedArray) -> TracedArray:
    """The items that there are, of one of the arrays."""
    return buffer[: size_of_list(grown)]


def size_of_list(grown: tuple) -> Any:
    """How many items there are, as a size."""
    count, buffers, _ = grown
    if type(count) is not SymbolicNumber:
        return count
    tracer = buffers[0].tracer
    value = as_kind(tracer, count, int)
    return tracer.symbol_of(value, 0, buffers[0].shape[0], "count", frozenset([DATA]))


def _index(tracer: Tracer, place: Any, room: Any) -> Any:
    """An index that is inside of the room."""
    if type(place) is int:
        return place
    value = as_kind(tracer, place, int)
    return tracer.symbol_of(value, 0, room - 1, "at", frozenset([DATA]))


def check(tracer: Tracer, condition: Any, exception: str, text: str) -> None:
    """Have the program end with an exception where a condition doesn't hold."""
    holds = truth(tracer, condition)
    if holds is not True:
        if holds is False:
            holds = tracer.constant(np.bool_(False))
        tracer.check(holds, exception, text, undoes=exception == IN_NUMPY)


def _form(part: Any, site: tuple) -> tuple:
    """What a number or an array in an item is: whose, the dtype, and the sizes of its axes."""
    kind = number_type(part)
    if kind is not None and not site[-1]:
        return "numpy", dtype_name(kind), ()
    if kind is not None and type(kind) is not Open:
        return "python" if isinstance(kind, type) else "numpy", dtype_name(kind), ()
    if type(part) is not TracedArray or part.is_scalar or not all(map(is_known, part.shape)):
        stay_plain(site)
    return "array", part.dtype.name, tuple(map(as_text, part.shape))


def _forms(tracer: Tracer, site: tuple) -> list[tuple]:
    """What the items of a list are, as far as that is known: several things, perhaps."""
    return sorted((x[2] for x in tracer.choices.growing if x[:2] == ("item", site)), key=repr)


def _kind(site: tuple, forms: list[tuple]) -> Any:
    """The type of a number that is in some forms, which may be an open one; None for an array."""
    if any(form[0] == "array" for form in forms):
        return None if len(set(forms)) == 1 else stay_plain(site)
    kinds = [np.dtype(dtype) if whose == "numpy" else _PYTHONS[dtype] for whose, dtype, _ in forms]
    kind = functools.reduce(lambda a, b: None if a is None else joined(a, b), kinds)
    return stay_plain(site) if kind is None else kind


def _buffer(tracer: Tracer, site: tuple, room: Any, dtype: str, shape: tuple) -> TracedArray:
    sizes = (room, *(size_of(tracer, size) for size in shape))
    hints = [size if type(size) is int else size.hint for size in sizes]
    if math.prod(hints) * np.dtype(dtype).itemsize > _MOST_BYTES:
        stay_plain(site)
    shape = graph_dims(sizes)
    if dtype == "bool":  # of which not every byte is one
        return fresh(tracer, tracer.op("full", [tracer.constant(np.bool_(False))], shape=shape))
    return fresh(tracer, tracer.op("empty", [], shape=shape, dtype=dtype))
