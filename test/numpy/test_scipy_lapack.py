"""Functions of `scipy.linalg.lapack`, and what SciPy makes of them: LAPACK's own bits."""

from __future__ import annotations

import copy
import warnings
from typing import Any

import numpy as np
import pytest
from scipy.linalg import blas, lapack, solve_banded, solveh_banded

import quernel as qn
from quernel.errors import UnsupportedError

SIZES = [(n, sides) for n in (2, 3, 4, 65) for sides in (None, 3)]


def gtsv(dl, d, du, b):
    return lapack.dgtsv(dl, d, du, b)


def gtsv_of_floats(dl, d, du, b):
    return lapack.sgtsv(dl, d, du, b)


def gtsv_in_place(dl, d, du, b):
    return lapack.dgtsv(dl, d, du, b, 1, 1, True, overwrite_b=True)


BY_LETTER = {"s": lapack.sgtsv, "d": lapack.dgtsv}


def gtsv_of_a_dict(dl, d, du, b):
    return BY_LETTER["d"](dl, d, du, b)


def gtsv_by_names(dl, d, du, b):
    solve, factor = lapack.dgtsv, lapack.dpttrf
    return solve(dl, d, du, b) if len(b) > 1 else factor(d, dl)


def gtsv_of_some(dl, d, du, b):
    return lapack.dgtsv(dl, d, du=du, b=b, overwrite_d=1)


def ptsv(e, d, _, b):
    return lapack.dptsv(np.abs(d) + 4, e, b)


def ptsv_of_floats(e, d, _, b):
    return lapack.sptsv(np.abs(d) + 4, e, b)


def ptsv_in_place(e, d, _, b):
    return lapack.dptsv(d, e, b, 1, 1, 1)


def system(n: int, sides: int | None = None, kind: str = "f8", seed: int = 0) -> tuple:
    """Diagonals and right-hand sides, of which some rows are exchanged and some aren't coupled."""
    rng = np.random.default_rng(seed)
    shapes = ((n - 1,), (n,), (n - 1,), (n,) if sides is None else (n, sides))
    args = tuple(np.asarray(rng.normal(size=shape), kind, order="F") for shape in shapes)
    args[0][3::4] = 0
    return args


def of_an_argument(solve, dl, d, du, b):
    return solve(dl, d, du, b)


def test_a_function_that_is_handed_over() -> None:
    compiled = qn.compile(of_an_argument, fullgraph=True)
    for solve, kind in ((lapack.dgtsv, "f8"), (lapack.sgtsv, "f4"), (lapack.dgtsv, "f8")):
        args = system(9, kind=kind)
        for x, y in zip(compiled(solve, *args), solve(*args), strict=True):
            np.testing.assert_array_equal(x, y)
    assert compiled.stats()["compiles"] == 2


def same(function: Any, args: tuple, compiled: Any = None) -> None:
    """Compare results, which of them are arguments, and the arguments afterwards, bit by bit."""
    compiled = compiled or qn.compile(function, fullgraph=True)
    for _ in range(2):
        own, plain = copy.deepcopy(args), copy.deepcopy(args)
        got, want = compiled(*own), function(*plain)
        assert len(got) == len(want) and type(got[-1]) is type(want[-1]) is int
        assert got[-1] == want[-1]
        for x, y in zip((*got[:-1], *own), (*want[:-1], *plain), strict=True):
            assert x.dtype == y.dtype and x.shape == y.shape
            np.testing.assert_array_equal(x, y)
            np.testing.assert_array_equal(np.signbit(x), np.signbit(y))
        is_argument = [[x is y for y in own] for x in got]
        assert is_argument == [[x is y for y in plain] for x in want]
    assert compiled.stats()["fallbacks"] == 0


@pytest.mark.parametrize(
    "function", [gtsv, gtsv_in_place, gtsv_of_some, gtsv_of_a_dict, ptsv, ptsv_in_place]
)
@pytest.mark.parametrize(("n", "sides"), SIZES)
def test_bits(function: Any, n: int, sides: int | None) -> None:
    same(function, system(n, sides))


