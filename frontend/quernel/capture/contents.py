"""What objects hold: the parts that can be reached from them, and the content that can change."""

from __future__ import annotations

import enum
import functools
import sys
import types
from collections import deque
from collections.abc import ItemsView, Iterable, Iterator, KeysView, ValuesView
from typing import Any, NamedTuple

import numpy as np

from ..signals import let_out
from ..traced.array import TracedArray
from ..traced.iterators import Iterating
from ..traced.numbers import SymbolicNumber, SymbolicSize
from ..traced.tracer import current
from ..traced.undecided import Either, Maybe
from .class_stand_ins import StandIn, is_dunder

LIMIT = 10_000
_LISTS = (tuple, list, deque, set, frozenset, KeysView, ValuesView, ItemsView)
_CONTAINERS = (list, dict, set, deque, bytearray, types.CellType, np.ndarray, Iterating)
_BOUND = (types.MethodType, types.BuiltinMethodType, types.MethodWrapperType)
_OPAQUE = frozenset((
    int, float, complex, bool, str, bytes, type(None), type, types.ModuleType, np.ufunc,
    SymbolicNumber, SymbolicSize, np.float64,
    TracedArray,  # which may fail where it is asked for its class
))  # fmt: skip
_LIBRARIES = ("numpy", __package__.split(".")[0])


class OfSort(NamedTuple):
    """The step of a path to one of the values that an object may be."""

    number: int


def parts_of(obj: Any) -> Iterable[tuple[Any, Any]]:
    """Names and parts of what an object holds; nothing for numbers, arrays and the like.

    Looked into are containers, those of `collections` included, values that data choose, iterators,
    the defaults and variables of functions, the owners of methods, and attributes.
    """
    kind = type(obj)
    if kind is Either:
        return ((OfSort(0), obj.first), (OfSort(1), obj.second))
    if kind is Maybe:
        return (("value", obj.value),)
    if issubclass(kind, Iterating):
        return enumerate(obj.held)
    if type(kind) is StandIn:
        return vars(obj).items()
    if kind in _OPAQUE or issubclass(kind, enum.Enum) or _is_ours(kind) or _is_librarys(obj):
        return ()
    return [*_held(obj), *_attributes(obj)]


def _held(obj: Any) -> Iterable[tuple[Any, Any]]:
    kind = type(obj)
    if issubclass(kind, _LISTS):
        return enumerate(obj)
    if issubclass(kind, dict):
        return obj.items()
    if kind is types.FunctionType:
        return _of_function(obj)
    if kind is types.CellType:
        return enumerate(content_of(obj))
    if kind in _BOUND:
        return (("self", obj.__self__), ("function", getattr(obj, "__func__", None)))
    if kind is functools.partial:
        return (("func", obj.func), ("args", obj.args), ("keywords", obj.keywords))
    if kind is memoryview:
        return (("obj", obj.obj),)
    return ()


def _of_function(function: types.FunctionType) -> Iterator[tuple[Any, Any]]:
    """Defaults and variables; those of an interpreted function lie in environments."""
    yield "defaults", function.__defaults__
    yield "named", function.__kwdefaults__
    if BINDER not in vars(function):
        yield from enumerate(function.__closure__ or ())


BINDER = "%binder"  # the attribute of an interpreted function that has its defaults


def _attributes(obj: Any) -> Iterable[tuple[Any, Any]]:
    kept = getattr(obj, "__dict__", None)
    return (("attributes", kept),) if type(kept) is dict else ()


def _is_librarys(obj: Any) -> bool:
    """Whether an object is a function of NumPy's or ours, and holds nothing of the user's."""
    if type(obj) is not types.FunctionType:
        return False
    return (obj.__module__ or "").split(".")[0] in _LIBRARIES


@functools.lru_cache(maxsize=1000)
def _is_ours(kind: type) -> bool:
    """Whether a class is one of this package: it holds nothing that the user's code changes.

    Classes that are made while captured code runs (named tuples) may have the name of our module.
    """
    name = kind.__module__
    if name.split(".")[0] != _LIBRARIES[-1]:
        return False
    owner: Any = sys.modules.get(name)
    for part in kind.__qualname__.split("."):
        owner = getattr(owner, part, None)
    return owner is kind or "<locals>" in kind.__qualname__


