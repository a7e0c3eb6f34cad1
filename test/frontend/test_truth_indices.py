"""A truth value as an index: NumPy takes it for the mask of a new axis of one element."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from control import check_program

W, M = np.arange(4.0), np.arange(6.0).reshape(2, 3)


def counted(w, c):
    for k in range(len(c)):
        w[c[k]] += 1
    return w


def chosen(w, c):
    return w[c[0]], w[c[0]].shape


def assigned(w, c):
    w[c[0]] = w[0]
    return w


def computed(w, c):
    w[c[0]] *= w[c[1]].sum() + 2
    return w


@pytest.mark.parametrize("truths", [[True, False], [False, True], [False, False]], ids=str)
@pytest.mark.parametrize("array", [W, M], ids=["vector", "matrix"])
@pytest.mark.parametrize("function", [counted, chosen, assigned, computed])
def test_truth_values_as_indices(function: Any, array: np.ndarray, truths: list) -> None:
    check_program(function, (array, np.array(truths)))
