"""Python numbers that stay symbolic: parameters, sizes, loop counters, results of the program.

They behave as Python numbers while they are used in arithmetic. Anything that needs to know the
number (a branch, an index, a hash) asks where it comes from: a parameter's or a size's value
becomes part of the program, a loop is unrolled, and what comes from data is refused.
"""

from __future__ import annotations

import operator
from itertools import product
from typing import Any, NoReturn

import numpy as np

from ..expressions import evaluate, is_plain, symbols_of

DATA = ("data",)
RANK = {bool: 0, int: 1, float: 2, complex: 3}


class Symbolic:
    """What symbolic numbers and symbolic sizes have in common."""

    __slots__ = ("tracer", "hint", "bounds", "open")

    def known(self) -> NoReturn:
        """Restart the capture with the number known."""
        self.tracer.need(origins(self))

    @property
    def dynamic(self) -> bool:
        """Whether the number differs within one call."""
        return any(origin[0] in ("loop", "data") for origin in origins(self))

    @property
    def real(self) -> Any:
        """The number itself."""
        return self

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        from ..numpy.ufuncs import dispatch

        return dispatch(ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Any, types: Any, args: tuple, kwargs: dict) -> Any:
        from ..numpy.registry import call

        return call(function, args, kwargs)


def _needs_value(name: str) -> Any:
    def method(self: Symbolic, *args: Any) -> NoReturn:
        self.known()

    method.__name__ = name
    return method


for _name in (
    "bool int float index complex hash round trunc floor ceil str repr format array"
).split():
    setattr(Symbolic, f"__{_name}__", _needs_value(f"__{_name}__"))


class SymbolicNumber(Symbolic):
    """A Python number that differs from call to call, or within one.

    Parameters
    ----------
    value : graph value
        Zero-dimensional: bool, int64, float64 or complex128.
    hint : number
        One of its type; for a parameter the number in the call that is captured.
    origins : frozenset
        What it was computed from: ``("value", path)``, ``("dim", path, axis)``, ``("loop", key)``
        and ``("data",)``.
    bounds : (int, int), optional
        What it lies between.

    Attributes
    ----------
    open : Open or None
        Its types, where data decide which one it has.
    """

    __slots__ = ("value", "origins")

    def __init__(
        self, tracer: Any, value: Any, hint: Any, origins: Any = (), bounds: Any = None
    ) -> None:
        self.tracer = tracer
        self.value = value
        self.hint = hint
        self.origins = frozenset(origins)
        self.bounds = bounds
        self.open = None

    @property
    def kind(self) -> type:
        """The Python type."""
        return type(self.hint)

    @property
    def __class__(self) -> type:
        return type(self.hint)


class SymbolicSize(Symbolic):
    """An integer that is an expression over the symbols of the program.

    Parameters
    ----------
    dim : graph dimension
    """

    __slots__ = ("dim",)

    def __init__(self, tracer: Any, dim: Any) -> None:
        self.tracer = tracer
        self.dim = dim
        self.hint = dim.hint
        self.bounds = None
        self.open = None

    @property
    def kind(self) -> type:
        """The Python type."""
        return int

    @property
    def __class__(self) -> type:
        return int


def isinstance_symbolic(obj: Any) -> bool:
    """Whether `obj` is symbolic; its ``__class__`` says that it is a Python number."""
    return type(obj) in (SymbolicNumber, SymbolicSize)


def origins(*numbers: Any) -> frozenset:
    """What numbers were computed from."""
    found: frozenset = frozenset()
    for number in numbers:
        if type(number) is SymbolicNumber:
            found |= number.origins
        elif type(number) is SymbolicSize:
            found |= number.tracer.origins_of(number.dim)
    return found


def kind_of(number: Any) -> type:
    """The Python type of a Python or symbolic number."""
    return number.kind if isinstance_symbolic(number) else type(number)


def as_kind(tracer: Any, number: Any, kind: type) -> Any:
    """The graph value of a Python or symbolic number as the value of another Python type."""
    dtype = {bool: "bool", int: "int64", float: "float64", complex: "complex128"}[kind]
    if type(number) is SymbolicSize:
        return tracer.cast(tracer.op("dim", [], dim=number.dim), dtype)
    if type(number) is SymbolicNumber:
        return tracer.cast(number.value, dtype)
    return tracer.constant(np.dtype(dtype).type(number))


