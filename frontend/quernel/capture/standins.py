"""Python's functions of numbers where a number is one of the program."""

from __future__ import annotations

import functools
import operator
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from ..primitives.assignment import integer_part
from ..primitives.operands import lift, refuse_open
from ..signals import let_out
from ..traced.array import TracedArray, fresh, is_traced
from ..traced.iterables import looping_functions
from ..traced.numbers import DATA, SymbolicNumber, isinstance_symbolic, unless_too_wide
from ..traced.open_types import Open, base_of, joined, kinds_of
from ..traced.scalars import (
    bool_of,
    integer_bounds,
    number_of,
    number_type,
    sources_of,
    truth,
    value_of,
)
from ..traced.tracer import Tracer
from ..traced.undecided import Either
from .caches import caches
from .decimals import MOST_DIGITS, decimal
from .folding import (
    first_and_rest,
    folded,
    greatest,
    greatest_by,
    is_long,
    least,
    least_by,
    reduction,
    total,
    truth_of,
)
from .unbound import readers

MOST_OBJECTS = 6  # that data choose from: what follows is captured for each
_REAL = "{}() argument must be a {} number, not 'complex'"


def is_of_program(obj: Any) -> bool:
    """Whether an object is a number that only the program knows."""
    if isinstance_symbolic(obj):
        return obj.of_program
    return type(obj) is TracedArray and obj.ndim == 0 and obj.known() is None


def stand_ins(tracer: Tracer) -> dict[Any, Callable[..., Any]]:
    """What is called in place of Python's functions, by function."""
    table: dict[Any, Callable[..., Any]] = looping_functions(tracer)
    table.update(caches())
    table.update(readers(tracer))
    table[deque] = _deque
    table[functools.reduce] = functools.partial(_reduce, tracer)
    for maker in (_conversions, _comparisons):
        table.update(maker(tracer))
    return table


def _deque(iterable: Any = (), maxlen: Any = None) -> Any:
    """A deque, of which Python takes the length from nothing but an int."""
    return deque(iterable, maxlen if maxlen is None else operator.index(maxlen))


def _reduce(tracer: Tracer, function: Any, iterable: Any, *initial: Any) -> Any:
    """`functools.reduce`, of a sequence as a loop."""
    if not is_long(tracer, iterable):
        return functools.reduce(function, iterable, *initial)
    first, rest = (*initial, iterable) if initial else first_and_rest(tracer, iterable)
    return folded(tracer, reduction, first, rest, function)


def on_sequences(function: Any) -> Any:
    """A ufunc, or a method of one, that takes sequences with numbers of the program as arrays.

    NumPy asks the arguments for what stands for a ufunc, but not what is in a sequence.
    """
    is_ufuncs = type(getattr(function, "__self__", function)) is np.ufunc
    if not is_ufuncs or function.__name__ == "at":  # whose tuples are indices
        return function
    return functools.partial(_on_arrays, function)


def _on_arrays(function: Any, *args: Any, **kwargs: Any) -> Any:
    arrays = [lift(x) if type(x) in (list, tuple) and is_traced(x) else x for x in args]
    answer = function(*arrays, **kwargs)
    # NumPy keeps ``out=...`` to itself, which asks for arrays also where there are no axes.
    return _as_arrays(answer) if kwargs.get("out") is ... else answer


def _as_arrays(answer: Any) -> Any:
    if type(answer) is tuple:
        return tuple(map(_as_arrays, answer))
    is_element = type(answer) is TracedArray and answer.is_scalar
    return fresh(answer.tracer, answer.value) if is_element else answer


def as_number(tracer: Tracer, obj: Any, kind: type) -> SymbolicNumber:
    """A number of the program as one of a Python type.

    Raises
    ------
    TypeError
        For a Python complex number as a real one.
    """
    obj = scalar(obj)
    own = number_type(obj)
    if kind is not complex and any(part is complex for part in kinds_of(own)):
        settle_type(obj)
        raise TypeError("must be real number, not complex")
    if kind is int and base_of(own) == np.uint64:
        limit = tracer.constant(np.uint64(2**63 - 1))
        unless_too_wide(tracer, tracer.op("less_equal", [obj.value, limit]))
    number = number_of(tracer, value_of(tracer, obj, kind), kind, sources_of(obj))
    dtype = base_of(own)
    if kind is int and isinstance(dtype, np.dtype) and dtype.kind in "biu":
        number.bounds = integer_bounds(dtype)
    return number


def scalar(obj: Any) -> Any:
    """The element of an array without axes; other objects as they are."""
    is_array = type(obj) is TracedArray and obj.ndim == 0 and not obj.is_scalar
    return obj[()] if is_array else obj


def settle_type(obj: Any) -> None:
    """Capture the types apart that a number may have, as data decide.

    Raises
    ------
    Restart
    UnsupportedError
        Where that can't be done.
    """
    kinds = kinds_of(number_type(obj))
    if len(kinds) > 1:
        refuse_open(kinds, obj.value)


