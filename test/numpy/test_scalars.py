"""Single numbers of every dtype and Python's, at the ends of their ranges, against NumPy."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import DTYPES, check

import quernel as qn
from quernel.errors import FallbackWarning, UnsupportedError

OPERATORS = (
    [getattr(operator, name) for name in "add sub mul truediv floordiv mod and_ or_ xor".split()]
    + [getattr(operator, name) for name in "lshift rshift lt le gt ge eq ne".split()]
    + [np.maximum, np.minimum]  # of two zeros NumPy takes either
)
PYTHON = [0, -1, 100, True, 0.5, math.nan]
BEYOND = "a Python integer of more than 64 bits"


def extremes(dtype: str) -> np.ndarray:
    """Numbers at the ends of a dtype's range and around 0."""
    kind = np.dtype(dtype)
    if kind.kind == "b":
        return np.array([True, False])
    if kind.kind in "iu":
        limits = np.iinfo(kind)
        return np.array([0, 1, 2, 7, limits.max, limits.max - 1, limits.min, limits.min + 1], kind)
    if kind.kind == "f":
        return np.array([0, -0.0, 1, -2.5, np.inf, -np.inf, np.nan, 300.7], kind)
    return np.array([0, 1, 1j, -2 + 3j], kind)


def outcome(function: Callable[..., Any], *args: Any) -> Any:
    """What a call gives, or raises, with the bits of every number and the written arguments."""
    args = tuple(arg.copy() if isinstance(arg, np.ndarray) else arg for arg in args)
    try:
        answer = function(*args)
    except UnsupportedError:
        raise
    except Exception as error:
        kind = TypeError if isinstance(error, TypeError) else type(error)
        return kind, str(error)
    return bits(answer), bits(args)


def bits(obj: Any) -> Any:
    """An object by types and bits; one NaN is as good as another."""
    if isinstance(obj, (tuple, list)):
        return type(obj), [bits(item) for item in obj]
    if not isinstance(obj, (int, float, complex, np.generic, np.ndarray)):
        return obj
    array = np.array(obj)
    if array.dtype.kind in "fc":
        array = np.where(np.isnan(array), array.dtype.type(np.nan), array)
    return type(obj), array.dtype, array.shape, array.tobytes()


def differences(got: Any, want: Any) -> list:
    """The first innermost parts in which two outcomes differ."""
    if type(got) in (tuple, list) and type(want) in (tuple, list) and len(got) == len(want):
        pairs = zip(range(len(got)), got, want, strict=True)
        return next(([k, *differences(a, b)] for k, a, b in pairs if a != b), [])
    return [got, want]


def check_outcome(function: Callable[..., Any], *calls: tuple) -> None:
    """Compare calls with NumPy's: results, what is written, exceptions and their texts."""
    compiled = qn.compile(function, fullgraph=True)
    for args in calls:
        with np.errstate(all="ignore"):
            want = outcome(function, *args)
        got = outcome(compiled, *args)
        assert got == want, (function, args, differences(got, want))


def plain(op: Callable[..., Any]) -> Callable[..., Any]:
    """An operation whose result doesn't say which of two zeros it took."""
    return (lambda a, b: op(a, b) + 0) if op in (np.maximum, np.minimum) else op


def _works(function: Callable[..., Any], *args: Any) -> bool:
    try:
        with np.errstate(all="ignore"):
            function(*args)
    except (TypeError, OverflowError, ValueError):
        return False
    return True


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", DTYPES)
def test_elements_of_two_dtypes(dtype: str) -> None:
    others = [other for other in DTYPES if other[:7] != "complex" or dtype[:7] != "complex"]
    samples = [np.ones(1, other) for other in others]
    pairs = [
        (k, op)
        for k, sample in enumerate(samples)
        for op in OPERATORS
        if _works(op, np.ones(1, dtype)[0], sample[0])
        and not (op is operator.truediv and "complex" in dtype + others[k])
    ]

    def compute(a, groups):
        return [plain(op)(a[0], groups[k][0]) for k, op in pairs]

    calls = []
    for shift in range(3):
        numbers = extremes(dtype)
        for k in range(len(numbers)):
            groups = [np.roll(extremes(other), -k * 3 - shift)[:1] for other in others]
            calls.append((numbers[k : k + 1], groups))
    check_outcome(compute, *calls)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", DTYPES)