def as_float(tracer: Any, number: Any) -> Any:
    """The float64 graph value of a Python or symbolic number."""
    return as_kind(tracer, number, float)


_NUMBERS = (int, float, bool, complex, SymbolicNumber, SymbolicSize)
_PYTHON = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "floor_divide": operator.floordiv,
    "remainder": operator.mod,
    "bitwise_and": operator.and_,
    "bitwise_or": operator.or_,
    "bitwise_xor": operator.xor,
    "left_shift": operator.lshift,
    "right_shift": operator.rshift,
}
_BITWISE = ("bitwise_and", "bitwise_or", "bitwise_xor")
_LOGICAL = {
    "bitwise_and": "logical_and",
    "bitwise_or": "logical_or",
    "bitwise_xor": "logical_xor",
}
_ZERO = {
    ("divide", int): "division by zero",
    ("divide", float): "float division by zero",
    ("divide", complex): "complex division by zero",
    ("floor_divide", int): "integer division or modulo by zero",
    ("floor_divide", float): "float floor division by zero",
    ("remainder", int): "integer modulo by zero",
    ("remainder", float): "float modulo",
}


def _tracer(*numbers: Any) -> Any:
    return next(number.tracer for number in numbers if isinstance_symbolic(number))


def _need(*numbers: Any) -> NoReturn:
    _tracer(*numbers).need(origins(*numbers))


def is_dynamic(*numbers: Any) -> bool:
    """Whether one of some numbers differs within a call."""
    return any(isinstance_symbolic(number) and number.dynamic for number in numbers)


def compute(op: str, left: Any, right: Any) -> Any:
    """``left op right`` of Python numbers, at least one of them symbolic."""
    answer = _computed(op, left, right)
    if type(answer) is SymbolicNumber:
        _open_result(answer, _PYTHON[op], left, right)
    return answer


def _open_result(answer: SymbolicNumber, python: Any, *operands: Any) -> None:
    """Note the types that a result may have where data decide the operands'."""
    if all(getattr(operand, "open", None) is None for operand in operands):
        return
    from .open_types import Open, kinds_of, open_type

    answer.tracer.inherit(answer.value, operands)
    choices = [kinds_of(getattr(x, "open", None) or kind_of(x)) for x in operands]
    try:
        found = [type(python(*(kind(1) for kind in kinds))) for kinds in product(*choices)]
    except TypeError:
        answer.tracer.fail("an operation on a number that is a float or not, as data decide")
    kind = open_type(found, answer.kind)
    answer.open = kind if type(kind) is Open else None
    from .tags import note_result

    note_result(answer.tracer, answer, operands, found)


def _computed(op: str, left: Any, right: Any) -> Any:
    kinds = kind_of(left), kind_of(right)
    kind = max(*kinds, key=RANK.__getitem__)
    if kind in (bool, int) and not is_dynamic(left, right) and op != "divide":
        _need(left, right)  # Python integers don't overflow, ours would
    if op in _BITWISE and kind is bool:
        return derived(_LOGICAL[op], bool, left, right)
    if kind is bool:
        kind = int
    if ("shift" in op or op in _BITWISE) and kind is not int:
        return NotImplemented
    if op in ("divide", "floor_divide", "remainder"):
        _check_divisor(op, kind, left, right)
        kind = float if op == "divide" and kind is int else kind
        if op != "divide" and not is_dynamic(left, right):
            _need(left, right)
    made = derived(op, kind, left, right)
    if op == "floor_divide" and kind is int:
        _check_least(left, right)
    if kind is int and op in _GROWING:
        _check_overflow(op, left, right, made)
    return made


def _check_least(left: Any, right: Any) -> None:
    """The least int64 divided by -1 is no int64."""
    pairs = [_bounds_of(number) for number in (left, right)]
    pairs = [(_INT64.start, _INT64.stop) if pair is None else pair for pair in pairs]
    if pairs[0][0] > _INT64.start or not pairs[1][0] <= -1 <= pairs[1][1]:
        return
    tracer = _tracer(left, right)
    least, minus = (tracer.constant(np.int64(n)) for n in (_INT64.start, -1))
    others = [
        tracer.op("not_equal", [as_kind(tracer, left, int), least]),
        tracer.op("not_equal", [as_kind(tracer, right, int), minus]),
    ]
    tracer.check(tracer.op("logical_or", others), "OverflowError", _TOO_WIDE)


