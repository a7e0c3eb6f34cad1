"""`functools.cache` and `lru_cache`, with entries that can be taken and put back."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..traced.numbers import isinstance_symbolic
from ..traced.tracer import current

_PLAIN = (type(None), bool, int, float, complex, str)


def caches() -> dict[Any, Callable[..., Any]]:
    """What stands in for the functions that make caches."""
    return {functools.cache: _cached, functools.lru_cache: _limited}


def _limited(maxsize: Any = 128, typed: bool = False) -> Any:
    if callable(maxsize):
        return _cached(maxsize)
    return lambda function: _cached(function, maxsize, typed)


def _cached(function: Callable[..., Any], maxsize: int | None = None, typed: bool = False) -> Any:
    """The function with a cache; `maxsize` and `typed` as in `functools.lru_cache`."""
    entries: dict[Any, Any] = {}  # the one that was used last is the last one

    def call(*args: Any, **kwargs: Any) -> Any:
        key = functools._make_key(args, kwargs, typed)
        if key in entries:
            answer = entries.pop(key)
        else:
            answer = function(*args, **kwargs)
            if maxsize is not None and len(entries) >= maxsize:
                del entries[next(iter(entries))]
        entries[key] = answer
        return answer

    def refused() -> None:
        current().fail("what a cache has counted", "count outside of the compiled function")

    call.__name__ = getattr(function, "__name__", "call")
    call.__module__ = ""  # so that what it holds is looked at
    call.cache_clear, call.cache_info = entries.clear, refused  # type: ignore[attr-defined]
    return call


def cached_outside(function: Callable[..., Any]) -> Any:
    """What stands for a function that has a cache outside of the program.

    It is called each time; what it gives may be used again, so that nobody may see whether it is.
    """

    def call(*args: Any, **kwargs: Any) -> Any:
        functools._make_key(args, kwargs, False)
        for part in (*args, *kwargs.values()):
            hash(part)
        answer = function(*args, **kwargs)
        parts = answer if type(answer) is tuple else (answer,)
        if not all(type(part) in _PLAIN or isinstance_symbolic(part) for part in parts):
            current().fail(
                "an array or object that a cache outside of the program keeps", "pass it instead"
            )
        return answer

    call.__name__ = getattr(function, "__name__", "call")
    return call
