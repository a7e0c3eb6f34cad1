"""Random streams in compiled functions: what NumPy's generators draw, and how they are left."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import assert_same

import quernel as qn

GENERATORS = ["PCG64", "PCG64DXSM", "Philox", "SFC64", "MT19937"]
DISTRIBUTIONS = {
    "beta": (2.0, 0.5),
    "binomial": (20, 0.3),
    "chisquare": (3.0,),
    "exponential": (1.5,),
    "f": (5.0, 7.0),
    "gamma": (2.5, 1.5),
    "geometric": (0.3,),
    "gumbel": (0.5, 2.0),
    "hypergeometric": (15, 10, 12),
    "laplace": (0.5, 2.0),
    "logistic": (0.5, 2.0),
    "lognormal": (0.5, 0.75),
    "logseries": (0.6,),
    "negative_binomial": (4.0, 0.4),
    "noncentral_chisquare": (3.0, 2.0),
    "noncentral_f": (5.0, 7.0, 1.5),
    "normal": (0.5, 2.0),
    "pareto": (3.0,),
    "poisson": (4.5,),
    "power": (2.0,),
    "rayleigh": (1.5,),
    "standard_cauchy": (),
    "standard_gamma": (2.5,),
    "standard_t": (4.0,),
    "triangular": (-1.0, 0.5, 2.0),
    "uniform": (-1.0, 3.0),
    "vonmises": (0.5, 2.0),
    "wald": (1.0, 2.0),
    "weibull": (1.5,),
    "zipf": (2.5,),
}


def state(stream: Any) -> str:
    if isinstance(stream, np.random.RandomState):
        return repr(stream.get_state())
    return repr(stream.bit_generator.state)


def same(function: Callable[..., Any], *args: Any, stream: Any = None, calls: int = 2) -> None:
    """Compare answers, errors, and the streams afterwards."""
    make = stream or (lambda: np.random.default_rng(7))
    compiled = qn.compile(function, fullgraph=True)
    own, other = make(), make()
    for _ in range(calls):
        copies = [[a.copy() if isinstance(a, np.ndarray) else a for a in args] for _ in range(2)]
        found = []
        for f, rng, given in ((function, own, copies[0]), (compiled, other, copies[1])):
            try:
                found.append([f(rng, *given), given])
            except (ValueError, TypeError, OverflowError) as error:
                found.append([(type(error), str(error)), given])
        assert_same(found[1], found[0])
        assert state(other) == state(own)


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_distributions(name: str) -> None:
    parameters = DISTRIBUTIONS[name]

    def compute(rng, *given):
        draw = getattr(rng, name)
        columns = [np.array([[x], [x], [x]]) for x in given]
        return (
            draw(*given),
            draw(*given, size=5),
            draw(*given, size=(2, 3)),
            draw(*given, (0,)),
            draw(*columns) if columns else draw(size=(3, 1)),
            draw(*columns, size=(3, 4)) if columns else draw(size=()),
        )

    same(compute, *parameters)
    same(compute, *parameters, stream=lambda: np.random.RandomState(5))


@pytest.mark.parametrize("generator", GENERATORS)
def test_generators(generator: str) -> None:
    def compute(rng, n):
        return (
            rng.random(),
            rng.random(n),
            rng.random((2, 3), dtype=np.float32),
            rng.random(dtype=np.float32),
            rng.standard_normal(n),
            rng.standard_normal(),
            rng.standard_normal(3, np.float32),
            rng.standard_exponential(n),
            rng.standard_exponential(4, method="inv"),
            rng.standard_gamma(2.0, n),
            rng.standard_gamma(np.array([0.5, 3.0]), dtype=np.float32),
            rng.integers(10),
            rng.integers(3, 9, size=n),
        )

    bits = getattr(np.random, generator)
    same(compute, 6, stream=lambda: np.random.Generator(bits(11)))
    same(
        lambda rng, n: rng.random(n)[::999] * 2,
        300_000,
        stream=lambda: np.random.Generator(bits(1)),
    )


INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "bool"]


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers(dtype: str) -> None:
    high = 2 if dtype == "bool" else 100

    def compute(rng, low, top):
        return (
            rng.integers(low, top, dtype=dtype),
            rng.integers(low, top, size=7, dtype=dtype),
            rng.integers(low, top - 1, size=(2, 3), dtype=dtype, endpoint=True),
            rng.integers(np.array([0, 1]), high, dtype=dtype),
            rng.integers(0, np.array([[1], [2]]), size=(2, 3), dtype=dtype),
            rng.integers(top, size=(), dtype=dtype),
        )

    def legacy(rng, low, top):
        return (
            rng.randint(low, top, dtype=dtype),
            rng.randint(low, top, size=7, dtype=dtype),
            rng.randint(np.array([0, 1]), high, dtype=dtype),
            rng.randint(top, size=(2, 3), dtype=dtype),
        )

    same(compute, 0, high)
    same(legacy, 0, high, stream=lambda: np.random.RandomState(5))


def test_python_integers() -> None:
    same(lambda rng: (rng.integers(9, dtype=int), rng.integers(0, 2, dtype=bool)))
    same(
        lambda rng: (rng.randint(9), rng.randint(9, size=3)),
        stream=lambda: np.random.RandomState(1),
    )


ERRORS = [
    lambda rng, x: rng.normal(0.0, -x),
    lambda rng, x: rng.normal(0.0, np.array([1.0, -1.0]) * x),
    lambda rng, x: rng.uniform(x, -x),
    lambda rng, x: rng.uniform(-np.inf, x),
    lambda rng, x: rng.binomial(5, x + 1),
    lambda rng, x: rng.binomial(5, np.array([x, 2.0])),
    lambda rng, x: rng.poisson(-x),
    lambda rng, x: rng.poisson(x * 1e30),
    lambda rng, x: rng.beta(x, 0.0),
    lambda rng, x: rng.zipf(x / 2),
    lambda rng, x: rng.geometric(x - 1),
    lambda rng, x: rng.logseries(x + 0.5),
    lambda rng, x: rng.negative_binomial(np.nan * x, 0.5),
    lambda rng, x: rng.triangular(x, 0.0, 2.0),
    lambda rng, x: rng.integers(5, 5),
    lambda rng, x: rng.integers(300, dtype=np.uint8),
    lambda rng, x: rng.integers(-5, 5, dtype=np.uint8),
    lambda rng, x: rng.integers(5, dtype=np.float64),
    lambda rng, x: rng.normal(np.zeros(3), size=4),
    lambda rng, x: rng.random(3, dtype=np.int32),
    lambda rng, x: rng.random(3, out=np.empty(4)),
    lambda rng, x: rng.random(out=np.empty(4, np.float32)),
    lambda rng, x: rng.choice(3, 4, replace=False),
    lambda rng, x: rng.choice(0),
    lambda rng, x: rng.choice(3, p=np.array([0.5, 0.5])),
    lambda rng, x: rng.choice(2, p=np.array([0.5, 0.7]) * x),
    lambda rng, x: rng.choice(2, p=np.array([1.5, -0.5]) * x),
    lambda rng, x: rng.random(-3),
]


@pytest.mark.parametrize("function", ERRORS)
def test_errors(function: Any) -> None:
    same(function, 1.0)


def test_draws_before_an_error_count() -> None:
    def compute(rng, x, k):
        x[0] = rng.random()
        return x[k]

    compiled = qn.compile(compute, fullgraph=True)
    own, other = np.random.default_rng(1), np.random.default_rng(1)
    for f, rng in ((compute, own), (compiled, other)):
        with pytest.raises(IndexError):
            f(rng, np.zeros(3), 5)
    assert state(own) == state(other)


def test_orders_and_choices() -> None:
    def compute(rng, x, m):
        y, t = x.copy(), m.copy()
        rng.shuffle(y)
        rng.shuffle(t)
        u = m.copy()
        rng.shuffle(u, axis=1)
        return (
            *(y, t, u, rng.permutation(x), rng.permutation(5), rng.permutation(m)),
            *(rng.permutation(m, axis=1), rng.permuted(x), rng.permuted(m, axis=1)),
            *(rng.permuted(m, axis=0), rng.permuted(m), rng.choice(x), rng.choice(7)),
            *(rng.choice(x, 4), rng.choice(9, (2, 3)), rng.choice(x, 3, replace=False)),
            *(rng.choice(m, 2, axis=1), rng.choice(20000, 500, replace=False)),
            *(rng.choice(x, 3, replace=False, shuffle=False), rng.choice(x, (2, 2), p=x / x.sum())),
            rng.choice(len(x), p=x / x.sum()),
        )

    x, m = np.arange(1.0, 9.0), np.arange(12.0).reshape(3, 4)
    same(compute, x, m)


def test_orders_and_choices_of_older_streams() -> None:
    def compute(rng, x, m):
        y = m.copy()
        rng.shuffle(y)
        return (
            *(y, rng.permutation(x), rng.permutation(6), rng.permutation(m), rng.choice(x)),
            *(rng.choice(7, 4), rng.choice(x, 3, replace=False), rng.choice(x, 5, p=x / x.sum())),
            *(rng.rand(), rng.rand(2, 3), rng.randn(), rng.randn(3), rng.randn(2)),
            *(rng.random_sample(4), rng.random(2), rng.standard_exponential(3)),
        )

    x, m = np.arange(1.0, 9.0), np.arange(12.0).reshape(3, 4)
    same(compute, x, m, stream=lambda: np.random.RandomState(5))


def test_multivariate_normals() -> None:
    def compute(rng, mean, cov):
        return (
            rng.multivariate_normal(mean, cov),
            rng.multivariate_normal(mean, cov, size=4),
            rng.multivariate_normal(mean, cov, (2, 3), method="cholesky"),
            rng.multivariate_normal(mean, cov, 2, method="eigh"),
        )

    root = np.array([[2.0, 0.0], [0.5, 1.0]])
    compiled, mean, cov = qn.compile(compute, fullgraph=True), np.array([1.0, -1.0]), root @ root.T
    own, other = np.random.default_rng(2), np.random.default_rng(2)
    assert_same(compiled(other, mean, cov), compute(own, mean, cov), ulp=16)
    assert state(own) == state(other)


def test_covariances_that_are_none() -> None:
    def compute(rng, cov):
        return rng.multivariate_normal(np.zeros(2), cov)

    cov = np.array([[1.0, 2.0], [2.0, 1.0]])
    own, other = np.random.default_rng(2), np.random.default_rng(2)
    why = "a covariance that isn't positive-semidefinite"
    with pytest.warns(RuntimeWarning, match="covariance is not symmetric"):
        expected = compute(own, cov)
    with (
        pytest.warns(qn.FallbackWarning, match=why),
        pytest.warns(RuntimeWarning, match="covariance is not symmetric"),
    ):
        assert_same(qn.compile(compute)(other, cov), expected)
    assert state(own) == state(other)


def walk(rng, n):
    position, path = 0.0, np.empty(n)
    for i in range(n):
        if rng.random() < 0.5:
            position += rng.standard_normal()
        else:
            position -= rng.uniform(0.0, 0.1)
        path[i] = position
    return path


def metropolis(rng, x, steps):
    accepted = 0
    for _ in range(steps):
        new = x + rng.normal(0.0, 0.7)
        if np.log(rng.random()) < (x * x - new * new) / 2:
            x = new
            accepted += 1
    return x, accepted


def until(rng, most):
    count, total = 0, 0.0
    while total < most:
        total += rng.exponential()
        count += 1
    return count, total


def either(rng, x):
    drawn = rng.random() if x[0] > 0 else 0.25
    return drawn + (rng.random() if x[1] > 0 and rng.random() < 0.5 else 1.0)


def rejected(rng, n):
    found = []
    while len(found) < n:
        a, b = rng.random(2)
        if a * a + b * b < 1:
            found.append(a)
    return np.array(found)


def helper(rng):
    return rng.normal(size=3)


def by_helpers(rng, n):
    total = np.zeros(3)
    for _ in range(n):
        total += helper(rng)
    return total, [rng.integers(6) for _ in range(4)]


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (walk, (200,)),
        (metropolis, (0.5, 300)),
        (until, (20.0,)),
        (either, (np.array([1.0, 1.0]),)),
        (either, (np.array([-1.0, 1.0]),)),
        (rejected, (9,)),
        (by_helpers, (25,)),
    ],
)
def test_control_flow(function: Any, args: tuple) -> None:
    same(function, *args, calls=3)


def test_seeds_within() -> None:
    def known(n):
        bits = np.random.Generator(np.random.SFC64(5))
        return np.random.default_rng(42).random(n), bits.normal(size=n)

    def given(seed, n):
        rng = np.random.default_rng(seed)
        old, bits = np.random.RandomState(seed), np.random.Generator(np.random.PCG64(seed))
        return rng.normal(size=n), rng.integers(10), old.rand(3), bits.random()

    compiled = qn.compile(known, fullgraph=True)
    for n in (3, 4):
        assert_same(compiled(n), known(n))
    compiled = qn.compile(given, fullgraph=True)
    for seed in (1, 0, 77, 2**32 - 1):
        assert_same(compiled(seed, 3), given(seed, 3))
    for f, seed in ((lambda s: np.random.default_rng(s).random(), -1), (given, 2**40)):
        with pytest.raises(ValueError) as expected:  # noqa: PT011
            f(*[seed, 2][: f.__code__.co_argcount])
        with pytest.raises(ValueError) as raised:  # noqa: PT011
            qn.compile(f, fullgraph=True)(*[seed, 2][: f.__code__.co_argcount])
        assert str(raised.value) == str(expected.value)


def test_functions_of_the_module() -> None:
    def compute(n):
        return np.random.rand(n), np.random.normal(1.0, 2.0), np.random.choice(n), draw(2)

    def seeded(seed, n):
        np.random.seed(seed)
        first = np.random.randint(0, 9, n)
        np.random.seed(3)
        return first, np.random.randn(n)

    draw = np.random.exponential
    for function, calls in ((compute, [(3,), (4,)]), (seeded, [(1, 3), (9, 3), (1, 3)])):
        compiled = qn.compile(function, fullgraph=True)
        for args in calls:
            before = np.random.get_state()
            expected, after = function(*args), repr(np.random.get_state())
            np.random.set_state(before)
            assert_same(compiled(*args), expected)
            assert repr(np.random.get_state()) == after


RNG = np.random.default_rng(3)


def test_a_generator_from_outside() -> None:
    def compute(x):
        return x + RNG.random(x.shape)

    compiled, x = qn.compile(compute, fullgraph=True), np.zeros(4)
    other = np.random.default_rng(3)
    for _ in range(3):
        assert_same(compiled(x), x + other.random(4))


def test_generators_in_containers() -> None:
    def compute(streams, n):
        return streams["a"].random(n) + streams["b"].normal(size=n)

    compiled = qn.compile(compute, fullgraph=True)
    own, other = ({k: np.random.default_rng(ord(k)) for k in "ab"} for _ in range(2))
    for _ in range(2):
        assert_same(compiled(other, 5), compute(own, 5))
    assert [state(other[k]) for k in "ab"] == [state(own[k]) for k in "ab"]


def test_one_generator_twice_is_left_to_numpy() -> None:
    def compute(a, b):
        return a.random() - b.random()

    compiled, own, other = qn.compile(compute), np.random.default_rng(4), np.random.default_rng(4)
    assert_same(
        compiled(np.random.default_rng(1), np.random.default_rng(2)),
        compute(np.random.default_rng(1), np.random.default_rng(2)),
    )
    with pytest.warns(qn.FallbackWarning, match="a random generator that is there twice"):
        assert_same(compiled(other, other), compute(own, own))
    assert state(own) == state(other)


def points(rng, n):
    p = rng.random((n, 2))
    return np.mean(p[:, 0] ** 2 + p[:, 1] ** 2 <= 1), n


def differences(rng, n):
    x = rng.uniform(-1, 2, n)
    return np.abs(x[1:] - x[:-1]), rng.random()


def of_rows(rng, n):
    return rng.random((n // 50, 50)).max(axis=1)


def of_columns(rng, n):
    return rng.random((5, n // 5)).sum(axis=0)


def of_two_streams(rng, n):
    x = rng.random(n)
    other = np.random.default_rng(3)
    return (x < other.random(n)).sum(), rng.random(3)


def in_a_loop(rng, n):
    total = 0.0
    for _ in range(4):
        total += rng.random(n).min()
    return total


def in_a_branch(rng, n):
    x = np.zeros(n)
    if rng.random() < 0.5:
        x = 2 * rng.random(n)
    return x, rng.random()


def where_others_wait(rng, n):
    x = rng.random(n)
    y = np.sqrt(x) + rng.random(n)
    return y, y[::-1].copy(), (1 - rng.random(n))[::-1] * 2


@pytest.mark.parametrize("n", [0, 1, 50, 4097, 100_003])
@pytest.mark.parametrize(
    "function",
    [
        points,
        differences,
        of_rows,
        of_columns,
        of_two_streams,
        in_a_loop,
        in_a_branch,
        where_others_wait,
    ],
)
@pytest.mark.parametrize("generator", GENERATORS)
def test_uniform_numbers_of_one_statement(function: Any, n: int, generator: str) -> None:
    """They are drawn where they are read, if the generator can jump."""

    def make():
        return np.random.Generator(getattr(np.random, generator)(n))

    with np.errstate(all="ignore"):
        same(function, n, stream=make)


@pytest.mark.parametrize("generator", GENERATORS)
def test_single_draws_of_a_long_loop(generator: str) -> None:
    """The later ones are drawn by tables; about one in a hundred by NumPy's function."""

    def compute(rng, n):
        uniform, normal, exponential = np.zeros(n), np.zeros(n), np.zeros(n)
        for i in range(n):
            uniform[i] = rng.random()
            normal[i] = rng.standard_normal()
            if uniform[i] < 0.9:
                exponential[i] = rng.standard_exponential()
        return uniform, normal, exponential, rng.random()

    def make():
        return np.random.Generator(getattr(np.random, generator)(2))

    same(compute, 6_000, stream=make)


def test_warnings_draw_once() -> None:
    def compute(rng, x):
        return np.log(x) + rng.random(x.shape)

    compiled, x = qn.compile(compute, fullgraph=True), np.array([1.0, -1.0, 2.0])
    own, other = np.random.default_rng(8), np.random.default_rng(8)
    for _ in range(12):
        with pytest.warns(RuntimeWarning, match="invalid value"):
            got = compiled(other, x)
        with np.errstate(all="ignore"):
            assert_same(got, compute(own, x))
        assert state(own) == state(other)
