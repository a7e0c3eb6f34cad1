"""Random streams: the draws of NumPy's generators, from a state that is memory of the program.

A stream's state is an array of words (``runtime/Random.h``). A draw is a routine of the runtime
that gives numbers and the words afterwards, which are written to that memory: so loops, branches
and calls hand streams on as they do arrays, and each draw keeps its place. A generator that a call
hands over, or that is read from outside, is an argument that is written.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ..primitives.elementwise import apply
from ..primitives.operands import as_array, dtype_of, lift, python_number
from ..primitives.shaping import allowed, broadcast_shape, broadcast_to
from ..primitives.sizes import integer
from ..raised import IN_NUMPY
from ..traced.array import TracedArray, fresh
from ..traced.broadcasting import is_one, sizes_text
from ..traced.dispatch import dispatch
from ..traced.location import OUTSIDE
from ..traced.numbers import SymbolicNumber, isinstance_symbolic
from ..traced.tracer import current
from ..traced.views import graph_dims, same_dims
from .calling import captured
from .creation import empty
from .distributions import (
    DISTRIBUTIONS,
    SHAPE,
    UNIT,
    Distribution,
    Parameter,
    as_parameter,
    bound,
    counting,
    demand,
    prepared,
    require,
)
from .reductions import any_, sum_
from .rounding import copyto
from .shapes import product, swapaxes


class Stream:
    """What captured code has in place of a Generator.

    Parameters
    ----------
    state : TracedArray
        Its words.
    obj : object
        The generator itself.
    """

    is_legacy = False

    def __init__(self, state: TracedArray, obj: Any) -> None:
        self._state, self._obj = state, obj

    @property
    def __class__(self) -> Any:
        return type(self._obj)

    def __getattr__(self, name: str) -> Any:
        if name in DISTRIBUTIONS and hasattr(self._obj, name):
            return lambda *args, **kwargs: self._distributed(name, args, kwargs)
        getattr(self._obj, name)  # Python's own error
        what = f"`{type(self._obj).__name__}.{name}`"
        self._state.tracer.fail(f"{what} is not supported yet", OUTSIDE)

    # Draws

    def _row_of(self, name: str) -> str:
        """The routine that draws from a distribution."""
        return name

    def _drawn(self, name: str, count: Any, *parameters: TracedArray) -> TracedArray:
        """So many numbers of a distribution."""
        sizes = () if any(x.ndim for x in parameters) else (count,)
        return self._routine(self._row_of(name), sizes, (self._state, *parameters))

    def _routine(self, row: str, sizes: tuple, operands: tuple) -> TracedArray:
        """The numbers of a routine of the runtime, which leaves the state that comes after them.

        Those are one for each element of the parameters, where these are arrays; else as many as
        the sizes say.
        """
        tracer = current()
        values = [x.value for x in operands]
        state, numbers = tracer.routine(row, values, 0, graph_dims(sizes))
        self._state.storage.write(self._state.views, state)
        return fresh(tracer, numbers)

    def _filled(self, row: str, size: Any, *parameters: TracedArray) -> TracedArray:
        """Numbers in an array of a size; one number where that is None."""
        tracer = current()
        shape = () if size is None else allowed(tracer, size)
        numbers = self._drawn(row, product(shape), *parameters)
        return _shaped(numbers, shape, size is None)

    def _typed(self, row: str, size: Any, dtype: Any, out: Any, *parameters: Any) -> Any:
        """Numbers of a distribution that there is for floats, too."""
        kind = np.dtype(dtype)
        name = row.removeprefix("inverse_") if row.startswith("inverse") else row
        if kind.name not in ("float32", "float64") or not kind.isnative:
            raise TypeError(f"Unsupported dtype {kind!r} for {name}")
        parameters = tuple(lift(x).astype(kind, copy=False) for x in parameters)
        row += "_floats" if kind == np.float32 else ""
        if out is not None:
            return self._into(row, size, kind, out, parameters)
        answer = self._filled(row, size, *parameters)
        return answer if size is not None else python_number(answer, float)

    def _into(self, row: str, size: Any, kind: np.dtype, out: Any, parameters: tuple) -> Any:
        """The numbers in an array that the call gives."""
        if type(out) is not TracedArray or out.dtype != kind:
            raise TypeError(f"Supplied output array has the wrong type. Expected {kind}")
        if not out.lies_in("C"):
            raise ValueError("Supplied output array must be contiguous and writable")
        if size is not None and tuple(allowed(current(), size)) != tuple(out.shape):
            raise ValueError("size must match out.shape when used together")
        out[...] = self._filled(row, out.shape, *parameters)
        return out

    def random(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """Uniform numbers from 0 to 1."""
        return self._typed("random", size, dtype, out)

    def standard_normal(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """Normal numbers."""
        return self._typed("standard_normal", size, dtype, out)

    def standard_exponential(
        self, size: Any = None, dtype: Any = np.float64, method: str = "zig", out: Any = None
    ) -> Any:
        """Exponential numbers, by one of two methods."""
        row = "standard_exponential" if method == "zig" else "inverse_exponential"
        return self._typed(row, size, dtype, out)

    def standard_gamma(
        self, shape: Any, size: Any = None, dtype: Any = np.float64, out: Any = None
    ) -> Any:
        """Numbers of gamma distributions of scale 1."""
        shape = as_array(current(), shape).astype(np.float64, copy=False)
        demand(SHAPE, shape, not shape.ndim)
        if not shape.ndim:
            return self._typed("standard_gamma", size, dtype, out, shape)
        size = shape.shape if size is None else self._common(size, [shape])
        return self._typed("standard_gamma", size, dtype, out, _row(shape, size))

    # Distributions of parameters

    def _distribution(self, name: str) -> Distribution:
        return DISTRIBUTIONS[name]

    def _distributed(self, name: str, args: tuple, kwargs: dict[str, Any]) -> Any:
        distribution = self._distribution(name)
        given, size = bound(name, distribution.parameters, args, kwargs)
        arrays = [
            as_parameter(x, parameter)
            for x, parameter in zip(given, distribution.parameters, strict=True)
        ]
        is_single = not any(x.ndim for x in arrays)
        arrays = prepared(name, arrays, is_single, self.is_legacy)
        for x, parameter in zip(arrays, distribution.parameters, strict=True):
            demand(parameter, x, is_single)
        if size is None and not is_single:
            shape: Any = broadcast_shape([x.shape for x in arrays])
        else:
            shape = self._common(size, arrays)
        if name in _BY_STANDARD:
            answer = _BY_STANDARD[name](self, shape, *arrays)
        else:
            answer = self._filled(
                name, shape, *(x if not x.ndim else _row(x, shape) for x in arrays)
            )
        if shape is not None:
            return answer
        return python_number(answer, float if distribution.dtype == "float64" else int)

    def _common(self, size: Any, arrays: list[TracedArray]) -> Any:
        """The size that is asked for, to which parameters must stretch; None for one number."""
        if size is None:
            return None
        shape = allowed(current(), size)
        for number, x in enumerate(arrays, 1):
            known = x.ndim <= len(shape) and all(
                type(own) is not int or type(new) is not int or own in (1, new)
                for own, new in zip(reversed(x.shape), reversed(shape), strict=False)
            )
            if not known:
                both = broadcast_shape([shape, x.shape])
                raise ValueError(
                    f"Output size {shape} is not compatible with broadcast dimensions of inputs "
                    f"{both}."
                )
            _require_stretch(x.shape, shape, number)
        return shape

    # Draws that are a row of numbers each

    def multinomial(self, n: Any, pvals: Any, size: Any = None) -> Any:
        """How many of `n` experiments have each of the outcomes of some probabilities."""
        n, p = as_parameter(n, counting("n")), lift(pvals)
        if n.ndim or p.ndim != 1 or p.dtype == np.float32:
            why = "random numbers of several multinomial distributions, or of float32 probabilities"
            current().fail(why, OUTSIDE)
        p = p.astype(np.float64, copy=False)
        demand(counting("n"), n, True)
        demand(Parameter("pvals", (UNIT,)), p, False)
        require(apply(np.less_equal, sum_(p[:-1]), 1.0 + 1e-12), "sum(pvals[:-1]) > 1.0")
        shape = () if size is None else allowed(current(), size)
        counts = _row(n, (product(shape),))
        return self._of_categories("multinomial", shape, (), counts, p)

    def dirichlet(self, alpha: Any, size: Any = None) -> Any:
        """Shares of a whole."""
        alpha = lift(alpha).astype(np.float64, copy=False)
        if alpha.ndim != 1:
            current().fail("random numbers of several Dirichlet distributions", OUTSIDE)
        wrong, text = (np.less_equal, "<=") if self.is_legacy else (np.less, "<")
        require(apply(np.logical_not, apply(wrong, alpha, 0.0)), f"alpha {text} 0")
        shape = () if size is None else allowed(current(), size)
        return self._of_categories("dirichlet", shape, (product(shape),), alpha)

    def _of_categories(
        self, row: str, shape: Any, sizes: tuple, *parameters: TracedArray
    ) -> TracedArray:
        """So many rows of numbers as a shape has elements, one for each category."""
        numbers = self._routine(self._row_of(row), sizes, (self._state, *parameters))
        return numbers.reshaped((*shape, parameters[-1].shape[0]), certain=True)

    # Integers

    def integers(
        self,
        low: Any,
        high: Any = None,
        size: Any = None,
        dtype: Any = np.int64,
        endpoint: bool = False,
    ) -> Any:
        """Integers between two bounds, the upper one left out unless `endpoint` is true."""
        return self._integers("integers", low, high, size, dtype, endpoint)

    def _integers(self, row: str, low: Any, high: Any, size: Any, dtype: Any, endpoint: Any) -> Any:
        tracer = current()
        if high is None:
            low, high = 0, low
        kind = np.dtype(dtype)
        if kind.kind not in "biu":
            raise TypeError(f"Unsupported dtype {kind!r} for integers")
        kind = dtype_of(tracer, kind)
        asked = None if size is None else allowed(tracer, size)
        if asked is not None and is_nothing(asked):
            return empty(asked, kind)  # whatever the bounds are
        bounds = [_bound_of_integers(x) for x in (low, high)]
        if not endpoint:
            bounds[1] = apply(np.subtract, bounds[1], 1)
        limits = np.iinfo(np.uint8 if kind == np.bool_ else kind)
        most = 1 if kind == np.bool_ else limits.max
        low, high = map(lift, bounds)
        is_single = not low.ndim and not high.ndim
        require(apply(np.greater_equal, low, limits.min), f"low is out of bounds for {kind}")
        if kind != np.uint64:
            require(apply(np.less_equal, high, most), f"high is out of bounds for {kind}")
        _require_order(low, high, endpoint)
        if size is None and not is_single:
            shape: Any = broadcast_shape([low.shape, high.shape])
        else:
            shape = self._common(asked, [low, high])
        low, high = (lift(x).astype(kind) for x in (low, high))
        if not is_single:
            low, high = (_row(x, shape) for x in (low, high))
        made = () if shape is None else shape
        sizes = (product(made),) if is_single else ()
        numbers = self._routine(row, sizes, (low, high, self._state))
        answer = _shaped(numbers, made, size is None and is_single)
        return python_number(answer, dtype) if answer.is_scalar and dtype in (bool, int) else answer

    # Orders

    def _order(self, count: Any) -> TracedArray:
        return self._drawn("permutation", count)

    def permutation(self, x: Any, axis: int = 0) -> Any:
        """An array's parts along an axis, or an integer's places, in another order."""
        if is_integer(x):
            size = operator.index(x) if type(x) is not SymbolicNumber else x
            return self._order(allowed(current(), (size,))[0])
        x = lift(x)
        axis = normalize_axis_index(axis, x.ndim)
        return dispatch.function(np.take, (x, self._order(x.shape[axis]), axis), {})

    def shuffle(self, x: Any, axis: int = 0) -> None:
        """Put the parts of an array along an axis in another order."""
        if type(x) is not TracedArray:
            current().fail(f"shuffling a {type(x).__name__}", "make an array of it")
        x.require_writeable("array is read-only")
        axis = normalize_axis_index(axis, x.ndim)
        turned = swapaxes(x, 0, axis)
        turned[...] = dispatch.function(np.take, (turned, self._order(turned.shape[0]), 0), {})

    def permuted(self, x: Any, *, axis: Any = None, out: Any = None) -> Any:
        """A copy of an array with the elements of each line in an order of its own."""
        x = lift(x)
        if axis is None and x.ndim != 1:
            flat = x.reshape(-1)
            answer = self.permutation(flat).reshape(x.shape)
        elif x.ndim == 1:
            answer = self.permutation(x)
        else:
            answer = captured(_permuted, self, x, normalize_axis_index(axis, x.ndim))
        if out is None:
            return answer
        if type(out) is not TracedArray:
            raise TypeError("out must be a numpy array")
        if not same_dims(out.shape, x.shape):
            raise ValueError("out must have the same shape as x")
        copyto(out, answer, casting="safe")
        return out

    def choice(
        self,
        a: Any,
        size: Any = None,
        replace: Any = True,
        p: Any = None,
        axis: int = 0,
        shuffle: Any = True,
    ) -> Any:
        """Elements of an array, or places of an integer."""
        if p is not None and not replace:
            current().fail("a choice without replacement by probabilities", OUTSIDE)
        return captured(_choice, self, a, size, replace, p, axis, shuffle, is_integer(a))

    def _places(self, count: Any, size: Any, shuffle: Any) -> TracedArray:
        """So many different places of a number of places."""
        numbers = (lift(x).astype(np.int64) for x in (count, int(bool(shuffle))))
        return self._drawn("choice", allowed(current(), (size,))[0], *numbers)

    def multivariate_normal(
        self,
        mean: Any,
        cov: Any,
        size: Any = None,
        check_valid: str = "warn",
        tol: float = 1e-8,
        *,
        method: str = "svd",
    ) -> Any:
        """Vectors of normal numbers."""
        if method not in ("eigh", "svd", "cholesky"):
            raise ValueError("method must be one of {'eigh', 'svd', 'cholesky'}")
        mean, cov = lift(mean), lift(cov)
        if "c" in (mean.dtype.kind, cov.dtype.kind):
            raise TypeError("mean and cov must not be complex")
        shape = () if size is None else allowed(current(), size)
        return captured(_multivariate_normal, self, mean, cov, shape, check_valid, tol, method)

    def _leave_unless(self, valid: Any) -> None:
        """Leave the call to NumPy, which warns, where a covariance isn't valid."""
        why = "a covariance that isn't positive-semidefinite"
        if isinstance_symbolic(valid) or type(valid) is TracedArray:
            current().check(valid.value, IN_NUMPY, why, undoes=True)
        elif not valid:
            current().fail(why, OUTSIDE)


