"""The runtime's draws beside NumPy's: the same numbers, and the same state afterwards."""

from collections.abc import Callable
from copy import copy

import numpy as np
import pytest

from quernel import _runtime

KINDS = ["PCG64", "PCG64DXSM", "Philox", "SFC64", "MT19937"]
SIZES = [0, 1, 2, 7, 63, 64, 1000]
LONG = 2**20 + 3
NAN, INF = float("nan"), float("inf")


def generator(kind: str, seed: int = 7, *, half: bool = False) -> np.random.Generator:
    """A Generator of a kind of bit generator, with half a word left or not."""
    made = np.random.Generator(getattr(np.random, kind)(seed))
    if half:
        made.random(dtype=np.float32)
    return made


def random_state(seed: int = 7, *, half: bool = False) -> np.random.RandomState:
    """A RandomState, with a normal number left of a pair or not."""
    made = np.random.RandomState(seed)
    if half:
        made.standard_normal()
    return made


def check(
    source: np.random.Generator | np.random.RandomState,
    row: str,
    size: int,
    parameters: tuple,
    by_numpy: Callable[[], object],
    *,
    dtype: str | None = None,
    threads: int = 1,
) -> None:
    """Draws from where a generator is, then has NumPy do so."""
    before = _runtime.read_stream(source)
    kept = before.copy()
    after, found = _runtime.draw(row, before, size, *parameters, dtype=dtype, threads=threads)
    expected = np.asarray(by_numpy())
    assert found.dtype == expected.dtype
    assert found.tobytes() == expected.tobytes(), (row, size, parameters)
    assert after.tolist() == _runtime.read_stream(source).tolist(), (row, size, parameters)
    assert before.tolist() == kept.tolist()


def method(name: str, **options: object) -> Callable:
    """NumPy's method of parameters and a size."""
    return lambda source, size, *of: getattr(source, name)(*of, size=size, **options)


def uniform(source: np.random.Generator, size: int, low: float, width: float) -> np.ndarray:
    """The row takes the width of the range, as NumPy's function in C does."""
    return source.uniform(low, low + width, size)