_GROWING = ("add", "subtract", "multiply", "left_shift")
_WIDE = (-(2**62), 2**62)  # more than sizes, and counters that get there, ever are
_SMALL = 2**31
_INT64 = range(-(2**63), 2**63)
_NEGATABLE = range(1 - 2**63, 2**63)
_TOO_WIDE = "a Python integer of more than 64 bits in compiled code"


def _check_overflow(op: str, left: Any, right: Any, made: SymbolicNumber) -> None:
    """Python's integers have no bounds: the program stops where ours would be exceeded."""
    pairs = [_bounds_of(number) for number in (left, right)]
    if None not in pairs and op != "left_shift":
        ends = [_PYTHON[op](a, b) for a in pairs[0] for b in pairs[1]]
        if min(ends) in _INT64 and max(ends) in _INT64:
            made.bounds = (min(ends), max(ends))
            return
    some = None in pairs and op in ("add", "subtract")
    if some and any(type(x) is int and abs(x) < _SMALL for x in (left, right)):
        return  # no program counts that far in steps of this size
    tracer = made.tracer
    values = [as_kind(tracer, number, int) for number in (left, right)]
    tracer.check(
        _fits(tracer, op, *values, made.value),
        "OverflowError",
        _TOO_WIDE,
    )
    if None not in pairs:
        made.bounds = _INT64.start, _INT64.stop - 1


def _bounds_of(number: Any) -> tuple[int, int] | None:
    if type(number) in (int, bool):
        return number, number
    return _WIDE if type(number) is SymbolicSize else number.bounds


def _fits(tracer: Any, op: str, left: Any, right: Any, made: Any) -> Any:
    """Whether an int64 result is what it would be without bounds."""

    def apply(name: str, *values: Any) -> Any:
        return tracer.op(name, list(values))

    zero = tracer.constant(np.int64(0))
    if op == "add":
        signs = apply("bitwise_and", *(apply("bitwise_xor", x, made) for x in (left, right)))
        return apply("greater_equal", signs, zero)
    if op == "subtract":
        signs = apply("bitwise_and", *(apply("bitwise_xor", left, x) for x in (right, made)))
        return apply("greater_equal", signs, zero)
    if op == "multiply":
        product = apply("multiply", *(tracer.cast(x, "float64") for x in (left, right)))
        return apply("less", apply("absolute", product), tracer.constant(np.float64(2.0**63)))
    back = apply("equal", apply("right_shift", made, right), left)
    few = apply("less", right, tracer.constant(np.int64(63)))
    return apply("logical_and", back, few)


def derived(op: str, kind: type, *operands: Any, result: type | None = None) -> SymbolicNumber:
    """The number that a graph operation on numbers of one kind gives."""
    tracer = _tracer(*operands)
    values = [as_kind(tracer, operand, kind) for operand in operands]
    result = result or kind
    return SymbolicNumber(tracer, tracer.op(op, values), result(1), origins(*operands))


def _check_divisor(op: str, kind: type, left: Any, right: Any) -> None:
    """By zero Python raises; a kernel would give infinity."""
    if not isinstance_symbolic(right):
        if right == 0:
            raise ZeroDivisionError(_ZERO.get((op, kind), "division by zero"))
        return
    if type(right) is SymbolicSize and _is_positive(right):
        return
    if not is_dynamic(right):
        _need(right)
    message = _ZERO.get((op, kind), "division by zero")
    tracer = right.tracer
    zero = compare("not_equal", right, 0)
    tracer.check(zero.value, "ZeroDivisionError", message)


def _is_positive(size: SymbolicSize) -> bool:
    tracer = size.tracer
    if tracer.rolls:
        return tracer.graph.nonnegative(size.dim - 1)
    return is_dynamic(size) is False and least_size(size) > 0


def compare(op: str, left: Any, right: Any) -> SymbolicNumber:
    """The truth of a comparison of Python numbers, as a number of the program."""
    kind = max(kind_of(left), kind_of(right), key=RANK.__getitem__)
    made = derived(op, int if kind is bool else kind, left, right, result=bool)
    made.bounds = (0, 1)
    if op in _CLAIMS and all(type(x) in (int, SymbolicSize) for x in (left, right)):
        less = _dim(left) - _dim(right)
        facts = [sign * less + offset for sign, offset in _CLAIMS[op]]
        made.tracer.claim(made.value, [facts[0]], [facts[1]])
    return made


