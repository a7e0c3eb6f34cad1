"""What functions carry along: objects that they are bound to, arguments, closures, defaults."""

from __future__ import annotations

import functools
import types
from typing import Any

from .. import _runtime
from ..describe import defaults_of
from ..signals import let_out

MOST_ITEMS = 256  # of an argument, each a parameter of the program: more take long to compile
_OWNED = ("__func__", "__self__")
# What functions that carry arguments along are made of, by their classes.
PARTS = {
    types.MethodType: _OWNED,
    _runtime.BoundFunction: _OWNED,
    functools.partial: ("func", "args", "keywords"),
}


def parts_of(function: types.FunctionType) -> dict[str, Any] | None:
    """What a function carries along, by name: the contents of its closure, then its defaults.

    None where a cell of the closure has nothing yet.
    """
    names, cells = function.__code__.co_freevars, function.__closure__ or ()
    try:
        parts = {name: cell.cell_contents for name, cell in zip(names, cells, strict=True)}
    except ValueError as error:
        let_out(error)
        return None
    return parts | defaults_of(function)


def reaches_itself(function: types.FunctionType) -> bool:
    """Whether the parts of a function lead to it."""
    waiting: list[Any] = [function]
    known = {id(function)}
    for holder in waiting:
        if isinstance(holder, types.FunctionType):
            held = list((parts_of(holder) or {}).values())
        elif type(holder) in PARTS:
            held = [getattr(holder, name) for name in PARTS[type(holder)]]
        elif isinstance(holder, (tuple, list, dict)) and len(holder) <= MOST_ITEMS:
            held = list(holder.values() if isinstance(holder, dict) else holder)
        else:
            continue
        if any(item is function for item in held):
            return True
        waiting += [item for item in held if id(item) not in known]
        known.update(map(id, held))
    return False
