"""Arrays of every layout as arguments, and arguments that are written."""

from __future__ import annotations

import numpy as np
import pytest
from support import DTYPES, assert_same, check, sample

import quernel as qn


def layouts() -> dict[str, np.ndarray]:
    base = sample("float64", (6, 4))
    wide = sample("float64", (12, 8))
    unaligned = np.frombuffer(b"x" + base.tobytes(), np.uint8)[1:].view(np.float64).reshape(6, 4)
    record = np.zeros((6, 4), dtype=[("tag", "i1"), ("v", "f8")])
    record["v"] = base
    frozen = base.copy()
    frozen.flags.writeable = False
    return {
        "C": base,
        "Fortran": np.asfortranarray(base),
        "sliced": wide[::2, 1::2],
        "negative": base[::-1, ::-1],
        "broadcast": np.broadcast_to(base[0], (6, 4)),
        "read-only": frozen,
        "unaligned": unaligned,
        "byte-swapped": base.astype(">f8"),
        "packed record": record["v"],
        "zero-size": base[:0],
        "long long": np.arange(24, dtype=np.longlong).reshape(6, 4),
        "one element": base[:1, :1],
        "transposed": sample("float64", (4, 6)).T,
    }


@pytest.mark.parametrize("name", layouts())
def test_layouts(name: str) -> None:
    x = layouts()[name]

    def compute(x):
        return x * 2 + x[:, :1], x.sum(axis=0), x.T[::-1] + 1, np.sqrt(np.abs(x)).ravel()

    check(compute, x, scale=1e-14)


def test_zero_dimensional_arrays() -> None:
    for dtype in DTYPES:
        x = np.array(1, dtype)
        check(lambda x: (x + x, x.sum(), x[()], x[None] * 2, x.reshape(1), np.sqrt(x * 1.0)), x)


def test_layouts_share_a_function() -> None:
    compiled = qn.compile(lambda x: x + 1, fullgraph=True)
    for _ in range(2):
        for x in layouts().values():
            assert_same(compiled(x), compiled.__wrapped__(x))
    assert compiled.stats()["fallbacks"] == 0


def smooth(x, y):
    x[1:-1] += 0.5 * y[1:-1]
    x[0] = y[-1]
    x[y > 1] = 7.0
    x *= 2
    view = x[::2]
    view[...] = view + 1
    np.add(x, 1, out=x)
    return x.sum()


@pytest.mark.parametrize("transform", [lambda x: x, lambda x: x[::-1], lambda x: x[::2]])
def test_written_arguments(transform) -> None:
    compiled = qn.compile(smooth, fullgraph=True)
    for seed in range(3):
        x, y = sample("float64", (12,), seed), sample("float64", (12,), seed + 9)
        a, b = transform(x.copy()), transform(x.copy())
        y = np.ascontiguousarray(transform(y))
        assert_same(compiled(a, y), smooth(b, y), scale=1e-14)
        np.testing.assert_array_equal(a, b)
    assert compiled.stats()["fallbacks"] == 0


def test_views_see_later_writes() -> None:
    def f(x):
        rows, columns = x[1:], x.T
        before = x.copy()
        x[1, 2] = 5.0
        columns[0] += 1
        rows[:, ::-1][0] = 3
        return rows * 1, columns * 1, before, x.reshape(-1)[3:].sum()

    x = sample("float64", (3, 4))
    a, b = x.copy(), x.copy()
    assert_same(qn.compile(f, fullgraph=True)(a), f(b), scale=1e-15)
    np.testing.assert_array_equal(a, b)


def test_writes_into_new_arrays() -> None:
    def f(x):
        y = np.zeros((4, 4))
        y[1:3, ::2] = x
        y[0] = [1, 2, 3, 4]
        y[3, 3] = np.sqrt(x[0, 0] ** 2)
        z = np.empty_like(x, dtype=int)
        z[...] = x * 10
        z[z > 3] = -1
        z.fill(2) if x.shape[0] == 1 else None
        y **= 2
        return y, z

    check(f, sample("float64", (2, 2)))