def _dim(size: Any) -> Any:
    return size.dim if type(size) is SymbolicSize else size


# What isn't negative where a comparison holds, and where it doesn't: as multiples of left - right.
_CLAIMS = {
    "less": ((-1, -1), (1, 0)),
    "less_equal": ((-1, 0), (1, -1)),
    "greater": ((1, -1), (-1, 0)),
    "greater_equal": ((1, 0), (-1, -1)),
}


def _arithmetic(op: str, reflected: bool) -> Any:
    def method(self: Any, other: Any) -> Any:
        if type(other) not in _NUMBERS:
            return NotImplemented
        return compute(op, *((other, self) if reflected else (self, other)))

    return method


_OPERATORS = {
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "truediv": "divide",
    "floordiv": "floor_divide",
    "mod": "remainder",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "lshift": "left_shift",
    "rshift": "right_shift",
}
for _name, _op in _OPERATORS.items():
    setattr(Symbolic, f"__{_name}__", _arithmetic(_op, False))
    setattr(Symbolic, f"__r{_name}__", _arithmetic(_op, True))


def _unary(op: str) -> Any:
    def method(self: Symbolic) -> Any:
        kind = int if self.kind is bool else self.kind
        if kind is int and not self.dynamic:
            self.known()
        result = float if op == "absolute" and kind is complex else kind
        if kind is int and (_bounds_of(self) is None or min(_bounds_of(self)) not in _NEGATABLE):
            least = self.tracer.constant(np.int64(-(2**63)))
            fits = self.tracer.op("not_equal", [as_kind(self.tracer, self, int), least])
            self.tracer.check(fits, "OverflowError", _TOO_WIDE)
        answer = derived(op, kind, self, result=result)
        _open_result(answer, operator.neg if op == "negative" else abs, self)
        return answer

    return method


SymbolicNumber.__neg__ = _unary("negative")
SymbolicNumber.__abs__ = SymbolicSize.__abs__ = _unary("absolute")
SymbolicNumber.__pos__ = lambda self: self + 0 if self.kind is bool else self


def _invert(self: Symbolic) -> Any:
    if self.kind in (float, complex):
        raise TypeError(f"bad operand type for unary ~: '{self.kind.__name__}'")
    return -1 - self


Symbolic.__invert__ = _invert


def _power(self: Any, exponent: Any) -> Any:
    if type(exponent) not in _NUMBERS:
        return NotImplemented
    if type(exponent) is int and (self.kind is float or self.dynamic):
        if exponent == 2:
            return self * self
        if self.kind in (bool, int) and 0 <= exponent <= 64:
            return _product(self, exponent)
    kinds = {self.kind, kind_of(exponent)}
    if getattr(self, "open", None) or getattr(exponent, "open", None):
        _tracer(self, exponent).fail("a power of a number whose type data decide", "use float(x)")
    if is_dynamic(self, exponent) and kinds <= {int, float} and float in kinds:
        return derived("power", float, self, exponent)
    _need(self, exponent)


def _product(base: Any, exponent: int) -> Any:
    answer: Any = 1
    for bit in bin(exponent)[2:]:
        answer = answer * answer
        answer = answer * base if bit == "1" else answer
    return answer


def _reflected_power(self: Any, base: Any) -> Any:
    if type(base) not in _NUMBERS:
        return NotImplemented
    if type(base) is float and base > 0 and self.kind is float:
        return derived("power", float, base, self)
    if is_dynamic(self) and float in (type(base), self.kind) and type(base) in (int, float):
        return derived("power", float, base, self)
    self.known()


