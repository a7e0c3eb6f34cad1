"""Powers of Python's numbers, of which Python gives floats, complex numbers and errors."""

from __future__ import annotations

from typing import Any

from ..raised import IN_NUMPY
from ..traced.numbers import (
    NUMBERS,
    Symbolic,
    SymbolicNumber,
    as_kind,
    derived,
    isinstance_symbolic,
    kind_of,
    known,
    plain_number,
    tracer_of,
)
from .arithmetic import decide_types


def _power(self: Any, exponent: Any) -> Any:
    exponent = plain_number(exponent)
    if type(exponent) not in NUMBERS:
        return NotImplemented
    if type(exponent) is int and (self.kind is float or self.of_program):
        if exponent == 2:
            return _square(self)
        if self.kind in (bool, int) and 0 <= exponent <= 64:
            return _product(self, exponent)
    kinds = {self.kind, kind_of(exponent)}
    if getattr(self, "open", None) or getattr(exponent, "open", None):
        decide_types(self, exponent)
        tracer_of(self, exponent).fail("a power of a number whose type data decide", "use float(x)")
    of_program = any(isinstance_symbolic(x) and x.of_program for x in (self, exponent))
    if of_program and kinds <= {int, float} and float in kinds:
        return _power_of_floats(self, exponent)
    base, exponent = known(self, exponent)
    return base**exponent


def _square(base: Any) -> Any:
    answer = base * base
    if base.kind is float:
        return _float(answer, base)
    if base.kind is complex:
        answer = complex(1) * answer  # as Python does, which decides about signs of zeros
        # Python raises an error, or gives two NaNs.
        finite = answer.tracer.op("isfinite", [answer.value])
        answer.tracer.check(finite, IN_NUMPY, "a power that isn't a finite number", undoes=True)
    return answer


def _product(base: Any, exponent: int) -> Any:
    answer: Any = 1
    for bit in bin(exponent)[2:]:
        answer = answer * answer
        answer = answer * base if bit == "1" else answer
    return answer


def _reflected_power(self: Any, base: Any) -> Any:
    base = plain_number(base)
    if type(base) not in NUMBERS:
        return NotImplemented
    if type(base) is float and base > 0 and self.kind is float:
        return _power_of_floats(base, self)
    if self.of_program and float in (type(base), self.kind) and type(base) in (int, float):
        return _power_of_floats(base, self)
    return base ** self.known()


def _power_of_floats(base: Any, exponent: Any) -> SymbolicNumber:
    return _float(derived("power", float, base, exponent), base, exponent)


def _float(answer: SymbolicNumber, *operands: Any) -> SymbolicNumber:
    """A power, where Python gives a float; else NumPy answers the call.

    Python raises errors for results beyond the greatest float and for powers of 0, and gives
    complex numbers for powers of negative ones: where these aren't finite floats here, and the
    operands are.
    """
    tracer = answer.tracer
    holds = tracer.op("isfinite", [answer.value])
    for operand in operands:
        known = tracer.op("isfinite", [as_kind(tracer, operand, float)])
        holds = tracer.op("logical_or", [holds, tracer.op("logical_not", [known])])
    tracer.check(holds, IN_NUMPY, "a power that isn't a finite float", undoes=True)
    return answer


Symbolic.__pow__ = _power
Symbolic.__rpow__ = _reflected_power
