"""Functions of one's own in C++ inside of compiled functions."""

import functools
import re
import threading

import numpy as np
import pytest

import quernel as qn
from own_functions import AXPY, SIGNATURE, compiled, inside
from quernel.errors import UnsupportedError


def test_a_call_is_a_node_of_the_graph(axpy):
    @compiled
    def f(x, y):
        return axpy(3.0, x + 1, y * 2).sum()

    x, y = np.arange(5.0), np.ones(5)
    assert f(x, y) == (3 * (x + 1) + 2 * y).sum()
    text = f.lower(x, y).text("cpp")
    assert re.search(r"call_user\(axpy_\w+, context, \{5\}, address_of<double>\(3\.0\), ", text)
    assert "quernel.user_call" in f.lower(x, y).text("quernel")
    assert "axpy" in str(f.explain(x, y))


def test_sizes_that_vary(axpy):
    @compiled
    def f(x, y):
        return axpy(2.0, x[1:], y[:-1]) + 1

    for n in (5, 6, 7, 2, 1):
        x = np.arange(float(n))
        np.testing.assert_array_equal(f(x, x), 2 * x[1:] + x[:-1] + 1)
    assert f.stats()["compiles"] <= 4


def test_arrays_in_other_orders(axpy):
    @compiled
    def f(a):
        return axpy(1.0, a[:, 1], a.T[0])

    for a in (np.arange(6.0).reshape(3, 2), np.asfortranarray(np.arange(6.0).reshape(3, 2))):
        np.testing.assert_array_equal(f(a), a[:, 1] + a[:, 0])
    a = np.arange(24.0).reshape(6, 4)[::2, ::2]
    np.testing.assert_array_equal(f(a), a[:, 1] + a[:, 0])


def test_sizes_are_compared_where_only_the_run_knows_them(axpy):
    @compiled
    def f(x, mask):
        return axpy(1.0, x, x[mask])

    x = np.arange(4.0)
    np.testing.assert_array_equal(f(x, np.ones(4, bool)), 2 * x)
    with pytest.raises(ValueError, match="of which axis 0 has 3 elements, not 4"):
        f(x, x > 0)


def test_in_loops_and_branches(axpy):
    @compiled
    def f(x, n):
        y = np.zeros(len(x))
        for i in range(n):
            if y.sum() < 20:
                y = axpy(float(i), x, y)
            else:
                y = axpy(-1.0, x, y)
                y += 1
        return y

    plain = f.__wrapped__
    for size in (3, 5, 8):
        for n in (0, 1, 30):
            x = np.arange(float(size))
            np.testing.assert_array_equal(f(x, n), plain(x, n))


def test_writes_are_seen(more):
    add_to = more.add_to

    @compiled
    def f(x, y):
        z = x * 2
        view = z[1:]
        add_to(view, y[1:])
        add_to(x, y)
        return z, x.sum()

    x, y = np.arange(4.0), np.ones(4)
    z, total = f(x, y)
    np.testing.assert_array_equal(z, [0, 3, 5, 7])
    np.testing.assert_array_equal(x, [1, 2, 3, 4])
    assert total == 10


def test_writes_in_loops(more):
    @compiled
    def f(a, y):
        for i in range(len(a)):
            more.add_to(a[i], y)
            more.add_to(a[i], a[i - 1])
        return a

    def plain(a, y):
        for i in range(len(a)):
            a[i] += y
            a[i] += a[i - 1]
        return a

    a = np.arange(12.0).reshape(4, 3)
    np.testing.assert_array_equal(f(a.copy(), np.ones(3)), plain(a.copy(), np.ones(3)))


def test_a_written_argument_that_is_not_contiguous(more):
    @compiled
    def f(a, y):
        more.add_to(a[:, 0], y)

    a = np.zeros((3, 2))
    f(a, np.arange(3.0))
    np.testing.assert_array_equal(a[:, 0], [0, 1, 2])