Symbolic.__pow__ = _power
Symbolic.__rpow__ = _reflected_power
Symbolic.__divmod__ = lambda self, other: (self // other, self % other)
Symbolic.__rdivmod__ = lambda self, other: (other // self, other % self)

_COMPARISONS = {
    "lt": ("less", operator.lt),
    "le": ("less_equal", operator.le),
    "gt": ("greater", operator.gt),
    "ge": ("greater_equal", operator.ge),
    "eq": ("equal", operator.eq),
    "ne": ("not_equal", operator.ne),
}


def _comparison(op: str, python: Any) -> Any:
    def method(self: Any, other: Any) -> Any:
        if type(other) not in _NUMBERS:
            return NotImplemented
        if SymbolicSize in (type(self), type(other)):
            decided = _decided(python, self, other)
            if decided is not None:
                return decided
        if not is_dynamic(self, other):
            _need(self, other)
        return compare(op, self, other)

    return method


for _name, (_op, _function) in _COMPARISONS.items():
    setattr(Symbolic, f"__{_name}__", _comparison(_op, _function))
Symbolic.__hash__ = _needs_value("__hash__")
SymbolicNumber.__hash__ = SymbolicSize.__hash__ = Symbolic.__hash__


def _decided(python: Any, left: Any, right: Any) -> bool | None:
    """A comparison of sizes that is the same in every call."""
    if not all(type(x) in (int, bool, SymbolicSize) for x in (left, right)):
        return None
    dims = [x.dim if type(x) is SymbolicSize else int(x) for x in (left, right)]
    if str(dims[0]) == str(dims[1]):
        return python(0, 0)
    tracer = _tracer(left, right)
    if tracer.rolls:
        return _proven(tracer.graph, python, *dims)
    if type(right) is int and str(dims[0]).isidentifier():
        extremes = {python(2, right), python(2**62, right)}
        if len(extremes) == 1 and (right < 2 or python not in (operator.eq, operator.ne)):
            return extremes.pop()
    return None


def _proven(graph: Any, python: Any, left: Any, right: Any) -> bool | None:
    """A comparison that follows from the bounds of the symbols, or None."""
    less, more = left - right, right - left
    if isinstance(less, int):
        return python(less, 0)
    if graph.nonnegative(less - 1):
        return python(1, 0)
    if graph.nonnegative(more - 1):
        return python(0, 1)
    if graph.nonnegative(less) and python(0, 0) == python(1, 0):
        return python(0, 0)
    if graph.nonnegative(more) and python(0, 0) == python(0, 1):
        return python(0, 0)
    return None


def _affine(name: str, reflected: bool) -> Any:
    number = _arithmetic(name, reflected)
    python = _PYTHON[name]

    def method(self: SymbolicSize, other: Any) -> Any:
        if type(other) not in (int, bool, SymbolicSize):
            return number(self, other)
        term = other.dim if type(other) is SymbolicSize else int(other)
        left, right = (term, self.dim) if reflected else (self.dim, term)
        try:
            return self.tracer.size(python(left, right))
        except (TypeError, ValueError):
            return number(self, other)

    return method


for _name in ("add", "sub", "mul"):
    setattr(SymbolicSize, f"__{_name}__", _affine(_OPERATORS[_name], False))
    setattr(SymbolicSize, f"__r{_name}__", _affine(_OPERATORS[_name], True))


def _floordiv(self: SymbolicSize, other: Any) -> Any:
    if type(other) is int and other > 0:
        return self.tracer.size(self.dim // other)
    return _arithmetic("floor_divide", False)(self, other)


def _mod(self: SymbolicSize, other: Any) -> Any:
    if type(other) is int and other > 0:
        return self - self // other * other
    return _arithmetic("remainder", False)(self, other)


SymbolicSize.__floordiv__ = _floordiv
SymbolicSize.__mod__ = _mod
SymbolicSize.__neg__ = lambda self: self * -1
SymbolicSize.__pos__ = lambda self: self


def symbol_numbers(dim: Any) -> set[int]:
    """The numbers of the symbols in a graph dimension, whose text has ``s0`` for the first."""
    return {int(name[1:]) for name in symbols_of(str(dim))}


def least_size(size: Any) -> int:
    """The least value that a size takes when every symbol is at least two.

    Restarts the capture with the size known where that can't be said.
    """
    if type(size) is int:
        return size
    if type(size) is SymbolicSize and size.dynamic:
        return 1 if size.tracer.graph.nonnegative(size.dim - 1) else 0
    text = str(size.dim)
    if not is_plain(text):
        size.known()
    smallest = dict.fromkeys(symbols_of(text), 2)
    least = evaluate(text, smallest)
    if any(evaluate(text, {**smallest, name: 1000}) < least for name in smallest):
        size.known()
    return least


def known_if_maybe_empty(size: Any) -> None:
    """Restart the capture with a size known that is 0 in some later call.

    Reductions of nothing, and pieces of nothing, differ from others by more than their size.
    """
    if type(size) is SymbolicSize and not size.dynamic and least_size(size) < 1:
        size.known()
