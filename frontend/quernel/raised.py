"""Exceptions as a manifest has them: the name of a class, and a text."""

from __future__ import annotations

import builtins
import functools
import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

# In place of a class: the program has stopped before it has changed anything, and the call runs in
# NumPy. The text says why.
IN_NUMPY = "in NumPy"
# The same where the plain function raises the exception that the text names: nothing is told.
RAISED_IN_NUMPY = "raised in NumPy"
TOO_WIDE = "a Python integer of more than 64 bits"
WIDE_HINT = "use a float, or np.int64, which wraps around"

# Kinds of floating-point events, by their names in `np.errstate`, and NumPy's numbers of them.
EVENTS = {"divide": 1, "over": 2, "under": 4, "invalid": 8}

_NUMPYS = np._core._exceptions
_PLACES = (builtins, np.linalg, np.exceptions, _NUMPYS)
# The arguments that NumPy's errors of ufuncs are made of; their texts follow from these.
_PARTS = {
    "_UFuncNoLoopError": ("ufunc", "dtypes"),
    "_UFuncBinaryResolutionError": ("ufunc", "dtypes"),
    "_UFuncInputCastingError": ("ufunc", "casting", "from_", "to", "in_i"),
    "_UFuncOutputCastingError": ("ufunc", "casting", "from_", "to", "out_i"),
}


def class_name(kind: Any) -> str | None:
    """The name of a class of exceptions; None where it is neither Python's nor NumPy's own."""
    if not (isinstance(kind, type) and issubclass(kind, BaseException)):
        return None
    names = (name for place in _PLACES for name, obj in vars(place).items() if obj is kind)
    return next(names, None)


def described(error: Exception) -> tuple[str, str] | None:
    """The name and the text of an exception; None for a class that is neither's.

    Of NumPy's errors of ufuncs the text has the arguments, which say more than their own text.
    """
    kind = type(error)
    name = class_name(kind)
    if name in _PARTS:
        if getattr(np, error.ufunc.__name__, None) is not error.ufunc:  # type: ignore[attr-defined]
            return None
        return name, json.dumps([_spelled(getattr(error, part)) for part in _PARTS[name]])
    if name is None:
        return None
    if kind is KeyError and len(error.args) == 1:  # whose text is that of the key
        return (name, error.args[0]) if type(error.args[0]) is str else None
    return name, str(error)


def restored(name: str, text: str) -> type | Callable[..., Exception]:
    """The class of a described exception, or what makes one where a text isn't enough.

    A name that is followed by types of numbers, as in ``IndexError(int, np.float64)``, is that of
    an exception whose text is a format string. What makes it takes the numbers' bits.

    Raises
    ------
    ValueError
        Where neither Python nor NumPy has an exception of that name.
    """
    name, _, types = name.partition("(")
    kind = next((getattr(place, name) for place in _PLACES if hasattr(place, name)), None)
    if not (isinstance(kind, type) and issubclass(kind, BaseException)):
        raise ValueError(f"no exception is called {name!r}")
    if types:
        return functools.partial(_formatted, kind, text, types.rstrip(")").split(", "))
    if name not in _PARTS:
        return kind
    return functools.partial(kind, *(_read(part) for part in json.loads(text)))


def raised(name: str, text: str) -> Exception:
    """The exception that a program raises, without numbers in its text."""
    kind = restored(name, text)
    return kind(text) if isinstance(kind, type) else kind()


def _formatted(kind: type, text: str, types: list[str], *bits: int) -> Exception:
    """An exception with numbers in its text, from the numbers' bits."""
    left = iter(bits)
    return kind(text.format(*(_number(name, left) for name in types)))


def number_class(name: str) -> Any:
    """The type of numbers that a manifest calls ``int``, ``np.float64``, and so on."""
    return getattr(np, name[3:]) if name.startswith("np.") else getattr(builtins, name)


def _number(name: str, bits: Iterator[int]) -> Any:
    """A number of a type, from the next int64s of its bits."""
    dtype = np.dtype(number_class(name))
    parts = np.array([next(bits) for _ in range(2 if dtype.kind == "c" else 1)])
    if dtype.kind in "fc":
        parts = parts.view("f8" if dtype.kind == "f" else "c16")
    number = parts.astype(dtype)[0]
    return number if name.startswith("np.") else number.item()


def _spelled(part: Any) -> Any:
    """A ufunc, a dtype, a class of dtypes, or several of these, for JSON."""
    if isinstance(part, np.ufunc):
        return {"ufunc": part.__name__}
    if isinstance(part, np.dtype):
        return {"dtype": part.str}
    if isinstance(part, type):
        return {"dtypes": part.__name__}
    return [_spelled(item) for item in part] if isinstance(part, (tuple, list)) else part


def _read(part: Any) -> Any:
    if isinstance(part, list):
        return tuple(map(_read, part))
    if not isinstance(part, dict):
        return part
    ((kind, name),) = part.items()
    if kind == "dtype":
        return np.dtype(name)
    return getattr(np if kind == "ufunc" else np.dtypes, name)
