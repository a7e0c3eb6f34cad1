"""Calls of NumPy's functions in captured code."""

from __future__ import annotations

import functools
import inspect
import types
import warnings
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from ..dtypes import NAMES, TEXT
from ..primitives.layouts import in_fortran, laid_as
from ..traced.array import SEQUENCES, TracedArray, constant, fresh, is_traced
from ..traced.counted import Sequence
from ..traced.location import OUTSIDE, public_name
from ..traced.tracer import current
from ..traced.views import BroadcastView
from .half_precision import refuse_bfloat16
from .loader import constructor_of, implementation_of, load, replacement_of, source_of
from .registry import CREATIONS, ORDERS

_MOST_AXES = 64  # a longer range names no axes or sizes: it is an array
_HINTS = {
    "print": "print outside of the compiled function",
}


def call(function: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
    """The captured form of ``function(*args, **kwargs)``."""
    refuse_bfloat16(function, args, kwargs)
    implementation = implementation_of(function)
    if implementation is not None:
        start = current().tick()
        try:
            _check_form(function, args, kwargs)
            answer = owned(implementation(*args, **kwargs), start)
            return _ordered(function, answer, [*args, *kwargs.values()], start)
        except (ValueError, TypeError, IndexError) as error:
            from ..capture.judging import numpys_error  # which only errors need

            raise numpys_error(error, function, args, kwargs) from None
    implementation = _own_source(function)
    if implementation is None:
        name = getattr(function, "__name__", str(function))
        current().fail(f"{public_name(function)} is not supported yet", _HINTS.get(name, ""))
    with current().callers.calling(public_name(function)):
        return implementation(*args, **kwargs)


def _check_form(function: Any, args: tuple, kwargs: dict[str, Any]) -> None:
    """See that a function takes arguments in these places and of these names, and the device.

    Raises
    ------
    TypeError, ValueError
    """
    form = _form(function)
    if form is not None:
        form.bind(*args, **kwargs)
    if kwargs.get("like") is not None:
        current().fail("the argument like=, which may ask another library", "leave it out")
    device = kwargs.get("device")
    if device not in (None, "cpu"):
        text = f'Device not understood. Only "cpu" is allowed, but received: {device}'
        raise ValueError(text)


@functools.lru_cache(maxsize=1024)
def _form(function: Any) -> inspect.Signature | None:
    """The signature of a function; None for one in C, of which NumPy's text may be another one."""
    source = getattr(function, "_implementation", function)
    return inspect.signature(source) if isinstance(source, types.FunctionType) else None


def _ordered(function: Any, answer: Any, args: list[Any], start: int) -> Any:
    """The new arrays of an answer in the order that NumPy's function gives them."""
    order = ORDERS.get(function)
    if not order or not args:
        return answer
    if isinstance(answer, tuple | list):
        return type(answer)(_ordered(function, part, args, start) for part in answer)
    is_new = type(answer) is TracedArray and getattr(answer.storage, "born", 0) >= start
    if not is_new or answer.is_view or answer.ndim < 2:
        return answer
    return laid_as(answer, args[0], order) if order != "F" else in_fortran(answer, [args[0]])


def owned(answer: Any, start: int) -> Any:
    """The answer of a function; a view of memory that was made on the way owns its elements.

    NumPy's functions copy where ours turn or cut what they have computed. What can't be written
    stays a view, and so does what NumPy gives as views (`Storage.shown`).
    """
    if type(answer) is TracedArray:
        views = answer.views
        if getattr(answer.storage, "born", 0) < start or not views or answer.is_scalar:
            return answer
        if answer.storage.shown:
            return answer
        if any(view.kind in ("broadcast_to", "windows") for view in views):
            return answer
        return fresh(answer.tracer, answer.value)
    if isinstance(answer, tuple | list):
        items = [owned(item, start) for item in answer]
        if all(a is b for a, b in zip(items, answer, strict=True)):
            return answer
        return type(answer)(*items) if hasattr(answer, "_fields") else type(answer)(items)
    return answer


def captured(function: Any, *args: Any) -> Any:
    """What a plain function, such as one of ours, gives: captured as a user's helper is."""
    return current().rebuilder.function(function, None)(*args)


def by_source(function: Any, *args: Any, **kwargs: Any) -> Any:
    """A call that our implementation leaves to NumPy's own source."""
    return _own_source(function)(*args, **kwargs)


def _own_source(function: Any) -> Callable[..., Any] | None:
    """NumPy's own function, where it is written in Python: captured as a user's helper is."""
    source = getattr(function, "_implementation", function)
    module = getattr(source, "__module__", None) or ""
    if type(source) is not FunctionType or not module.startswith("numpy."):
        return None
    return current().rebuilder.function(source, None)


def stand_in(
    obj: Any, is_numpys: bool = False, is_called: bool = False, is_method: bool = False
) -> Any:
    """What captured code has in place of an object; see `Dispatch`."""
    if is_called:
        made = constructor_of(obj)
        return None if made is None else _constructor(obj, made)
    source = source_of(obj)
    if source is None and is_method:
        return None
    if source is not None:
        return _of_scipy(current().rebuilder.function(source, None))
    replacement = replacement_of(obj)
    if replacement is not None:
        return replacement
    if isinstance(obj, type | np.ufunc | np.dtype | np.generic) or not callable(obj):
        return None
    return wrap(obj) if is_numpys or implementation_of(obj) is not None else None


def _of_scipy(function: Any) -> Callable[..., Any]:
    """A captured source of a function of SciPy, which makes of float16 what each function likes."""

    @functools.wraps(function)
    def checked(*args: Any, **kwargs: Any) -> Any:
        for given in (*args, *kwargs.values()):
            if type(given) is TracedArray and given.dtype == np.float16:
                current().fail(f"float16 in {function.__module__}", "cast with .astype")
        return function(*args, **kwargs)

    return checked


def _constructor(kind: type, implementation: Callable[..., Any]) -> Callable[..., Any]:
    def construct(*args: Any, **kwargs: Any) -> Any:
        made = implementation(kind, *args, **kwargs)
        return kind(*args, **kwargs) if made is NotImplemented else made

    return construct


def wrap(function: Any) -> Callable[..., Any]:
    """The function that captured code gets in place of a NumPy function."""
    load(function)

    def captured(*args: Any, **kwargs: Any) -> Any:
        if function in CREATIONS or is_traced((args, kwargs)):
            return call(function, tuple(map(_plain, args)), kwargs)
        args = tuple(getattr(arg, "__numpys__", arg) for arg in args)
        return lifted(_quietly(function, args, kwargs))

    captured.__name__ = getattr(function, "__name__", "function")
    captured.__wrapped__ = captured.__numpys__ = function
    return captured


def _quietly(function: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
    """What a function of NumPy's gives; where it warns, it has to at every call."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        answer = function(*args, **kwargs)
    if caught:
        current().fail(f"{public_name(function)}, which warns: {caught[0].message}", OUTSIDE)
    return answer


def lifted(result: Any) -> Any:
    """A result of NumPy's own with its arrays as constants of the program, each of them one.

    An array that can't be written (of the bytes of an object of Python's) stays so.
    """
    known: dict[int, TracedArray] = {}

    def lift(part: Any) -> Any:
        if isinstance(part, np.ndarray):
            tracer = current()
            if part.dtype.name not in NAMES:
                tracer.fail(f"an array of dtype {part.dtype}", f"use {TEXT}")
            if id(part) not in known:
                made = constant(tracer, part)
                is_shut = part.ndim and not part.flags.writeable
                known[id(part)] = made.view(BroadcastView(made.shape)) if is_shut else made
            return known[id(part)]
        if type(part) in (tuple, list):
            return type(part)(map(lift, part))
        return part

    return lift(result)


def _plain(obj: Any) -> Any:
    """A sequence as the list or tuple that NumPy takes it for; other objects as they are."""
    kind = type(obj)
    if issubclass(kind, Sequence):
        return obj.as_array()
    if kind is range and len(obj) <= _MOST_AXES:
        return tuple(obj)
    if kind is list or kind is tuple:
        items = [_plain(item) for item in obj]
        return obj if all(a is b for a, b in zip(items, obj, strict=True)) else kind(items)
    if issubclass(kind, tuple):
        return tuple(map(_plain, obj))
    return [_plain(item) for item in obj] if issubclass(kind, SEQUENCES) else obj
