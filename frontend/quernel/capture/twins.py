"""Functions of Python's that are in C, by the Python source that its library has of them, too.

`heapq`, `bisect` and `statistics` define functions in Python and then take those of C by the same
names. A copy of such a module that finds none of C has the sources, which are captured in their
place as helpers of the user's are.
"""

from __future__ import annotations

import builtins
import functools
import importlib
import types
from typing import Any

from ..traced.tracer import current

# By the module of C: the one that has the sources.
_MODULES = {"_heapq": "heapq", "_bisect": "bisect", "_statistics": "statistics"}
# What takes the first of a heap, and what C says where there is none.
_TAKING = ("heappop", "heapreplace", "_heappop_max", "_heapreplace_max")
_EMPTY = "index out of range"


def twin_of(function: types.BuiltinFunctionType) -> Any:
    """What captured code calls in place of a function of C; None where there is no source."""
    public = _MODULES.get(function.__module__)
    source = None if public is None else _without_c(public).get(function.__name__)
    if source is None:
        return None
    captured = current().rebuilder.function(source, None)
    return _of_heaps(function, captured) if public == "heapq" else captured


def _of_heaps(function: Any, captured: Any) -> Any:
    """A function of `heapq`, which takes nothing but a list."""

    @functools.wraps(function)
    def call(heap: Any, *args: Any) -> Any:
        if type(heap) is not list:
            current().fail(f"heapq.{function.__name__}() of what isn't a list", "make a list of it")
        if not heap and function.__name__ in _TAKING:
            raise current().interpreter.raising(IndexError(_EMPTY))
        return captured(heap, *args)

    return call


@functools.cache
def _without_c(name: str) -> dict[str, Any]:
    """The names of a module of Python's as they are where it finds nothing of C."""
    module = importlib.import_module(name)

    def load(asked: str, *args: Any) -> Any:
        if asked in _MODULES:
            raise ImportError(asked)
        return __import__(asked, *args)

    own = {**vars(builtins), "__import__": load}
    names = {"__name__": f"quernel.{name}", "__file__": module.__file__, "__builtins__": own}
    exec(module.__spec__.loader.get_code(name), names)
    for value in names.values():
        if isinstance(value, types.FunctionType) and value.__module__ == names["__name__"]:
            value.__module__ = name
    return names
