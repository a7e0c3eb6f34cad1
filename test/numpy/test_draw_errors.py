"""Random streams in compiled functions: what can't be drawn, and the borders of what can."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support import assert_same

import quernel as qn
from quernel.errors import UnsupportedError


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda rng: rng.bytes(4), "`Generator.bytes` is not supported yet"),
        (lambda rng: rng.choice(3, 2, False, np.array([0.2, 0.3, 0.5])), "a choice without repl"),
        (lambda rng: rng.shuffle([1, 2, 3]), "shuffling a list"),
        (lambda rng: rng.normal(1j), "a parameter `loc` of dtype complex128"),
        (lambda rng: rng.integers(2.5), "bounds of random integers of dtype float64"),
        (
            lambda rng: np.random.SFC64(rng.integers(9)),
            "np.random.SFC64() of a seed that only the program knows",
        ),
        (lambda rng: np.random.Generator(3), "np.random.Generator of what isn't a bit generator"),
        (lambda rng: np.random.SeedSequence(), "np.random.SeedSequence() of what the program"),
        (
            lambda rng: np.random.default_rng(np.random.RandomState(1)),
            "a Generator over the bits of a RandomState",
        ),
    ],
)
def test_refused(function: Any, reason: str) -> None:
    with pytest.raises(UnsupportedError) as raised:
        qn.compile(function, fullgraph=True)(np.random.default_rng(1))
    assert reason in str(raised.value)


WRONG = [
    lambda rng: rng.integers(-2),
    lambda rng: rng.integers([0, -1], endpoint=True),
    lambda rng: rng.integers(4, 2),
    lambda rng: rng.integers(np.array([1, 5]), np.array([4, 5])),
    lambda rng: rng.permuted(np.ones((3, 3)), out=np.zeros(3)),
    lambda rng: rng.permuted(np.ones(3), out=np.zeros(3, int)),
    lambda rng: rng.normal(np.ones(3), np.ones((4, 3)), size=(4, 1, 1)),
]
RIGHT = [
    lambda rng: rng.integers(0, -10, size=(3, 0)),
    lambda rng: rng.choice(0, size=0),
    lambda rng: rng.choice([1, 2, 3], size=()),
    lambda rng: rng.choice(2, (), p=[0.1, 0.9]),
]


@pytest.mark.parametrize("function", WRONG)
def test_errors_are_numpys(function) -> None:
    with pytest.raises((ValueError, TypeError)) as theirs:
        function(np.random.default_rng(1))
    with pytest.raises(type(theirs.value)) as ours:
        qn.compile(function, fullgraph=True)(np.random.default_rng(1))
    assert str(ours.value) == str(theirs.value)


@pytest.mark.parametrize("function", RIGHT)
def test_draws_of_nothing_and_of_one(function) -> None:
    compiled = qn.compile(function, fullgraph=True)
    got, want = compiled(np.random.default_rng(1)), function(np.random.default_rng(1))
    assert type(got) is type(want)
    assert_same(got, want)


def test_bounds_that_the_program_finds_the_wrong_way_around() -> None:
    def drawn(rng, low, high):
        return rng.integers(low, high)

    compiled = qn.compile(drawn, fullgraph=True)
    for low, high in (([0, 0], [2, 3]), ([0, 0], [1, 0]), ([1, 0], [1, 4]), ([0, 1], [0, 2])):
        bounds = np.array(low), np.array(high)
        try:
            want = drawn(np.random.default_rng(1), *bounds)
        except ValueError as error:
            with pytest.raises(ValueError, match=f"^{error}$"):
                compiled(np.random.default_rng(1), *bounds)
        else:
            assert_same(compiled(np.random.default_rng(1), *bounds), want)


def test_sizes_that_parameters_do_not_stretch_to() -> None:
    def drawn(rng, mean, n, m):
        return rng.normal(mean, size=(n, m))

    compiled = qn.compile(drawn, fullgraph=True)
    for n, m in ((4, 3), (5, 3), (6, 3)):
        assert compiled(np.random.default_rng(1), np.ones(3), n, m).shape == (n, m)
    for n, m in ((4, 1), (4, 2)):
        with pytest.raises(ValueError, match=r"shape|size") as theirs:
            drawn(np.random.default_rng(1), np.ones(3), n, m)
        with pytest.raises(ValueError, match=r"shape|size") as ours:
            compiled(np.random.default_rng(1), np.ones(3), n, m)
        assert str(ours.value) == str(theirs.value)


def test_older_streams_demand_something_else() -> None:
    def drawn(state, good, count):
        return state.hypergeometric(good, 2, count)

    compiled = qn.compile(drawn, fullgraph=True)
    want = drawn(np.random.RandomState(1), 1 << 33, 3)
    assert compiled(np.random.RandomState(1), 1 << 33, 3) == want
    with pytest.raises(ValueError, match="nsample < 1 or nsample is NaN"):
        compiled(np.random.RandomState(1), 1, 0)
    with pytest.raises(ValueError, match="Negative dimensions are not allowed"):
        qn.compile(lambda state: state.choice(3, (-1,), replace=False), fullgraph=True)(
            np.random.RandomState(1)
        )


def categories(rng):
    rows = rng.multinomial(20, [0.2, 0.3, 0.5], size=(2, 3)), rng.dirichlet((0.01, 2.0), 4)
    none = rng.multinomial(20, np.array([0.5, 0.5]), size=(2, 0))
    return (
        rng.multinomial(0, [1 / 6] * 6),
        rng.dirichlet([1.0, 2.0, 3.0]),
        *rows,
        none,
        rng.random(),
    )


STREAMS = {
    "a Generator": lambda: np.random.default_rng(5),
    "one that has no positions": lambda: np.random.Generator(np.random.MT19937(5)),
    "a RandomState": lambda: np.random.RandomState(5),
}


@pytest.mark.parametrize("made", STREAMS.values(), ids=STREAMS)
def test_draws_of_categories(made) -> None:
    assert_same(qn.compile(categories, fullgraph=True)(made()), categories(made()))


@pytest.mark.parametrize("made", STREAMS.values(), ids=STREAMS)
@pytest.mark.parametrize(
    "function",
    [
        lambda rng: rng.multinomial(-1, [0.5, 0.5]),
        lambda rng: rng.multinomial(5, [0.2, 0.9, 0.5]),
        lambda rng: rng.multinomial(5, [0.2, -0.9, 0.5]),
        lambda rng: rng.dirichlet([-1.0, 2.0]),
    ],
)
def test_categories_that_can_not_be(made, function) -> None:
    with pytest.raises(ValueError, match=r"n <|pvals|alpha") as theirs:
        function(made())
    with pytest.raises(ValueError, match=r"n <|pvals|alpha") as ours:
        qn.compile(function, fullgraph=True)(made())
    assert str(ours.value) == str(theirs.value)


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (
            lambda rng: rng.multinomial([2, 3], [0.5, 0.5]),
            "random numbers of several multinomial distributions, or of float32 probabilities",
        ),
        (lambda rng: rng.dirichlet(2.0), "random numbers of several Dirichlet distributions"),
    ],
)
def test_categories_of_several_distributions_are_numpys(function, text) -> None:
    with pytest.raises(UnsupportedError, match=text):
        qn.compile(function, fullgraph=True)(np.random.default_rng(5))
