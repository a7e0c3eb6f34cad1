"""Ufuncs of SciPy's that nothing stands for: programs call SciPy's own loops, on whole arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..capture.opaque import answers
from ..loaded.glue import PARAMETERS, header
from ..primitives.elementwise import layout_of
from ..primitives.operands import operand
from ..primitives.shaping import broadcast_shape
from ..raised import IN_NUMPY
from ..traced.array import result
from ..traced.broadcasting import unified
from ..traced.location import OUTSIDE
from ..traced.tracer import Tracer
from ..traced.views import graph_dims, same_dims
from . import scipy_loops
from .ufunc_loops import loop_types

_WAY = (("module", scipy_loops.__name__),)
_HINT = "call it outside of scipy.special.errstate"
# Numbers have a step of 0, since they are the same for all elements. What a loop meets that SciPy
# has no name for, it raises as an exception of Python's.
_ENTRY = """
extern "C" int PyGILState_Ensure();
extern "C" void PyGILState_Release(int);
extern "C" void *PyErr_Occurred();
extern "C" void PyErr_Clear();
extern "C" int32_t {entry}({parameters}) {{
  using loop = void(char **, const int64_t *, const int64_t *, void *);
  void *const *found = (void *const *)buffers[0];
  char *elements[] = {{{elements}}};
  const int64_t rank = sizes[0];
  int64_t count = 1;
  for (int64_t k = 1; k <= rank; ++k)
    count *= sizes[k];
  ((loop *)found[0])(elements, &count, sizes + 1 + rank, found[1]);
  const int state = PyGILState_Ensure();
  const bool failed = PyErr_Occurred();
  if (failed)
    PyErr_Clear();
  PyGILState_Release(state);
  *(bool *)buffers[{count} + 1] = failed;
  return 0;
}}
"""


def called(
    tracer: Tracer,
    ufunc: np.ufunc,
    inputs: tuple,
    fixed: tuple | None = None,
    casting: str = "same_kind",
) -> Any:
    """The results of a ufunc that isn't NumPy's."""
    has_loops = ufunc.signature is None and scipy_loops.ufunc_of(ufunc.__name__) is ufunc
    is_here = tracer.options.beside_numpy and tracer.options.device_number() is None
    if not has_loops or not is_here:
        what = f"`{ufunc.__name__}`, a ufunc that isn't NumPy's"
        tracer.fail(f"{what}, is not supported yet", OUTSIDE)
    items = [operand(tracer, obj) for obj in inputs]
    types = loop_types(tracer, ufunc, items, fixed, casting)
    values = [item.as_dtype(tracer, name) for item, name in zip(items, types, strict=False)]
    made = _results(tracer, ufunc, values, types)
    answers = [result(tracer, value, layout_of(value, inputs)) for value in made]
    return answers[0] if len(answers) == 1 else tuple(answers)


def _results(tracer: Tracer, ufunc: np.ufunc, values: list[Any], types: list[str]) -> list[Any]:
    """What a loop gives for values of its own types."""
    kinds = [np.dtype(name) for name in types]
    addresses = _addresses(tracer, ufunc, kinds)
    values = unified(tracer, values)
    shape = broadcast_shape([tracer.shape(value) for value in values])
    inputs = [_spread(tracer, value, shape) for value in values]
    steps = [
        kind.itemsize if value.shape else 0 for kind, value in zip(kinds, inputs, strict=False)
    ]
    steps += [kind.itemsize for kind in kinds[ufunc.nin :]]
    dims = list(graph_dims(shape))
    ranks = [*(len(value.shape) for value in inputs), *[len(dims)] * ufunc.nout]
    # An entry has operands of one type each.
    marks = (f"{kind.char}{rank}" for kind, rank in zip(kinds, ranks, strict=True))
    entry = f"scipy_loop_{ufunc.nin}_{''.join(marks)}"
    attributes = {
        "callee": entry,
        "written": 0,
        "sizes": [len(dims), *dims, *steps],
        "ranks": [*[len(dims)] * ufunc.nout, 0],
        "shapes": dims * ufunc.nout,
        "dtypes": " ".join([*types[ufunc.nin :], "bool"]),
    }
    tracer.graph.user_text(_text(entry, ufunc.nargs))
    *made, failed = tracer.results("user_call", [addresses, *inputs], attributes)
    why = f"scipy.special.{ufunc.__name__} of arguments for which SciPy raises an exception"
    tracer.check(tracer.op("logical_not", [failed]), IN_NUMPY, why, undoes=True)
    return made


def _addresses(tracer: Tracer, ufunc: np.ufunc, kinds: list[np.dtype]) -> Any:
    """Where a loop is, which the program reads from outside."""
    chars = [kind.char for kind in kinds]
    types = "".join(chars[: ufunc.nin]) + "->" + "".join(chars[ufunc.nin :])
    if not answers(tracer.rebuilder, scipy_loops.is_quiet, (*_WAY, ("attr", "is_quiet")))():
        tracer.fail(f"scipy.special.{ufunc.__name__} that reports errors", _HINT)
    name = scipy_loops.loop_name(ufunc, types)
    found = getattr(scipy_loops, name)
    return tracer.rebuilder.read(_WAY, "attr", name, vars(scipy_loops), found).value


def _spread(tracer: Tracer, value: Any, shape: tuple) -> Any:
    """A value with a shape, unless it is a number."""
    if not value.shape or same_dims(tracer.shape(value), shape):
        return value
    return tracer.op("broadcast_to", [value], shape=graph_dims(shape))


def _text(entry: str, count: int) -> dict[str, Any]:
    elements = ", ".join(f"(char *)buffers[{k}]" for k in range(1, count + 1))
    body = _ENTRY.format(entry=entry, parameters=PARAMETERS, elements=elements, count=count)
    return {
        "path": "/scipy.cpp",
        "text": header() + body,
        "entries": [entry],
        "folders": [],
        "cuda": "",
        "kernels": {},
    }
