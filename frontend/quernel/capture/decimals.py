"""Python's `round` to digits, which rounds the exact value of a float in decimal."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..traced.numbers import SymbolicNumber
from ..traced.tracer import Tracer

#: So many powers of ten are floats.
MOST_DIGITS = 22
_SPLITTER = float((1 << 27) + 1)


def decimal(tracer: Tracer, number: SymbolicNumber, digits: int) -> SymbolicNumber:
    """The float that is nearest to a float's exact value rounded to digits, half to even.

    The product of the float and the power of ten is exact as the sum of two floats, so that its
    nearest integer is known, and what that is divided by the power is rounded once. From 2**53 on
    the float itself is nearest.
    """
    power = 10.0**digits

    def op(name: str, *operands: Any) -> Any:
        return tracer.op(name, [*operands])

    def known(value: float) -> Any:
        return tracer.constant(np.float64(value))

    x, scale, zero = number.value, known(power), known(0.0)
    product = op("multiply", x, scale)
    # Dekker's product: both factors in halves, whose products are exact.
    part = op("multiply", x, known(_SPLITTER))
    high = op("subtract", part, op("subtract", part, x))
    low = op("subtract", x, high)
    upper = power * _SPLITTER - (power * _SPLITTER - power)
    upper, lower = known(upper), known(power - upper)
    rest = op("subtract", op("multiply", high, upper), product)
    for pair in ((high, lower), (low, upper), (low, lower)):
        rest = op("add", rest, op("multiply", *pair))
    # The nearest integer to the product alone, and half of it away where the rest decides.
    nearest = op("rint", product)
    away = op("subtract", product, nearest)
    one, half, minus = known(1.0), known(0.5), known(-0.5)
    is_more = op("logical_and", op("equal", away, half), op("greater", rest, zero))
    is_less = op("logical_and", op("equal", away, minus), op("less", rest, zero))
    nearest = op("where", is_more, op("add", nearest, one), nearest)
    nearest = op("where", is_less, op("subtract", nearest, one), nearest)
    is_small = op("less", op("absolute", product), known(2.0**53))
    value = op("where", is_small, op("divide", nearest, scale), x)
    return SymbolicNumber(tracer, value, 0.0, number.origins)
