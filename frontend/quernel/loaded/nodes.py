"""Calls of the user's own functions in captured code."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..primitives.assignment import assigned
from ..primitives.operands import operand
from ..primitives.sizes import check, require
from ..signals import let_out
from ..traced.array import TracedArray, fresh, result
from ..traced.bounds import is_nonnegative
from ..traced.numbers import SymbolicNumber, SymbolicSize
from ..traced.tracer import Tracer, current
from ..traced.views import graph_dims
from .checks import Sizes, argument_error, count_error, fits, negative_error, status_text
from .signatures import Part

if TYPE_CHECKING:
    from .functions import LoadedFunction


def node_of(function: LoadedFunction) -> Callable[..., Any]:
    """What captured code calls in a function's place."""

    def node(*args: Any, **kwargs: Any) -> Any:
        return _Call(function, current())(args, kwargs)

    node.__name__ = node.__qualname__ = function.__name__
    node.__wrapped__ = function
    return node


class _Call:
    def __init__(self, function: LoadedFunction, tracer: Tracer) -> None:
        self._function, self._tracer = function, tracer
        self._name, self._signature = function.__name__, function.signature

    def __call__(self, args: tuple, kwargs: dict[str, Any]) -> Any:
        signature, tracer = self._signature, self._tracer
        if kwargs:
            raise self._users(TypeError(f"{self._name}() takes no keyword arguments"))
        if len(args) != len(signature.parameters):
            raise self._users(count_error(self._name, signature, len(args)))
        sizes = Sizes(self._name, signature)
        values = []
        for part, arg in zip(signature.parameters, args, strict=True):
            values.append(self._number(part, arg) if part.sizes is None else self._array(part, arg))
            sizes.take(part, () if part.sizes is None else arg.shape)
        for own, wanted, error in sizes.differences():
            self._require(own, "equal", wanted, error)
        shapes = [self._shape(sizes, part) for part in signature.results]
        made = self._op(values, sizes, shapes)
        written = [args[part.number] for part in signature.written]
        for target, value in zip(written, made, strict=False):
            self._write(target, value)
        if signature.has_status:
            held = tracer.op("equal", [made[-1], tracer.constant(np.int64(0))])
            check(tracer, held, "RuntimeError", status_text(self._name), (fresh(tracer, made[-1]),))
        answers = [
            result(tracer, value) if part.sizes is None else fresh(tracer, value)
            for part, value in zip(signature.results, made[len(written) :], strict=False)
        ]
        return None if not answers else answers[0] if len(answers) == 1 else tuple(answers)

    def _users(self, error: Exception) -> Exception:
        """An exception of the user's call, which code around it may catch."""
        interpreter = self._tracer.interpreter
        return error if interpreter is None else interpreter.raising(error)

    def _require(self, first: Any, relation: str, second: Any, error: Exception) -> None:
        try:
            require(self._tracer, first, relation, second, error, (first, second))
        except ValueError as raised:
            let_out(raised)
            raise self._users(raised) from None

    def _write(self, target: TracedArray, value: Any) -> None:
        try:
            target.write(value)
        except ValueError as raised:
            let_out(raised)
            raise self._users(raised) from None

    def _number(self, part: Part, arg: Any) -> Any:
        kind = type(arg)
        if kind is TracedArray and arg.ndim:
            raise self._users(argument_error(self._name, part, f"has the shape {arg.shape}"))
        item = operand(self._tracer, arg)
        given = item.type
        if not fits(given, part.dtype):
            what = f"is of the type {getattr(given, 'name', getattr(given, '__name__', given))}"
            raise self._users(argument_error(self._name, part, what))
        return assigned(self._tracer, arg, np.dtype(part.dtype))

    def _array(self, part: Part, arg: Any) -> Any:
        if type(arg) is not TracedArray or arg.is_scalar:
            kind = arg.kind if type(arg) in (SymbolicNumber, SymbolicSize) else type(arg)
            what = f"is of the type {kind.__module__}.{kind.__qualname__}"
            if type(arg) is TracedArray:
                what = f"is of the type numpy.{arg.dtype.type.__name__}"
            raise self._users(argument_error(self._name, part, what))
        if arg.dtype != part.dtype:
            raise self._users(argument_error(self._name, part, f"has the dtype {arg.dtype}"))
        if arg.ndim != part.rank:
            raise self._users(argument_error(self._name, part, f"has the shape {arg.shape}"))
        return arg.value

    def _shape(self, sizes: Sizes, part: Part) -> tuple:
        shape = sizes.shape(part)
        for size in shape:
            if type(size) is int and size < 0:
                raise self._users(negative_error())
            if type(size) is not int and not is_nonnegative(self._tracer, size):
                self._require(size, "greater_equal", 0, negative_error())
        return shape

    def _op(self, values: list[Any], sizes: Sizes, shapes: list[tuple]) -> list[Any]:
        """The values of what the function writes, of its results and of its status."""
        signature, function = self._signature, self._function
        operands = [values[part.number] for part in (*signature.read, *signature.written)]
        dtypes = [part.dtype for part in signature.results]
        ranks = [part.rank for part in signature.results]
        if signature.has_status:
            dtypes, ranks = [*dtypes, "int64"], [*ranks, 0]
        named = [sizes.known[name] for name in signature.names]
        attributes = {
            "callee": function.entry,
            "written": len(signature.written),
            "sizes": list(graph_dims(tuple(named))),
            "ranks": ranks,
            "shapes": [dim for shape in shapes for dim in graph_dims(shape)],
            "dtypes": " ".join(dtypes),
        }
        self._tracer.graph.user_text(function.text.form)
        return self._tracer.results("user_call", operands, attributes)
