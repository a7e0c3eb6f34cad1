"""Lists from outside that captured code appends to and never looks at.

What such a list holds is no part of the program, so one that gets longer with each call needs no
program of its own each time. Whatever else is done with it begins the capture anew with its items.
"""

from __future__ import annotations

from typing import Any, NoReturn

from ..traced.outer_containers import OuterContainer
from ..traced.restarts import Restart

_APPENDING = ("append", "extend")
_LOOKING = (
    "__len__", "__bool__", "__iter__", "__reversed__", "__contains__", "__getitem__", "__setitem__",
    "__delitem__", "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__",
    "__add__", "__radd__", "__mul__", "__rmul__", "__imul__", "__repr__", "__str__", "__format__",
    "__copy__", "__deepcopy__", "__reduce_ex__", "__dir__", "__sizeof__",
)  # fmt: skip


def _look(self: Appended, *args: Any) -> NoReturn:
    outer = object.__getattribute__(self, "_quernel")
    raise Restart(looked=[outer.leaf.path])


class Appended:
    """What stands for such a list.

    Attributes
    ----------
    _quernel : OuterContainer
        Of which the list has what is appended alone.
    """

    __slots__ = ("_quernel",)

    def __init__(self, outer: OuterContainer) -> None:
        object.__setattr__(self, "_quernel", outer)

    def __getattribute__(self, name: str) -> Any:
        if name == "__class__":
            return list
        if name not in _APPENDING and hasattr(list, name):
            _look(self)
        return getattr(object.__getattribute__(self, "_quernel").obj, name)

    def __setattr__(self, name: str, value: Any) -> None:
        _look(self)

    def __iadd__(self, items: Any) -> Appended:
        if type(items) not in (list, tuple):  # an array makes one of both
            _look(self)
        outer = object.__getattribute__(self, "_quernel")
        outer.obj += items
        return self


for _name in _LOOKING:
    setattr(Appended, _name, _look)
