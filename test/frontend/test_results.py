"""Results have the memory, the identity, the strides and the flags that NumPy gives them."""

import copy

import numpy as np
import pytest

import quernel as qn
from quernel.call.verify import compare, copied
from quernel.capture import trace
from quernel.errors import UnsupportedError, VerificationError
from quernel.traced.array import TracedArray
from quernel.traced.doubts import Frozen
from quernel.traced.undecided import Either


def parts(result):
    """All objects in a result, the containers last."""
    if isinstance(result, (tuple, list)):
        for item in result:
            yield from parts(item)
    elif isinstance(result, dict):
        for item in result.values():
            yield from parts(item)
    yield result


def described(result, args):
    """All that NumPy lets one see of a result's objects, values apart."""
    objects = [*parts(result)]
    arrays = [obj for obj in [*objects, *args] if isinstance(obj, np.ndarray)]
    return {
        "types": [type(obj) for obj in objects],
        "arrays": [(a.dtype, a.shape, a.strides, str(a.flags)) for a in arrays],
        "bases": [[a.base is None, *(a.base is x for x in args)] for a in arrays],
        "identity": [[a is b for a in (*objects, *args)] for b in objects if _is_seen(b)],
        "shared": [[np.shares_memory(a, b) for a in arrays] for b in arrays],
    }


def _is_seen(obj):
    return isinstance(obj, (np.ndarray, tuple, list, dict))


def same_text(first, second):
    """Compare values, arrays by their text."""
    assert repr(first) == repr(second)


def check(function, *args, **options):
    """Compare two calls with NumPy."""
    compiled = qn.compile(function, fullgraph=True, **options)
    for _ in range(2):
        ours, theirs = ([_copied(x) for x in args] for _ in "ab")
        got, expected = compiled(*ours), function(*theirs)
        same_text(got, expected)
        same_text(ours, theirs)
        found, wanted = described(got, ours), described(expected, theirs)
        for key, value in wanted.items():
            assert found[key] == value, key


def _copied(obj):
    """A copy with the same strides, and the same flags."""
    if not isinstance(obj, np.ndarray):
        return obj
    base = obj if obj.base is None else obj.base
    copy = base.copy(order="K")
    offset = obj.__array_interface__["data"][0] - base.__array_interface__["data"][0]
    if obj is not base:
        copy = np.ndarray(obj.shape, obj.dtype, copy, offset, obj.strides)
    copy.flags.writeable = obj.flags.writeable
    return copy