F32 = {"dtype": np.float32}
# By row: NumPy's call, and parameters.
NO_PARAMETERS = {
    "random": method("random"),
    "random_floats": method("random", **F32),
    "standard_normal": method("standard_normal"),
    "standard_normal_floats": method("standard_normal", **F32),
    "standard_exponential": method("standard_exponential"),
    "standard_exponential_floats": method("standard_exponential", **F32),
    "inverse_exponential": method("standard_exponential", method="inv"),
    "inverse_exponential_floats": method("standard_exponential", method="inv", **F32),
    "standard_cauchy": method("standard_cauchy"),
}
SHARED = {
    "uniform": (uniform, [(0.0, 1.0), (-2.0, 4.0), (3.0, 0.0)]),
    "laplace": (method("laplace"), [(0.0, 1.0), (3.0, 0.0), (NAN, 1.0)]),
    "gumbel": (method("gumbel"), [(0.0, 1.0), (3.0, 0.0)]),
    "logistic": (method("logistic"), [(0.0, 1.0), (3.0, 0.0)]),
    "triangular": (method("triangular"), [(0.0, 0.25, 1.0), (-1.0, -1.0, 2.0), (0.0, 2.0, 2.0)]),
    "poisson": (method("poisson"), [(0.0,), (0.5,), (9.5,), (10.0,), (250.0,), (1e9,)]),
}
DISTRIBUTIONS = {
    **SHARED,
    "standard_gamma": (method("standard_gamma"), [(0.0,), (0.3,), (1.0,), (4.5,)]),
    "standard_gamma_floats": (method("standard_gamma", **F32), [(0.0,), (0.25,), (1.0,), (4.5,)]),
    "normal": (method("normal"), [(0.0, 1.0), (5.0, 0.0), (-3.0, 0.1), (NAN, 1.0), (0.0, INF)]),
    "exponential": (method("exponential"), [(1.0,), (0.0,), (3.5,), (NAN,)]),
    "gamma": (method("gamma"), [(0.0, 1.0), (0.3, 2.0), (1.0, 0.0), (4.5, 0.25)]),
    "beta": (method("beta"), [(0.5, 0.5), (1.0, 1.0), (2.0, 3.0), (1e-4, 1e-4), (1e-104, 1e-104)]),
    "chisquare": (method("chisquare"), [(1.0,), (2.0,), (7.5,)]),
    "f": (method("f"), [(1.0, 2.0), (5.5, 3.0)]),
    "pareto": (method("pareto"), [(0.5,), (3.0,)]),
    "weibull": (method("weibull"), [(0.0,), (0.5,), (3.0,)]),
    "power": (method("power"), [(0.5,), (3.0,)]),
    "lognormal": (method("lognormal"), [(0.0, 1.0), (2.0, 0.0)]),
    "rayleigh": (method("rayleigh"), [(1.0,), (0.0,)]),
    "standard_t": (method("standard_t"), [(0.5,), (4.0,)]),
    "noncentral_chisquare": (
        method("noncentral_chisquare"),
        [(0.5, 0.0), (0.5, 3.0), (3.0, 2.0), (3.0, NAN)],
    ),
    "noncentral_f": (method("noncentral_f"), [(3.0, 4.0, 0.0), (3.0, 4.0, 2.0)]),
    "wald": (method("wald"), [(1.0, 1.0), (0.5, 3.0)]),
    "vonmises": (
        method("vonmises"),
        [(0.0, 0.0), (1.0, 1e-6), (-2.0, 4.0), (0.0, 1e7), (0.0, NAN)],
    ),
    "negative_binomial": (method("negative_binomial"), [(3.0, 0.5), (0.5, 1.0), (20.0, 0.01)]),
    "binomial": (
        method("binomial"),
        [(0, 0.5), (10, 0.0), (10, 1.0), (10, 0.3), (10, 0.7), (1000, 0.4), (1000, 0.9)],
    ),
    "logseries": (method("logseries"), [(0.0,), (0.5,), (0.99,)]),
    "geometric": (method("geometric"), [(1.0,), (0.5,), (0.01,)]),
    "zipf": (method("zipf"), [(1.5,), (3.0,), (1025.0,)]),
    "hypergeometric": (
        method("hypergeometric"),
        [(0, 5, 3), (5, 0, 3), (10, 20, 5), (100, 200, 150), (2000, 3000, 0), (20000, 30000, 40)],
    ),
}
LEGACY = {
    **{row: (call, [p for p in of if p != (1e9,)]) for row, (call, of) in SHARED.items()},
    **{
        f"legacy_{row}": (call, parameters)
        for row, (call, parameters) in DISTRIBUTIONS.items()
        if row not in SHARED and not row.endswith("floats")
    },
    "legacy_noncentral_chisquare": (
        method("noncentral_chisquare"),
        [(0.5, 0.0), (0.5, 3.0), (3.0, 2.0)],
    ),
    "legacy_logseries": (method("logseries"), [(0.5,), (0.99,)]),
    "legacy_zipf": (method("zipf"), [(1.5,), (3.0,)]),
    "legacy_beta": (method("beta"), [(0.5, 0.5), (1.0, 1.0), (2.0, 3.0), (1e-4, 1e-4)]),
    "legacy_vonmises": (
        method("vonmises"),
        [(0.0, 0.0), (1.0, 1e-6), (-2.0, 4.0), (0.0, 1e5), (0.0, NAN)],
    ),
    "legacy_hypergeometric": (
        method("hypergeometric"),
        [(0, 5, 3), (10, 20, 5), (100, 200, 150), (20000, 30000, 40)],
    ),
}
LEGACY_WITHOUT = {
    "random": method("random_sample"),
    "legacy_standard_normal": method("standard_normal"),
    "legacy_standard_exponential": method("standard_exponential"),
    "legacy_standard_cauchy": method("standard_cauchy"),
}


@pytest.mark.parametrize("half", [False, True])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("row", NO_PARAMETERS)
def test_without_parameters(row, kind, half):
    for size in SIZES:
        source = generator(kind, size, half=half)
        for _ in range(3):
            check(source, row, size, (), lambda: NO_PARAMETERS[row](source, size))  # noqa: B023


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("row", DISTRIBUTIONS)
def test_distributions(row, kind):
    call, all_parameters = DISTRIBUTIONS[row]
    for parameters in all_parameters:
        for size in SIZES:
            source = generator(kind, size, half=size % 2 == 1)
            check(source, row, size, parameters, lambda: call(source, size, *parameters))  # noqa: B023