def require(obj: Any, method: str, text: str) -> None:
    """Python's error where a number's type lacks a method."""
    if type(obj) is TracedArray and not obj.is_scalar:
        raise TypeError(text.format("numpy.ndarray"))
    for kind in kinds_of(number_type(obj)):
        python = kind if isinstance(kind, type) else kind.type
        if not hasattr(python, method):
            settle_type(obj)
            raise TypeError(text.format(f"numpy.{kind}" if python is not kind else kind.__name__))


def guarded(python: Any, traced: Callable[..., Any]) -> Callable[..., Any]:
    """`traced` where an argument is a number of the program, else Python's own."""

    def call(*args: Any, **kwargs: Any) -> Any:
        if any(map(is_of_program, (*args, *kwargs.values()))):
            return traced(*args, **kwargs)
        return python(*args, **kwargs)

    return call


# int, float, bool, complex, round


def _is_complex(obj: Any) -> bool:
    kind = base_of(number_type(obj))
    return kind is complex or getattr(kind, "kind", "") == "c"


def _conversions(tracer: Tracer) -> dict[Any, Any]:
    def to_round(obj: Any, ndigits: Any = None) -> Any:
        require(obj, "__round__", "type {} doesn't define __round__ method")
        if ndigits is None and _is_float(base_of(number_type(scalar(obj)))):
            return truncated(tracer, as_number(tracer, obj, float), "rint")
        if ndigits is None:
            return as_number(tracer, obj, int)
        settle_type(obj)  # Python rounds to digits in another way
        if is_of_program(ndigits):
            tracer.fail("round() to so many digits as data say", "use a number of digits")
        if type(obj) is TracedArray:
            return np.round(obj, ndigits)
        if obj.kind in (int, bool) and ndigits >= 0:
            return as_number(tracer, obj, int)
        if base_of(number_type(obj)) is not float or not 0 <= ndigits <= MOST_DIGITS:
            tracer.fail("round() of a Python number to so many digits", "use np.round")
        return decimal(tracer, as_number(tracer, obj, float), ndigits)

    def to_float(obj: Any = 0.0) -> Any:
        if not (isinstance_symbolic(obj) or is_of_program(obj)):
            return float(obj)
        if any(kind is complex for kind in kinds_of(number_type(scalar(obj)))):
            settle_type(obj)
            raise TypeError(_REAL.format("float", "string or a real"))
        return as_number(tracer, obj, float)

    def to_complex(real: Any, imag: Any = None) -> Any:
        first = as_number(tracer, real, complex)
        if imag is None:
            return first
        second = as_number(tracer, imag, complex)
        # Zeros keep their signs, and an infinity beside a zero makes no NaN.
        re = first.real - second.imag if _is_complex(imag) else first.real
        im = second.real + first.imag if _is_complex(real) else second.real
        value = tracer.op("complex", [as_number(tracer, part, float).value for part in (re, im)])
        return SymbolicNumber(tracer, value, 1j, sources_of(real) | sources_of(imag))

    return {
        int: guarded(int, lambda obj: as_integer(tracer, obj)),
        float: to_float,
        bool: guarded(bool, lambda obj: bool_of(tracer, truth(tracer, obj))),
        complex: guarded(complex, to_complex),
        round: guarded(round, to_round),
    }


def as_integer(tracer: Tracer, obj: Any) -> Any:
    """``int(obj)`` of a number of the program."""
    kind = base_of(number_type(scalar(obj)))
    if any(part is complex for part in kinds_of(number_type(scalar(obj)))):
        settle_type(obj)
        raise TypeError(_REAL.format("int", "string, a bytes-like object or a real"))
    if _is_float(kind):
        return truncated(tracer, as_number(tracer, obj, float), "trunc")
    return as_number(tracer, obj, int)


def _is_float(kind: Any) -> bool:
    return kind is float or (isinstance(kind, np.dtype) and kind.kind == "f")


def truncated(tracer: Tracer, number: SymbolicNumber, op: str) -> SymbolicNumber:
    """A float as an integer; what isn't finite, or is too large, raises."""
    value = integer_part(tracer, number.value, op)
    value = tracer.cast(value, "int64")
    return SymbolicNumber(tracer, value, 1, number.origins, integer_bounds(np.dtype(np.int64)))


# min, max, sum, any, all, divmod, pow


