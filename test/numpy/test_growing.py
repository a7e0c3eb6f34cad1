"""Functions of slices that grow in a loop, empty in its first turn, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from support import check, sample

import quernel as qn

X, Y = sample("float64", (7,)), sample("float64", (7,), 1)
M = sample("float64", (7, 7), 2)

REDUCED = {
    "sum": lambda a, b: a.sum(),
    "product": lambda a, b: np.prod(a),
    "mean": lambda a, b: np.mean(a),
    "variance": lambda a, b: np.var(a),
    "any": lambda a, b: np.any(a > 0),
    "dot": np.dot,
    "flipped": lambda a, b: np.dot(np.flip(a), b),
    "inner": np.inner,
    "norm": lambda a, b: np.linalg.norm(a),
    "count": lambda a, b: np.count_nonzero(a, axis=0),
    "running": lambda a, b: np.cumsum(a).sum(),
    "joined": lambda a, b: np.concatenate([a, b, a]).sum(),
    "stacked": lambda a, b: np.stack([a, b]).sum(),
    "outer": lambda a, b: np.outer(a, b).sum(),
    "greatest": lambda a, b: np.max(a, initial=-3.0),
    "masked": lambda a, b: a[a > 0].sum(),
    "chosen": lambda a, b: np.where(a > b, a, b).sum(),
    "differences": lambda a, b: np.diff(a, prepend=0.0).sum(),
    "einsum": lambda a, b: np.einsum("i,i->", a, b),
    "trapezoid": lambda a, b: np.trapezoid(np.concatenate([a, b])),
    "tiled": lambda a, b: np.tile(a, 2).sum(),
    "repeated": lambda a, b: np.repeat(a, 3).sum(),
    "ordered": lambda a, b: (np.arange(len(a)) * a).sum(),
    "triangle": lambda a, b: np.triu(np.outer(a, b)).sum(),
    "clipped": lambda a, b: a.clip(0, 1).sum(),
    "nan": lambda a, b: np.nansum(a),
    "rolled": lambda a, b: (np.roll(a, 1) * b).sum(),
    "padded": lambda a, b: np.pad(a, 1).sum(),
    "like": lambda a, b: (np.zeros_like(a) + b).sum(),
    "reshaped": lambda a, b: a.reshape(1, -1).sum(),
    "copied": lambda a, b: a.copy()[::-1].sum(),
}


@pytest.mark.parametrize("name", REDUCED)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_prefixes(name: str) -> None:
    function = REDUCED[name]

    def compute(x, y):
        out = np.zeros(len(x) + 1)
        for i in range(len(x) + 1):
            out[i] = function(x[:i], y[:i])
        return out

    check(compute, X, Y, scale=1e-13)


def test_triangles_of_a_matrix() -> None:
    def compute(m, x):
        out, other = np.zeros_like(x), np.zeros_like(x)
        for i in range(m.shape[0]):
            out[i] = (m[:i, :i] @ x[:i]).sum() - m[i, :i] @ x[:i]
            other[i] = m[:, :i].sum(axis=0).sum() + m[i:, i:].mean()
        return out, other

    check(compute, M, X, scale=1e-13)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (np.max, "zero-size array to reduction operation maximum which has no identity"),
        (np.argmin, "attempt to get argmin of an empty sequence"),
    ],
)
def test_the_greatest_of_nothing(function: object, message: str) -> None:
    def compute(x, start):
        out = np.zeros(8)
        for i in range(start, 7):
            out[i] = function(x[:i])
        return out

    check(lambda x: compute(x, 1), X)
    with pytest.raises(ValueError, match=message):
        compute(X, 0)
    with pytest.raises(ValueError, match=message):
        qn.compile(lambda x: compute(x, 0), fullgraph=True)(X)