def test_python_numbers_and_elements(dtype: str) -> None:
    one = np.ones(1, dtype)
    tests = [
        (k, op)
        for k in PYTHON
        for op in OPERATORS
        if _works(op, one[0], k) and _works(op, k, one[0])
    ]

    def compute(a):
        found = []
        for k, name in tests:
            op = plain(name)
            found.append((op(a[0], k), op(a, k), op(k, a), op(k, a[0])))
        return found

    check_outcome(compute, *[(number[None],) for number in extremes(dtype)])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", [name for name in DTYPES if name[:7] != "complex"])
def test_numbers_of_the_program(dtype: str) -> None:
    convert = {"b": bool, "i": int, "u": int, "f": float}[np.dtype(dtype).kind]
    ops = [op for op in OPERATORS[:15] if op is not operator.lshift]
    tests = [(k, op) for k in (*PYTHON[1:], 3) for op in ops if _works(op, convert(1), k)]

    def compute(a):
        x = convert(a[0])
        return [op(x, k) for k, op in tests]

    numbers = [x for x in extremes(dtype) if abs(float(x)) < 2**40 or np.dtype(dtype).kind == "f"]
    check_outcome(compute, *[(number[None],) for number in numbers])


@pytest.mark.parametrize(
    "compute",
    [
        lambda a: -int(a[0]),
        lambda a: abs(int(a[0])),
        lambda a: int(a[0]) - 1,
        lambda a: int(a[0]) // -1,
        lambda a: int(a[0]) * 2,
    ],
)
def test_python_integers_beyond_64_bits_are_pythons(compute: Any) -> None:
    compiled, least = qn.compile(compute), np.array([-(2**63)])
    with pytest.warns(FallbackWarning, match=BEYOND):
        assert compiled(least) == compute(least)
    assert compiled(np.array([5])) == compute(np.array([5]))
    assert compiled.stats()["fallbacks"] == 1
    with pytest.raises(UnsupportedError, match=BEYOND):
        qn.compile(compute, fullgraph=True)(least)


FLOATS = [np.nan, np.inf, -np.inf, 1e30, -1e30, 2.0**63, 300.7, -1.5, 3e9, 5.0]
CONVERSIONS = [int, round, math.floor, math.ceil, math.trunc]


@pytest.mark.parametrize("convert", CONVERSIONS)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_floats_as_python_integers(convert: Any, dtype: str) -> None:
    numbers = [x for x in FLOATS if not 2.0**62 < abs(x) < np.inf]
    if dtype == "float32" and convert is math.trunc:
        numbers = [1.5]
    check_outcome(lambda a: convert(a[0]), *[(np.array([x], dtype),) for x in numbers])


def _element(x, a):
    x[0] = a[0]


def _piece(x, a):
    x[0:2] = a[0]


def _chosen(x, a):
    x[[0, 1]] = a[0]


def _whole(x, a):
    x[...] = a


def _fill(x, a):
    x.fill(a[0])


def _added(x, a):
    x[0] += a[0]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("target", ["int64", "int8", "uint8", "uint64", "float32", "bool"])
