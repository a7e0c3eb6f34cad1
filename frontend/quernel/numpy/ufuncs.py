"""Ufuncs: NumPy picks the loop, the compiler's table says which loops there are."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..dtypes import NAMES
from ..primitives.memory_orders import memory_order
from ..primitives.operands import Operand, dtype_of, mask_of, operand
from ..traced.array import TracedArray, result
from ..traced.location import OUTSIDE
from ..traced.memory import Layout, result_layout
from ..traced.numbers import SymbolicNumber
from ..traced.open_types import Open, open_type
from ..traced.tags import note_result
from ..traced.tracer import Tracer, current
from . import integers
from .registry import is_traced, owned

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
_LOGICAL = {"logical_and", "logical_or", "logical_xor", "logical_not"}


def dispatch(ufunc: np.ufunc, method: str, inputs: tuple, kwargs: dict[str, Any]) -> Any:
    """A call of a ufunc, or of one of its methods, on traced arrays."""
    from ..capture.judging import numpys_error

    tracer = current()
    start = tracer.tick()
    if method == "__call__":
        try:
            return owned(_call(tracer, ufunc, inputs, **kwargs), start)
        except (ValueError, TypeError, IndexError) as error:
            raise numpys_error(error, ufunc, inputs, kwargs) from None
    from . import ufunc_methods

    return owned(ufunc_methods.method(ufunc, method, inputs, kwargs), start)


def apply(ufunc: np.ufunc, *inputs: Any) -> Any:
    """``ufunc(*inputs)`` in the running capture; NumPy's own where all is known."""
    if not is_traced(inputs):
        return ufunc(*inputs)
    return dispatch(ufunc, "__call__", inputs, {})


def _call(
    tracer: Tracer,
    ufunc: np.ufunc,
    inputs: tuple,
    out: Any = None,
    where: Any = True,
    dtype: Any = None,
    casting: str = "same_kind",
    order: str = "K",
    subok: bool = True,
    signature: Any = None,
    **others: Any,
) -> Any:
    from .transforms import TRANSFORMS, transform

    if signature is not None:
        tracer.fail("the ufunc argument signature=", "use dtype=")
    if ufunc in TRANSFORMS:
        (target,) = _listed(out)
        answer = transform(tracer, ufunc, inputs, others["axes"], target)
        return store(tracer, ufunc, target, answer, where, casting)
    for name in others:
        if name not in ("axes", "axis", "keepdims"):
            raise TypeError(f"{ufunc.__name__}() got an unexpected keyword argument '{name}'")
        tracer.fail(f"the ufunc argument {name}=", "move the axes before")
    if type(subok) is not bool:
        raise TypeError("'subok' must be a boolean")
    where = mask_of(where)
    around, tracer.outs = tracer.outs, [x.shape for x in _listed(out) if type(x) is TracedArray]
    try:
        answer = compute(tracer, ufunc, inputs, dtype, casting)
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
    from .creation import in_fortran, laid_as

    if type(answer) is tuple:
        return tuple(_laid(part, inputs, order) for part in answer)
    arrays = [part for part in inputs if getattr(part, "ndim", 0)]
    return in_fortran(answer, arrays) if order == "A" else laid_as(answer, answer, order)


def output_error(ufunc: np.ufunc, casting: str, own: np.dtype, new: np.dtype) -> TypeError:
    """NumPy's error for a result that can't be cast to the dtype that it has to have."""
    return np._core._exceptions._UFuncOutputCastingError(ufunc, casting, own, new, 0)


def _somewhere(answer: Any, where: Any) -> Any:
    """The answer where a mask is true; elsewhere NumPy promises nothing."""
    from .logic import where as select

    if type(answer) is tuple:
        return tuple(_somewhere(part, where) for part in answer)
    return select(where, answer, answer.dtype.type(0))


def _listed(obj: Any) -> list:
    return list(obj) if type(obj) is tuple else [obj]


def store(
    tracer: Tracer, ufunc: np.ufunc, target: Any, answer: Any, where: Any, casting: str
) -> TracedArray:
    """`answer`, cast and repeated to an array that ``out=`` names."""
    if type(target) is not TracedArray:
        tracer.fail("out= with something else than an array of the compiled function")
    if not np.can_cast(answer.dtype, target.dtype, casting):
        raise output_error(ufunc, casting, answer.dtype, target.dtype)
    from .logic import where as select

    if where is not True:
        answer = select(where, answer.astype(target.dtype, copy=False), target)
    if answer.ndim > target.ndim:
        raise ValueError(
            f"non-broadcastable output operand with shape {target.shape} doesn't match the "
            f"broadcast shape {answer.shape}"
        )
    target[...] = answer
    return target


