"""NumPy's own error where a function of ours raises one: by its text, users know it."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ..signals import let_out
from ..traced.array import TracedArray
from ..traced.numbers import SymbolicNumber, SymbolicSize
from ..traced.tracer import current
from .memory_methods import class_of

TRACED = (TracedArray, SymbolicNumber, SymbolicSize)
_KINDS = (ValueError, TypeError, IndexError, AttributeError)
_MOST = 4096
_OURS = re.compile(r"Traced|Symbolic|Foreign")  # names that nobody outside knows


class _UnknownError(Exception):
    """Nothing of NumPy's can stand for an argument."""


def numpys_error(
    error: Exception,
    function: Callable[..., Any],
    args: tuple,
    kwargs: dict[str, Any],
    named: str = "",
) -> Exception:
    """The error that NumPy raises for arrays of these shapes and dtypes; ours where it raises none.

    Parameters
    ----------
    named : str
        What a refusal calls the function, if not by NumPy's name.

    Raises
    ------
    Restart
        Where a size isn't known that the text may have in it.
    UnsupportedError
        For types that NumPy takes and ours doesn't.
    """
    let_out(error)
    try:
        raised = _raised(function, args, kwargs, 1)
        # What NumPy says of one value, and not of another, isn't what it says of the user's.
        if isinstance(raised, _KINDS) and str(_raised(function, args, kwargs, 0)) != str(raised):
            return error
    except _UnknownError:
        return error
    if isinstance(raised, np.linalg.LinAlgError):
        return error  # of values
    if isinstance(raised, _KINDS):
        return _known_as_users(raised.with_traceback(None))
    if raised is None and isinstance(error, TypeError):
        name = named or f"np.{getattr(function, '__name__', 'a function')}"
        why = "" if _OURS.search(str(error)) else f" ({error})"
        current().fail(f"{name} of these types{why}", "convert a number, such as int(x)")
    return error


def _raised(function: Callable[..., Any], args: tuple, kwargs: dict, value: int) -> Any:
    """What a call raises for arrays and numbers of this value in place of traced ones, or None."""
    theirs, keywords = (_stand_in(part, value=value) for part in (args, kwargs))
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            function(*theirs, **keywords)
        except Exception as raised:
            let_out(raised)
            return raised
    return None


def judged(function: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
    """See that NumPy takes a call, by carrying it out on arrays that have one element each.

    This is for keywords that no signature names. What depends on sizes isn't judged.

    Raises
    ------
    Exception
        What NumPy raises.
    """
    try:
        theirs, keywords = (_stand_in(part, lambda _: 1) for part in (args, kwargs))
    except _UnknownError:
        return
    with np.errstate(all="ignore"):
        function(*theirs, **keywords)


def check_attribute(does: Callable[..., Any], owner: Any, name: str) -> None:
    """See that an array or number has an attribute, as what stands for it has others.

    NumPy's error is the same for all values and sizes.

    Parameters
    ----------
    does : function
        What is done to the attribute: `getattr`, `setattr` or `delattr`.

    Raises
    ------
    AttributeError
    """
    if type(owner) not in TRACED:
        return
    kind = owner.__class__
    if hasattr(kind, name) or (does is getattr and hasattr(np.memmap, name)):
        return
    class_of(owner)  # a memmap has the attributes that somebody has given it
    one = np.ones(1) if kind is np.ndarray else kind(1)
    try:
        does(one, name, *([None] if does is setattr else []))
    except AttributeError as error:
        raise _known_as_users(error.with_traceback(None)) from None


def _known_as_users(error: Exception) -> Exception:
    """The error, which a program may raise on a path."""
    interpreter = current().interpreter
    return error if interpreter is None else interpreter.raising(error)


def _known(size: Any) -> int:
    if type(size) is int:
        return size
    if size.dynamic:
        raise _UnknownError
    return size.known()


def _stand_in(obj: Any, known: Callable[[Any], int] = _known, value: int = 1) -> Any:
    """An array of one value for a traced one, and likewise for numbers and what holds them."""
    if type(obj) is TracedArray:
        sizes = [known(size) for size in obj.shape]
        if obj.open or math.prod(sizes) > _MOST:
            raise _UnknownError
        return obj.dtype.type(value) if obj.is_scalar else np.full(sizes, value, obj.dtype)
    if type(obj) in (SymbolicNumber, SymbolicSize):
        if obj.open:
            raise _UnknownError
        return obj.kind(value)
    if type(obj) in (tuple, list):
        return type(obj)(_stand_in(item, known, value) for item in obj)
    if type(obj) is dict:
        return {name: _stand_in(item, known, value) for name, item in obj.items()}
    return obj
