"""Which loop NumPy takes for a ufunc's operands: the dtypes that it computes in."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ..dtypes import NAMES
from ..primitives.operands import Operand, dtype_of
from ..traced.tracer import Tracer
from .integers import fit_integers


def loop_types(
    tracer: Tracer,
    ufunc: np.ufunc,
    items: list[Operand],
    fixed: tuple | None = None,
    casting: str = "same_kind",
) -> list[str]:
    """Names of the dtypes of the loop that NumPy takes: its inputs', then its results'.

    Parameters
    ----------
    fixed : tuple, optional
        For each of them the dtype that the call asks for, or None; see `fixed_types`.
    """
    kinds = kinds_of_loops(tracer, [item.type for item in items])
    names = list(resolved(ufunc, kinds, fixed, casting))
    for name in names:
        if name not in NAMES:
            tracer.fail(
                f"np.{ufunc.__name__} computes in {name} here", "cast the operands with .astype"
            )
    fit_integers(tracer, ufunc, items, names)
    return names


def fixed_types(ufunc: np.ufunc, dtype: Any, signature: Any) -> tuple | None:
    """The dtypes that ``dtype=`` or ``signature=`` fix for a ufunc's inputs and results.

    Raises
    ------
    TypeError, ValueError
        Where NumPy raises one; the text isn't NumPy's.
    """
    if signature is None:
        if dtype is None:
            return None
        return (*(None,) * ufunc.nin, *(np.dtype(dtype),) * ufunc.nout)
    if dtype is not None:
        raise TypeError("cannot specify both 'signature' and 'dtype'")
    if isinstance(signature, str) and len(signature) == 1:
        raise TypeError("one dtype is no signature")
    if isinstance(signature, str):
        parts = signature.split("->")
        if [len(part) for part in parts] != [ufunc.nin, ufunc.nout]:
            raise ValueError("a type-string needs a character for each input and result")
        signature = tuple("".join(parts))
    if not isinstance(signature, tuple):
        raise TypeError("the signature object to ufunc must be a string or a tuple")
    if len(signature) != ufunc.nargs:
        raise ValueError("a type-tuple needs an item for each input and result")
    return tuple(None if part is None else np.dtype(part) for part in signature)


def combining_types(tracer: Tracer, ufunc: np.ufunc, kind: np.dtype, dtype: Any) -> tuple:
    """The dtypes of the loop by which NumPy combines the elements of an array with each other."""
    fixed = {} if dtype is None else {"signature": (dtype_of(tracer, dtype), None, None)}
    return ufunc.resolve_dtypes((None, kind, None), reduction=True, **fixed)


@functools.lru_cache(maxsize=4096)
def resolved(ufunc: np.ufunc, kinds: tuple, fixed: tuple | None, casting: str) -> tuple[str, ...]:
    """NumPy's own choice of a loop, by the names of its dtypes."""
    asked = {} if fixed is None else {"signature": fixed}
    loop = ufunc.resolve_dtypes((*kinds, *(None,) * ufunc.nout), casting=casting, **asked)
    return tuple(part.name for part in loop)


def kinds_of_loops(tracer: Tracer, kinds: list[Any]) -> tuple:
    """The dtypes, and kinds of Python numbers, by which NumPy picks the loop.

    Python's booleans have a dtype there: no array takes them for anything else.
    """
    kinds = [np.dtype(bool) if kind is bool else kind for kind in kinds]
    strong = [kind for kind in kinds if not isinstance(kind, type)]
    narrow = tracer.options.default_float == "float32" and any(kind is float for kind in kinds)
    if narrow and all(kind.kind in "biu" for kind in strong):
        return (np.dtype(np.float32),) * len(kinds)
    return tuple(kinds if strong else [np.dtype(kind) for kind in kinds])


def output_error(ufunc: np.ufunc, casting: str, own: np.dtype, new: np.dtype) -> TypeError:
    """NumPy's error for a result that can't be cast to the dtype that it has to have."""
    return np._core._exceptions._UFuncOutputCastingError(ufunc, casting, own, new, 0)
