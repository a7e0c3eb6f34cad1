"""Sizes as Python holds them: one form for each, made and compared by the compiler."""

from __future__ import annotations

import signal

import numpy as np
import pytest

import quernel
from quernel import _compiler


@pytest.fixture
def graph():
    return _compiler.Graph("f")


def count(graph, most=None):
    """A size that only data say."""
    value = graph.constant((1).to_bytes(8, "little"), "int64", [])
    return graph.symbol_of(value, 0, most, "count")


def test_equal_sizes_have_one_form(graph):
    n, m = graph.symbol("n", 10), graph.symbol("m", 20)
    assert (n + m) * 2 - m == m + 2 * n
    assert hash((n + m) * 2 - m) == hash(m + 2 * n)
    assert n not in (m, 10) and n - n + 6 == 6
    assert (n - 1) // 2 == (n + 1) // 2 - 1
    assert (4 * n + 5) // 4 == n + 1
    assert {n * m: 1}[m * n] == 1


def test_sizes_of_other_graphs_differ(graph):
    assert graph.symbol("n", 10) != _compiler.Graph("f").symbol("n", 10)


def test_sizes_name_their_symbols(graph):
    n, m = graph.symbol("n", 10), graph.symbol("m", 20)
    assert n.symbols == (0,) and ((n + 3 * m) // 2).symbols == (0, 1)


def test_sums_of_pieces_are_counted_as_strided_slices_are(graph):
    n = graph.symbol("n", 10)
    array = graph.argument("x", "float64", [n])
    parts = graph.op("reduce", [array], {"kind": "sum", "axes": [0], "chunk": 8})
    assert parts[0].shape == ((n + 7) // 8,)


def test_constants_of_more_than_64_bits_are_refused(graph):
    n = graph.symbol("n", 10)
    for compute in (
        lambda: n * 2**40 * 2**40,
        lambda: n + (2**63 - 1) + 1,
        lambda: (n * 2**62) * (n * 2**62),
        lambda: (n * 2**62 + n * 2**62) // 3,
        lambda: n + 2**64,
    ):
        with pytest.raises(OverflowError):
            compute()


def test_bounds_give_the_most(graph):
    n = graph.symbol("n", 10)
    few, free = count(graph, n - 1), count(graph)
    assert graph.most(few) == n - 1
    assert graph.most(2 * few + n) == 3 * n - 2
    assert graph.most((few + 1) // 2) == n // 2
    assert graph.most(n - few) == n
    assert graph.most(few * few) == (n - 1) * (n - 1)
    assert graph.most(free) is None and graph.most(few - free) == n - 1
    graph.limit(free, 7)
    assert graph.most(free + few) == n + 6
    graph.limit(free, 3)  # the first bound stays
    assert graph.most(free) == 7


def test_the_most_of_sizes_that_are_made_of_each_other_is_asked_once(graph):
    n = graph.symbol("n", 10)
    size = n
    for _ in range(40):
        size = size + count(graph, size)
    assert graph.most(size) == 2**40 * n


def test_an_array_of_chosen_parts_has_room_for_both():
    def f(x, y):
        return np.concatenate((x[x > 0], y[y > 1]))

    x = np.arange(-3.0, 4.0)
    np.testing.assert_array_equal(quernel.compile(f, fullgraph=True)(x, x), f(x, x))


def test_a_missing_output_ends_the_program_at_its_line():
    def f(x, n):
        x[0] = 7
        r = np.zeros((n, 3))
        r[0, 0] = x[1]
        return r

    x = np.arange(3.0)
    line = f.__code__.co_firstlineno + 2
    for compiled in (quernel.compile(f), quernel.compile(f, dynamic=True)):
        x[0] = 0
        with pytest.raises(
            MemoryError, match=r"array with shape \(\d+, 3\) and data type"
        ) as raised:
            compiled(x, 2**50)
        assert raised.traceback[-1].lineno + 1 == line
        assert x[0] == 7


def test_an_output_that_is_not_needed_may_be_missing():
    def f(x, n):
        if x[0] > 0:
            return np.zeros(n)
        return x

    x = np.arange(3.0)
    compiled = quernel.compile(f, fullgraph=True)
    assert compiled(x, 2**50) is x
    x[0] = 1
    with pytest.raises(MemoryError):
        compiled(x, 2**50)


def test_the_users_own_error_comes_first():
    def f(k):
        n = k[0]
        if n > 10:
            raise ValueError("too many")
        return np.ones((n, n)).sum()

    def g(k):
        for i in range(3):
            if k[i] > 10:
                raise ValueError("too many")
            t = np.zeros((k[0], k[0]))
            t[0] = i
        return t[0, 0]

    for function in (f, g):
        with pytest.raises(ValueError, match="too many"):
            quernel.compile(function, fullgraph=True)(np.array([2**40, 1, 1]))


def test_a_loop_without_turns_needs_no_memory():
    def f(k):
        s = 0.0
        for i in range(k[1]):
            t = np.zeros((k[0], k[0]))
            t[i, 0] = i + 1
            s += t[i, 0]
        return s

    compiled = quernel.compile(f, fullgraph=True)
    assert compiled(np.array([2**40, 0])) == 0.0
    assert compiled(np.array([3, 2])) == f(np.array([3, 2]))
    with pytest.raises(ValueError, match="array is too big"):
        compiled(np.array([2**40, 1]))


@pytest.fixture
def alarm():
    """An exception after some seconds, which ends a program that would never end."""

    def stop(*_):
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 60)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.usefixtures("alarm")
@pytest.mark.parametrize("make", [np.zeros, np.empty], ids=lambda make: make.__name__)
def test_nobody_waits_for_elements_that_numpy_does_not_make(make):
    @quernel.compile(fullgraph=True)
    def f(x, n):
        for i in range(int(x[0])):
            x[1] = i + 5
            x[2] = np.sum(make(n) * 0)

    for n in (2, 3):
        f(np.ones(3), n)
    x = np.zeros(3)
    f(x, 2**62)
    assert x.tolist() == [0, 0, 0]
    x[0] = 2
    with pytest.raises(ValueError, match="array is too big"):
        f(x, 2**62)
    assert x.tolist() == [2, 5, 0]


@pytest.mark.parametrize(
    "shape", [(2**60, 8), (2**33, 2**30), (2**31, 2**30), (2**61, 1), (2**63 - 1, 2)]
)
def test_arrays_of_more_bytes_than_can_be_counted(shape):
    def stored(n, m):
        return np.zeros((n, m))

    def virtual(n, m):
        return np.ones((n, m))[0, 0]

    def dynamic(k):
        return np.ones((k[0], k[1]))[0, 0]

    for function in (stored, virtual):
        with pytest.raises(ValueError, match="array is too big"):
            quernel.compile(function)(*shape)
    with pytest.raises(ValueError, match="array is too big"):
        quernel.compile(dynamic, fullgraph=True)(np.array(shape))


PARTS = {
    "matmul": lambda x, y: x[x > 0] @ y[y < 0],
    "dot": lambda x, y: np.dot(x[x > 0], y[y < 0]),
    "inner": lambda x, y: np.inner(x[x > 0], y[y < 0]),
    "vdot": lambda x, y: np.vdot(x[x > 0], y[y < 0]),
    "rows": lambda x, y: (np.outer(x, x[x > 0]) @ y[y < 0]).sum(),
    "tensordot": lambda x, y: np.tensordot(x[x > 0], y[y < 0], 1),
    "concatenate": lambda x, y: np.concatenate((x[x > 0][:, None], y[y < 0][:, None]), 1),
    "stack": lambda x, y: np.stack((x[x > 0], y[y < 0]), 1),
    "add": lambda x, y: x[x > 0] + y[y < 0],
}


def outcome(function, *args):
    try:
        return function(*args).tolist()
    except ValueError as error:
        return str(error)


@pytest.mark.parametrize("name", PARTS)
def test_sizes_that_data_say_are_compared_when_the_program_runs(name):
    x = np.array([1.0, -2, 3, -1, 2])
    compiled = quernel.compile(PARTS[name], fullgraph=True)
    assert outcome(compiled, x, -x) == outcome(PARTS[name], x, -x)
    assert outcome(compiled, x, x) == outcome(PARTS[name], x, x)


NEGATIVE = {
    "eye": lambda n, x: np.eye(n, 3).sum(),
    "eye_columns": lambda n, x: np.eye(3, n).sum(),
    "identity": lambda n, x: np.identity(n).sum(),
    "tri": lambda n, x: np.tri(n, 3).sum(),
    "repeat": lambda n, x: np.repeat(x, n).sum(),
    "tile": lambda n, x: np.tile(x, (n, 2)).sum(),
    "indices": lambda n, x: np.indices((n, 2)).sum(),
    "broadcast_to": lambda n, x: np.broadcast_to(x, (n, 3)).sum(),
    "zeros": lambda n, x: np.zeros((n, 2)).sum(),
}


@pytest.mark.parametrize("name", NEGATIVE)
def test_sizes_below_zero(name):
    x = np.arange(3.0)

    def of_data(k, x):
        return NEGATIVE[name](k[0], x)

    compiled = quernel.compile(of_data)
    for n in (2, -1, 0):
        assert outcome(compiled, np.array([n]), x) == outcome(NEGATIVE[name], n, x)
        assert outcome(quernel.compile(NEGATIVE[name]), n, x) == outcome(NEGATIVE[name], n, x)
