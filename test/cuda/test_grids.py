"""Grids of several axes, and packs of 16 bytes, on the emulated device: values are NumPy's."""

import pytest

BEGIN = """
import numpy as np
import quernel as qn

RNG = np.random.default_rng(5)

def agree(function, *arrays, dynamic=True):
    compiled = qn.compile(function, fullgraph=True, dynamic=dynamic)
    given = [qn.to_device(array) for array in arrays]
    compare(compiled(*given), function(*arrays))
    for one, other in zip(given, arrays):
        np.testing.assert_array_equal(one.to_host(), other)

def compare(answers, expected):
    if not isinstance(expected, tuple):
        answers, expected = (answers,), (expected,)
    for answer, value in zip(answers, expected, strict=True):
        answer = answer.to_host()
        assert answer.dtype == value.dtype and answer.shape == value.shape, (answer, value)
        np.testing.assert_allclose(answer, value, rtol=1e-5, atol=1e-4)

def numbers(*shape, dtype=np.float32):
    return (RNG.normal(size=shape) * 50).astype(dtype)
"""


@pytest.mark.parametrize("dynamic", [False, True])
def test_shapes_of_rows(run, dynamic) -> None:
    run(f"""
def turned(x):
    return x.T + 1

def centred(x):
    return x - x[:, :1]

SHAPES = (1, 1), (1, 300), (300, 1), (7, 33), (33, 7), (5, 64), (3, 257), (70000, 3), (3, 70000)
for shape in SHAPES:
    x = numbers(*shape)
    agree(turned, x, dynamic={dynamic})
    agree(centred, x, dynamic={dynamic})
""")


@pytest.mark.parametrize("dynamic", [False, True])
def test_more_axes(run, dynamic) -> None:
    run(f"""
def turned(x):
    return np.transpose(x)[..., ::-1] * 2

def added(x):
    return x + x[..., :1]

for shape in ((2, 3, 4), (1, 70, 1), (5, 1, 66), (70, 2, 3), (0, 4, 5), (4, 0, 5), (4, 5, 0),
              (2, 3, 4, 5), (3, 1, 2, 70), (2, 2, 0, 3), (2, 3, 2, 3, 2), (1, 2, 1, 2, 1, 65)):
    x = numbers(*shape)
    agree(turned, x, dynamic={dynamic})
    if x.shape[-1]:
        agree(added, x, dynamic={dynamic})
""")


def test_more_rows_than_blocks_along_an_axis(run) -> None:
    run("""
def added(x):
    return x[:, ::2] + x[:, 1::2]

agree(added, numbers(600000, 2))
agree(added, numbers(70000, 2, 1))
""")


def test_reductions_beside_other_axes(run) -> None:
    run("""
def reduced(x):
    return x.sum(axis=1), x.max(axis=0), x.min(axis=2), x.sum(axis=-1)

for shape in ((3, 5, 40), (40, 3, 2), (1, 70, 33), (9, 1, 100)):
    agree(reduced, numbers(*shape))
""")


@pytest.mark.parametrize("dynamic", [False, True])
def test_packs_of_each_type(run, dynamic) -> None:
    run(f"""
def mixed(x, y):
    return x * 2 + y, x > y, -y

for one in (np.float64, np.float32, np.float16, np.int64, np.int32, np.int16, np.uint8):
    for other in (np.float32, np.int8, np.float64):
        for count in (64, 65, 71, 257, 1000):
            agree(mixed, numbers(count, dtype=one), numbers(count, dtype=other), dynamic={dynamic})

def logic(a, b):
    return a & ~b, np.where(a, 3, 4)

agree(logic, numbers(1001) > 0, numbers(1001) > 9, dynamic={dynamic})
""")


def test_views_that_begin_anywhere(run) -> None:
    run("""
def scaled(x, y):
    return x * 3 + y

compiled = qn.compile(scaled, fullgraph=True)
for dtype in (np.float32, np.float64, np.int8):
    x, y = numbers(400, dtype=dtype), numbers(400, dtype=dtype)
    on_device, other = qn.to_device(x), qn.to_device(y)
    for begin in range(5):
        for behind in (0, 1, begin):
            view, beside = slice(begin, begin + 301), slice(behind, behind + 301)
            compare(compiled(on_device[view], other[beside]), scaled(x[view], y[beside]))

    x, y = numbers(9, 130, dtype=dtype), numbers(9, 130, dtype=dtype)
    on_device, other = qn.to_device(x), qn.to_device(y)
    for begin in range(4):
        for end in (130, 129, 127):
            view, beside = np.s_[:, begin:end], np.s_[::-1, :end - begin]
            compare(compiled(on_device[view], other[beside]), scaled(x[view], y[beside]))
    for view, beside in ((np.s_[:, ::2], np.s_[:, :65]), (np.s_[:, ::-1], np.s_[:, ::-1])):
        compare(compiled(on_device[view], other[beside]), scaled(x[view], y[beside]))
""")