@pytest.mark.parametrize("kind", ["PCG64", "SFC64"])
@pytest.mark.parametrize("row", DISTRIBUTIONS)
def test_a_parameter_for_each_draw(row, kind):
    call, all_parameters = DISTRIBUTIONS[row]
    for size in (1, 2, 7, 1000):
        dtype = np.float32 if row.endswith("floats") else None
        chosen = [all_parameters[k % len(all_parameters)] for k in range(size)]
        columns = [np.array(column, dtype) for column in zip(*chosen, strict=True)]
        source = generator(kind, size)
        check(source, row, size, tuple(columns), lambda: call(source, size, *columns))  # noqa: B023


@pytest.mark.parametrize("half", [False, True])
@pytest.mark.parametrize("row", LEGACY_WITHOUT)
def test_a_random_state_without_parameters(row, half):
    for size in SIZES:
        source = random_state(size, half=half)
        for _ in range(3):
            check(source, row, size, (), lambda: LEGACY_WITHOUT[row](source, size))  # noqa: B023


@pytest.mark.parametrize("half", [False, True])
@pytest.mark.parametrize("row", LEGACY)
def test_distributions_of_a_random_state(row, half):
    call, all_parameters = LEGACY[row]
    for parameters in all_parameters:
        for size in SIZES:
            source = random_state(size, half=half)
            check(source, row, size, parameters, lambda: call(source, size, *parameters))  # noqa: B023


LONG_ROWS = {
    **{row: (call, ()) for row, call in NO_PARAMETERS.items()},
    **{row: (call, parameters[-1]) for row, (call, parameters) in DISTRIBUTIONS.items()},
    "normal": (method("normal"), (1.0, 2.0)),
    "exponential": (method("exponential"), (2.0,)),
    "lognormal": (method("lognormal"), (0.0, 1.0)),
    "rayleigh": (method("rayleigh"), (2.0,)),
    "weibull": (method("weibull"), (0.0,)),
    "vonmises": (method("vonmises"), (1.0, 2.0)),
    "beta": (method("beta"), (0.5, 0.5)),
    "poisson": (method("poisson"), (3.0,)),
}


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("kind", ["PCG64", "PCG64DXSM", "Philox"])
@pytest.mark.parametrize("row", LONG_ROWS)
def test_many_draws_of_several_threads(row, kind, threads):
    # All kinds cut the same way: those of which many draws take long have fewer of them.
    call, parameters = LONG_ROWS[row]
    size = LONG if row in NO_PARAMETERS else 2**17 + 3
    source = generator(kind, threads, half=threads == 2)
    for _ in range(2):
        check(
            source,
            row,
            size,
            parameters,
            lambda: call(source, size, *parameters),
            threads=threads,
        )


@pytest.mark.parametrize("kind", ["SFC64", "MT19937"])
def test_many_draws_of_one_thread(kind):
    source = generator(kind)
    for row, call in NO_PARAMETERS.items():
        check(source, row, LONG, (), lambda: call(source, LONG), threads=2)  # noqa: B023


def test_many_draws_of_a_random_state():
    source = random_state()
    for row, call in LEGACY_WITHOUT.items():
        check(source, row, LONG, (), lambda: call(source, LONG), threads=2)  # noqa: B023


def test_parameters_for_each_of_many_draws():
    scales = np.linspace(0, 3, 100_003)
    for row in ("exponential", "rayleigh", "poisson"):
        source = generator("PCG64")
        check(
            source,
            row,
            scales.size,
            (scales,),
            lambda: getattr(source, row)(scales),  # noqa: B023
            threads=2,
        )
    source = generator("Philox")
    check(
        source,
        "normal",
        scales.size,
        (-scales, scales),
        lambda: source.normal(-scales, scales),
        threads=2,
    )


INTEGERS = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]


def bounds(dtype: str) -> list[tuple[int, int]]:
    """Bounds that both may come."""
    if dtype == "bool":
        return [(0, 0), (0, 1), (1, 1)]
    info = np.iinfo(dtype)
    pairs = [(0, 0), (1, 100), (0, 63), (0, 64), (info.min, info.max), (info.min, info.max - 1)]
    wide = [(5, 5 + 2**32 - 1), (5, 5 + 2**32), (0, 2**32 - 2), (0, 2**40), (0, 3 * 2**61)]
    return pairs + (wide if dtype.endswith("64") else [])


