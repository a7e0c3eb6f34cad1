"""Fourier transforms: NumPy's own functions, so all bits are NumPy's."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quernel as qn

RNG = np.random.default_rng(5)
REAL = RNG.standard_normal((4, 6, 5))
COMPLEX = REAL + 1j * RNG.standard_normal((4, 6, 5))
ONE = "fft ifft rfft irfft hfft ihfft".split()
MANY = "fft2 ifft2 rfft2 irfft2 fftn ifftn rfftn irfftn".split()


def argument(name, dtype=np.float64):
    """An array for a transform: real where it wants a real one."""
    kind = np.dtype(dtype)
    if name.startswith(("rfft", "ihfft")) and kind.kind == "c":
        kind = np.dtype(kind.char.lower())
    if kind.kind in "biu":
        return (REAL * 4).astype(kind)
    return (COMPLEX if kind.kind == "c" else REAL).astype(kind)


def assert_same(function, *args, dynamic=None):
    compiled = qn.compile(function, fullgraph=True, dynamic=dynamic)
    want, got = function(*args), compiled(*args)
    assert (got.dtype, got.shape) == (want.dtype, want.shape)
    steps = [[s for s, n in zip(x.strides, x.shape, strict=True) if n > 1] for x in (got, want)]
    assert steps[0] == steps[1]
    np.testing.assert_array_equal(got, want)
    return compiled


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex64", "complex128", "int8", "bool"])
@pytest.mark.parametrize("name", ONE + MANY)
def test_dtypes(name, dtype):
    transform = getattr(np.fft, name)
    assert_same(lambda x: transform(x) * 1, argument(name, dtype))


@pytest.mark.parametrize("norm", ["backward", "ortho", "forward"])
@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("name", ONE)
def test_axes_and_norms(name, axis, norm):
    transform = getattr(np.fft, name)
    assert_same(lambda x: transform(x, axis=axis, norm=norm), argument(name, "complex128"))


@pytest.mark.parametrize("n", [1, 2, 5, 9])
@pytest.mark.parametrize("name", ONE)
def test_other_lengths(name, n):
    """Lines are cut, or have zeros behind them."""
    transform = getattr(np.fft, name)
    assert_same(lambda x: transform(x, n, axis=1), argument(name, "complex64"))


@pytest.mark.parametrize("name", MANY)
def test_sizes_of_several_axes(name):
    transform = getattr(np.fft, name)
    x = argument(name, "complex128")
    assert_same(lambda x: transform(x, s=(3, 8), axes=(0, 2)), x)
    assert_same(lambda x: transform(x, s=(-1, 4), axes=(2, 1), norm="ortho"), x)
    assert_same(lambda x: transform(x, axes=(1, 0)), x)


@pytest.mark.parametrize("name", ["fft", "rfft", "irfft", "fftn", "irfftn"])
def test_all_shapes_by_few_programs(name):
    """Odd and even lengths are different routines; other sizes are none of the program's."""
    transform = getattr(np.fft, name)
    x = argument(name, "complex128")
    compiled = qn.compile(lambda x: transform(x * 2) + 1, fullgraph=True, dynamic=True)
    for rows in (1, 2, 3):
        for n in (2, 3, 4, 5):
            part = x[:rows, :, :n].copy()
            np.testing.assert_array_equal(compiled(part), transform(part * 2) + 1)
    assert compiled.stats()["compiles"] <= 4


@settings(max_examples=30, deadline=None)
@given(
    shape=st.lists(st.integers(2, 7), min_size=1, max_size=3).map(tuple),
    data=st.data(),
)
def test_layouts(shape, data):
    """Views of any order."""
    axis = data.draw(st.integers(0, len(shape) - 1))
    order = data.draw(st.permutations(range(len(shape))))
    steps = data.draw(st.tuples(*[st.sampled_from((1, 2, -1))] * len(shape)))
    whole = RNG.standard_normal([2 * n for n in shape]) + 0j
    x = whole[tuple(slice(None, None, step) for step in steps)].transpose(order)
    name = data.draw(st.sampled_from(("fft", "ifft", "irfft")))
    transform = getattr(np.fft, name)
    assert_same(lambda x: transform(x, axis=axis), x)


def test_what_stands_beside_is_part_of_the_program():
    def spectrum(x, window):
        frames = np.lib.stride_tricks.sliding_window_view(x, 8)[::4]
        return np.abs(np.fft.rfft(frames * window)) ** 2

    def smooth(x):
        transformed = np.fft.rfft2(x)
        decay = np.exp(-np.fft.rfftfreq(x.shape[1]) * 3)
        return np.fft.irfft2(transformed * decay, s=x.shape, axes=(0, 1))

    assert_same(spectrum, REAL.ravel(), np.hanning(8))
    assert_same(smooth, REAL[0])
    assert_same(lambda x: np.fft.fftshift(np.fft.fft(x)), REAL)


def test_into_an_array():
    def into(x, out):
        np.fft.fft(x, axis=0, out=out)

    out = [np.zeros((4, 3), complex) for _ in range(2)]
    x = COMPLEX[:, :3, 0].copy()
    into(x, out[0])
    qn.compile(into, fullgraph=True)(x, out[1])
    np.testing.assert_array_equal(*out)


def test_in_loops_and_branches():
    def relax(x, steps):
        for k in range(steps):
            if x[0].real > 0:
                x = np.fft.fft(x, norm="ortho") * 0.5
            else:
                x = np.fft.ifft(x, norm="ortho") + k
        return x

    assert_same(relax, COMPLEX[0, 0].copy(), 7)


WRONG = {
    "no points": lambda x: np.fft.fft(x, 0),
    "negative points": lambda x: np.fft.irfft(x, -3),
    "axis": lambda x: np.fft.fft(x, axis=3),
    "norm": lambda x: np.fft.ifft(x, norm="unit"),
    "axes and sizes": lambda x: np.fft.fftn(x, s=(2, 3), axes=(0,)),
    "real numbers": lambda x: np.fft.rfft(x + 1j),
    "out's shape": lambda x: np.fft.fft(x, out=np.zeros(3, complex)),
    "out's dtype": lambda x: np.fft.fft(x, out=np.zeros(x.shape)),
}


@pytest.mark.parametrize("mistake", WRONG)
def test_errors(mistake):
    raised = []
    for function in (WRONG[mistake], qn.compile(WRONG[mistake])):
        with pytest.raises((ValueError, TypeError, IndexError)) as caught:
            function(REAL[0])
        raised.append((type(caught.value), str(caught.value)))
    assert raised[0] == raised[1]


def test_an_overflow_is_heard():
    x = np.array([1e308, 1e308], dtype=complex)
    with pytest.warns(RuntimeWarning, match="overflow"):
        np.fft.fft(x)
    compiled = qn.compile(lambda x: np.fft.fft(x)[:1], fullgraph=True)
    with pytest.warns(RuntimeWarning, match="overflow"):
        compiled(x)


def test_refusals():
    compiled = qn.compile(lambda x: np.fft.fftn(x, s=(2, 3, 4)), fullgraph=True)
    with pytest.raises(
        qn.errors.UnsupportedError, match="a Fourier transform with `s` of None, or"
    ):
        compiled(REAL)