def test_results_of_every_kind_inside(more):
    @compiled
    def f(x, k, z, mask):
        rows, diagonal = more.split(k)
        padded = more.pad(x.astype(np.float32), 7)
        return (
            more.total(x) + rows,
            diagonal * 2,
            padded,
            more.conjugate(z[1:] * 1j),
            more.invert(mask, 1),
        )

    k = np.arange(9, dtype=np.int32).reshape(3, 3)
    z = np.array([1 + 2j, 3 - 1j, 2j])
    total, diagonal, padded, conjugate, inverted = f(np.ones(2), k, z, np.array([True, False]))
    assert total == 5
    assert type(total) is np.float64
    np.testing.assert_array_equal(diagonal, [0, 8, 16])
    np.testing.assert_array_equal(padded, [7, 1, 1, 7])
    np.testing.assert_array_equal(conjugate, np.conj(z[1:] * 1j))
    np.testing.assert_array_equal(inverted, [False, True])


def test_threads_inside(more):
    f = compiled(lambda a: more.rows(a * 2))
    a = np.random.default_rng(0).standard_normal((400, 30))
    np.testing.assert_allclose(f(a), 2 * a.sum(1), rtol=1e-12)


def test_a_status_is_an_exception_at_the_user_s_line(more):
    @compiled
    def f(x):
        return more.root(x - 1)

    np.testing.assert_array_equal(f(np.array([2.0, 5.0])), [1, 2])
    with pytest.raises(RuntimeError, match=re.escape("root() has returned 1")) as caught:
        f(np.array([0.0, 5.0]))
    assert caught.traceback[-1].name == "f"


def test_exceptions_are_caught_inside(axpy, more):
    root = more.root

    @compiled
    def f(x):
        try:
            return root(x)
        except RuntimeError:
            return x * 0

    np.testing.assert_array_equal(f(np.array([4.0])), [2])
    np.testing.assert_array_equal(f(np.array([-4.0])), [0])

    @compiled
    def g(x):
        try:
            return axpy(1.0, x, x[1:])
        except ValueError:
            return x

    np.testing.assert_array_equal(g(np.ones(3)), np.ones(3))


def test_calls_that_do_not_fit_raise_the_same_inside(axpy):
    x = np.ones(3)
    for function in (
        lambda x: axpy(1.0, x),
        lambda x: axpy(1.0, x, 1.0),
        lambda x: axpy(1.0, x, x.astype(np.float32)),
        lambda x: axpy(1.0, x, x[None]),
        lambda x: axpy(x, x, x),
        lambda x: axpy(1j, x, x),
        lambda x: axpy(1.0, x, x[1:]),
        lambda x: axpy(1.0, x, y=x),
    ):
        with pytest.raises((TypeError, ValueError)) as plain:
            function(x)
        with pytest.raises(plain.type, match=re.escape(str(plain.value))):
            qn.compile(function)(x)


def test_no_warnings_come_of_a_function(recwarn):
    text = "double f(double x) { return 1 / (x * 0); }"
    divide = qn.load(text, f="float64 -> float64")
    assert divide(2.0) == np.inf
    f = compiled(lambda x: divide(2.0) * x + 1)
    assert f(np.ones(1)).tolist() == [np.inf]
    assert not recwarn.list
    assert f.stats()["fallbacks"] == 0


def test_a_function_in_tasks(more):
    total = more.total

    @compiled
    def f(a):
        out = np.zeros(len(a))
        for i in range(len(a)):
            out[i] = total(a[i] + 1) + total(a[i, ::2])
        return out

    a = np.random.default_rng(0).standard_normal((64, 500))
    np.testing.assert_allclose(f(a), a.sum(1) + 500 + a[:, ::2].sum(1), rtol=1e-10)


def rows_apart(add_to, a, y):
    for i in range(len(a)):
        add_to(a[i], y)


def rows_that_wait(add_to, a, y):
    for i in range(1, len(a)):
        add_to(a[i], a[i - 1])


def rows_before(add_to, a, y):
    for i in range(len(a) - 1):
        add_to(a[i], a[i + 1])


def columns(add_to, a, y):
    for j in range(a.shape[1]):
        add_to(a[:, j], y[: len(a)])


def windows(add_to, a, y):
    for i in range(60):
        add_to(a.reshape(-1)[i * 10 : i * 10 + 100], y[:100])


