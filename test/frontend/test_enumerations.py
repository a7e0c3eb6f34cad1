"""Members of enumerations, which are numbers or texts beside: with numbers of the program."""

# ruff: noqa: SIM300

from __future__ import annotations

import enum
from typing import Any

import numpy as np
import pytest

import quernel as qn

X = np.arange(1.0, 6.0)
M = np.arange(12.0).reshape(3, 4)


class Kind(enum.IntEnum):
    A = 1
    B = 2


class Real(float, enum.Enum):
    HALF = 0.5


class Right(enum.IntFlag):
    READ = 1
    WRITE = 2


class Of(enum.Enum):
    LIST = [1.0]  # noqa: RUF012
    TUPLE = (1, 2)


class Own(enum.Enum):
    """A class with special methods of its own."""

    A = "a"
    B = "b"

    def __str__(self):
        return self.value * 3

    def __eq__(self, other):
        return other is self or other == self.value

    __hash__ = object.__hash__


def set_item(x):
    y = x.copy()
    y[Kind.A] = Kind.B
    return y


def loop(x):
    s = 0
    for i in range(len(x)):
        s += x[i] * Kind.B + i * Kind.B
        if i == Kind.B:
            s = s + 1
    return s


def match(x, k):
    match k:
        case Kind.A:
            return x
        case Kind.B:
            return x * 2


def state(x):
    now = Kind.A
    for _ in range(len(x)):
        if now is Kind.A:
            x, now = x + 1, Kind.B
        else:
            x, now = x * 2, Kind.A
    return x


CASES: dict[str, tuple[Any, tuple]] = {
    "sum": (lambda x, n: x + (n + Kind.B), (X, 3)),
    "product": (lambda x, n: x * (Kind.B * n) + (n - Kind.A), (X, 3)),
    "division": (
        lambda x, n: x + n // Kind.B + n % Kind.B + divmod(n, Kind.B)[1] + n / Kind.B,
        (X, 5),
    ),
    "power": (lambda x, n: x + n**Kind.B + Kind.B**n, (X, 3)),
    "bits": (lambda x, n: x + (n << Kind.A) + (n & Kind.A) + (Kind.B | n), (X, 3)),
    "comparison": (lambda x, n: x + (n == Kind.B) + (n < Kind.B) + (Kind.A <= n), (X, 2)),
    "branch": (lambda x, n: x if n == Kind.B else x + 1, (X, 2)),
    "in": (lambda x, n: x if n in (Kind.A, Kind.B) else x + 1, (X, 2)),
    "in a set": (lambda x, n: x + (n in {Kind.A, Kind.B}), (X, 2)),
    "place": (lambda x, n: x + [Kind.A, Kind.B].index(n), (X, 2)),
    "size": (lambda x: x + (len(x) * Kind.B + Kind.A) + (len(x) == Kind.B), (X,)),
    "element": (lambda x: x + (x[0] == Kind.A) + int(x[1]) * Kind.B, (X,)),
    "index": (lambda x: x[Kind.A] + x[: Kind.B].sum(), (X,)),
    "axis": (lambda x: x.sum(axis=Kind.A), (M,)),
    "range": (lambda x: x + sum(range(Kind.B)), (X,)),
    "shape": (lambda x: np.zeros(Kind.B) + np.full(3, Kind.B).sum() + x[:2], (X,)),
    "array": (lambda x: np.array([Kind.A, Kind.B]) + x[:2], (X,)),
    "wide": (lambda x: x.astype(np.int8) + Kind.B, (X,)),
    "double": (lambda x: x.astype(np.float32) * Real.HALF, (X,)),
    "real": (lambda x, t: x * (t * Real.HALF) + (t < Real.HALF) + (Real.HALF == t), (X, 0.5)),
    "where": (lambda x: np.where(x > 2, Kind.A, Kind.B), (X,)),
    "ufunc": (lambda x: np.maximum(x, Kind.B), (X,)),
    "item": (set_item, (X,)),
    "loop": (loop, (X,)),
    "match": (match, (X, Kind.B)),
    "state": (state, (X,)),
    "chosen by data": (lambda x: x * (Kind.A if x[0] > 2 else Kind.B), (X,)),
    "least": (lambda x: x + min(Kind.A, Kind.B) + max(Kind), (X,)),
    "conversion": (lambda x: x * float(Kind.B) + int(Kind.A) + bool(Kind.A), (X,)),
    "text": (lambda x, k: x + len(f"{k}") + len(str(k)) + len(k.name), (X, Kind.A)),
    "flags": (lambda x, n: x + (n & Right.READ) + (Right.WRITE | n) + (n == Right.READ), (X, 3)),
    "flag is": (lambda x, n: x + ((n & Right.READ) is Right.READ), (X, 3)),
    "flag": (lambda x, f: x * 2 if f & Right.READ else x, (X, Right.READ | Right.WRITE)),
    "list": (lambda x: x * Of.LIST.value[0] + Of.TUPLE.value[1], (X,)),
    "own ==": (lambda x: x + (Own.A == "a") + (Own.A == Own.B) + (Own.B is Own.B), (X,)),
    "own text": (lambda x: x + len(str(Own.A)) + len(f"{Own.B}") + len(repr(Own.B)), (X,)),
    "own member": (lambda x, k: x if k is Own.A else x * len(k.value), (X, Own.B)),
}


@pytest.mark.parametrize("dynamic", [None, True])
@pytest.mark.parametrize("name", CASES)
def test_members(name: str, dynamic: bool | None) -> None:
    function, args = CASES[name]
    expected = function(*args)
    compiled = qn.compile(function, fullgraph=True, dynamic=dynamic)
    for _ in range(2):
        found = compiled(*args)
        assert type(found) is type(expected) and found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)
    assert compiled.stats()["compiles"] + compiled.stats()["disk_hits"] <= 2


@pytest.mark.parametrize("first", [Kind.A, Right.READ, 1, True])
def test_each_member_has_its_program(first: Any) -> None:
    compiled = qn.compile(lambda x, k: x + k, fullgraph=True)
    for k in (first, Kind.B, Kind.A, Right.WRITE, 2, False, first):
        found, expected = compiled(X.astype(np.int8), k), X.astype(np.int8) + k
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)