# What is drawn by a distribution without parameters, in NumPy's own arithmetic.


def _uniform(stream: Stream, size: Any, low: TracedArray, width: TracedArray) -> TracedArray:
    return _moved(stream._filled("random", size), low, width)


def _normal(stream: Stream, size: Any, loc: TracedArray, scale: TracedArray) -> TracedArray:
    return _moved(stream._filled("standard_normal", size), loc, scale)


def _exponential(stream: Stream, size: Any, scale: TracedArray) -> TracedArray:
    return lift(apply(np.multiply, scale, stream._filled("standard_exponential", size)))


def _gamma(stream: Stream, size: Any, shape: TracedArray, scale: TracedArray) -> TracedArray:
    shape = shape if not shape.ndim and not scale.ndim else _row(shape, size)
    return lift(apply(np.multiply, scale, stream._filled("standard_gamma", size, shape)))


def _moved(drawn: TracedArray, low: TracedArray, width: TracedArray) -> TracedArray:
    return lift(apply(np.add, low, apply(np.multiply, width, drawn)))


_BY_STANDARD: dict[str, Callable[..., TracedArray]] = {
    "uniform": _uniform,
    "normal": _normal,
    "exponential": _exponential,
    "gamma": _gamma,
}


def _row(x: TracedArray, shape: Any) -> TracedArray:
    """A parameter for each of the draws, in their order."""
    return broadcast_to(x, shape).reshaped((product(shape),), certain=True)


