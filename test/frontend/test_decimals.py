"""`round` of Python's floats to digits, which is decimal and exact."""

from __future__ import annotations

import random

import numpy as np
import pytest

import quernel as qn
from quernel.errors import UnsupportedError

ENDS = [
    *(2.675, 1.005, 0.125, 0.375, -0.125, 2.5, 0.5, 1.5, -0.5, 4.35, 0.285, 123456.785),
    *(4503599627370497.5, 4503599627370495.5, 9007199254740993.0, 1e16, 1e300, 1e308),
    *(float("inf"), float("-inf"), float("nan"), 0.0, -0.0, -0.001, 5e-324, 1e-10),
]


def numbers(seed: int) -> list[float]:
    rng = random.Random(seed)
    made = [rng.uniform(-1000, 1000) for _ in range(300)]
    made += [rng.randrange(10**6) / 10**4 + 0.00005 for _ in range(300)]
    made += [rng.uniform(-1, 1) * 10.0 ** rng.randrange(-20, 20) for _ in range(300)]
    return made + [rng.randrange(1 << 53) / 2.0 ** rng.randrange(60) for _ in range(300)]


@pytest.mark.parametrize("digits", [0, 1, 2, 4, 15, 22])
def test_it_is_pythons(digits) -> None:
    def rounded(x):
        return round(float(x[0]), digits)

    compiled = qn.compile(rounded, fullgraph=True)
    for number in ENDS + numbers(digits):
        assert repr(compiled(np.array([number]))) == repr(round(number, digits))


@pytest.mark.parametrize("digits", [-1, 23])
def test_other_digits_are_pythons_own(digits) -> None:
    def rounded(x):
        return round(float(x[0]), digits)

    with pytest.raises(UnsupportedError, match=r"round\(\) of a Python number to so many digits"):
        qn.compile(rounded, fullgraph=True)(np.ones(1))