@pytest.mark.parametrize("function", [gtsv_of_floats, ptsv_of_floats])
@pytest.mark.parametrize("sides", [None, 3])
def test_bits_of_floats(function: Any, sides: int | None) -> None:
    same(function, system(300, sides, "f4"))


@pytest.mark.parametrize("sides", [None, 2])
@pytest.mark.parametrize("place", [0, 7, 19])
def test_what_is_singular_is_left_where_lapack_leaves_it(place: int, sides: int | None) -> None:
    dl, d, du, b = system(20, sides)
    dl[:] = 0
    d[place] = 0
    same(gtsv, (dl, d, du, b))
    same(gtsv_in_place, (dl, d, du, b))
    d[:] = 5
    d[place] = -1
    same(ptsv_in_place, (dl, d, du, b))


@pytest.mark.parametrize("function", [gtsv, ptsv_in_place])
def test_special_values(function: Any) -> None:
    values = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e308, 5e-324])
    compiled = qn.compile(function, fullgraph=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # LAPACK warns of nothing
        for seed in range(60):
            rng = np.random.default_rng(seed)
            args = tuple(rng.choice(values, size=size) for size in (11, 12, 11, 12))
            got, want = compiled(*copy.deepcopy(args)), function(*copy.deepcopy(args))
            assert got[-1] == want[-1]
            for pair in zip(got, want, strict=True):
                np.testing.assert_array_equal(*pair)


def test_operands_of_other_kinds() -> None:
    whole = tuple((9 * array).astype(int) for array in system(9))
    same(gtsv, whole)
    same(gtsv_in_place, whole)
    same(gtsv, system(30, 3)[:3] + (np.ascontiguousarray(system(30, 3)[3]),))
    spaced = tuple(np.repeat(array, 2)[::2] for array in system(30))
    same(gtsv_in_place, spaced)
    mixed = (*system(12, kind="f4")[:2], *system(12)[2:])
    same(gtsv_in_place, mixed)


def columns(a, b, c, d):
    """All columns of a model as one system, as models of the ocean solve them."""
    a[..., 0] = c[..., -1] = 0
    x = lapack.dgtsv(a.flatten()[1:], b.flatten(), c.flatten()[:-1], d.flatten())[3]
    return x.reshape(a.shape)


def test_within_a_program_of_any_size() -> None:
    compiled = qn.compile(columns, fullgraph=True)
    for shape in ((17, 18, 19), (20, 27, 26), (25, 23, 22)):
        args = tuple(np.random.default_rng(1).normal(size=(4, *shape)))
        got, want = compiled(*copy.deepcopy(args)), columns(*copy.deepcopy(args))
        np.testing.assert_array_equal(got, want)
    assert compiled.stats()["compiles"] == 2 and compiled.stats()["fallbacks"] == 0


@pytest.mark.filterwarnings("ignore::quernel.FallbackWarning")
def test_sizes_that_do_not_fit_are_left_to_scipy() -> None:
    compiled = qn.compile(gtsv)
    for n in (5, 9):
        same(gtsv, system(n), compiled)
    dl, d, du, b = system(7)
    for wrong in ((dl[1:], d, du, b), (dl, d, du, b[:3]), (dl, d, du[2:], b)):
        with pytest.raises(ValueError, match="dimension must be fixed") as caught:
            gtsv(*wrong)
        with pytest.raises(ValueError, match="dimension must be fixed") as own:
            compiled(*wrong)
        assert str(own.value) == str(caught.value)


BANDS = np.random.default_rng(2).normal(size=(3, 16)) + [[0], [4], [0]]
SIDES = np.random.default_rng(3).normal(size=(16, 3))


def banded(ab, b):
    return solve_banded((1, 1), ab, b)


def banded_in_place(ab, b):
    x = solve_banded((1, 1), ab, b, overwrite_ab=True, overwrite_b=True)
    return x, ab, b, x is b


def definite(ab, b):
    return solveh_banded(ab[:2], b)


def definite_below(ab, b):
    return solveh_banded(ab[1:], b, lower=True)


@pytest.mark.parametrize("function", [banded, banded_in_place, definite, definite_below])
@pytest.mark.parametrize("kinds", ["f8 f8", "f4 f4", "f4 i8", "i2 f4"])
@pytest.mark.parametrize("sides", [SIDES[:, 0], SIDES])
def test_bands(function: Any, kinds: str, sides: np.ndarray) -> None:
    ab, b = BANDS.astype(kinds[:2]), np.asarray(9 * sides, kinds[3:], order="F")
    compiled = qn.compile(function, fullgraph=True)
    got, want = compiled(ab.copy(), b.copy("F")), function(ab.copy(), b.copy("F"))
    pairs = [(got, want)] if type(want) is np.ndarray else zip(got, want, strict=True)
    for x, y in pairs:
        assert type(x) is type(y) and np.asarray(x).dtype == np.asarray(y).dtype
        np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize(
    ("function", "ab", "b"),
    [
        (banded, BANDS * [[1], [0], [0]], SIDES[:, 0]),
        (banded, BANDS, SIDES[:9]),
        (banded, BANDS[:2], SIDES),
        (banded, BANDS * np.nan, SIDES),
        (definite, -BANDS, SIDES),
        (definite_below, BANDS, SIDES[:4, 0]),
    ],
)
def test_errors_of_bands(function: Any, ab: np.ndarray, b: np.ndarray) -> None:
    with pytest.raises((ValueError, np.linalg.LinAlgError)) as caught:
        function(ab, b)
    with pytest.raises(type(caught.value)) as own:
        qn.compile(function)(ab, b)
    assert str(own.value) == str(caught.value)


D, E = np.full(4, 3.0), np.ones(3)
REFUSED = [
    (lambda d, e: lapack.dpttrf(d, e[:3]), "a call of `scipy.linalg.lapack.dpttrf`"),
    (lambda d, e: blas.ddot(d, d), "a call of `scipy.linalg.blas.ddot`"),
    (lambda d, e: lapack.dgtsv(e * 1j, d, e, d), "real numbers of complex ones, in SciPy"),
    (lambda d, e: lapack.dgtsv(e[None], d, e, d), "operands that are no vectors"),
    (
        lambda d, e: lapack.dgtsv(e, d, e[1:], d),
        "operands whose sizes don't fit, and those of one equation",
    ),
    (lambda d, e: solve_banded((1, 1), np.ones((2, 3, 4)), d), "batches of systems of bands"),
    (lambda d, e: solve_banded((1, 1), e[:, None], d[:1]), "bands of less than two equations"),
    (lambda d, e: solve_banded((1, 1), np.ones((3, 4)) * 1j, d), "bands of complex numbers"),
    (
        lambda d, e: solve_banded((2, 0), np.ones((3, 4)), d),
        "other bands than one below and one above the diagonal",
    ),
    (
        lambda d, e: solveh_banded(np.ones((3, 4)), d),
        "other bands than the diagonal and the one beside it",
    ),
]


@pytest.mark.parametrize(("function", "text"), REFUSED)
def test_refused(function: Any, text: str) -> None:
    with pytest.raises(UnsupportedError) as caught:
        qn.compile(function, fullgraph=True)(D, E)
    assert text in str(caught.value)


def test_another_process_has_the_program(cache_of_test: Any) -> None:
    first, second = qn.compile(gtsv, fullgraph=True), qn.compile(gtsv, fullgraph=True)
    same(gtsv, system(40), first)
    same(gtsv, system(40), second)
    assert second.stats()["compiles"] == 0 and second.stats()["disk_hits"] == 1
