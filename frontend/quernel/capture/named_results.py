"""Results that stand in a module under their name: functions, ufuncs, classes, `Ellipsis`."""

from __future__ import annotations

import types
from typing import Any

import numpy as np

from ..arguments.named_tuples import place_of
from .class_stand_ins import StandIn


def name_of(rebuilder: Any, obj: Any) -> list[str] | None:
    """The module and the name of what an object of captured code stands for; None for others.

    A function among the arguments is known by its code alone: another call may pass another one.
    """
    if obj is Ellipsis:
        return ["builtins", "Ellipsis"]
    if isinstance(obj, np.ufunc):
        return ["numpy", obj.__name__] if getattr(np, obj.__name__, None) is obj else None
    if type(obj) is StandIn:
        obj = rebuilder.classes.original(obj)
    if isinstance(obj, types.FunctionType):
        original, _ = rebuilder.originals.get(obj, (None, None))
        if obj in rebuilder.compiled or id(original) in rebuilder.handed_leaves:
            return None
        obj = original
    return place_of(obj) if isinstance(obj, (type, types.FunctionType)) else None