@pytest.mark.parametrize("half", [False, True])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers(dtype, kind, half):
    for low, high in bounds(dtype):
        for size in SIZES:
            source = generator(kind, size, half=half)
            for _ in range(2):
                check(
                    source,
                    "integers",
                    size,
                    (low, high),
                    lambda: source.integers(low, high, size, dtype, endpoint=True),  # noqa: B023
                    dtype=dtype,
                )


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_of_a_random_state(dtype):
    for low, high in bounds(dtype):
        for size in SIZES:
            source = random_state(size)
            # It takes the upper bound that doesn't come.
            check(
                source,
                "masked_integers",
                size,
                (low, high),
                lambda: source.randint(low, high + 1, size, dtype),  # noqa: B023
                dtype=dtype,
            )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_of_many_bounds(dtype, kind):
    pairs = bounds(dtype)
    for size in (1, 2, 7, 1000):
        chosen = np.array([pairs[k % len(pairs)] for k in range(size)], dtype)
        low, high = np.ascontiguousarray(chosen[:, 0]), np.ascontiguousarray(chosen[:, 1])
        source = generator(kind, size, half=size % 2 == 1)
        check(
            source,
            "integers",
            size,
            (low, high),
            lambda: source.integers(low, high, dtype=dtype, endpoint=True),  # noqa: B023
            dtype=dtype,
        )


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("kind", ["PCG64", "PCG64DXSM", "Philox"])
def test_many_integers_of_several_threads(kind, threads):
    for dtype in INTEGERS:
        for low, high in bounds(dtype):
            source = generator(kind, half=threads == 2)
            check(
                source,
                "integers",
                100_003,
                (low, high),
                lambda: source.integers(low, high, 100_003, dtype, endpoint=True),  # noqa: B023
                dtype=dtype,
                threads=threads,
            )


@pytest.mark.parametrize("size", [0, 1, 2, 7, 64, 65, 1000, 100_003])
def test_permutations(size):
    for kind in KINDS:
        source = generator(kind, size, half=True)
        check(source, "permutation", size, (), lambda: source.permutation(size))  # noqa: B023
    source = random_state(size)
    check(source, "permutation", size, (), lambda: source.permutation(size))


def test_whatever_is_shuffled_takes_the_same_order():
    size = 37
    for make in (generator, lambda kind, seed: random_state(seed)):
        state = _runtime.read_stream(make("PCG64", 3))
        after, order = _runtime.draw("permutation", state, size)
        for things in (
            np.arange(size) * 10,
            np.arange(size).astype("i2"),
            np.arange(4 * size).reshape(size, 4),
            np.array([str(k) for k in range(size)], object),
            list(range(size)),
        ):
            source = make("PCG64", 3)
            expected = [copy(things[k]) for k in order]
            source.shuffle(things)
            assert all(np.array_equal(a, b) for a, b in zip(things, expected, strict=True))
            assert _runtime.read_stream(source).tolist() == after.tolist()
        for things in (np.arange(size) * 10, np.arange(4 * size).reshape(size, 4)):
            source = make("PCG64", 3)
            assert np.array_equal(source.permutation(things), things[order])
            assert _runtime.read_stream(source).tolist() == after.tolist()
    things = np.arange(4 * size).reshape(4, size)
    state = _runtime.read_stream(generator("PCG64", 3))
    expected = things[:, _runtime.draw("permutation", state, size)[1]]
    assert np.array_equal(generator("PCG64", 3).permutation(things, axis=1), expected)
    generator("PCG64", 3).shuffle(things, axis=1)
    assert np.array_equal(things, expected)


