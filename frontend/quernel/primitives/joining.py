"""Arrays put together."""

from __future__ import annotations

from numpy import dtype, result_type

from ..traced.array import TracedArray, fresh
from ..traced.broadcasting import matched
from ..traced.memory import joined_layout

_OTHER_SHAPE = "all input arrays must have the same shape"


def joined(
    parts: list[TracedArray], axis: int, mismatch: str, kind: dtype | None = None
) -> TracedArray:
    """Arrays of one rank one after the other; `mismatch` is the text for sizes that differ."""
    tracer = parts[0].tracer
    kind = result_type(*(part.dtype for part in parts)) if kind is None else kind
    values = [tracer.cast(part.value, kind.name) for part in parts]
    sizes = {k: size for k, size in enumerate(parts[0].shape) if k != axis}
    values[1:] = [
        matched(tracer, value, sizes, mismatch.replace("NUMBER", str(k)))
        for k, value in enumerate(values[1:], 1)
    ]
    value = values[0] if len(values) == 1 else tracer.op("concatenate", values, axis=axis)
    layout = joined_layout(tuple(value.shape), [part.lying for part in parts])
    return fresh(tracer, value, layout=layout)


def stacked(parts: list[TracedArray], axis: int = 0, kind: dtype | None = None) -> TracedArray:
    """Arrays of one shape along a new axis.

    Raises
    ------
    ValueError
    """
    if not parts:
        raise ValueError("need at least one array to stack")
    if any(part.ndim != parts[0].ndim for part in parts):
        raise ValueError(_OTHER_SHAPE)
    wide = [
        part.reshaped((*part.shape[:axis], 1, *part.shape[axis:]), certain=True) for part in parts
    ]
    return joined(wide, axis, _OTHER_SHAPE, kind)