def _comparisons(tracer: Tracer) -> dict[Any, Any]:
    def extreme(python: Any, op: Any) -> Callable[..., Any]:
        def call(*args: Any, key: Any = None, **kwargs: Any) -> Any:
            if _is_array(args) and key is None and not kwargs and args[0].dtype.kind in "biu":
                return (np.min if python is min else np.max)(args[0])
            if len(args) == 1 and not kwargs and is_long(tracer, args[0]):
                return _folded(tracer, python, args[0], key)
            items = list(args[0]) if len(args) == 1 else list(args)
            keys = items if key is None else list(map(tracer.interpreter.stand_in(key), items))
            if (len(args) > 1 and kwargs) or not _are_compared(keys):
                given = dict(zip(map(id, items), keys, strict=True))
                kwargs |= {} if key is None else {"key": lambda item: given[id(item)]}
                return python(items, **kwargs) if len(args) == 1 else python(*args, **kwargs)
            best = best_key = None
            if key is not None and len(items) > MOST_OBJECTS and not _are_numbers(items):
                tracer.fail(
                    f"min() or max() of more than {MOST_OBJECTS} objects, by what data say",
                    "put what is chosen from into an array, and use np.argmin or np.argmax",
                )
            for place, (item, its) in enumerate(zip(items, keys, strict=True)):
                better = _is_better(tracer, best_key, its, op) if place else True
                best_key = chosen(tracer, better, its, best_key)
                best = best_key if key is None else chosen(tracer, better, item, best)
            return best

        return call

    def connected(python: Any, op: str) -> Callable[..., Any]:
        def call(items: Any, /) -> Any:
            if is_long(tracer, items):
                return truth_of(tracer, items, python is any)
            items = list(items)
            if not any(map(is_of_program, items)):
                return python(items)
            conditions = [truth(tracer, item) for item in items]
            values = [
                tracer.constant(np.bool_(part)) if isinstance(part, bool) else part
                for part in conditions
            ]
            return bool_of(tracer, functools.reduce(lambda a, b: tracer.op(op, [a, b]), values))

        return call

    def power(base: Any, exponent: Any, modulus: Any = None) -> Any:
        return base**exponent if modulus is None else base**exponent % modulus

    def added(items: Any, /, start: Any = 0) -> Any:
        return folded(tracer, total, items, start) if is_long(tracer, items) else sum(items, start)

    return {
        sum: added,
        min: extreme(min, operator.lt),
        max: extreme(max, operator.gt),
        any: connected(any, "logical_or"),
        all: connected(all, "logical_and"),
        divmod: guarded(divmod, divmod),
        pow: guarded(pow, power),
        abs: guarded(abs, abs),
    }


def _folded(tracer: Tracer, python: Any, items: Any, key: Any) -> Any:
    """The least or the greatest of many items, found by a loop."""
    count = items.shape[0] if type(items) is TracedArray else items.count
    is_some = truth(tracer, count > 0)
    if is_some is not True:
        tracer.check(is_some, "ValueError", nothing_text(python))
    first, rest = first_and_rest(tracer, items)
    if key is None:
        return folded(tracer, least if python is min else greatest, first, rest)
    by_key = least_by if python is min else greatest_by
    return folded(tracer, by_key, first, rest, tracer.interpreter.stand_in(key))


def nothing_text(python: Any) -> str:
    """What Python says of the least or the greatest of nothing."""
    try:
        python(())
    except ValueError as error:
        let_out(error)
        return str(error)
    raise AssertionError(python)


def _are_compared(items: Any) -> bool:
    """Whether the program has to compare numbers, as it can where NumPy's are among them."""
    symbolic = any(map(isinstance_symbolic, items))
    numpys = any(isinstance(item, (TracedArray, np.generic)) for item in items)
    return (symbolic and numpys) or any(map(is_of_program, items))


def _are_numbers(items: Any) -> bool:
    """Whether items are numbers, or tuples of numbers: one of them is chosen without branches."""
    parts = [part for item in items for part in (item if type(item) is tuple else (item,))]
    return all(number_type(part) is not None for part in parts)


def _is_array(args: tuple) -> bool:
    return len(args) == 1 and type(args[0]) is TracedArray and args[0].ndim == 1


def _is_better(tracer: Tracer, best: Any, item: Any, op: Any) -> Any:
    """Whether a number comes before another one: a bool, or a zero-dimensional graph value."""
    for obj in (best, item):
        if type(obj) is Either:
            tracer.interpreter.apart(obj, "a number")
        if number_type(obj) is None:
            tracer.fail("min() or max() of this", "use np.minimum and np.maximum")
    return truth(tracer, op(item, best))


def chosen(tracer: Tracer, condition: Any, item: Any, best: Any) -> Any:
    """The first of two objects where a condition holds, else the second."""
    if isinstance(condition, bool) or item is best:
        return item if condition is True else best
    if type(item) is type(best) is tuple and len(item) == len(best):
        pairs = zip(item, best, strict=True)
        return tuple(chosen(tracer, condition, *pair) for pair in pairs)
    kinds = number_type(item), number_type(best)
    is_number = all(kind is not None for kind in kinds)  # a float64 dtype equals None
    kind = joined(*kinds, item, best) if is_number else None
    decided, places = None, []
    if kind is None or type(kind) is Open:
        key = tracer.interpreter.numbered("better")
        decided, places = tracer.interpreter.choice(key, condition)
    if decided is not None:
        return item if decided else best
    if kind is None:
        return Either(condition, item, best, "has types that no dtype holds both of", places)
    values = [value_of(tracer, obj, kind) for obj in (best, item)]
    value = tracer.op("where", [condition, values[1], values[0]])
    if type(kind) is Open:
        either = Either(condition, item, best, f"is {kind.text()}", places)
        tracer.alternative(value, either)
    return number_of(tracer, value, kind, sources_of(best) | sources_of(item) | {DATA})
