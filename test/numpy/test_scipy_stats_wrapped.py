"""Functions of `scipy.stats` behind the wrapper for axes and NaN, against SciPy."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import quernel as qn

stats = pytest.importorskip("scipy.stats")
RANDOM = np.random.default_rng(5)
X, Y = RANDOM.normal(size=(2, 24))
ROWS = RANDOM.normal(size=(4, 6))

OF_ONE = {
    "circmean": (),
    "circstd": (),
    "entropy": (),
    "gmean": (),
    "gzscore": (),
    "hmean": (),
    "iqr": (),
    "kurtosis": (),
    "median_abs_deviation": (),
    "rankdata": (),
    "sem": (),
    "skew": (),
    "trim_mean": (0.1,),
    "variation": (),
    "zscore": (),
}
TESTS = ["bartlett", "f_oneway", "kruskal", "levene", "mannwhitneyu", "pearsonr", "spearmanr"]


def _compare(function: Any, *args: Any, rtol: float = 1e-12) -> None:
    compiled = qn.compile(function, fullgraph=True)
    for _ in range(2):
        got, want = compiled(*args), function(*args)
        assert type(got) is type(want)
        pairs = zip(got, want, strict=True) if type(got) is tuple else [(got, want)]
        for one, other in pairs:
            assert type(one) is type(other)
            np.testing.assert_allclose(one, other, rtol=rtol, atol=1e-14)


@pytest.mark.parametrize("name", OF_ONE)
def test_statistics(name: str) -> None:
    statistic, others = getattr(stats, name), OF_ONE[name]

    def of(x: np.ndarray) -> Any:
        return statistic(x, *others) * 1

    def along(x: np.ndarray) -> Any:
        return statistic(x, *others, axis=1) * 1

    _compare(of, abs(X))
    _compare(of, abs(ROWS))
    _compare(along, abs(ROWS))


@pytest.mark.parametrize("name", TESTS)
def test_tests(name: str) -> None:
    test = getattr(stats, name)

    def of(x: np.ndarray, y: np.ndarray) -> tuple:
        found = test(x, y)
        return found.statistic, found.pvalue

    _compare(of, X, Y, rtol=1e-9)


def test_results_with_attributes() -> None:
    def line(x: np.ndarray, y: np.ndarray) -> tuple:
        found = stats.linregress(x, y)
        slope, intercept, *_ = found
        return slope, intercept, found.rvalue, found.stderr

    def compared(x: np.ndarray, y: np.ndarray) -> tuple:
        t, p = stats.ttest_rel(x, y)
        return t, p, stats.ttest_1samp(x, 0.1).pvalue

    _compare(line, X, Y, rtol=1e-9)
    _compare(compared, X, Y, rtol=1e-9)


def test_modes() -> None:
    def of(x: np.ndarray) -> tuple:
        found = stats.mode(np.round(x))
        return found.mode, found.count

    _compare(of, X)
    _compare(of, ROWS)


def test_axes() -> None:
    _compare(lambda x: stats.skew(x, axis=None) + 0, ROWS)
    _compare(lambda x: stats.kurtosis(x, axis=(0, 1)) + 0, ROWS)
    _compare(lambda x: stats.gmean(x, axis=-1, keepdims=True), abs(ROWS))
    _compare(lambda x, y: stats.pearsonr(x, y, axis=1).statistic, ROWS, ROWS[::-1])
    _compare(lambda x, y: stats.f_oneway(x, y, axis=1).statistic, ROWS, ROWS[:, 2:])
    for function, text in (
        (lambda x: stats.skew(x, axis=2) + 0, "`axis` is out of bounds for array of dimension 2"),
        (lambda x: stats.skew(x, axis=(0, 0)) + 0, "`axis` must contain only distinct elements"),
    ):
        for each in (function, qn.compile(function, fullgraph=True)):
            with pytest.raises(np.exceptions.AxisError) as raised:
                each(ROWS)
            assert str(raised.value) == text

    def unlike(x: np.ndarray, y: np.ndarray) -> Any:
        return stats.f_oneway(x, y, axis=1).statistic

    for each in (unlike, qn.compile(unlike, fullgraph=True)):
        with pytest.raises(ValueError, match="shapes are incompatible for broadcasting"):
            each(ROWS, np.ones((3, 6)))


@pytest.mark.parametrize("policy", ["propagate", "omit", "raise", "unknown"])
def test_nan_is_left_to_scipy(policy: str) -> None:
    def of(x: np.ndarray) -> Any:
        return stats.skew(x, nan_policy=policy), stats.iqr(x, nan_policy=policy)

    compiled = qn.compile(of)
    for sample in (X, np.where(X > 1, np.nan, X), ROWS, np.where(ROWS > 1, np.nan, ROWS), X):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                want = of(sample)
            except ValueError as error:
                with pytest.raises(ValueError, match=str(error)[:20]):
                    compiled(sample)
                continue
            got = compiled(sample)
        for one, other in zip(got, want, strict=True):
            assert type(one) is type(other)
            np.testing.assert_allclose(one, other, rtol=1e-12)


def test_samples_that_are_nearly_identical() -> None:
    def of(x: np.ndarray) -> Any:
        return stats.skew(x)

    compiled = qn.compile(of)
    for sample in (X, np.ones(8), X):
        with warnings.catch_warnings(record=True) as given:
            warnings.simplefilter("always")
            got, want = compiled(sample), of(sample)
        found = [str(one.message) for one in given if "Precision loss" in str(one.message)]
        assert len(found) % 2 == 0
        assert bool(found) == (sample is not X)
        np.testing.assert_allclose(got, want, rtol=1e-12)


@pytest.mark.parametrize(
    ("law", "args"),
    [
        ("norm", ()),
        ("t", (4,)),
        ("chi2", (3,)),
        ("f", (3, 5)),
        ("beta", (2.0, 3.0)),
        ("gamma", (2.5,)),
        ("expon", ()),
        ("weibull_min", (1.5,)),
        ("lognorm", (0.5,)),
    ],
)
def test_distributions(law: str, args: tuple) -> None:
    found = getattr(stats, law)

    def of(x: np.ndarray, q: np.ndarray) -> tuple:
        return found.pdf(x, *args), found.cdf(x, *args), found.sf(x, *args), found.ppf(q, *args)

    _compare(of, abs(X) / 4, (np.arange(9) + 0.5) / 9)


@pytest.mark.parametrize(("law", "args"), [("binom", (5, 0.3)), ("poisson", (2.5,))])
def test_discrete_distributions(law: str, args: tuple) -> None:
    found = getattr(stats, law)
    _compare(lambda k: (found.pmf(k, *args), found.cdf(k, *args)), np.arange(6))
