"""The argument ``order=`` of NumPy's functions: how new arrays lie, or how others are read."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

_LETTERS = ("C", "F", "A", "K")


def memory_order(order: Any) -> str | None:
    """An order as its letter; None where nobody has given one.

    Raises
    ------
    TypeError, ValueError
    """
    if order is None:
        return None
    if not isinstance(order, str):
        raise TypeError(f"order must be str, not {type(order).__name__}")
    if order.upper() not in _LETTERS:
        raise ValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got '{order}')")
    return order.upper()


def c_or_f(order: Any) -> str | None:
    """The order of an array that is made of nothing.

    Raises
    ------
    TypeError, ValueError
    """
    letter = memory_order(order)
    if letter in ("A", "K"):
        raise ValueError("only 'C' or 'F' order is permitted")
    return letter


def with_letters(implementation: Callable[..., Any]) -> Callable[..., Any]:
    """An implementation that gets its order as a letter; itself where it has no such argument.

    An order that may be anything is something else: the fields by which NumPy sorts.
    """
    code = implementation.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    if "order" not in names or implementation.__annotations__.get("order") == "Any":
        return implementation
    place = names.index("order")

    @functools.wraps(implementation)
    def call(*args: Any, **kwargs: Any) -> Any:
        if "order" in kwargs:
            kwargs["order"] = memory_order(kwargs["order"])
        elif len(args) > place and place < code.co_argcount:
            args = (*args[:place], memory_order(args[place]), *args[place + 1 :])
        return implementation(*args, **kwargs)

    return call
