"""Functions with a statement that only Python can run: the rest is compiled around it."""

import struct
import time
import warnings

import numpy as np
import pytest

import quernel as qn
from quernel.errors import UnsupportedError


def check(function, *args, compiles, **kwargs):
    """Compare two calls with NumPy, and the arguments after them; gives the compiled function."""
    compiled = qn.compile(function)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(2):
            ours, theirs = (
                [np.copy(a) if isinstance(a, np.ndarray) else a for a in args] for _ in "ab"
            )
            got, expected = compiled(*ours, **kwargs), function(*theirs, **kwargs)
            np.testing.assert_equal(got, expected)
            np.testing.assert_equal(ours, theirs)
    assert {w.category for w in caught} == {qn.FallbackWarning}
    stats = compiled.stats()
    assert (stats["compiles"], stats["fallbacks"]) == (compiles, 2)
    return compiled


def printing(x, y):
    z = x * 2 + y
    print("sum", z.sum())
    w = z * z
    print("last", w[-1])
    return w + x


def test_print_between_statements(capsys):
    x, y = np.arange(4.0), np.ones(4)
    check(printing, x, y, compiles=3)
    assert capsys.readouterr().out == "sum 16.0\nlast 49.0\n" * 4


def timed(x, n):
    total = np.zeros(n)
    for k in range(n):
        total[k] = x[k] * 2
    time.sleep(time.time() * 0)
    for k in range(n):
        total[k] += 1
    return total


def test_clock():
    check(timed, np.arange(5.0), 5, compiles=2)


def writing(x, path, scale=2.0, *, shift=1.0):
    y = x * scale + shift
    with open(path, "w") as file:
        file.write(repr(y.tolist()))
    return y.sum() + shift


def test_file(tmp_path):
    path = str(tmp_path / "numbers")
    check(writing, np.arange(3.0), path, compiles=2, shift=3.0)
    with open(path) as file:
        assert file.read() == "[3.0, 5.0, 7.0]"


def changed(x):
    y = x + 1
    struct.pack_into("d", y, 0, 9.0)
    struct.pack_into("d", x, 8, 7.0)
    return y * 2 + x


def test_foreign_function_that_writes_arrays():
    check(changed, np.arange(3.0), compiles=2)


def changed_through_a_view(x):
    y = x + 1
    view = y[1:]
    struct.pack_into("d", y, 8, 9.0)
    return view * 2


def test_views_of_results_stay_views():
    check(changed_through_a_view, np.arange(4.0), compiles=2)


def same_memory(x):
    y = x + 1
    view, same = y[::-2], y
    struct.pack_into("d", y, 8, 9.0)
    return view * 2 + y[0], same * 3


def test_results_that_share_memory_are_handed_on():
    check(same_memory, np.arange(6.0)[:5], compiles=2)


def changed_argument(x):
    y, view = x, x[1:]
    view *= 2
    struct.pack_into("d", y, 8, 9.0)
    return view + x[0] * 2


def test_views_of_arguments_stay_views():
    check(changed_argument, np.arange(1.0, 5.0), compiles=2)


def looping(x, count):
    y = x * 2
    for k in range(count):
        struct.pack("d", k)
        y = y + k
    return y * y


def test_loop_around_a_foreign_call_runs_in_python():
    check(looping, np.arange(4.0), 3, compiles=3)


def counted(x):
    total = 0.0
    for k in range(x.size):
        total += x[k]
    struct.pack("d", total)
    for k in range(x.size):
        total += x[k] * k
    return total


def test_variables_of_loops():
    check(counted, np.arange(4.0), compiles=2)


def perhaps(x, flag):
    if flag:
        y = x * 2
    struct.pack("d", 1.0)
    return y + 1


def test_variables_that_are_perhaps_unbound():
    check(perhaps, np.arange(4.0), True, compiles=1)
    with pytest.raises(UnboundLocalError):
        qn.compile(perhaps)(np.arange(4.0), False)


def early(x, flag):
    y = x * 2
    if flag:
        struct.pack("d", 1.0)
        return y
    return y + 1


def test_return_amid_the_statement_itself():
    check(early, np.arange(4.0), True, compiles=1)


def changing(x, limits):
    y = x * 2
    limit = limits.pop()
    return y * 3, limit > 2.5


def test_numbers_that_differ_at_each_call_end_the_compiling():
    compiled = qn.compile(changing)
    x, limits = np.arange(4.0), [float(k) for k in range(30)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for k in reversed(range(30)):
            product, above = compiled(x, limits)
            np.testing.assert_array_equal(product, x * 6)
            assert above == (k > 2.5)
    assert compiled.stats()["compiles"] < 15


def test_outer_variables():
    weights = np.array([1.0, 2.0, 3.0])

    def weighted(x):
        y = x * weights
        struct.pack("d", 1.0)
        return y + weights

    check(weighted, np.arange(3.0), compiles=2)


def test_with_fullgraph_nothing_is_split():
    with pytest.raises(UnsupportedError) as caught:
        qn.compile(printing, fullgraph=True)(np.arange(4.0), np.ones(4))
    assert caught.value.line == printing.__code__.co_firstlineno + 2


def test_errors_have_the_users_lines():
    def failing(x):
        y = x * 2
        struct.pack("d", 1.0)
        return y[10] + 1

    with pytest.raises(IndexError) as caught:
        qn.compile(failing)(np.arange(3.0))
    last = caught.traceback[-1]
    assert (str(last.path), last.lineno + 1) == (__file__, failing.__code__.co_firstlineno + 3)
