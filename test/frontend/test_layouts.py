"""What is reshaped, or put into an order, is a view or a copy as NumPy's strides say."""

import numpy as np
import pytest

import quernel as qn
from quernel.errors import UnsupportedError


def ravel_of_slice(x):
    y = x[0, ::2].ravel()
    y[0] = 5
    return y


def reshape_of_slice(x):
    y = x[::2, 0].reshape(-1, 1)
    y[0] = 5
    return y


def columns(x):
    y = x[:, [0, 1]]
    z = y.ravel()
    z[0] = 9
    return y, z


def rows(x):
    y = x[[1, 0]]
    z = y.ravel()
    z[0] = 9
    return y, z


def copied(x):
    y = np.copy(x.T)
    z = y.ravel()
    z[0] = 9
    return y, z


def chosen(x):
    y = np.where(x.T > 0, x.T, 1.0)
    z = y.reshape(-1)
    z[0] = 9
    return y, z


def converted(x):
    y = x.T.astype(np.float32)
    z = y.reshape(-1)
    z[0] = 9
    return y, z


def zeros_like(x):
    y = np.zeros_like(x.T)
    z = y.reshape(-1)
    z[0] = 9
    return y, z


def sums(x):
    y = x + 1
    z = y.reshape(-1)
    z[0] = 4
    return y, z


def sums_of_turned(x):
    y = x.T + 1
    return y, y.reshape(-1)


def joined(x):
    y = np.concatenate((x, x))
    z = y.ravel()
    return y, z


def argument(x):
    z = x.reshape(-1)
    z[0] = 4
    return z


def argument_after(x):
    z = x.reshape(-1)
    x[0] = 4
    return z.sum(), z


def raveled_after(x):
    z = x.ravel()
    x[0] = 4
    return z.sum(), z


def read_in_loop(x):
    z, s = x.ravel(), 0.0
    for _ in range(3):
        s += z.sum()
    return s, z


def written_in_loop(x):
    z, s = x.ravel(), 0.0
    for _ in range(3):
        s += z.sum()
        x[0] += 4
    return s, z


def one_of_two(x):
    z = x if x[0, 0] > 1 else x.T.copy()
    y = z.ravel()
    y[0] = 7
    return y, z


def in_order(x):
    z = np.ascontiguousarray(x)
    z[0] = 3
    return z


def in_fortran_order(x):
    z = np.asfortranarray(x)
    z[0] = 3
    return z, z.ravel()


FUNCTIONS = [
    ravel_of_slice, reshape_of_slice, columns, rows, copied, chosen, converted, zeros_like, sums,
    sums_of_turned, joined, argument, argument_after, raveled_after, read_in_loop, written_in_loop,
    one_of_two, in_order, in_fortran_order,
]  # fmt: skip

BASE = np.arange(48.0).reshape(6, 8)
LAYOUTS = {
    "C": BASE[:3, :4].copy,
    "F": lambda: np.asfortranarray(BASE[:3, :4]),
    "sliced": lambda: BASE.copy()[::2, ::2],
    "rows": lambda: BASE.copy()[::2],
    "reversed": lambda: BASE.copy()[::-1],
}


def _compare(function, compiled, make):
    ours, theirs = make(), make()
    got, expected = compiled(ours), function(theirs)
    got, expected = ((x if isinstance(x, tuple) else (x,)) for x in (got, expected))
    seen, wanted = (*got, ours), (*expected, theirs)
    for a, b in zip(seen, wanted, strict=True):
        np.testing.assert_array_equal(a, b)
    for k, a in enumerate(seen):
        for m, b in enumerate(seen):
            assert np.shares_memory(a, b) == np.shares_memory(wanted[k], wanted[m]), (k, m)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_views_and_copies(function, layout):
    _compare(function, qn.compile(function, fullgraph=True), LAYOUTS[layout])


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_one_function_for_all_layouts(function):
    compiled = qn.compile(function, fullgraph=True)
    for make in [*LAYOUTS.values(), *LAYOUTS.values()]:
        _compare(function, compiled, make)


def test_strides_are_a_part_of_the_program_only_where_they_decide():
    def reading(x):
        return x.ravel().sum()

    for function, programs in ((reading, 1), (argument, 2)):
        compiled = qn.compile(function, fullgraph=True)
        for turned in (BASE.copy()[::2], BASE.copy()[:3, ::-1]):
            assert turned.shape == (3, 8)
            compiled(turned)
        assert compiled.stats()["compiles"] == programs


def test_size_that_only_the_data_say():
    def written(x):
        y = x[x[:, 0] > 1].T
        z = y.ravel()
        z[0] = 3
        return y

    with pytest.raises(UnsupportedError, match=r"reshape that NumPy may have done by copying") as e:
        qn.compile(written, fullgraph=True)(BASE.copy())
    assert "copy" in e.value.hint and e.value.line == written.__code__.co_firstlineno + 3


def test_how_large_arrays_lie_is_found_out_without_their_memory():
    def turned(x):
        return x[::-1].reshape(-1)

    # Nobody touches these 400 MB, of which the system has given none yet.
    assert qn.compile(turned).lower(np.zeros((20000, 20000), bool)).text("kernels")


def test_parts_of_a_reshape_share_its_memory():
    """Where NumPy copies, all that is returned of it lies in one copy."""

    def parts(x):
        y = x.reshape(-1)
        return y, x, y[1:], y[::-2]

    compiled = qn.compile(parts, fullgraph=True, dynamic=True)
    whole = np.arange(200.0).reshape(10, 20)
    for x in (whole[:2, ::2], whole[:1, ::2], whole[::2, ::4], whole[:4], whole.T):
        results = []
        for function in (parts, compiled):
            y, same, rest, back = function(x)
            assert same is x
            assert np.shares_memory(y, rest) and np.shares_memory(y, back)
            results.append((y, rest, back, np.shares_memory(y, x)))
        np.testing.assert_equal(results[1], results[0])