def test_arrays_that_are_written(run) -> None:
    run("""
def halved(x, y):
    x *= 0.5
    y[1:] = x[:-1]
    x[1:] += 1

compiled = qn.compile(halved, fullgraph=True)
for begin in range(4):
    x, y = numbers(300), numbers(300)
    on_device, other = qn.to_device(x), qn.to_device(y)
    compiled(on_device[begin:], other[begin:])
    halved(x[begin:], y[begin:])
    np.testing.assert_array_equal(on_device.to_host(), x)
    np.testing.assert_array_equal(other.to_host(), y)
""")


@pytest.mark.parametrize("dynamic", [False, True])
def test_packs_of_several_elements_of_a_turn(run, dynamic) -> None:
    run(f"""
def nearest(x, means):
    return np.argmin(np.linalg.norm(x - means[:, None], axis=2), axis=0)

def lengths(x):
    return np.sqrt((x * x).sum(axis=1)), x.max(axis=1)

def grey(x):
    return x[..., 0] * np.float32(.3) + x[..., 1] * np.float32(.6) + x[..., 2] * np.float32(.1)

def halves(x):
    return x[:, ::2] - x[:, 1::2], x[:, 1] - x[:, 0]

def ends(x):
    return x[:, 0] + x[:, 2]

def multiplied(x, y):
    return x * y + 1, (x * x.conj()).real

def stacked(x):
    return np.stack([x, x * 2, x + 3], axis=-1)

def in_place(x):
    y = x + 0
    y[:, 1] *= 2
    y[:, 0] += y[:, 1]
    return y

for n in (64, 300, 1001):
    agree(nearest, numbers(n, 2), numbers(2, 2), dynamic={dynamic})
    agree(nearest, numbers(n, 3).astype(float), numbers(2, 3).astype(float), dynamic={dynamic})
    for width in (2, 3, 4, 5):
        agree(lengths, numbers(n, width), dynamic={dynamic})
        agree(lengths, (numbers(n, width) / 10).astype(np.int16), dynamic={dynamic})
    agree(grey, numbers(n, 3), dynamic={dynamic})
    agree(grey, numbers(10, n, 3), dynamic={dynamic})
    agree(ends, numbers(n, 3), dynamic={dynamic})
    agree(halves, numbers(n, 2), dynamic={dynamic})
    agree(in_place, numbers(n, 2), dynamic={dynamic})
    agree(stacked, numbers(n), dynamic={dynamic})
    agree(stacked, numbers(5, n).astype(np.int8), dynamic={dynamic})
    for dtype in (np.complex64, np.complex128):
        x = (numbers(n) + 1j * numbers(n)).astype(dtype)
        agree(multiplied, x, x[::-1].copy(), dynamic={dynamic})
whole = qn.to_device(numbers(1001, 2))
for part in (whole[1:], whole[::2], whole[:, ::-1], whole[3:700]):
    compare(qn.compile(lengths, fullgraph=True, dynamic={dynamic})(part), lengths(part.to_host()))
""")


@pytest.mark.parametrize("dynamic", [False, True])
def test_threads_of_several_rows(run, dynamic) -> None:
    run(f"""
def stencil(x):
    return x[1:-1, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:] + x[2:, 1:-1] + x[:-2, 1:-1]

def gradient(x):
    return x[1:] - x[:-1], x[1:, ::-1] * x[0, ::-1]

def shifted(x):
    y = x + 1
    y[1:-1] = y[1:-1] * 2 + x[2:] - x[:-2]
    return y

def box(x):
    rows = x[:, :, :-2] + x[:, :, 1:-1] + x[:, :, 2:]
    planes = rows[:, :-2] + rows[:, 1:-1] + rows[:, 2:]
    return planes[:-2] + planes[1:-1] + planes[2:]

for shape in [(3, 3, 3), (4, 9, 40)] if {dynamic} else [(83, 84, 91)]:
    agree(box, numbers(*shape, dtype=np.float32), dynamic={dynamic})

SMALL, LARGE = [(3, 3), (6, 40), (7, 200), (40, 5)], [(725, 725), (726, 730), (5, 200000)]
SHAPES = SMALL if {dynamic} else LARGE
for shape in SHAPES:
    x = numbers(*shape)
    for function in (stencil, gradient, shifted):
        agree(function, x, dynamic={dynamic})
        agree(function, x.T, dynamic={dynamic})
""")
