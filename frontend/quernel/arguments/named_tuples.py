"""Named tuples in arguments and results: entries name their classes, the runtime has them."""

from __future__ import annotations

import ast
import sys
from collections import namedtuple
from typing import Any

import numpy as np

from ..describe import Undescribable, describe, digest

_GENERATED = set(vars(namedtuple("Any", "")))


def is_named_tuple(obj: Any) -> bool:
    """Whether an object is a named tuple as `collections` or `typing` make them."""
    kind = type(obj)
    return kind.__bases__ == (tuple,) and hasattr(kind, "_fields") and hasattr(kind, "_make")


def is_made_of_items(obj: Any) -> bool:
    """Whether an object is a named tuple, or one of a class below it, and nothing but its items."""
    named = next((base for base in type(obj).__mro__ if base.__bases__ == (tuple,)), None)
    if named is None or not hasattr(named, "_fields"):
        return False
    has_own_way = any("_make" in vars(base) for base in type(obj).__mro__ if base is not named)
    return not has_own_way and not getattr(obj, "__dict__", None)


class SliceMaker:
    """What a result names as the class of a slice, which is made of three items as named tuples."""

    @staticmethod
    def _make(items: tuple) -> slice:
        return slice(*items)


def place_of(obj: Any) -> list[str] | None:
    """The module and the name of a class or a function; None where it isn't found there."""
    place = [obj.__module__, obj.__qualname__]
    return place if place[0] and _found(place) is obj else None


def class_form(kind: type) -> list[str] | None:
    """The place of a class, and a digest of its fields and of what else its objects have.

    None where the class isn't found at its place, or has what can't be put into a text.
    """
    place = place_of(kind)
    own = {
        name: member
        for name, member in vars(kind).items()
        if name not in _GENERATED and name not in kind._fields and not _is_note(name, member)
    }
    try:
        texts = [f"{name}={_member(own[name])}" for name in sorted(own)]
    except Undescribable:
        return None
    return place and [*place, digest(*kind._fields, "", *texts)]


def _is_note(name: str, member: Any) -> bool:
    """Whether a class has something that Python, `copy` or `typing` note there."""
    return name.startswith("__") and name.endswith("__") and not callable(member)


def _member(member: Any) -> str:
    if type(member) is property and member.fset is None and member.fdel is None:
        return f"property:{describe(member.fget)}"
    return describe(member)


def with_classes(node: Any) -> Any:
    """A result tree with the classes of its named tuples, and with dtypes and classes themselves.

    Raises
    ------
    OSError
        Where a class isn't there any more.
    """
    kind, *parts = node
    if kind == "named":
        return ("named", _class_at(parts[0]), with_classes(parts[1]))
    if kind == "object":
        return (kind, _class_at(parts[0]), parts[1], [with_classes(item) for item in parts[2]])
    if kind == "assign":
        tree, places, trees = parts
        places = [_place(place) for place in places]
        return (kind, with_classes(tree), places, [with_classes(item) for item in trees])
    if kind == "named_object":
        return ("const", _object_at(parts[0]))
    if kind == "dtype":
        return ("const", np.dtype(parts[0]))
    if kind in ("tuple", "list"):
        return (kind, [with_classes(item) for item in parts[0]])
    if kind == "dict":
        return (kind, parts[0], [with_classes(item) for item in parts[1]])
    if kind == "either":
        return (kind, parts[0], *map(with_classes, parts[1:]))
    if kind == "let":
        return (kind, [with_classes(item) for item in parts[0]], with_classes(parts[1]))
    return node


def _place(place: list) -> list:
    """A place of an assignment with its class, or with the keys of which it has the texts."""
    first, *rest = place
    if first == "keys":
        number, gone, new, *condition = rest
        keys = (tuple(map(ast.literal_eval, texts)) for texts in (gone, new))
        return [first, number, *keys, *condition]
    return [_class_at(first), *rest] if type(first) is list else place


def _class_at(place: list[str]) -> type:
    found = _object_at(place)
    if not isinstance(found, type):
        raise OSError(f"there is no class {'.'.join(place)}")
    return found


def _object_at(place: list[str]) -> Any:
    found = _found(place)
    if found is None:
        raise OSError(f"there is no {'.'.join(place)}")
    return found


def _found(place: list[str]) -> Any:
    module, name = place
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return found
