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
    dtype: Any = None,
    casting: str = "same_kind",
) -> list[str]:
    """Names of the dtypes of the loop that NumPy takes: its inputs', then its result's."""
    kinds = kinds_of_loops(tracer, [item.type for item in items])
    result = None if dtype is None else np.dtype(dtype)
    names = list(resolved(ufunc, kinds, result, casting))
    for name in names:
        if name not in NAMES:
            tracer.fail(
                f"np.{ufunc.__name__} computes in {name} here", "cast the operands with .astype"
            )
    fit_integers(tracer, ufunc, items, names)
    return names


def combining_types(tracer: Tracer, ufunc: np.ufunc, kind: np.dtype, dtype: Any) -> tuple:
    """The dtypes of the loop by which NumPy combines the elements of an array with each other."""
    fixed = {} if dtype is None else {"signature": (dtype_of(tracer, dtype), None, None)}
    return ufunc.resolve_dtypes((None, kind, None), reduction=True, **fixed)


@functools.lru_cache(maxsize=4096)
def resolved(
    ufunc: np.ufunc, kinds: tuple, dtype: np.dtype | None, casting: str
) -> tuple[str, ...]:
    """NumPy's own choice of a loop, by the names of its dtypes."""
    fixed = {} if dtype is None else {"signature": (*(None,) * ufunc.nin, dtype)}
    loop = ufunc.resolve_dtypes((*kinds, *(None,) * ufunc.nout), casting=casting, **fixed)
    return tuple(part.name for part in loop)


def kinds_of_loops(tracer: Tracer, kinds: list[Any]) -> tuple:
    """The dtypes, and kinds of Python numbers, by which NumPy picks the loop."""
    strong = [kind for kind in kinds if not isinstance(kind, type)]
    narrow = tracer.options.default_float == "float32" and any(kind is float for kind in kinds)
    if narrow and all(kind.kind in "biu" for kind in strong):
        return (np.dtype(np.float32),) * len(kinds)
    return tuple(kinds if strong else [np.dtype(kind) for kind in kinds])


def output_error(ufunc: np.ufunc, casting: str, own: np.dtype, new: np.dtype) -> TypeError:
    """NumPy's error for a result that can't be cast to the dtype that it has to have."""
    return np._core._exceptions._UFuncOutputCastingError(ufunc, casting, own, new, 0)
