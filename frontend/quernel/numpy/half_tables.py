"""What NumPy's functions of one float16 give for each of the 65,536 numbers: NumPy itself is asked.

NumPy has several loops for such a function, of other bits: the processor decides which of them it
takes, and the steps between the elements do. Numbers that lie one behind the other go to vector
functions, of float16 on some processors and of float32 on others, which neither the C library nor
ours agree with; numbers apart go to the C library. So a program looks results up in tables that
each process makes for itself when they are first needed, as attributes of this module: ``exp`` of
numbers one behind the other, ``exp_apart``, and ``exp_alike``, whether these two are the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np

FUNCTIONS = (
    "sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "arcsinh",
    "arccosh", "arctanh", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "cbrt",
)  # fmt: skip
# An entry times this, in float32, rounds to the result, and sets the flags of NumPy's warnings.
SCALE = np.float32(4)
_LARGE, _TINY, _SIGNALLING = np.float32(2.0**127), np.float32(2.0**-40), np.uint32(0xFFBFFFFF)
_QUIET = np.uint16(0x0200)  # of NaNs of float16
_SMALLEST = np.float32(2.0**-14)  # of float16, without leading zeros


def __getattr__(name: str) -> Any:
    function, _, kind = name.partition("_")
    if function not in FUNCTIONS or kind not in ("", "apart", "alike"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    beside, apart = _asked(getattr(np, function))
    alike = np.array_equal(beside, apart)
    made = {function: beside, f"{function}_apart": beside if alike else apart}
    for key, value in {**made, f"{function}_alike": alike}.items():
        globals().setdefault(key, value)
    return globals()[name]


def _asked(ufunc: np.ufunc) -> tuple[np.ndarray, np.ndarray]:
    numbers = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    with np.errstate(all="ignore"):
        return _table(numbers, ufunc(numbers)), _table(numbers, ufunc(np.repeat(numbers, 2)[::2]))


def _table(numbers: np.ndarray, results: np.ndarray) -> np.ndarray:
    """The bits of floats that are the results divided by `SCALE`, before these are rounded.

    An infinite result of a finite number is a product that overflows, which stands for a division
    by zero, too; a result of few digits isn't exact, of whose underflow NumPy may tell; a NaN is a
    signalling one, whose product is an invalid value, unless the number is a quiet one itself.
    """
    wide = results.astype(np.float32)
    finite = np.isfinite(numbers)
    is_small = (np.abs(wide) < _SMALLEST) & finite & (numbers != 0)
    inexact = np.where(wide == 0, np.copysign(_TINY, wide), wide * np.float32(1 + 2.0**-20))
    wide = np.where(is_small, inexact, wide)
    wide = np.where(np.isinf(wide) & finite, np.copysign(_LARGE, wide), wide / SCALE)
    bits = wide.view(np.uint32)
    is_quiet = np.isnan(numbers) & (numbers.view(np.uint16) & _QUIET != 0)
    bits = np.where(np.isnan(results) & ~is_quiet, bits & _SIGNALLING | np.uint32(1), bits)
    bits.flags.writeable = False
    return bits