def _shaped(numbers: TracedArray, shape: Any, is_single: bool) -> TracedArray:
    tracer, value = numbers.tracer, numbers.value
    if len(shape) != 1:
        value = tracer.op("reshape", [value], shape=graph_dims(shape))
    return fresh(tracer, value, is_scalar=is_single)


def is_integer(x: Any) -> bool:
    """Whether an object is one integer, which stands for its places."""
    if isinstance_symbolic(x):
        return type(x) is not SymbolicNumber or type(x.hint) is int
    if type(x) is TracedArray:
        return x.is_scalar and x.dtype.kind in "iu"
    return isinstance(x, int | np.integer)


def _require_order(low: TracedArray, high: TracedArray, endpoint: Any) -> None:
    """Raise NumPy's error where bounds of integers are the wrong way around.

    It names the lower bound unless that is 0, as it is where one bound is given.
    """
    text, above = (">", "<") if endpoint else (">=", "<=")
    is_right = apply(np.less_equal, low, high)
    known = low.known()
    is_zero = known is not None and not known.any()
    if not is_zero:
        is_named = True if known is not None else any_(apply(np.not_equal, low, 0))
        holds = is_right if is_named is True else ~(is_named & any_(~is_right))
        require(holds, f"low {text} high")
    if known is None or is_zero:
        require(is_right, f"high {above} 0")


