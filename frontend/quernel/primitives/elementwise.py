"""Operations by elements: ufuncs, and choices between two values."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..traced.array import TracedArray, fresh, is_traced
from ..traced.dispatch import dispatch
from ..traced.memory import Layout, result_layout
from ..traced.tracer import Tracer, current
from .operands import Operand, as_array, default_float, operand, refuse_open


def apply(ufunc: np.ufunc, *inputs: Any) -> Any:
    """``ufunc(*inputs)`` in the running capture; NumPy's own where all is known."""
    if not is_traced(inputs):
        return ufunc(*inputs)
    return dispatch.ufunc(ufunc, "__call__", inputs, {})


def layout_of(value: Any, inputs: Iterable[Any]) -> Layout:
    """How NumPy lays the result of an elementwise operation."""
    return result_layout(value.shape, [x.lying for x in inputs if type(x) is TracedArray])


def where(condition: Any, x: Any, y: Any) -> TracedArray:
    """The elements of `x` where a condition holds, else those of `y`."""
    tracer = current()
    test = as_array(tracer, condition)
    mask = test.value if test.dtype == bool else apply(np.not_equal, test, 0).value
    answer = tracer.op("where", [mask, *alternatives(tracer, [x, y])])
    return fresh(tracer, answer, layout=layout_of(answer, (test, x, y)))


def alternatives(tracer: Tracer, choices: Sequence[Any]) -> list[Any]:
    """The values that elements are chosen from, in the dtype that all of them have together.

    A Python number among them has no dtype of its own, so it is all that decide, never two of them.
    """
    items = [operand(tracer, choice) for choice in choices]
    targets = [_chosen(tracer, kinds) for kinds in itertools.product(*(x.kinds for x in items))]
    if any(target != targets[0] for target in targets):
        found = next(item for item in items if len(item.kinds) > 1)
        refuse_open(found.kinds, found.value)
    return [_cast(tracer, item, targets[0]) for item in items]


def _cast(tracer: Tracer, item: Operand, dtype: np.dtype) -> Any:
    """An operand as an array cast to a dtype: Python integers wrap around."""
    if item.value is None:
        with np.errstate(all="ignore"):
            return tracer.constant(np.array(item.number).astype(dtype)[()])
    return item.as_dtype(tracer, dtype.name)


def _chosen(tracer: Tracer, kinds: tuple) -> np.dtype:
    """The dtype of a choice between operands of some types."""
    if all(isinstance(kind, type) for kind in kinds):
        kinds = tuple(default_float(tracer) if kind is float else np.dtype(kind) for kind in kinds)
    weak = [kind(0) if isinstance(kind, type) else kind for kind in kinds]
    target = np.result_type(*weak)
    doubles = [kind for kind in kinds if isinstance(kind, np.dtype) and kind == np.float64]
    return default_float(tracer) if target == np.float64 and not doubles else target
