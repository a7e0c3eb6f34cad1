"""What the compiler can reduce, scan and scatter by: the combiners of its table of ufuncs."""

from __future__ import annotations

import numpy as np

from ..traced.tracer import current

#: What combines bools as the combiner of numbers would.
OF_BOOLS = {"sum": "any", "prod": "all"}
#: What changes nothing: of the bits of integers, for `any`, `all` and `xor`.
IDENTITY = {"sum": 0, "prod": 1, "any": 0, "all": -1, "xor": 0}
# The same ufuncs where there is no NaN.
_WITHOUT_NAN = {np.fmin: np.minimum, np.fmax: np.maximum}
_LOGICAL = {"logical_and", "logical_or", "logical_xor"}


def is_logical(ufunc: np.ufunc) -> bool:
    """Whether a ufunc combines what is true of elements."""
    return ufunc.__name__ in _LOGICAL


def combiner_of(ufunc: np.ufunc, dtype: np.dtype) -> str | None:
    """What combines elements of a dtype as a ufunc's calls one after the other do.

    None where nothing does, or where only the order of the calls would give the same. Of logical
    ufuncs it is meant for bools.
    """
    if dtype.kind in "biu":
        ufunc = _WITHOUT_NAN.get(ufunc, ufunc)
    if dtype == np.float16:  # rounded at each step
        return None
    name = current().combiners.get(ufunc.__name__)
    if name is None or dtype.kind == "b":
        return OF_BOOLS.get(name, name) if name else None
    if name in ("any", "all", "xor") and dtype.kind not in "iu":
        return None
    return None if is_logical(ufunc) else name