def is_numpys(ufunc: np.ufunc) -> bool:
    """Whether a ufunc is NumPy's own; others may have the name of one."""
    return getattr(np._core.umath, ufunc.__name__, None) is ufunc


def compute(
    tracer: Tracer, ufunc: np.ufunc, inputs: tuple, dtype: Any = None, casting: str = "same_kind"
) -> Any:
    """The result of a ufunc as a new array, or NumPy scalar where no input has axes."""
    from .composed import COMPOSED_UFUNCS, cast_inputs
    from .special import special

    if ufunc in COMPOSED_UFUNCS:
        if dtype is not None:
            inputs = cast_inputs(ufunc, inputs, dtype, casting)
        return COMPOSED_UFUNCS[ufunc](*inputs)
    foreign = special(ufunc)
    if foreign is not None:
        return foreign(*inputs)
    if not is_numpys(ufunc):
        what = f"`{ufunc.__name__}`, a ufunc that isn't NumPy's"
        tracer.fail(f"{what}, is not supported yet", OUTSIDE)
    name = _ALIASES.get(ufunc.__name__, ufunc.__name__)
    if name not in tracer.ufuncs:
        tracer.fail(f"np.{ufunc.__name__} is not supported yet")
    items = [operand(tracer, obj) for obj in inputs]
    if len(items) != ufunc.nin:
        raise TypeError(f"{ufunc.__name__}() takes {ufunc.nin} positional arguments")
    kinds = None
    if any(len(item.kinds) > 1 for item in items):
        items, kinds = _open_operands(tracer, ufunc, items, inputs, dtype, casting)
    types = loop_types(tracer, ufunc, items, dtype, casting)
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
    tracer: Tracer, ufunc: np.ufunc, items: list[Operand], inputs: tuple, dtype: Any, casting: str
) -> tuple[list[Operand], list[Any]]:
    """Operands whose types data decide as ones of one type each."""
    from .open_operands import open_operands

    fixed = None if dtype is None else np.dtype(dtype)

    def resolve(kinds: list[Any]) -> tuple[str, ...]:
        return resolved(ufunc, _kinds(tracer, kinds), fixed, casting)

    return open_operands(tracer, ufunc, items, inputs, resolve)


def loop_types(
    tracer: Tracer,
    ufunc: np.ufunc,
    items: list[Operand],
    dtype: Any = None,
    casting: str = "same_kind",
) -> list[str]:
    """Names of the dtypes of the loop that NumPy takes: its inputs', then its result's."""
    kinds = _kinds(tracer, [item.type for item in items])
    result = None if dtype is None else np.dtype(dtype)
    names = list(resolved(ufunc, kinds, result, casting))
    for name in names:
        if name not in NAMES:
            tracer.fail(
                f"np.{ufunc.__name__} computes in {name} here", "cast the operands with .astype"
            )
    integers.fit_integers(tracer, ufunc, items, names)
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


def _kinds(tracer: Tracer, kinds: list[Any]) -> tuple:
    """The dtypes, and kinds of Python numbers, by which NumPy picks the loop."""
    strong = [kind for kind in kinds if not isinstance(kind, type)]
    narrow = tracer.options.default_float == "float32" and any(kind is float for kind in kinds)
    if narrow and all(kind.kind in "biu" for kind in strong):
        return (np.dtype(np.float32),) * len(kinds)
    return tuple(kinds if strong else [np.dtype(kind) for kind in kinds])


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


def layout_of(value: Any, inputs: Iterable[Any]) -> Layout:
    """How NumPy lays the result of an elementwise operation."""
    return result_layout(value.shape, [x.lying for x in inputs if type(x) is TracedArray])


def emit_named(name: str, inputs: list[TracedArray]) -> Any:
    """An operation of the compiler's table that isn't one of NumPy's ufuncs."""
    tracer = current()
    if name not in tracer.ufuncs:
        tracer.fail(f"{name} is not supported yet")
    value = tracer.op(name, [array.value for array in inputs])
    return result(tracer, value, layout_of(value, inputs))


def power_shortcut(base: Any, exponent: Any) -> np.ufunc | None:
    """The ufunc that NumPy's ``**`` takes instead of `np.power` for some plain exponents."""
    if type(base) is not TracedArray or base.is_scalar:
        return None
    if type(exponent) is SymbolicNumber:
        exponent.known()
    if type(exponent) not in (int, float):
        return None
    if exponent == 2 and (base.dtype.kind in "fc" or type(exponent) is int):
        return np.square
    if base.dtype.kind in "fc":
        return {1.0: np.positive, -1.0: np.reciprocal, 0.5: np.sqrt}.get(float(exponent))
    return None