def _require_stretch(own: tuple, shape: Any, argument: int) -> None:
    """Raise NumPy's errors where the program finds that a parameter doesn't stretch to a size."""
    tracer = current()
    numbers: list[Any] = []
    rest = len(shape) - len(own)
    pairs = list(zip(own, shape[rest:], strict=True))
    both = [*shape[:rest], *(new if is_one(old) else old for old, new in pairs)]
    size, inputs, alone = (_spaced(sizes, numbers) for sizes in (shape, both, own))
    apart = (
        "shape mismatch: objects cannot be broadcast to a single shape.  Mismatch is between arg 0 "
        f"with shape {size} and arg {argument} with shape {alone}."
    )
    wider = f"Output size {size} is not compatible with broadcast dimensions of inputs {inputs}."
    shown = [integer(tracer, number) for number in numbers]
    one = tracer.constant(np.int64(1))
    for old, new in pairs:
        if same_dims((old,), (new,)) or is_one(old) or (type(old) is int and type(new) is int):
            continue
        values = [integer(tracer, number) for number in (old, new)]
        same = tracer.op("equal", values)
        if type(old) is not int:
            same = tracer.op("logical_or", [same, tracer.op("equal", [values[0], one])])
        meets = tracer.op("logical_or", [same, tracer.op("equal", [values[1], one])])
        tracer.check(meets, "ValueError", apart, shown)
        tracer.check(same, "ValueError", wider, shown)


