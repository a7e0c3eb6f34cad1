"""Functions of `math` that Python computes exactly, as sources that are captured as helpers are.

Integers have 64 bits: where one is wider on the way, the call is left to Python.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import index
from typing import Any

import numpy as np

from ..raised import IN_NUMPY
from ..traced.open_types import base_of
from ..traced.scalars import number_type
from ..traced.tracer import Tracer, current
from .growing import check
from .standins import as_number, scalar

_MOST_PARTIALS = 64  # floats that don't overlap: there are never more than 40


def gcd(*integers: Any) -> int:
    """`math.gcd`."""
    found = 0
    for integer in integers:
        rest = abs(integer)
        while rest:
            found, rest = rest, found % rest
    return found


def lcm(*integers: Any) -> int:
    """`math.lcm`."""
    found = 1
    for integer in integers:
        other = abs(integer)
        found = found // gcd(found, other) * other if other else 0
    return found


def factorial(n: Any, /) -> int:
    """`math.factorial`."""
    if n < 0:
        raise ValueError("factorial() not defined for negative values")
    found, k = 1, 2
    while k <= n:
        found, k = found * k, k + 1
    return found


def _check_counts(n: Any, k: Any) -> None:
    if n < 0:
        raise ValueError("n must be a non-negative integer")
    if k < 0:
        raise ValueError("k must be a non-negative integer")


def comb(n: Any, k: Any, /) -> int:
    """`math.comb`."""
    _check_counts(n, k)
    if k > n:
        return 0
    found, j, least = 1, 0, min(k, n - k)
    while j < least:
        found, j = found * (n - j) // (j + 1), j + 1
    return found


def perm(n: Any, k: Any = None, /) -> int:
    """`math.perm`."""
    if k is None:
        return factorial(n)
    _check_counts(n, k)
    if k > n:
        return 0
    found, j = 1, 0
    while j < k:
        found, j = found * (n - j), j + 1
    return found


def isqrt(n: Any, /) -> int:
    """`math.isqrt`."""
    if n < 0:
        raise ValueError("isqrt() argument must be nonnegative")
    root = min(int(np.sqrt(float(n))), 3037000499)  # the greatest whose square has 64 bits
    while root * root > n:
        root -= 1
    while root < 3037000499 and (root + 1) * (root + 1) <= n:
        root += 1
    return root


def fsum(items: Any, leave_unless: Callable[[Any], None], /) -> float:
    """`math.fsum`: the sum of floats, rounded once. Others than finite ones leave the call."""
    partials, count = np.zeros(_MOST_PARTIALS), 0
    for item in items:
        x, kept = float(item), 0
        leave_unless(np.isfinite(x))
        for j in range(count):
            y = float(partials[j])
            if abs(x) < abs(y):
                x, y = y, x
            high = x + y
            low = y - (high - x)
            if low != 0.0:
                partials[kept] = low
                kept += 1
            x = high
        leave_unless(np.isfinite(x))
        partials[kept] = x
        count = kept + 1 if x != 0.0 else kept
    return rounded(partials, count)


def rounded(partials: Any, count: int) -> float:
    """The sum of floats that don't overlap, the greatest last: half-way cases to even."""
    if count == 0:
        return 0.0
    count -= 1
    high, low = float(partials[count]), 0.0
    while count > 0 and low == 0.0:
        count -= 1
        x, y = high, float(partials[count])
        high = x + y
        low = y - (high - x)
    if count > 0:
        rest = float(partials[count - 1])
        if (low < 0.0 and rest < 0.0) or (low > 0.0 and rest > 0.0):
            y = low * 2.0
            x = high + y
            if y == x - high:
                high = x
    return high


def _leave_unless(holds: Any) -> None:
    """Leave the call to Python, which has other ways with infinities and NaN."""
    check(current(), holds, IN_NUMPY, "math.fsum of what isn't finite")


def _integer(tracer: Tracer, obj: Any) -> Any:
    """A number that Python takes for an integer."""
    if type(obj) in (int, bool):
        return int(obj)
    kind = base_of(number_type(scalar(obj)))
    is_integer = kind.kind in "iu" if isinstance(kind, np.dtype) else kind in (int, bool)
    return as_number(tracer, obj, int) if is_integer else index(1.5)  # an error like the user's


def captured(source: Callable[..., Any]) -> Callable[..., Any]:
    """What is called in place of a function of `math` with numbers of the program."""

    def call(tracer: Tracer, *args: Any) -> Any:
        function = tracer.rebuilder.function(source, None)
        if source is not fsum:
            return function(*(_integer(tracer, arg) for arg in args))
        if tracer.options.fastmath:
            tracer.fail("math.fsum with fastmath=True, which sums in any order", "use np.sum")
        return function(*args, _leave_unless)

    return call


SOURCES = (gcd, lcm, factorial, comb, perm, isqrt, fsum)
