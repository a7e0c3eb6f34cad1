"""`functools.cache` and `lru_cache`, with entries that can be taken and put back."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..traced.tracer import current


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
