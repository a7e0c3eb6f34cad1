"""Complex numbers: their parts, conjugates and angles."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..primitives.elementwise import apply
from ..primitives.operands import lift, refuse_open
from ..traced.array import TracedArray, fresh
from ..traced.numbers import SymbolicNumber
from ..traced.views import BroadcastView, PartView
from .creation import zeros
from .registry import implements


def part(x: TracedArray, kind: str) -> TracedArray:
    """The real or the imaginary part: a view, as NumPy's is."""
    if x.dtype.kind != "c":
        if kind == "real":
            return x
        nothing = zeros(x.shape, x.dtype)
        if x.is_scalar:
            return fresh(x.tracer, nothing.value, True)
        return nothing.view(BroadcastView(x.shape))
    if x.is_scalar:
        return fresh(x.tracer, x.tracer.op(kind, [x.value]), True)
    return x.view(PartView(kind, x.shape))


@implements(np.real)
def real(val: Any) -> Any:
    """`np.real`."""
    return val.real if _is_number(val) else part(lift(val), "real")


@implements(np.imag)
def imag(val: Any) -> Any:
    """`np.imag`."""
    return val.imag if _is_number(val) else part(lift(val), "imag")


def _is_number(val: Any) -> bool:
    """Whether it is Python's number, of which NumPy takes the attribute."""
    if getattr(val, "open", None) is not None:
        refuse_open(val.open.kinds, val.value)
    return type(val) is SymbolicNumber or type(val) in (bool, int, float, complex)


@implements(np.angle)
def angle(z: Any, deg: bool = False) -> Any:
    """`np.angle`."""
    z = lift(z)
    sides = (part(z, "imag"), part(z, "real")) if z.dtype.kind == "c" else (0, z)
    turned = apply(np.arctan2, *sides)
    return apply(np.multiply, turned, 180 / np.pi) if deg else turned


def _define_test(function: Any, complex_: bool) -> None:
    def implementation(x: Any) -> Any:
        x = lift(x)
        answer = apply(np.equal, part(x, "imag"), 0)
        return apply(np.logical_not, answer) if complex_ else answer

    implements(function)(implementation)


_define_test(np.iscomplex, True)
_define_test(np.isreal, False)