def _spaced(sizes: Any, numbers: list) -> str:
    """A shape as Python writes a tuple, with places for sizes that aren't known."""
    text = sizes_text(sizes, numbers).replace(",", ", ")
    return f"({text}{',' if len(sizes) == 1 else ''})"


def is_nothing(shape: Any) -> bool:
    """Whether an array of a shape is known to have no elements."""
    return any(type(size) is int and size == 0 for size in shape)


def _bound_of_integers(x: Any) -> Any:
    x = lift(x)
    if x.dtype.kind not in "biu" or x.dtype == np.uint64:
        current().fail(f"bounds of random integers of dtype {x.dtype}", "give them as int64")
    return x.astype(np.int64, copy=False)


# Written as NumPy's own are, in terms of draws; captured as a user's function is.


def _permuted(stream: Any, x: Any, axis: int) -> Any:
    lines = np.moveaxis(x, axis, -1).copy()
    rows = lines.reshape(-1, lines.shape[-1])
    for k in range(len(rows)):
        rows[k] = rows[k][stream._order(rows.shape[1])]
    return np.moveaxis(rows.reshape(lines.shape), -1, axis).copy()


def _choice(
    stream: Any, a: Any, size: Any, replace: Any, p: Any, axis: int, shuffle: Any, is_count: bool
) -> Any:
    if is_count:
        count = int(a)
    else:
        a = np.asarray(a)
        count = a.shape[axis]
    shape = () if size is None else size
    total = int(np.prod(shape))
    if count <= 0 and total != 0:
        if is_count:
            raise ValueError("a must be a positive integer unless no samples are taken")
        raise ValueError("a cannot be empty unless no samples are taken")
    if p is not None:
        p = np.asarray(p)
        tolerance = np.sqrt(np.finfo(p.dtype if p.dtype.kind == "f" else np.float64).eps)
        tolerance = max(float(tolerance), float(np.sqrt(np.finfo(np.float64).eps)))
        p = p.astype(np.float64)
        if p.ndim != 1:
            raise ValueError("p must be 1-dimensional")
        if p.size != count:
            raise ValueError("a and p must have same size")
        whole = np.sum(p)
        if np.isnan(whole):
            raise ValueError("Probabilities contain NaN")
        if np.any(p < 0):
            raise ValueError("Probabilities are not non-negative")
        if abs(whole - 1.0) > tolerance:
            raise ValueError(
                "Probabilities do not sum to 1. See Notes section of docstring for more "
                "information."
            )
    if replace and p is not None:
        cdf = p.cumsum()
        cdf /= cdf[-1]
        places = np.asarray(cdf.searchsorted(stream.random(shape), side="right"))
    elif replace:
        places = stream.integers(0, count, size=shape)
    else:
        if total > count:
            raise ValueError("Cannot take a larger sample than population when replace is False")
        places = stream._places(count, total, shuffle).reshape(shape)
    if is_count:
        return int(places) if size is None else places
    return taken(a, places, axis, size)


