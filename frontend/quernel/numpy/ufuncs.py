"""Ufuncs: NumPy picks the loop, the compiler's table says which loops there are."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..primitives.elementwise import layout_of
from ..primitives.elementwise import where as select
from ..primitives.layouts import in_fortran, laid_as
from ..primitives.memory_orders import memory_order
from ..primitives.operands import Operand, mask_of, operand
from ..traced.array import TracedArray, result
from ..traced.open_types import Open, open_type
from ..traced.tags import note_result
from ..traced.tracer import Tracer, current
from . import half_functions, half_precision, integers
from .calling import owned
from .composed import COMPOSED_UFUNCS, cast_inputs
from .loader import is_numpys, special
from .out_arguments import store
from .transforms import TRANSFORMS, transform
from .ufunc_loops import fixed_types, kinds_of_loops, loop_types, resolved

# What NumPy's loops for booleans do.
_BOOL_LOOPS = {
    "add": "logical_or",
    "multiply": "logical_and",
    "maximum": "logical_or",
    "fmax": "logical_or",
    "minimum": "logical_and",
    "fmin": "logical_and",
    "bitwise_and": "logical_and",
    "bitwise_or": "logical_or",
    "bitwise_xor": "logical_xor",
    "invert": "logical_not",
}
_IDENTITY_ON_INTEGERS = {"floor", "ceil", "trunc", "positive"}
_ALIASES = {"true_divide": "divide", "mod": "remainder", "abs": "absolute"}
_OF_AXES = ("axes", "axis", "keepdims")  # of generalised ufuncs
_LOGICAL = {"logical_and", "logical_or", "logical_xor", "logical_not"}


def called(
    ufunc: np.ufunc, inputs: tuple, kwargs: dict[str, Any], is_operator: bool = False
) -> Any:
    """A call of a ufunc on traced arrays, or an operator that stands for one."""
    tracer = current()
    start = tracer.tick()
    try:
        return owned(_call(tracer, ufunc, inputs, is_operator, **kwargs), start)
    except (ValueError, TypeError, IndexError) as error:
        raise numpys_error(error, ufunc, inputs, kwargs) from None


def one_by_one(ufunc: np.ufunc, x: TracedArray) -> Any:
    """A ufunc of each element of an array by itself, which is how ``ufunc.at`` computes."""
    try:
        return compute(x.tracer, ufunc, (x,), into=None)
    except (ValueError, TypeError, IndexError) as error:
        raise numpys_error(error, ufunc, (x,), {}) from None


def numpys_error(error: Exception, *call: Any) -> Exception:
    """The error of NumPy's for one of a program's; see `capture.judging`."""
    from ..capture import judging  # which only errors need

    return judging.numpys_error(error, *call)


def _call(
    tracer: Tracer,
    ufunc: np.ufunc,
    inputs: tuple,
    is_operator: bool,
    /,
    out: Any = None,
    where: Any = True,
    dtype: Any = None,
    casting: str = "same_kind",
    order: str = "K",
    subok: bool = True,
    signature: Any = None,
    **others: Any,
) -> Any:
    if ufunc in TRANSFORMS:
        (target,) = _listed(out)
        answer = transform(tracer, ufunc, inputs, others["axes"], target)
        return store(tracer, ufunc, target, answer, where, casting)
    for name in others:
        if name not in _OF_AXES or ufunc.signature is None:
            raise TypeError(f"{ufunc.__name__}() got an unexpected keyword argument '{name}'")
    fixed = fixed_types(ufunc, dtype, signature)
    if type(subok) is not bool:
        raise TypeError("'subok' must be a boolean")
    where = mask_of(where)
    (target, *_) = _listed(out)
    into = half_functions.Written(target, where, memory_order(order) or "K")
    around, tracer.outs = tracer.outs, [x.shape for x in _listed(out) if type(x) is TracedArray]
    try:
        if others:
            from . import core_axes  # which few calls need

            def inner(moved: tuple) -> Any:
                return compute(tracer, ufunc, moved, fixed, casting)

            answer = core_axes.called(inner, ufunc, inputs, **others)
        else:
            answer = compute(tracer, ufunc, inputs, fixed, casting, into, is_operator)
    finally:
        tracer.outs = around
    if out is None or (type(out) is tuple and all(target is None for target in out)):
        answer = _laid(answer, inputs, memory_order(order) or "K")
        return answer if where is True else _somewhere(answer, where)
    targets, answers = _listed(out), _listed(answer)
    stored = [
        part if target is None else store(tracer, ufunc, target, part, where, casting)
        for target, part in zip(targets, answers, strict=True)
    ]
    return tuple(stored) if len(stored) > 1 else stored[0]


def _laid(answer: Any, inputs: tuple, order: str) -> Any:
    """The new arrays of an answer in an order."""
    if order == "K":
        return answer
    if type(answer) is tuple:
        return tuple(_laid(part, inputs, order) for part in answer)
    arrays = [part for part in inputs if getattr(part, "ndim", 0)]
    return in_fortran(answer, arrays) if order == "A" else laid_as(answer, answer, order)


def _somewhere(answer: Any, where: Any) -> Any:
    """The answer where a mask is true; elsewhere NumPy promises nothing."""
    if type(answer) is tuple:
        return tuple(_somewhere(part, where) for part in answer)
    return select(where, answer, answer.dtype.type(0))


def _listed(obj: Any) -> list:
    return list(obj) if type(obj) is tuple else [obj]


def compute(
    tracer: Tracer,
    ufunc: np.ufunc,
    inputs: tuple,
    fixed: tuple | None = None,
    casting: str = "same_kind",
    into: half_functions.Written | None = half_functions.NEW,
    is_operator: bool = False,
) -> Any:
    """The result of a ufunc as a new array, or NumPy scalar where no input has axes.

    Parameters
    ----------
    into : Written or None
        Where NumPy would write it; None where it computes each element by itself.
    """
    types = half_precision.half_loop(tracer, ufunc, inputs, fixed, casting)
    if types is not None:
        found = half_functions.looked_up(tracer, ufunc, inputs, types, into)
        if found is not None:
            return found
        wide = half_precision.widened(tracer, inputs, types)
        answer = compute(tracer, ufunc, wide, None, casting)
        return half_precision.narrowed(tracer, answer, types[ufunc.nin :])
    composed = COMPOSED_UFUNCS.get(ufunc) or special(ufunc)
    if composed is not None:
        if fixed is not None:
            inputs = tuple(cast_inputs(ufunc, inputs, fixed, casting))
        return composed(*inputs)
    if not is_numpys(ufunc):
        from . import called_loops  # which few programs need

        return called_loops.called(tracer, ufunc, inputs, fixed, casting)
    name = _ALIASES.get(ufunc.__name__, ufunc.__name__)
    if name not in tracer.ufuncs:
        tracer.fail(f"np.{ufunc.__name__} is not supported yet")
    items = [operand(tracer, obj) for obj in inputs]
    if len(items) != ufunc.nin:
        raise TypeError(f"{ufunc.__name__}() takes {ufunc.nin} positional arguments")
    kinds = None
    if any(len(item.kinds) > 1 for item in items):
        items, kinds = _open_operands(tracer, ufunc, items, inputs, fixed, casting, is_operator)
    types = loop_types(tracer, ufunc, items, fixed, casting)
    if name == "power" and np.dtype(types[-1]).kind in "iu":
        value = integers.power(tracer, items, types[-1])
    else:
        value = integers.compare(tracer, ufunc, items, types)
        value = _emit(tracer, name, items, types) if value is None else value
    answer = result(tracer, value, layout_of(value, inputs))
    if kinds is not None and answer.is_scalar:
        kind = open_type(kinds, answer.dtype)
        answer.open = kind if type(kind) is Open else None
        tracer.inherit(answer.value, inputs)
        note_result(tracer, answer, inputs, kinds)
    return answer


def _open_operands(
    tracer: Tracer,
    ufunc: np.ufunc,
    items: list[Operand],
    inputs: tuple,
    fixed: tuple | None,
    casting: str,
    is_operator: bool,
) -> tuple[list[Operand], list[Any]]:
    """Operands whose types data decide as ones of one type each."""
    from .open_operands import open_operands, pythons_of

    def resolve(kinds: list[Any]) -> tuple[str, ...]:
        return resolved(ufunc, kinds_of_loops(tracer, kinds), fixed, casting)

    python = pythons_of(ufunc.__name__) if is_operator else None
    return open_operands(tracer, ufunc.__name__, items, inputs, resolve, python)


def _emit(tracer: Tracer, name: str, items: list[Operand], types: list[str]) -> Any:
    loop, target = types[0], types[-1]
    if name in _LOGICAL:
        loop = "bool"
    values = [
        _input(tracer, item, loop if name in _LOGICAL else t)
        for item, t in zip(items, types, strict=False)
    ]
    if loop == "bool":
        name = _BOOL_LOOPS.get(name, name)
    if np.dtype(loop).kind in "biu":
        simple = _integer_loop(tracer, name, values)
        if simple is not None:
            return simple
    return tracer.cast(tracer.op(name, values), target)


def _input(tracer: Tracer, item: Operand, dtype: str) -> Any:
    if dtype == "bool" and item.value is None:
        return tracer.constant(np.bool_(item.number))
    return item.as_dtype(tracer, dtype)


def _integer_loop(tracer: Tracer, name: str, values: list[Any]) -> Any:
    """Loops that say nothing about integers and booleans, or None."""
    value = values[0]
    if name in _IDENTITY_ON_INTEGERS or (name == "absolute" and value.dtype == "bool"):
        return value
    if name in ("isnan", "isinf", "isfinite"):
        truth = tracer.constant(np.bool_(name == "isfinite"))
        return tracer.op("full", [truth], shape=list(value.shape)) if value.shape else truth
    return None


def emit_named(name: str, inputs: list[TracedArray]) -> Any:
    """An operation of the compiler's table that isn't one of NumPy's ufuncs."""
    tracer = current()
    if name not in tracer.ufuncs:
        tracer.fail(f"{name} is not supported yet")
    value = tracer.op(name, [array.value for array in inputs])
    return result(tracer, value, layout_of(value, inputs))