VIEWS = [
    lambda x: x,
    lambda x: x[1:],
    lambda x: x[::-1],
    lambda x: x[::-1, ::2].T,
    lambda x: x[2:2],
    lambda x: x.T,
    lambda x: x[:, 0],
    lambda x: x[0],
    lambda x: x[None, :, None],
    lambda x: x[-1, ..., None],
    lambda x: x[0, 0, ...],
    lambda x: x[...],
    lambda x: x[:],
    lambda x: x[1:][:],
    lambda x: x.view(),
    lambda x: x.reshape(-1),
    lambda x: x.reshape(x.shape),
    lambda x: x.T.reshape(3, 8),
    lambda x: x.ravel(),
    lambda x: x.T.ravel(),
    lambda x: np.broadcast_to(x, (3, *x.shape)),
    lambda x: np.broadcast_to(x[:1], x.shape)[1:],
    lambda x: np.broadcast_to(x[::-1], x.shape)[1:],
    lambda x: np.broadcast_to(x[:1], (1, 6)).reshape(-1)[1:],
    lambda x: np.squeeze(x[:1]),
    np.squeeze,
    lambda x: np.expand_dims(x, (0, 3)),
    np.atleast_3d,
    lambda x: np.atleast_3d(x[0]),
    lambda x: np.atleast_2d(x[0]),
    lambda x: x.diagonal(),
    lambda x: np.diagonal(x, 1)[1:],
    np.diag,
    lambda x: np.diagonal(x, -9),
    np.flip,
    lambda x: np.moveaxis(x, 0, 0),
    np.asarray,
    np.ascontiguousarray,
    lambda x: x.copy(),
    lambda x: x[0, 0],
    lambda x: np.split(x, 2),
]
WHOLE = np.arange(24.0).reshape(4, 6).copy()
READ_ONLY = WHOLE.copy()
READ_ONLY.flags.writeable = False
LAYOUTS = {
    "C": WHOLE,
    "F": np.asfortranarray(WHOLE),
    "steps": np.arange(96.0).reshape(8, 12).copy()[::2, ::-2],
    "read-only": READ_ONLY,
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("view", range(len(VIEWS)))
def test_views_of_arguments(view, layout):
    view = VIEWS[view]
    x = LAYOUTS[layout]

    def viewing(x):
        return view(x)

    check(viewing, x)


@pytest.mark.parametrize("dynamic", [None, True])
@pytest.mark.parametrize("view", range(len(VIEWS)))
def test_views_of_locals(view, dynamic):
    view = VIEWS[view]

    def alone(a):
        return view(a * 2)

    def beside(a):
        y = a * 2
        v = view(y)
        return v, y, [v], y[1:]

    def changed(a):
        y = np.zeros_like(a)
        v = view(y)
        y[1:] = a[1:]
        return v

    check(alone, WHOLE, dynamic=dynamic)
    check(beside, WHOLE, dynamic=dynamic)
    if dynamic is None:
        check(changed, WHOLE)


def test_parts_of_complex_arrays():
    def of_argument(z):
        return z.real, z.imag[1:], z.T.imag

    def of_local(z):
        y = z * 2j
        return y.real, y, y.imag[::-1]

    def alone(z):
        return (z * 2j).imag

    z = WHOLE * (1 + 2j)
    for function in (of_argument, of_local, alone):
        check(function, z)


def same_array_twice(x):
    y = x + 1
    return y, {"a": y, "b": [y]}, y


def same_view_twice(x):
    y = x + 1
    v = y[1:]
    return v, v, y[1:]


def same_view_of_argument(x):
    v = x.T
    return v, v, x.T, x


def views_of_one_local(x):
    y = x * 2
    v = y[1:]
    return v[::-1], y[:2], v


def containers(x):
    pair, items, named = (x + 1, 2), [x[1:]], {"k": 3.5}
    return pair, items, named, items, (pair, named), [items]


def written_through_a_view(x):
    y = x * 2
    v = y[1:]
    v += 1
    w = v
    w[0] = 7
    return v, y, w


def equal_but_two(x):
    return x + 1, x + 1, x.copy(), x.copy()


def rebound(x):
    a = x + 1
    b = a
    a = a + 1
    return a, b, a


def new_shape(x):
    y = x.copy()
    v = y[1:]
    y.shape = (6, 4)
    return y, v, y.T


def numpys_numbers(x):
    s = x.sum()
    return s, s, float(s), x[0, 0], int(s), True, None


def chosen_elements(x):
    y = x[x > 3]
    v = y[1:]
    return v, y, v, y[::-1], y[:1]


def no_elements(x):
    y = x[x > 100]
    return y, y[:1], y[:]


@pytest.mark.parametrize("dynamic", [None, True])
@pytest.mark.parametrize(
    "function",
    [
        same_array_twice,
        same_view_twice,
        same_view_of_argument,
        views_of_one_local,
        containers,
        written_through_a_view,
        equal_but_two,
        rebound,
        numpys_numbers,
        chosen_elements,
        no_elements,
    ],
)
def test_objects_in_several_places(function, dynamic):
    check(function, WHOLE, dynamic=dynamic)


def test_shape_that_is_assigned():
    check(new_shape, WHOLE)

    def argument(x):
        x.shape = (6, 4)
        return x

    with pytest.raises(UnsupportedError, match=r"assigning to `\.shape` of an argument"):
        qn.compile(argument, fullgraph=True)(WHOLE.copy())


def row(x, k):
    return x[k[0]]


def rest(x, k):
    return x[k[0] :], x[: k[0]], x[k[0] : k[1], ::-1], x.T[k[0]]


def of_local(x, k):
    y = x + 1
    return y[k[0] :], y, y[:, k[1]]


def of_local_alone(x, k):
    return (x + 1)[k[0] :]


def greatest(x, k):
    return x[np.argmax(x[:, 0] * k[1])]


@pytest.mark.parametrize("dynamic", [None, True])
@pytest.mark.parametrize("function", [row, rest, of_local, of_local_alone, greatest])
def test_places_that_data_decide(function, dynamic):
    for first in (0, 1, 3, -1, -4):
        check(function, WHOLE, np.array([first, 2]), dynamic=dynamic)
    if function not in (of_local, of_local_alone):  # whose order in memory is another one
        check(function, LAYOUTS["steps"], np.array([1, 2]), dynamic=dynamic)


def test_places_outside_raise():
    with pytest.raises(IndexError, match="index 4 is out of bounds for axis 0 with size 4"):
        qn.compile(row, fullgraph=True)(WHOLE, np.array([4, 0]))


def test_other_sizes_of_one_program():
    def viewing(x, y):
        z = x * 2
        return x[1:], y[:-2].T, z[::-1], z.T, z

    compiled = qn.compile(viewing, fullgraph=True, dynamic=True)
    for rows, columns in ((4, 6), (5, 7), (9, 3)):
        x, y = np.ones((rows, columns)), np.zeros((columns, rows))
        got, expected = compiled(x, y), viewing(x, y)
        same_text(got, expected)
        assert described(got, (x, y)) == described(expected, (x, y))
    assert compiled.stats()["compiles"] == 1


def test_results_from_the_disk():
    def viewing(x):
        y = x[x > 2]
        return x[::-1], y, y[1:], [y]

    for _ in range(2):
        check(viewing, WHOLE)
        qn.compile(viewing, fullgraph=True)(WHOLE)
    stats = qn.compile(viewing, fullgraph=True)
    stats(WHOLE)
    assert stats.stats()["disk_hits"] == 1


# Values that data choose


@pytest.fixture
def choosing(monkeypatch):
    """Makes a function that returns a condition and two results return what the condition says."""
    run = trace._run

    def choose(tracer, function, args, named):
        condition, first, second = run(tracer, function, args, named)
        return (Either(condition.value, first, second), condition)

    monkeypatch.setattr(trace, "_run", choose)

    def checked(function, *args):
        def plainly(*args):
            condition, first, second = function(*args)
            return (first if condition else second), condition

        compiled = qn.compile(function, fullgraph=True)
        for sign in (1, -1):
            given = [a * sign if isinstance(a, np.ndarray) else a for a in args]
            got, expected = compiled(*given), plainly(*given)
            same_text(got, expected)
            assert described(got, given) == described(expected, given)

    return checked


def argument_or_local(x):
    return x[0, 1] > 0, x, -x


def view_or_argument(x):
    return x[0, 1] > 0, x[1:].T, x


def int_or_float(x):
    return x[0, 1] > 0, int(x[0, 2]), float(x[0, 3])


def constant_or_array(x):
    return x[0, 1] > 0, None, x[x > 3]


def other_tuples(x):
    y = x + 1
    return x[0, 1] > 0, (y, [y[1:]], 1), (y, y)


def other_dtypes(x):
    return x[0, 1] > 0, np.float32(2) * x.astype(np.float32), x.sum()


def nested(x):
    y = x * 2
    return x[0, 1] > 0, (y, x), {"a": y.T, "b": 2.5}


@pytest.mark.parametrize(
    "function",
    [
        argument_or_local,
        view_or_argument,
        int_or_float,
        constant_or_array,
        other_tuples,
        other_dtypes,
        nested,
    ],
)
def test_values_that_data_choose(choosing, function):
    choosing(function, WHOLE)


class Chosen:
    """Memory that data choose, as little of it as a result needs."""

    leaf = None
    frozen = Frozen()

    def __init__(self, condition, first, second):
        self.condition, self.first, self.second = condition, first, second


@pytest.mark.parametrize("views", [lambda x: x, lambda x: x[1:], lambda x: x[:], lambda x: x.T])
def test_memory_that_data_choose(monkeypatch, views):
    run = trace._run

    def choose(tracer, function, args, named):
        condition, first, second = run(tracer, function, args, named)
        storage = Chosen(condition.value, first, second)
        made = views(TracedArray(tracer, storage, (), first.shape))
        return made, made, second

    monkeypatch.setattr(trace, "_run", choose)

    def sides(x, y):
        return x[0, 1] > 0, x, y[:4]

    compiled = qn.compile(sides, fullgraph=True)
    for sign in (1, -1):
        x, y = WHOLE * sign, np.ones((5, 6))
        second = y[:4]
        made = views(x if sign > 0 else second)
        got, expected = compiled(x, y), (made, made, second)
        same_text(got, expected)
        found, wanted = described(got, (x, y)), described(expected, (x, y))
        if views(x) is x:  # the argument's row is an object of its own where it is a side
            assert got[0] is got[1]
            assert (got[0] is x) == (sign > 0)
        else:
            assert found == wanted


# With NumPy's answer beside it


def test_verified_calls_see_the_same_memory():
    def adding(a, b):
        c = a + b[0]
        return a[1:], c, c[::-1], b

    compiled = qn.compile(adding, fullgraph=True, verify=True)
    x = np.arange(6.0)
    view, _, _, same = compiled(x, x)
    assert view.base is same is x
    compiled(x[:3], x[2:5])
    compiled(np.asfortranarray(WHOLE), np.asfortranarray(WHOLE)[1:3].T[:4, :1])


def test_copies_share_memory_where_the_arguments_do():
    x = np.asfortranarray(WHOLE)
    given = (x, [x[1:, ::2], x], {"k": READ_ONLY, "v": WHOLE[1:]})
    copies = copied(given)
    same_text(copies, given)
    assert copies[0] is copies[1][1] is not x
    assert np.shares_memory(copies[0], copies[1][0])
    assert not np.shares_memory(copies[0], x)
    assert copies[1][0].strides == given[1][0].strides
    assert not copies[2]["k"].flags.writeable
    copies[1][0][...] = 0
    assert not copies[0][1:, ::2].any()
    assert x[1:, ::2].all()


@pytest.mark.parametrize("pair", [(1, 2), (1.0, 1.1), (True, False), ("a", "b"), (1j, 2j)])
def test_numbers_are_compared(pair):
    compare([pair[0]], [pair[0]], "x")
    with pytest.raises(VerificationError):
        compare(*([item] for item in pair), "x")


def test_dtypes_and_classes() -> None:
    def function(x):
        kind = np.float32 if x[0] > 0 else np.int64
        return x.dtype, [x.astype("f4").dtype], x.dtype.type, np.result_type(x, 1j), float, kind

    compiled = qn.compile(function, fullgraph=True)
    for x in (np.ones(3), -np.ones(3), np.ones(3, "i2")):
        assert compiled(x) == function(x)
        assert compiled(x)[0] is x.dtype


def sets_an_item(s, n):
    for _ in range(n):
        s["x"] = s["x"] * 0.9
    return s["x"]


def sets_an_element(s, n):
    for _ in range(n):
        s[0] = s[0] * 0.9
    return s[0]


@pytest.mark.parametrize("turns", [1, 3, 17, 20, 28, 32, 40, 50])
def test_a_container_of_the_callers_that_changes(turns) -> None:
    for function, container in ((sets_an_item, {"x": np.ones(3)}), (sets_an_element, [np.ones(3)])):
        plain, compiled = copy.deepcopy(container), qn.compile(function, fullgraph=True)
        for _ in range(2):
            expected, answer = function(plain, turns), compiled(container, turns)
            (changed,) = container.values() if type(container) is dict else container
            assert answer is changed
            assert np.array_equal(answer, expected)