def reached(roots: Iterable[tuple[tuple, Any]], paths: bool = True) -> Iterator[tuple[tuple, Any]]:
    """All objects that can be reached, with their paths; what holds parts comes once.

    Parameters
    ----------
    paths : bool
        Whether the paths are right; else each object has that of its root, which costs less.

    Raises
    ------
    UnsupportedError
        Where there are too many to be followed.
    """
    seen: dict[int, Any] = {}  # the objects themselves, so that no other one gets the same id
    pending = list(roots)
    while pending:
        path, obj = pending.pop()
        if type(obj) in _OPAQUE:
            yield path, obj
            continue
        if id(obj) in seen:
            continue
        yield path, obj
        parts = list(parts_of(obj))
        if parts or can_change(obj):
            seen[id(obj)] = obj
        if len(seen) > LIMIT:
            current().fail(
                f"more than {LIMIT} lists and other objects that loops or branches may change",
                "use arrays",
            )
        if paths:
            pending += [((*path, name), part) for name, part in parts]
        else:
            pending += [(path, part) for _, part in parts]


# Content that can be taken, put back and compared


def can_change(obj: Any) -> bool:
    """Whether an object has content of its own that can be put back."""
    return issubclass(type(obj), _CONTAINERS)


def refuse_unknown(obj: Any) -> None:
    """Refuse an iterator that isn't one of ours: where it is can't be put back."""
    if (
        type(obj) not in _OPAQUE
        and hasattr(type(obj), "__next__")
        and not issubclass(type(obj), Iterating)
    ):
        current().fail(
            f"a {type(obj).__name__} that is kept where a loop or branch may use it",
            "use a list",
        )


def content_of(obj: Any) -> list[Any]:
    """What an object holds by itself, as it is now."""
    if type(obj) is types.CellType:
        try:
            return [obj.cell_contents]
        except ValueError as error:
            let_out(error)
            return []
    if type(obj) is np.ndarray:
        return [obj.tobytes()]
    if issubclass(type(obj), Iterating):
        return obj.content
    return list(obj.items()) if issubclass(type(obj), dict) else list(obj)


def same_content(first: list[Any], second: list[Any]) -> bool:
    """Whether two contents are made of the same objects in the same order."""
    if len(first) != len(second):
        return False
    for a, b in zip(first, second, strict=True):
        if a is b or (type(a) is bytes and type(b) is bytes and a == b):
            continue
        if type(a) is not tuple or type(b) is not tuple or len(a) != 2 or len(b) != 2:
            return False
        if a[0] is not b[0] or a[1] is not b[1]:
            return False
    return True


def refill(obj: Any, content: list[Any]) -> None:
    """Put content back."""
    if same_content(content_of(obj), content):
        return
    if type(obj) is types.CellType:
        del obj.cell_contents
        for item in content:
            obj.cell_contents = item
        return
    if type(obj) is np.ndarray:
        obj[...] = np.frombuffer(content[0], obj.dtype).reshape(obj.shape)
        return
    if issubclass(type(obj), Iterating):
        obj.content = content
        return
    obj.clear()
    if issubclass(type(obj), dict):
        for key, value in content:
            obj[key] = value
    elif issubclass(type(obj), set):
        obj.update(content)
    else:
        obj.extend(content)


def keeps_attribute(obj: Any, name: str) -> bool:
    """Whether an assignment to an attribute changes what `State` puts back, or is NumPy's."""
    if StandIn in (type(obj), type(type(obj))):
        return not is_dunder(name)
    if type(obj) is TracedArray:
        return True
    if isinstance(obj, enum.Enum):  # itself, not what stands for one
        return False
    if _is_ours(type(obj)):  # what it gets is lost, unless it has a way of its own
        has_way = type(obj).__setattr__ is not object.__setattr__
        return has_way or hasattr(getattr(type(obj), name, None), "__set__")
    kept = getattr(obj, "__dict__", None)
    return type(kept) is dict and not hasattr(getattr(type(obj), name, None), "__set__")


def arrays_in(obj: Any, path: tuple = ()) -> Iterator[tuple[tuple, TracedArray]]:
    """The arrays that can be reached from an object, with their paths."""
    for at, item in reached([(path, obj)]):
        if type(item) is TracedArray:
            yield at, item
