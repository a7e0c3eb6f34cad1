"""What NumPy's functions do in captured code, as far as those need to know it who are called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

OPERATOR = "operator"  # the method of a call of a ufunc for which the user's code has an operator


def _unfilled(*args: Any, **kwargs: Any) -> Any:
    raise RuntimeError("nothing says what stands for NumPy's functions")


class Dispatch:
    """Four hooks, which `numpy/hooks.py` fills.

    Attributes
    ----------
    ufunc : callable
        ``ufunc(function, method, inputs, kwargs)`` is a call of a ufunc, or of one of its methods,
        with the arguments of ``__array_ufunc__``. Gives the traced result, or a tuple of results.
        The method `OPERATOR` is an operator between numbers, which Python may compute by itself.
    function : callable
        ``function(function, args, kwargs)`` is a call of one of NumPy's functions. Gives the traced
        result; what nothing stands for is captured from NumPy's own source, or refused.
    stand_in : callable
        ``stand_in(obj, is_numpys=False, is_called=False, is_method=False)`` gives what captured
        code has in place of an object from outside, or None where that is the object itself. With
        `is_numpys`, the object is one of NumPy's, so that there is something for any function. With
        `is_called`, it is a type that is called: by itself it would stay a type. With `is_method`,
        it is the function of a method of a class of SciPy's.

    stream : callable
        ``stream(state, obj)`` is what stands for a random generator of which the words of the state
        are an array.

    All of them raise what NumPy would raise for the user's arguments, `UnsupportedError` for what
    can't be compiled, and `Restart` where the capture has to begin anew.
    """

    __slots__ = ("ufunc", "function", "stand_in", "stream")

    def __init__(self) -> None:
        self.ufunc: Callable[[Any, str, tuple, dict[str, Any]], Any] = _unfilled
        self.function: Callable[[Any, tuple, dict[str, Any]], Any] = _unfilled
        self.stand_in: Callable[..., Any] = _unfilled
        self.stream: Callable[[Any, Any], Any] = _unfilled


dispatch = Dispatch()