@pytest.mark.parametrize("shuffles", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_choices_without_replacement(kind, shuffles):
    for population, size in (
        (1, 1),
        (10, 0),
        (10, 10),
        (1000, 7),
        (10_000, 9000),
        (10_001, 9000),
        (10_001, 10_001),
        (20_000, 400),
        (20_000, 401),
        (20_000, 1001),
        (10**12, 5000),
    ):
        source = generator(kind, size)
        check(
            source,
            "choice",
            size,
            (population, int(shuffles)),
            lambda: source.choice(population, size, replace=False, shuffle=shuffles),  # noqa: B023
        )


def test_choices_of_a_random_state():
    source = random_state()
    check(source, "permutation", 100, (), lambda: source.choice(100, 100, replace=False))


@pytest.mark.parametrize("kind", KINDS)
def test_multinomial(kind):
    for shares in ([1.0], [0.2, 0.3, 0.5], [0.0, 1.0, 0.0], [0.1, 0.2]):
        for size in (0, 1, 100):
            source = generator(kind, size)
            check(
                source,
                "multinomial",
                size,
                (20, shares),
                lambda: source.multinomial(20, shares, size),  # noqa: B023
            )
    counts = np.arange(50)
    source = generator(kind)
    check(
        source,
        "multinomial",
        50,
        (counts, [0.2, 0.8]),
        lambda: source.multinomial(counts, [0.2, 0.8]),
    )
    source = random_state()
    check(source, "multinomial", 9, (20, [0.3, 0.7]), lambda: source.multinomial(20, [0.3, 0.7], 9))


@pytest.mark.parametrize("kind", KINDS)
def test_dirichlet(kind):
    for alpha in ([1.0, 2.0, 3.0], [0.01, 0.02, 0.03], [0.01, 0.0, 0.0], [0.0, 0.0], [0.5]):
        for size in (0, 1, 100):
            source = generator(kind, size)
            check(
                source,
                "dirichlet",
                size,
                (alpha,),
                lambda: source.dirichlet(alpha, size),  # noqa: B023
            )
    source = random_state()
    check(source, "legacy_dirichlet", 9, ([0.5, 2.0],), lambda: source.dirichlet([0.5, 2.0], 9))


@pytest.mark.parametrize("kind", KINDS)
def test_a_state_is_read_and_written(kind):
    source, other = generator(kind, 1, half=True), generator(kind, 2)
    words = _runtime.read_stream(source)
    assert words[0] == KINDS.index(kind)
    _runtime.write_stream(other, words)
    assert _runtime.read_stream(other).tolist() == words.tolist()
    assert other.random(dtype="f4") == source.random(dtype="f4")
    assert other.random() == source.random()
    np.testing.assert_equal(other.bit_generator.state, source.bit_generator.state)


def test_a_random_states_state_is_read_and_written():
    source, other = random_state(1, half=True), random_state(2)
    words = _runtime.read_stream(source)
    assert (words[0], words[314]) == (5, 1)
    _runtime.write_stream(other, words)
    np.testing.assert_equal(other.get_state(legacy=False), source.get_state(legacy=False))
    assert other.standard_normal(3).tolist() == source.standard_normal(3).tolist()


def test_the_functions_of_the_module_have_a_random_state():
    state = np.random.get_state(legacy=False)
    source = _runtime.global_random_state()
    check(source, "legacy_standard_normal", 5, (), lambda: np.random.standard_normal(5))
    np.random.set_state(state)


def test_other_objects_are_no_streams():
    class Own(np.random.Generator):
        pass

    others = [
        np.random.PCG64(),
        np.random.RandomState(np.random.PCG64()),
        Own(np.random.PCG64()),
        np.random,
        None,
    ]
    for other in others:
        with pytest.raises(TypeError, match="not a random generator"):
            _runtime.read_stream(other)
    with pytest.raises(ValueError, match="another kind"):
        _runtime.write_stream(generator("Philox"), _runtime.read_stream(generator("PCG64")))


def test_rows_that_are_no_draws():
    state = _runtime.read_stream(generator("PCG64"))
    for row, text in (("svd", "that draws$"), ("seed", "has a state"), ("random_part", "has a st")):
        with pytest.raises(ValueError, match=text):
            _runtime.draw(row, state, 3)


def test_flags_of_distributions_are_nobodys():
    state = _runtime.read_stream(generator("PCG64"))
    with np.errstate(all="raise"):
        _runtime.draw("gamma", state, 1000, 1e-5, 1.0)
        _runtime.draw("beta", state, 1000, 1e-5, 1e-5)
        np.add(np.ones(3), 1.0)
