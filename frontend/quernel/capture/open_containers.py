"""Lists and dicts from outside that captured code changes without looking at all that they hold.

What is appended to a list asks nothing of its items, and a key that is set or read in a dict
nothing of the other keys. So a list that gets longer with each call, or a cache, needs no program
of its own each time. Whatever else is done with one begins the capture anew with all that it holds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from ..arguments.leaves import Leaf
from ..arguments.looking import is_written_out, key_leaf
from ..arguments.simple_kinds import ARRAY, NUMBER, VALUE
from ..errors import UnsupportedError
from ..traced.outer_containers import OuterContainer
from ..traced.restarts import Restart
from ..traced.tracer import current
from ..traced.undecided import Maybe

_LOOKING = (
    "__len__", "__bool__", "__iter__", "__reversed__", "__contains__", "__getitem__", "__setitem__",
    "__delitem__", "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__",
    "__add__", "__radd__", "__mul__", "__rmul__", "__imul__", "__or__", "__ror__", "__repr__",
    "__str__", "__format__", "__copy__", "__deepcopy__", "__reduce_ex__", "__dir__", "__sizeof__",
)  # fmt: skip


def _look(self: Any, *args: Any, **kwargs: Any) -> NoReturn:
    raise Restart(looked=[_known(self).leaf.path])


def _known(shown: Any) -> OuterContainer:
    return object.__getattribute__(shown, "_quernel")


class _Open:
    """What stands for such a list or dict; it is one to all who ask.

    Attributes
    ----------
    _quernel : OuterContainer
        Of which the list or dict has what is new alone.
    """

    __slots__ = ("_quernel",)
    _python: type
    _own: tuple[str, ...] = ()

    def __init__(self, outer: OuterContainer) -> None:
        object.__setattr__(self, "_quernel", outer)

    def __getattribute__(self, name: str) -> Any:
        kind = type(self)
        if name == "__class__":
            return kind._python
        if name in kind._own:
            return object.__getattribute__(self, name)
        if hasattr(kind._python, name):
            _look(self)
        return getattr(_known(self).obj, name)  # which hasn't it either

    def __setattr__(self, name: str, value: Any) -> None:
        _look(self)


for _name in _LOOKING:
    setattr(_Open, _name, _look)


class Appended(_Open):
    """What stands for a list that is appended to."""

    __slots__ = ()
    _python = list
    _own = ("append", "extend")

    @property
    def append(self) -> Callable[[Any], None]:
        """The method of the list that has what is appended."""
        return _known(self).obj.append

    @property
    def extend(self) -> Callable[[Any], None]:
        """The same."""
        return _known(self).obj.extend

    def __iadd__(self, items: Any) -> Appended:
        if type(items) not in (list, tuple):  # an array makes one of both
            _look(self)
        _known(self).obj.extend(items)
        return self


_ABSENT = object()


class Keyed(_Open):
    """What stands for a dict of which some keys are set and read."""

    __slots__ = ()
    _python = dict
    _own = ("get", "setdefault", "update")

    def __getitem__(self, key: Any) -> Any:
        found = _value(self, key)
        if found is _ABSENT:
            raise KeyError(key)
        return found

    def __setitem__(self, key: Any, value: Any) -> None:
        outer = _known(self)
        _see(self, key)
        if type(outer.obj.get(key)) is Maybe:  # its place among the keys is that side's, too
            _look(self)
        if key in outer.obj or outer.loaded.get(key, _ABSENT) is not value:
            outer.obj[key] = value

    def __contains__(self, key: Any) -> bool:
        return _value(self, key) is not _ABSENT

    def get(self, *args: Any) -> Any:
        """As of a dict."""
        if len(args) not in (1, 2):
            _look(self)
        found = _value(self, args[0])
        return found if found is not _ABSENT else args[1] if len(args) == 2 else None

    def setdefault(self, *args: Any) -> Any:
        """As of a dict."""
        if len(args) not in (1, 2):
            _look(self)
        if args[0] not in self:
            self[args[0]] = args[1] if len(args) == 2 else None
        return self[args[0]]

    def update(self, *args: Any, **named: Any) -> None:
        """As of a dict that gets the items of another one."""
        if len(args) > 1 or any(type(other) is not dict for other in args):
            _look(self)
        for other in (*args, named):
            for key, value in other.items():
                self[key] = value

    def __ior__(self, other: Any) -> Keyed:
        if type(other) is not dict:
            _look(self)
        self.update(other)
        return self


def _see(dict_: Keyed, key: Any) -> None:
    """See that a key can be written out."""
    hash(key)  # raises as a dict does
    if not is_written_out(key):
        _look(dict_)


def _value(dict_: Keyed, key: Any) -> Any:
    """What a dict has at a key, which the program demands from then on."""
    outer = _known(dict_)
    _see(dict_, key)
    if key in outer.obj:
        if type(outer.obj[key]) is Maybe:  # only one side of a branch has set it
            _look(dict_)
        return outer.obj[key]
    if key not in outer.loaded:
        tracer = current()
        try:
            child = key_leaf(outer.leaf, key)
        except UnsupportedError as error:
            tracer.fail(error.reason, error.hint)
        if child is None:
            return _ABSENT
        if tracer.depth and any(leaf.kind not in _SIMPLE for leaf in _parts(child)):
            _look(dict_)
        outer.loaded[key] = tracer.rebuilder.wrap(child)
    return outer.loaded[key]


# What a loop or branch may be first to read.
_SIMPLE = (ARRAY, NUMBER, VALUE)


def _parts(leaf: Leaf) -> list[Leaf]:
    found = [leaf]
    for part in found:
        found += part.children
    return found