def test_the_written_argument_comes_back_itself() -> None:
    @qn.compile(fullgraph=True)
    def f(x):
        x += 1
        return x, x[1:]

    x = np.zeros(4)
    for k in (1, 2):
        same, part = f(x)
        assert same is x
        assert np.shares_memory(part, x)
        assert x.tolist() == [k] * 4


def test_read_only_arguments_raise_as_in_numpy() -> None:
    def f(x):
        x[0] = 1
        return x

    x = np.zeros(3)
    x.flags.writeable = False
    with pytest.raises(ValueError, match="assignment destination is read-only"):
        qn.compile(f, fullgraph=True)(x)


@pytest.mark.parametrize(
    "write",
    [
        lambda x: x.fill(1),
        lambda x: x.sort(),
        lambda x: x.partition(1),
        lambda x: x.put([0], 1),
        lambda x: x.byteswap(inplace=True),
        lambda x: np.putmask(x, x > 1, 1),
        lambda x: np.copyto(x, 1),
        lambda x: np.add(x, 1, out=x),
        lambda x: x.cumsum(out=x),
        lambda x: np.fill_diagonal(x.reshape(2, 2), 1),
        lambda x: np.fill_diagonal(x.reshape(2, 2, 1)[:, :, [0, 0]], 1),
        lambda x: x.flat.__setitem__(0, 1),
        lambda x: np.random.default_rng(0).shuffle(x),
        lambda x: np.nan_to_num(x, copy=False),
        lambda x: x.__setitem__(x > 1, 1),
        lambda x: x.__setitem__([0, 1], 1),
        lambda x: x.__iadd__(1),
    ],
)
def test_what_writes_to_a_read_only_argument_says_so_in_its_own_words(write) -> None:
    def compute(x):
        try:
            write(x)
        except ValueError as error:
            return str(error)
        return ""

    x = np.arange(4.0)
    x.flags.writeable = False
    assert qn.compile(compute, fullgraph=True)(x) == compute(x)


def test_written_arguments_that_overlap() -> None:
    def f(x, y):
        x[1:] += y[:-1]
        return y.sum()

    compiled = qn.compile(f)
    x, z = np.arange(5.0), np.arange(5.0)
    assert_same(compiled(x, z.copy()), f(np.arange(5.0), z.copy()))
    a, b = np.arange(5.0), np.arange(5.0)
    assert_same(compiled(a, a), f(b, b))
    np.testing.assert_array_equal(a, b)
    assert compiled.stats()["fallbacks"] == 0
    assert_same(compiled(a, a.view(np.int64)), f(b, b.view(np.int64)))
    np.testing.assert_array_equal(a, b)
    assert compiled.stats()["fallbacks"] == 0
    with pytest.warns(qn.FallbackWarning, match="share memory"):
        got = compiled(a, a.view(np.int32)[:5])
    assert_same(got, f(b, b.view(np.int32)[:5]))
    np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("name", ["unaligned", "byte-swapped"])
def test_written_arguments_that_need_a_copy(name: str) -> None:
    def f(x):
        x += 1
        return x

    a, b = layouts()[name].copy(), layouts()[name].copy()
    if name == "unaligned":
        raw = bytearray(b"x" + b.tobytes())
        a = np.frombuffer(raw, np.uint8)[1:].view(np.float64)
        b = b.ravel()
    text = "`x` is unaligned or byte-swapped, and the function writes or returns an argument, "
    with pytest.warns(qn.FallbackWarning, match=text) as caught:
        assert qn.compile(f)(a) is a
    assert "(instead: convert it first: np.array(x, 'float64'))" in str(caught[0].message)
    np.testing.assert_array_equal(a, f(b))


def test_subclasses_and_other_dtypes_fall_back() -> None:
    compiled = qn.compile(lambda x: x + x)
    for x in (np.ma.array([1.0, 2.0], mask=[0, 1]), np.array([1 + 2j]), np.array(["a"], object)):
        with pytest.warns(qn.FallbackWarning) if not compiled.stats()["fallbacks"] else Nothing():
            assert type(compiled(x)) is type(x)


class Nothing:
    def __enter__(self) -> None: ...
    def __exit__(self, *details: object) -> None: ...