def either_side(add_to, a, y):
    for i in range(len(a)):
        if a[i, 0] > 0:
            add_to(a[i], y)
        else:
            add_to(a[i], -y)


def exchanged(add_to, a, y):
    p, q = a[0].copy(), a[1].copy()
    for _ in range(7):
        add_to(p, q)
        p, q = q, p
    a[0], a[1] = p, q


@pytest.mark.parametrize(
    "function",
    [rows_apart, rows_that_wait, rows_before, columns, windows, either_side, exchanged],
)
def test_turns_that_write_wait_for_each_other_where_they_have_to(more, function):
    rng = np.random.default_rng(0)
    a, y = rng.standard_normal((64, 2000)), rng.standard_normal(2000)
    expected = a.copy()
    function(more.add_to, expected, y)
    compiled(function)(more.add_to, a, y)
    np.testing.assert_array_equal(a, expected)


def test_equal_calls_are_shared_and_unused_ones_left_out(more):
    @compiled
    def f(x):
        more.conjugate(x * 1j)
        return more.total(x), more.total(x)

    x = np.arange(3.0)
    assert f(x) == (3, 3)
    assert f.lower(x).text("cpp").count("call_user(") == 2  # one is the function itself


def test_a_loop_that_hands_on_what_a_function_writes(more):
    add_to = more.add_to

    def plain(x, y, n):
        old = x.copy()
        while n > 0:
            add_to(x, y)
            if n % 2:
                add_to(y, old)
            n -= 1
        return x + y, old

    for n in (0, 1, 6):
        x, y = np.arange(5.0), np.ones(5)
        expected = plain(x.copy(), y.copy(), n)
        for result, wanted in zip(compiled(plain)(x, y, n), expected, strict=True):
            np.testing.assert_array_equal(result, wanted)


def test_a_function_may_be_an_argument(axpy):
    @compiled
    def f(function, x):
        return function(1.0, x, x)

    np.testing.assert_array_equal(f(axpy, np.ones(2)), [2, 2])


def test_wherever_a_function_is_kept(axpy):
    class Model:
        plain = staticmethod(axpy)

        def __init__(self):
            self.own = axpy

        def step(self, x, given=axpy):
            return self.plain(1.0, x, x) + self.own(2.0, x, x) + given(3.0, x, x)

    model, bound = Model(), functools.partial(axpy, 4.0)
    x = np.arange(3.0)
    np.testing.assert_array_equal(compiled(lambda x: model.step(x) + bound(x, x))(x), 14 * x)
    np.testing.assert_array_equal(
        compiled(lambda x, functions: [one(1.0, x, x) for one in functions])(x, (axpy, axpy)),
        [2 * x, 2 * x],
    )


def test_a_function_that_is_replaced(axpy):
    namespace = {"axpy": axpy}
    f = compiled(lambda x: namespace["axpy"](1.0, x, x))
    np.testing.assert_array_equal(f(np.ones(2)), [2, 2])
    minus = AXPY.replace("+ y", "- y")
    namespace["axpy"] = qn.load(minus, axpy=SIGNATURE)
    np.testing.assert_array_equal(f(np.ones(2)), [0, 0])


def test_other_threads_run_meanwhile():
    text = """
    double wait(qn::array<const int64_t, 1> flag) {
      const volatile int64_t *seen = flag.data;
      for (int64_t turn = 0; turn < 4000000000; ++turn)
        if (*seen)
          return 1;
      return 0;
    }
    """
    wait = qn.load(text, wait="int64[n] -> float64")
    f = inside(wait)
    f(np.ones(2, np.int64))
    for function in (wait, f):
        flag = np.zeros(2, np.int64)
        timer = threading.Timer(0.05, flag.__setitem__, (0, 1))
        timer.start()
        assert function(flag) == 1
        timer.join()


def test_a_gpu_runs_no_functions_in_cpp(axpy):
    f = compiled(lambda x: axpy(1.0, x, x))
    with pytest.raises(UnsupportedError, match=r"`axpy_\w+`, a function in C\+\+"):
        f.lower(np.ones(3)).text("cuda")
