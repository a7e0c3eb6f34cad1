"""Functions of math of float16: programs look up what NumPy gives (`half_tables`).

Programs for devices, and those that run without NumPy, compute them in float32.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..primitives.elementwise import apply, layout_of
from ..primitives.gathering import gathered
from ..primitives.operands import operand
from ..traced.array import TracedArray, fresh, result
from ..traced.bounds import is_nonnegative
from ..traced.memory import last_step
from ..traced.tracer import Tracer
from . import half_tables

_TABLES = {getattr(np, name) for name in half_tables.FUNCTIONS}
_WAY = (("module", half_tables.__name__),)


class Written(NamedTuple):
    """Where a ufunc writes its result: all of it to a new array, if nothing else is said.

    Attributes
    ----------
    target : TracedArray, optional
        The array that is written to.
    where : TracedArray or True
        What is written of it.
    order : {"K", "A", "C", "F"}
        That of a new array.
    """

    target: Any = None
    where: Any = True
    order: str = "K"


NEW = Written()


def looked_up(
    tracer: Tracer, ufunc: np.ufunc, inputs: tuple, types: tuple[str, ...], into: Written | None
) -> TracedArray | None:
    """The result of such a function; None where it is another one, or computed in float32.

    Parameters
    ----------
    into : Written or None
        Where NumPy would write it; None where it computes each element by itself.
    """
    if ufunc not in _TABLES or types != ("float16", "float16"):
        return None
    if tracer.options.device_number() is not None or not tracer.options.beside_numpy:
        return None
    value = operand(tracer, inputs[0]).as_dtype(tracer, types[0])
    table = _table(tracer, ufunc.__name__, inputs[0], value.shape, into)
    places = tracer.cast(tracer.op("bitcast", [value], dtype="uint16"), "int64")
    bits = gathered(table, [fresh(tracer, places, not value.shape)], [0])
    entry = fresh(tracer, tracer.op("bitcast", [bits.value], dtype="float32"), not value.shape)
    tracer.floats.meet_as_overflow(ufunc.__name__)
    rounded = tracer.cast(apply(np.multiply, entry, half_tables.SCALE).value, types[1])
    return result(tracer, rounded, layout_of(rounded, inputs))


def _table(tracer: Tracer, name: str, obj: Any, shape: tuple, into: Written | None) -> TracedArray:
    """The table for elements one behind the other, or apart; any where the two are the same.

    Raises
    ------
    UnsupportedError
    """
    are_beside = _certainly_beside(obj, shape, into)
    if are_beside is None and not _read(tracer, f"{name}_alike"):
        are_beside = _steps(obj) if _is_laid_alike(obj, into) else None
        if are_beside is None:
            what = f"np.{name} of float16 whose steps in memory nobody knows"
            tracer.fail(what, "compute it of a copy: x.copy()")
    return _read(tracer, f"{name}_apart" if are_beside is False else name)


def _read(tracer: Tracer, name: str) -> Any:
    """What the module of tables has, as the program reads it from outside."""
    known = tracer.tables.get(name)
    if known is None:
        obj = getattr(half_tables, name)
        known = tracer.rebuilder.read(_WAY, "attr", name, vars(half_tables), obj)
        tracer.tables[name] = known
    return known


def _certainly_beside(obj: Any, shape: tuple, into: Written | None) -> bool | None:
    """Whether NumPy's loop goes through elements one behind the other, as far as is easily seen.

    A single number isn't behind another one. What NumPy casts it copies first.
    """
    if not shape or into is None:
        return False
    if not _is_laid_alike(obj, into):
        return None
    if type(obj) is not TracedArray:
        return True
    if obj.dtype != np.float16:
        return True if obj.ndim == 1 or _are_several(obj) else None
    if obj.ndim == 1:
        step = last_step(*obj.lying)
        return None if step is None else step == 1
    layout, _, forms = obj.lying
    return True if layout.how == "dense" and not forms else None


def _are_several(array: TracedArray) -> bool:
    """Whether there are several elements in every call."""
    return any(is_nonnegative(array.tracer, size - 2) for size in array.shape)


def _steps(obj: Any) -> bool | None:
    """Whether the elements of float16 lie one behind the other, by their strides.

    Rows that have gaps between them NumPy copies where they are short, so that only the steps
    within a row count, if it is those that are shortest.
    """
    standing = obj.standing_for() if obj.dtype == np.float16 else None
    if standing is None:
        return None
    if obj.ndim == 1:
        return standing.strides[0] == 1
    if standing.flags.c_contiguous or standing.flags.f_contiguous:
        return True
    steps = [step for step, size in zip(standing.strides, standing.shape, strict=True) if size > 1]
    return True if min(steps) == 1 else None


def _is_laid_alike(obj: Any, into: Written) -> bool:
    """Whether the result lies as the operand does: NumPy's loop steps through both.

    A mask that lies otherwise could have the loop go along another axis; where there is one, a
    single element has no step.
    """
    arrays = [x for x in (into.target, into.where) if x is not None and x is not True]
    if not arrays and into.order == "K":
        return True
    if any(type(x) is not TracedArray for x in (obj, *arrays)):
        return False
    if into.target is not None and into.target.dtype != obj.dtype:
        return False
    if into.where is not True and not _are_several(obj):
        return False
    orders = into.order if into.order in "CF" else "CF"
    arrays.append(obj)
    return all(x.shape == obj.shape for x in arrays) and any(
        all(x.lies_in(order) for x in arrays) for order in orders
    )
