"""Results whose sizes have no bound before the run: the program hands their memory over."""

from __future__ import annotations

import gc
import re

import numpy as np
import pytest

import quernel as qn
from quernel import _runtime

X = np.array([1, 3, 2, 3, 0])
W = np.arange(5.0)


def bincount(x, w):
    return np.bincount(x, w)


def repeated(x, w):
    return np.repeat(w, x)


def filled(x, w):
    out = np.zeros((x.max() + 1, 3))
    out[x] = w[:, None]
    return out


def reversed_view(x, w):
    return np.arange(x.sum())[::-2]


def whole_and_parts(x, w):
    counts = np.bincount(x)
    return counts, counts[1:], counts[:2], counts


def in_fortran_order(x, w):
    return np.ones((x.max(), 2), order="F") * 2, np.zeros((3, x.max())).T


def several(x, w):
    c = np.bincount(x)
    return {"counts": c, "places": np.nonzero(c)[0], "sums": [np.bincount(x, w), w.sum(), x.max()]}


def empty(x, w):
    return np.zeros(x[4]), np.zeros((3, x[4])), np.repeat(w[:0], x[:0])


def grown_in_a_loop(x, w):
    total = np.zeros(x.max())
    for k in range(3):
        total = np.concatenate([total, np.ones(x[k]) * k])
    return total


def argument_too(x, w):
    w += 1
    return np.repeat(w, x), w


def dtypes(x, w):
    n = x.max()
    return np.zeros(n, bool), np.ones(n, "complex64"), np.full(n, 7, "uint8"), np.zeros(n, "f4")


FUNCTIONS = [
    bincount,
    repeated,
    filled,
    reversed_view,
    whole_and_parts,
    in_fortran_order,
    several,
    empty,
    grown_in_a_loop,
    argument_too,
    dtypes,
]


def arrays_of(result):
    if isinstance(result, dict):
        result = list(result.values())
    if isinstance(result, (tuple, list)):
        return [x for item in result for x in arrays_of(item)]
    return [result]


@pytest.mark.parametrize("dynamic", [None, True])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_results_are_numpys(function, dynamic):
    compiled = qn.compile(function, fullgraph=True, dynamic=dynamic)
    for x, w in ((X, W), (X * 2, W + 1), (X[::-1].copy(), W - 2)):
        got, want = arrays_of(compiled(x, w.copy())), arrays_of(function(x, w.copy()))
        assert len(got) == len(want)
        for a, b in zip(got, want, strict=True):
            np.testing.assert_array_equal(a, b, strict=True)
            if isinstance(b, np.ndarray):
                assert a.strides == b.strides and a.flags.owndata >= b.flags.owndata
                assert a.flags.writeable and a.flags.aligned
        shared = [[np.may_share_memory(p, q) for p in r for q in r] for r in (got, want)]
        assert shared[0] == shared[1]


def used_bytes():
    gc.collect()
    return _runtime.pool_info()["used_bytes"]


def test_results_own_their_memory_and_give_it_back():
    compiled = qn.compile(filled, fullgraph=True)
    x, before = np.array([0, 200_000]), used_bytes()
    kept = [compiled(x, W[:2]) for _ in range(3)]
    assert all(a.shape == (200_001, 3) and a[200_000, 1] == 1 for a in kept)
    assert used_bytes() >= before + 3 * kept[0].nbytes
    kept[0].resize((5, 3), refcheck=False)
    np.testing.assert_array_equal(kept[0], filled(x, W[:2])[:5])
    kept.clear()
    assert used_bytes() == before


def either_of_two(x, w):
    big, small = np.zeros(x[0]), np.ones(x[1])
    w[x[2]] = 1.0
    return big if w[0] > 0 else small


def test_what_no_result_shows_is_given_back():
    """A call shows one of two arrays, ends with an error, or raises for a flag of its floats."""
    compiled = qn.compile(either_of_two, fullgraph=True)
    divided = qn.compile(lambda x, w: (np.zeros(x[0]), w / w), fullgraph=True)
    before = used_bytes()
    for k in range(6):
        x = np.array([1_000_000, 500_000, 7 if k % 3 == 0 else 1])
        try:
            found = compiled(x, np.full(3, k % 2 * 1.0))
            assert found.shape == ((1_000_000,) if k % 2 else (500_000,))
        except IndexError:
            assert k % 3 == 0
        with np.errstate(all="raise"), pytest.raises(FloatingPointError):
            divided(x, np.zeros(3))
        found = None
        assert used_bytes() == before


def checked(x, w):
    counts = np.bincount(x)
    return counts, w[x]


def test_errors_come_as_numpys_and_the_next_call_is_fine():
    compiled = qn.compile(checked, fullgraph=True)
    for x in (X, np.array([1, 9]), np.array([-1, 2]), X):
        try:
            want = checked(x, W)
        except (IndexError, ValueError) as error:
            with pytest.raises(type(error), match=re.escape(str(error))):
                compiled(x, W)
            continue
        np.testing.assert_equal(compiled(x, W), want)


def test_no_memory():
    compiled = qn.compile(lambda x: np.zeros(x[0]), fullgraph=True)
    with pytest.raises(MemoryError, match="Unable to allocate"):
        compiled(np.array([1 << 58]))
    with pytest.raises(ValueError, match="negative dimensions are not allowed"):
        compiled(np.array([-1]))
    assert compiled(np.array([2])).shape == (2,)


def trained(x, labels):
    classes = int(labels.max()) + 1
    weights = np.ones((x.shape[1], classes))
    for _ in range(5):
        weights -= x.T @ np.sign(x @ weights)
    return weights, classes


def grouped(x, labels):
    scaled = x[:, 0] * 2
    counts = np.bincount(labels)
    return counts, scaled + counts.sum()


@pytest.mark.parametrize("function", [trained, grouped])
def test_sizes_within_longer_functions(function):
    x, labels = np.arange(12.0).reshape(6, 2), np.array([0, 2, 1, 1, 0, 2])
    compiled = qn.compile(function, fullgraph=True)
    for times in (1, 3):
        np.testing.assert_equal(compiled(x, labels * times), function(x, labels * times))
    assert compiled.stats()["compiles"] == 1


def equal_ones(x, w):
    counts = np.bincount(x, w)
    return np.zeros(x.sum()), np.zeros(x.sum()), counts, counts.copy(), np.bincount(x, w)


def test_equal_results_have_their_own_memory():
    """Programs make one array where functions compute the same one twice; results are two."""
    compiled = qn.compile(equal_ones, fullgraph=True)
    results = compiled(X, W)
    for number, (result, expected) in enumerate(zip(results, equal_ones(X, W), strict=True)):
        np.testing.assert_array_equal(result, expected)
        np.add(result, number + 1, out=result)
    for number, (result, expected) in enumerate(zip(results, equal_ones(X, W), strict=True)):
        np.testing.assert_array_equal(result, expected + number + 1)
