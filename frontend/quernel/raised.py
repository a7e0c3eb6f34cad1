"""Exceptions as a manifest has them: the name of a class, and a text."""

from __future__ import annotations

import builtins
import functools
import json
from collections.abc import Callable
from typing import Any

import numpy as np

# In place of a class: the program has stopped before it has changed anything, and the call runs in
# NumPy. The text says why.
IN_NUMPY = "in NumPy"

_NUMPYS = np._core._exceptions
_PLACES = (builtins, np.linalg, np.exceptions, _NUMPYS)
# The arguments that NumPy's errors of ufuncs are made of; their texts follow from these.
_PARTS = {
    "_UFuncNoLoopError": ("ufunc", "dtypes"),
    "_UFuncBinaryResolutionError": ("ufunc", "dtypes"),
    "_UFuncInputCastingError": ("ufunc", "casting", "from_", "to", "in_i"),
    "_UFuncOutputCastingError": ("ufunc", "casting", "from_", "to", "out_i"),
}


def described(error: Exception) -> tuple[str, str] | None:
    """The name and the text of an exception; None for a class that is neither's.

    Of NumPy's errors of ufuncs the text has the arguments, which say more than their own text.
    """
    kind = type(error)
    for place in _PLACES:
        name = next((name for name, obj in vars(place).items() if obj is kind), None)
        if name in _PARTS:
            if getattr(np, error.ufunc.__name__, None) is not error.ufunc:
                return None
            return name, json.dumps([_spelled(getattr(error, part)) for part in _PARTS[name]])
        if name is not None:
            is_key = kind is KeyError and len(error.args) == 1 and type(error.args[0]) is str
            return name, error.args[0] if is_key else str(error)
    return None


def restored(name: str, text: str) -> type | Callable[[], Exception]:
    """The class of a described exception, or what makes one where a text isn't enough.

    Raises
    ------
    ValueError
        Where neither Python nor NumPy has an exception of that name.
    """
    kind = next((getattr(place, name) for place in _PLACES if hasattr(place, name)), None)
    if not (isinstance(kind, type) and issubclass(kind, BaseException)):
        raise ValueError(f"no exception is called {name!r}")
    if name not in _PARTS:
        return kind
    return functools.partial(kind, *(_read(part) for part in json.loads(text)))


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
