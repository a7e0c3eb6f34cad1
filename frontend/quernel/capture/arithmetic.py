"""Arithmetic of symbolic numbers, by Python's rules.

The program checks that divisors aren't zero, where Python raises, and that integers stay within 64
bits, beyond which the call runs in NumPy. Importing this module gives symbolic numbers their
operators, comparisons included.
"""

from __future__ import annotations

import enum
import functools
import operator
from itertools import product
from typing import Any, NoReturn

import numpy as np

from ..signals import let_out
from ..traced.numbers import (
    INT64,
    NUMBERS,
    RANK,
    Symbolic,
    SymbolicNumber,
    SymbolicSize,
    as_kind,
    derived,
    isinstance_symbolic,
    kind_of,
    parameters_known,
    plain_number,
    plain_parameter,
    tracer_of,
    unless_too_wide,
)
from ..traced.open_types import Open, kinds_of, open_type
from ..traced.scalars import either_of
from ..traced.tags import has_type, note_result
from .comparisons import compare

# Python's operators by the names of NumPy's ufuncs.
OPERATORS = {
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


def compute(op: str, left: Any, right: Any) -> Any:
    """``left op right`` of Python numbers, at least one of them symbolic."""
    python = OPERATORS[op]
    known = _known_operands(op, left, right)
    if SymbolicNumber not in map(type, known) and SymbolicNumber in (type(left), type(right)):
        return python(*known)
    left, right = known
    found = _result_types(python, left, right)
    answer = _computed(op, left, right)
    if found and type(answer) is SymbolicNumber:
        _open_result(answer, found, left, right)
    return answer


def _result_types(python: Any, *operands: Any) -> list[type]:
    """The types that a result may have where data decide the operands'; else none.

    Raises
    ------
    UnsupportedError
        Where Python has no such operation for one of them.
    """
    if all(getattr(operand, "open", None) is None for operand in operands):
        return []
    choices = [kinds_of(getattr(x, "open", None) or kind_of(x)) for x in operands]
    try:
        return [type(python(*(kind(1) for kind in kinds))) for kinds in product(*choices)]
    except TypeError as error:
        let_out(error)
        _refuse_types(*operands)


def _refuse_types(*operands: Any) -> NoReturn:
    decide_types(*operands)
    tracer_of(*operands).fail("an operation on a number that is a float or not, as data decide")


def decide_types(*operands: Any) -> None:
    """Capture the types apart that operands have as data decide, if that can be done.

    Raises
    ------
    Restart
    """
    for operand in operands:
        if getattr(operand, "open", None) is not None:
            operand.tracer.decide(operand.value)


def _open_result(answer: SymbolicNumber, found: list[type], *operands: Any) -> None:
    """Note the types that a result may have."""
    answer.tracer.inherit(answer.value, operands)
    kind = open_type(found, answer.kind)
    answer.open = kind if type(kind) is Open else None
    note_result(answer.tracer, answer, operands, found)


def _known_operands(op: str, left: Any, right: Any) -> list[Any]:
    """The numbers of an operation, with parameters as numbers where it has to know these."""
    left, right = plain_parameter(left), plain_parameter(right)
    are_integers = kind_of(left) in (bool, int) and kind_of(right) in (bool, int)
    if op in ("floor_divide", "remainder") or (are_integers and op != "divide"):
        return parameters_known(left, right)  # Python integers don't overflow, ours would
    if op == "divide" and kind_of(right) in (bool, int):
        return [left, *parameters_known(right)]
    return [left, right]


def _computed(op: str, left: Any, right: Any) -> Any:
    kinds = kind_of(left), kind_of(right)
    kind = max(*kinds, key=RANK.__getitem__)
    if op in _BITWISE and kind is bool:
        return derived(_LOGICAL[op], bool, left, right)
    if kind is bool:
        kind = int
    if ("shift" in op or op in _BITWISE) and kind is not int:
        return NotImplemented
    if op in ("divide", "floor_divide", "remainder"):
        _check_divisor(op, left, right)
        kind = float if op == "divide" and kind is int else kind
    made = derived(op, kind, left, right)
    if op == "floor_divide" and kind is int:
        _check_least(left, right)
    if kind is int and op in GROWING:
        _check_overflow(op, left, right, made)
    return made


def _check_least(left: Any, right: Any) -> None:
    """The least int64 divided by -1 is no int64."""
    pairs = [_bounds_of(number) for number in (left, right)]
    pairs = [(INT64.start, INT64.stop) if pair is None else pair for pair in pairs]
    if pairs[0][0] > INT64.start or not pairs[1][0] <= -1 <= pairs[1][1]:
        return
    tracer = tracer_of(left, right)
    least, minus = (tracer.constant(np.int64(n)) for n in (INT64.start, -1))
    others = [
        tracer.op("not_equal", [as_kind(tracer, left, int), least]),
        tracer.op("not_equal", [as_kind(tracer, right, int), minus]),
    ]
    unless_too_wide(tracer, tracer.op("logical_or", others))


GROWING = ("add", "subtract", "multiply", "left_shift")
_WIDE = (-(2**62), 2**62)  # more than sizes, and counters that get there, ever are
_SMALL = 2**31
_NEGATABLE = range(1 - 2**63, 2**63)


def _check_overflow(op: str, left: Any, right: Any, made: SymbolicNumber) -> None:
    """Python's integers have no bounds: the call runs in NumPy where ours would be exceeded."""
    pairs = [_bounds_of(number) for number in (left, right)]
    if None not in pairs and op != "left_shift":
        ends = [OPERATORS[op](a, b) for a in pairs[0] for b in pairs[1]]
        if min(ends) in INT64 and max(ends) in INT64:
            made.bounds = (min(ends), max(ends))
            return
    if None in pairs and is_step(op, left, right):
        return
    tracer = made.tracer
    values = [as_kind(tracer, number, int) for number in (left, right)]
    unless_too_wide(tracer, fits(tracer, op, *values, made.value))
    if None not in pairs:
        made.bounds = INT64.start, INT64.stop - 1


def is_step(op: str, *numbers: Any) -> bool:
    """Whether an integer goes on by a small step: no program counts so far that this overflows."""
    return op in ("add", "subtract") and any(
        type(number) is int and abs(number) < _SMALL for number in numbers
    )


def _bounds_of(number: Any) -> tuple[int, int] | None:
    if type(number) in (int, bool):
        return number, number
    return _WIDE if type(number) is SymbolicSize else number.bounds


def fits(tracer: Any, op: str, left: Any, right: Any, made: Any) -> Any:
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


@functools.cache
def zero_message(op: str, kind: type) -> str:
    """What Python says of a division of numbers by zero, of which `kind` is the wider type."""
    try:
        (divmod if op == "divmod" else OPERATORS[op])(kind(1), kind(0))
    except ZeroDivisionError as error:
        return str(error)
    raise AssertionError(op)


def _check_divisor(op: str, left: Any, right: Any) -> None:
    """By zero Python raises, with a text for each type; a kernel would give infinity."""
    if not isinstance_symbolic(right) and right != 0:
        return
    if type(right) is SymbolicSize and right.tracer.graph.nonnegative(right.dim - 1):
        return
    operands = left, right
    texts: dict[str, list[tuple]] = {}
    for kinds in product(*(kinds_of(getattr(x, "open", None) or kind_of(x)) for x in operands)):
        wider = max(*kinds, int, key=RANK.__getitem__)
        texts.setdefault(zero_message(op, wider), []).append(kinds)
    if not isinstance_symbolic(right) and len(texts) == 1:
        raise ZeroDivisionError(next(iter(texts)))
    tracer = tracer_of(*operands)
    if tracer.depth and type(right) is SymbolicNumber and tracer.is_of_call(right.value):
        # So that no iteration has a check.
        tracer.demand(lambda: compare("not_equal", right, 0).value, "ZeroDivisionError")
        return
    nonzero = [compare("not_equal", right, 0).value] if isinstance_symbolic(right) else []
    for text, choices in texts.items():
        others = [] if len(texts) == 1 else [_are_others(tracer, operands, choices)]
        tracer.check(either_of(tracer, [*nonzero, *others]), "ZeroDivisionError", text)


def _are_others(tracer: Any, operands: tuple, choices: list[tuple]) -> Any:
    """Whether numbers have none of some combinations of types.

    Raises
    ------
    Restart
        Where nobody knows which types they have: both ways are captured.
    """
    answer = []
    for kinds in choices:
        apart = []
        for number, kind in zip(operands, kinds, strict=True):
            holds = has_type(tracer, number, kind)
            if holds is None:
                _refuse_types(*operands)
            if holds is not True:
                apart.append(tracer.op("logical_not", [holds]))
        answer.append(either_of(tracer, apart))
    return functools.reduce(lambda a, b: tracer.op("logical_and", [a, b]), answer)


def _arithmetic(op: str, reflected: bool) -> Any:
    def method(self: Any, other: Any) -> Any:
        if op in _BITWISE and isinstance(other, enum.Flag):
            return NotImplemented  # it gives a member itself
        other = plain_number(other)
        if type(other) not in NUMBERS:
            return NotImplemented
        return compute(op, *((other, self) if reflected else (self, other)))

    return method


_METHODS = {
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
for _name, _op in _METHODS.items():
    setattr(Symbolic, f"__{_name}__", _arithmetic(_op, False))
    setattr(Symbolic, f"__r{_name}__", _arithmetic(_op, True))


def has_opposite(tracer: Any, value: Any) -> Any:
    """Whether the opposite of an int64 is one."""
    return tracer.op("not_equal", [value, tracer.constant(np.int64(INT64.start))])


def _unary(op: str) -> Any:
    python = operator.neg if op == "negative" else abs

    def method(self: Symbolic) -> Any:
        kind = int if self.kind is bool else self.kind
        if kind is int:
            (known,) = parameters_known(self)
            if known is not self:
                return python(known)
        result = float if op == "absolute" and kind is complex else kind
        if kind is int and (_bounds_of(self) is None or min(_bounds_of(self)) not in _NEGATABLE):
            unless_too_wide(self.tracer, has_opposite(self.tracer, as_kind(self.tracer, self, int)))
        answer = derived(op, kind, self, result=result)
        if result is not kind:
            _check_magnitude(answer, self)
        found = _result_types(python, self)
        if found:
            _open_result(answer, found, self)
        return answer

    return method


def _check_magnitude(answer: SymbolicNumber, number: Any) -> None:
    """Python raises where the absolute value of a finite complex number is none."""
    tracer = answer.tracer
    finite = tracer.op("isfinite", [as_kind(tracer, number, complex)])
    sides = tracer.op("isfinite", [answer.value]), tracer.op("logical_not", [finite])
    tracer.check(tracer.op("logical_or", list(sides)), "OverflowError", "absolute value too large")


SymbolicNumber.__neg__ = _unary("negative")
SymbolicNumber.__abs__ = SymbolicSize.__abs__ = _unary("absolute")
SymbolicNumber.__pos__ = lambda self: self + 0 if self.kind is bool else self


def _invert(self: Symbolic) -> Any:
    _result_types(operator.invert, self)
    if self.kind in (float, complex):
        raise TypeError(f"bad operand type for unary ~: '{self.kind.__name__}'")
    return -1 - self


Symbolic.__invert__ = _invert


def _divmod(left: Any, right: Any) -> tuple:
    left, right = plain_number(left), plain_number(right)
    if type(left) not in NUMBERS or type(right) not in NUMBERS:
        return NotImplemented
    if complex not in (kind_of(left), kind_of(right)):
        left, right = parameters_known(left, right)
        _check_divisor("divmod", left, right)
    return left // right, left % right


Symbolic.__divmod__ = _divmod
Symbolic.__rdivmod__ = lambda self, other: _divmod(other, self)


def _affine(name: str, reflected: bool) -> Any:
    number = _arithmetic(name, reflected)
    python = OPERATORS[name]

    def method(self: SymbolicSize, other: Any) -> Any:
        other = plain_number(other)
        if type(other) not in (int, bool, SymbolicSize):
            return number(self, other)
        term = other.dim if type(other) is SymbolicSize else int(other)
        left, right = (term, self.dim) if reflected else (self.dim, term)
        try:
            return self.tracer.size(python(left, right))
        except OverflowError:
            return number(self, other)

    return method


for _name in ("add", "sub", "mul"):
    setattr(SymbolicSize, f"__{_name}__", _affine(_METHODS[_name], False))
    setattr(SymbolicSize, f"__r{_name}__", _affine(_METHODS[_name], True))


def _floordiv(self: SymbolicSize, other: Any) -> Any:
    if type(other) is int and 0 < other < INT64.stop:
        return self.tracer.size(self.dim // other)
    return _arithmetic("floor_divide", False)(self, other)


def _mod(self: SymbolicSize, other: Any) -> Any:
    if type(other) is int and 0 < other < INT64.stop:
        return self - self // other * other
    return _arithmetic("remainder", False)(self, other)


SymbolicSize.__floordiv__ = _floordiv
SymbolicSize.__mod__ = _mod
SymbolicSize.__neg__ = lambda self: self * -1
SymbolicSize.__pos__ = lambda self: self
