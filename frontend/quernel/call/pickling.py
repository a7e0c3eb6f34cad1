"""How compiled functions are pickled: by name, as functions are.

Where no import finds them by it, in a script or a notebook, picklers such as cloudpickle take
functions by value. For them there is a function that makes the compiled one again from the plain
one. Its own name leads to it through the compiled function, so that a pickler that knows functions
by names alone finds it there, and gets the compiled function that has that name. (A plain function
that refers to the compiled one would have to be there before itself, so it isn't taken by value.)
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from typing import Any

from ..options import Options


class _Known:
    """The compiled function of this process; a copy in another process knows none."""

    def __init__(self, face: Any = None) -> None:
        self.face = face

    def __reduce__(self) -> tuple:
        return (_Known, ())


def make_picklable(
    face: Any,
    plain: types.FunctionType,
    options: Options,
    make: Callable[[types.FunctionType, Options], Any],
) -> None:
    """Give a compiled function what it is pickled as.

    Parameters
    ----------
    make : callable
        Makes the compiled function from the plain one and its options.
    """
    known = _Known(face)

    def remake() -> Any:
        if known.face is None:
            known.face = make(plain, options)
        return known.face

    remake.__module__ = face.__module__
    remake.__qualname__ = f"{face.__qualname__}._remake"

    def reduced() -> str | tuple:
        return face.__qualname__ if _is_imported(face) else (remake, ())

    face._remake, face._reduced = remake, reduced


def _is_imported(face: Any) -> bool:
    """Whether another process finds the function by its name."""
    if face.__module__ == "__main__":
        return False
    found: Any = sys.modules.get(face.__module__)
    for name in face.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is face
