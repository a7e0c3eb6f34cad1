"""`np.partition` and `np.argpartition`: all elements where NumPy leaves them."""

import numpy as np
import pytest
from support import DTYPES, assert_same

import quernel as qn


def in_place(x, m):
    y = x.copy()
    y.partition(7)
    m.partition(2, axis=0)
    return y


def in_a_loop(x, m):
    nearest = np.empty((5, 3), int)
    for k in range(5):
        nearest[k] = np.argpartition(m[k], 3)[:3]
    return nearest


CALLS = {
    "values": lambda x, m: np.partition(x, 10),
    "places": lambda x, m: np.argpartition(x, 10),
    "several": lambda x, m: np.partition(m, (3, -2), axis=0),
    "rows": lambda x, m: np.argpartition(m, [3, 7], axis=1),
    "flat": lambda x, m: np.argpartition(m, 5, axis=None)[:5],
    "greatest": lambda x, m: np.argpartition(x, -5)[-5:],
    "computed": lambda x, m: np.partition(m, len(m) - 1, axis=0),
    "of nothing": lambda x, m: (np.partition(x[:0], 0), np.argpartition(m[:, :0], 0)),
    "method": lambda x, m: x.argpartition(3, kind="introselect"),
    "by an array": lambda x, m: np.partition(x, np.array([3, 4])),
    "by data": lambda x, m: np.partition(m, np.argmax(m[0]) % 7),
    "Fortran": lambda x, m: np.partition(m.T, 3),
    "in place": in_place,
    "in a loop": in_a_loop,
}


def arrays(dtype):
    random = np.random.default_rng(0)
    x, m = (50 * random.standard_normal(shape) for shape in (1000, (30, 40)))
    if dtype[0] == "f":
        x[5] = np.nan
    return x.astype(dtype), m.astype(dtype)


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_partition(name, dtype):
    given, expected = arrays(dtype), arrays(dtype)
    want = CALLS[name](*expected)
    assert_same(qn.compile(CALLS[name], fullgraph=True)(*given), want)
    assert_same(given, expected)


@pytest.mark.parametrize("kth", [30, (2, -31), 1.5, [[1]], None])
def test_positions_that_numpy_refuses(kth):
    x = np.arange(30.0)
    with pytest.raises((ValueError, TypeError)) as wanted:
        np.partition(x, kth)
    with pytest.raises(type(wanted.value)) as raised:
        qn.compile(lambda x: np.partition(x, kth), fullgraph=True)(x)
    assert str(raised.value) == str(wanted.value)


@pytest.mark.filterwarnings("ignore::quernel.FallbackWarning")
def test_a_position_of_the_data_that_isnt_there():
    compiled = qn.compile(lambda x, k: np.partition(x, k[0]))
    assert_same(compiled(np.arange(5.0), np.array([2])), np.arange(5.0))
    with pytest.raises(ValueError, match=r"^kth\(=7\) out of bounds \(5\)$"):
        compiled(np.arange(5.0), np.array([7]))


def test_many_rows_in_several_threads():
    m = np.random.default_rng(0).standard_normal((2000, 50))
    call = lambda m: np.argpartition(m, 5, axis=1)  # noqa: E731
    assert_same(qn.compile(call, fullgraph=True, threads=4)(m), call(m))