@pytest.mark.parametrize("write", [_element, _piece, _chosen, _whole, _fill, _added])
def test_what_is_assigned(write: Any, target: str) -> None:
    sources = {
        "float64": FLOATS,
        "float32": [np.nan, np.inf, 300.7],
        "int64": [2**63 - 1, 300, -1],
        "uint64": [2**64 - 1, 300],
        "bool": [True],
    }
    if target == "bool":  # others lose imaginary parts, which is left to NumPy
        sources["complex128"] = [1 + 2j, complex(np.nan, 1)]
    for dtype, numbers in sources.items():
        calls = [(np.zeros(2, target), np.array([x, x], dtype)) for x in numbers]
        check_outcome(write, *calls)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("target", ["int64", "int8", "uint8", "uint64", "float32"])
@pytest.mark.parametrize("number", [np.nan, np.inf, 1e30, 300.7, -1.5, 300, -1, 2**40, True, 1j])
def test_python_numbers_that_are_assigned(target: str, number: Any) -> None:
    def literal(x):
        x[0] = number

    def parameter(x, k):
        x[0] = k

    def computed(x, a):
        x[0] = type(number)(1) * type(number)(a[0]) if type(number) is not complex else number

    check_outcome(literal, (np.zeros(2, target),))
    check_outcome(parameter, (np.zeros(2, target), number))
    check_outcome(computed, (np.zeros(2, target), np.array([number])))


@pytest.mark.parametrize("target", ["bool", "uint8", "int32", "int64", "float32"])
@pytest.mark.parametrize("casting", ["no", "safe", "same_kind", "unsafe"])
def test_copyto_casts(target: str, casting: str) -> None:
    numbers = [1, -1, 300, 1.5, True, np.float64(1.5), np.int64(3)]
    for number in [*numbers, *([] if casting == "unsafe" else [1j])]:

        def copy(number: Any) -> Any:
            return lambda x: np.copyto(x, number, casting=casting)

        with np.errstate(all="ignore"):
            check_outcome(copy(number), (np.ones(2, target),))
    for array in (np.zeros(2), np.zeros(())):
        check_outcome(
            lambda x, array: np.copyto(x, array, casting=casting), (np.ones(2, target), array)
        )


def test_where_of_literals() -> None:
    k, e = np.array([True, False, True]), np.array([3, 70, -1])
    for size in (3, 33):
        mask, shift = np.resize(k, size), np.resize(e, size)
        check(lambda k: np.where(k, 1, -1) * 2, mask)
        check(lambda k: np.minimum(np.where(k, 1, -1), 1), mask)
        check(lambda k, e: np.where(k, 1, 1 >> e), mask, shift)
        check(lambda k, e: (1 >> (e & 63), -1 >> (e & 63), (1 << 40) >> (e & 63)), mask, shift)


def test_out_is_repeated_and_cast() -> None:
    def compute(a, b, c):
        np.clip(1, -1, 1, out=a)
        np.add(1, 1, out=b[0])
        np.add(a[:3], 1, out=b)
        np.clip(a, 0, 0.5, out=c)
        np.isneginf(a, out=a)

    check_outcome(compute, (np.ones(7), np.ones((2, 3)), np.ones(7, "float32")))


def test_out_that_is_an_input_or_overlaps_one() -> None:
    def compute(a, b):
        np.add(a[1:], a[:-1], out=a[1:])
        np.multiply(a[::-1], a, out=a)
        np.subtract(b.T, b, out=b)
        np.cumsum(a, out=a)

    check_outcome(compute, (np.arange(9.0), np.arange(9.0).reshape(3, 3)))


def test_clip_takes_the_dtype_of_all_three() -> None:
    check(lambda a: np.clip(a, 0.1, np.float64(1)), np.zeros(3, "float32"))
    check(lambda a: (np.clip(a, -1, 3), np.clip(a, 0, 300), a.clip(2)), np.arange(5, dtype="u1"))
    check(lambda a: np.clip(a, 0, 1), np.array([True, False]))
    check_outcome(lambda a: np.clip(a, 300, None), (np.arange(5, dtype="u1"),))


def test_scans_of_a_number() -> None:
    check(lambda a: (np.cumprod(a[1], axis=0), np.cumsum(a[0]), np.cumsum(3.0)), np.arange(3.0))
