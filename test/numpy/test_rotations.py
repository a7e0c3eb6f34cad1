"""`scipy.spatial.transform.Rotation` in captured code, against SciPy."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import quernel as qn
from quernel.errors import UnsupportedError

transform = pytest.importorskip("scipy.spatial.transform")
Rotation = transform.Rotation
VECTOR, VECTORS = np.array([0.1, -0.2, 0.3]), np.random.default_rng(2).normal(size=(4, 3))
NAN = np.nan


def _outcome(function: Any, x: Any) -> tuple[Any, list[str]]:
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        try:
            found = function(x)
        except ValueError as error:
            found = str(error)
    return found, [str(each.message) for each in given if "runs in NumPy" not in str(each.message)]


def _compare(function: Any, x: Any) -> None:
    compiled = qn.compile(function)
    for _ in range(2):
        (got, told), (want, known) = _outcome(compiled, x), _outcome(function, x)
        assert type(got) is type(want)
        assert told == known
        if type(want) is str:
            assert got == want
        else:
            np.testing.assert_allclose(got, want, rtol=1e-11, atol=1e-14, strict=True)


def matrix(v):
    return Rotation.from_rotvec(v).as_matrix()


def angles(v):
    return Rotation.from_euler("xyz", v, degrees=True).as_euler("zyx")


def same_angles(v):
    return Rotation.from_euler("xyz", v).as_euler("xyz")


def quaternion(v):
    return (Rotation.from_rotvec(v) * Rotation.from_euler("z", 0.3).inv()).as_quat(canonical=True)


def applied(v):
    return Rotation.from_rotvec(v, degrees=True).apply(np.array([1.0, 2.0, 3.0]), inverse=True)


def power(v):
    return (Rotation.from_mrp(v) ** 2.5).magnitude()


def of_quaternion(q):
    return Rotation.from_quat(q).as_rotvec()


def of_matrix(m):
    return Rotation.from_matrix(m).as_quat()


@pytest.mark.parametrize("function", [matrix, angles, quaternion, applied, power])
@pytest.mark.parametrize("v", [VECTOR, VECTORS, VECTORS[:, :2], np.array([NAN, 0, 0]), np.zeros(3)])
def test_rotations(function: Any, v: np.ndarray) -> None:
    _compare(function, v)
    if v is VECTOR or v is VECTORS:
        qn.compile(function, fullgraph=True)(v)


@pytest.mark.parametrize(
    ("function", "x"),
    [
        (of_quaternion, np.array([1.0, 2, 3, 4])),
        (of_quaternion, np.zeros(4)),
        (of_quaternion, np.array([[1.0, 2, 3, 4], [NAN, 0, 0, 1]])),
        (of_matrix, np.diag([1.0, 2, 3])),
        (of_matrix, -np.eye(3)),
        (of_matrix, np.ones((2, 3))),
        (same_angles, np.array([0.3, np.pi / 2, 0.2])),  # gimbal lock
    ],
)
def test_what_is_special(function: Any, x: np.ndarray) -> None:
    _compare(function, x)


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (lambda v: Rotation.from_rotvec(v).mean().as_quat(), "`mean` of rotations"),
        (lambda v: of_quaternion(v[:, [0, 1, 2, 0]] * NAN), "quaternions of NaN"),
    ],
)
def test_what_is_left_to_scipy(function: Any, text: str) -> None:
    with pytest.raises(UnsupportedError, match=text):
        qn.compile(function, fullgraph=True)(VECTORS)