def taken(a: Any, places: Any, axis: int, size: Any) -> Any:
    """The parts of an array at some places: one where no size is asked for."""
    if size is None:
        places = places[()]
    parts = np.take(a, places, axis=axis)
    return parts if size is None or np.ndim(parts) else np.array(parts)


def _multivariate_normal(
    stream: Any, mean: Any, cov: Any, shape: Any, check_valid: str, tol: float, method: str
) -> Any:
    if mean.ndim != 1:
        raise ValueError("mean must be 1 dimensional")
    if cov.ndim != 2 or cov.shape[0] != cov.shape[1]:
        raise ValueError("cov must be 2 dimensional and square")
    if mean.shape[0] != cov.shape[0]:
        raise ValueError("mean and cov must have same length")
    count = mean.shape[0]
    x = stream.standard_normal((*shape, count)).reshape(-1, count)
    cov = cov.astype(np.float64)
    if method == "cholesky":
        factor = np.linalg.cholesky(cov)
    else:
        if check_valid not in ("warn", "raise", "ignore"):
            raise ValueError("check_valid must equal 'warn', 'raise', or 'ignore'")
        if method == "svd":
            u, s, vh = np.linalg.svd(cov)
            valid = np.allclose(np.dot(vh.T * s, vh), cov, rtol=tol, atol=tol)
        else:
            s, u = np.linalg.eigh(cov)
            valid = not np.any(s < -tol)
        if check_valid == "raise" and not valid:
            raise ValueError("covariance is not symmetric positive-semidefinite.")
        if check_valid == "warn":
            stream._leave_unless(valid)
        factor = u * np.sqrt(s if method == "svd" else np.abs(s))
    return (mean + x @ factor.T).reshape((*shape, count))
