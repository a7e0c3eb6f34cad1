"""Truth values that choose: a single one as an index, and masks in the memory that is written."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from control import check_program, check_refused

import quernel as qn

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


def written_where_it_says_itself(x):
    x[x[::-1]] = False


def copied_where_it_says_itself(x):
    np.copyto(x[1:], True, where=x[:-1])


@pytest.mark.parametrize("function", [written_where_it_says_itself, copied_where_it_says_itself])
def test_masks_that_change_meanwhile(function):
    x = np.array([True, False, True, True, False])
    check_refused(function, (x,), "a mask in the memory that it chooses from to write")


def test_mask_that_is_the_array():
    def written(x):
        x[x] = False
        np.copyto(x, True, where=x)
        return x

    check_program(written, (np.array([True, False, True]),))


def test_masks_of_several_axes_choose_where_the_elements_lie():
    def written(z, c):
        for _ in range(3):
            near = z < 2
            z[near] = z[near] ** 2 + c[near]
        return z

    z, c = np.linspace(0, 3, 12).reshape(3, 4), np.full((3, 4), 0.25)
    check_program(written, (z, c))
    kernels = qn.compile(written, fullgraph=True).lower(z, c).text("kernels")
    assert "count" not in kernels and "scatter" not in kernels and "tensor.insert " not in kernels
