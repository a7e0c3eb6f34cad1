"""New arrays lie in memory as NumPy lays them: as their operands lie, or as a function says."""

import numpy as np
import pytest
from support import check

import quernel as qn
from quernel.errors import UnsupportedError


def elementwise(x):
    row = np.arange(1.0, 1 + x.shape[-1])
    return (
        -x,
        x * x[0],
        row + x,
        x > 1,
        x**3,
        x // 2,
        np.exp(x) / np.exp(x).sum(axis=0),
    )


def ufuncs(x):
    return (
        *np.divmod(x, 2), *np.modf(x), np.heaviside(x, 0.5), np.logaddexp(x, x), np.conj(x + 1j),
        np.maximum(x, x.mean()), np.float_power(x, 2), np.deg2rad(x), np.positive(x),
    )  # fmt: skip


def operands_in_two_orders(x):
    y = np.ones(x.shape)
    return x * y, y * x, np.where(x > 2, y, x), x.T * 2, (x.T * 2).T, x[..., None] * x[..., None, :]


def views(x):
    return (
        x[::2] * 2, x[:, ::2] * 2, x[::-1] * 2, x[:, None] * 2, np.rot90(x) * 1, x[:1] + x,
        np.broadcast_to(x[0], x.shape) * 2, np.moveaxis(x, 0, -1) + 1, (x + 1j).real * 2,
        np.lib.stride_tricks.sliding_window_view(x, 2, 0) * 1, x.T.reshape(-1, 1) * x[0, 0],
    )  # fmt: skip


def copies(x):
    return (
        x.copy(), x.copy("K"), x.copy("F"), x.copy("A"), np.copy(x), np.array(x), x.T.copy(),
        np.array(x, order="C"), np.array(x, order="F"), np.array(x.T), x.T.copy("K"),
        np.asfortranarray(x.T * 2), np.ascontiguousarray(x * 2), x.flatten(),
    )  # fmt: skip


def conversions(x):
    return x.astype("f4"), x.astype("f4", order="C"), x.astype(int), x.T.astype(int, order="F")


def made_alike(x):
    return (
        np.zeros_like(x), np.ones_like(x, dtype=int), np.full_like(x, 3), np.zeros_like(x.T),
        np.zeros_like(x, order="C"), np.zeros_like(x, order="F"), np.empty_like(x, int) * 0,
    )  # fmt: skip


def made(x):
    n, m = x.shape[:2]
    return (
        np.zeros((n, m), order="F"), np.ones((2, n, m), order="F"), np.full((n, m), 1.5, order="F"),
        np.full((n, m), x.sum(), order="F"), np.empty((n, m), int, order="F") * 0,
        np.ones((n, m)) * 2,
    )  # fmt: skip


def reductions(x):
    return (
        x.sum(0), x.sum(1), x.sum(-1), x.sum(0, keepdims=True), x.sum(-1, keepdims=True), x.mean(0),
        x.std(-1, keepdims=True), x.max(1), np.any(x > 1, 0), np.ptp(x, 0), np.nanmean(x, 0),
        np.argmax(x, 0), np.argmin(x, -1), np.argmax(x, 0, keepdims=True), x.T.sum(0),
        x.sum((0, 1)),
    )  # fmt: skip


def sums_so_far(x):
    return x.cumsum(0), np.cumprod(x, 1), x.cumsum(), np.add.accumulate(x, 1), np.nancumsum(x, 0)


def sorted_arrays(x):
    return np.sort(x, 0), np.sort(x), np.argsort(x, 0), np.take_along_axis(x, np.argsort(x, 0), 0)


def order_statistics(x):
    return (
        np.median(x, 0), np.percentile(x, 50, 0), np.quantile(x, 0.5, 1, keepdims=True),
        np.percentile(x, [10, 50], 0), np.quantile(x, [0.1, 0.5], -1, keepdims=True),
        np.nanpercentile(x, [10, 50], 0), np.nanquantile(x, [0.1, 0.5], 1),
        np.nanquantile(x, [0.1, 0.5], -1, keepdims=True), np.nanquantile(x, [0.1, 0.5], (0, 1)),
        np.nanpercentile(x.astype(int), [10, 50], 0), np.nanpercentile(x, 50, 0),
        np.nanmedian(x, 0), np.nanmedian(x, 1, keepdims=True), np.nanmedian(x.astype(int), 0),
    )  # fmt: skip


def chosen(x):
    return (
        np.where(x > 2, x, 0), np.clip(x, 2, 5), x.clip(1, 2), np.select([x > 2], [x]),
        np.choose((x > 2).astype(int), [x, -x]), np.nan_to_num(x), np.isclose(x, x),
    )  # fmt: skip


def gathered(x):
    return (
        x[[0, 1]], x[:, [0, 1]], x[..., [0, 1]], np.take(x, [0, 1], 1), np.repeat(x, 2, 0),
        np.compress([True, False, True], x, 0), x[:, [0, 1]] * 2, x[[1, 0], [0, 1]],
    )  # fmt: skip


def rearranged(x):
    return (
        np.roll(x, 1, 0), np.roll(x, 1), np.flip(x).copy(), np.tile(x, 2), np.pad(x, 1),
        np.delete(x, 0, 1), np.insert(x, 0, 1.0, 1), np.diff(x, axis=0), np.triu(x),
        np.append(x, x, 0),
    )  # fmt: skip


def put_together(x):
    return (
        np.concatenate([x, x]), np.concatenate([x, x + 1], 1), np.stack([x, x]),
        np.stack([x, x], -1),
        np.vstack([x, x]), np.hstack([x, x]), np.dstack([x, x]), np.block([[x, x]]),
    )  # fmt: skip


def products(x):
    batches = x * np.arange(1.0, 7.0).reshape((3, 2) + (1,) * x.ndim)
    turned = np.moveaxis(batches, 0, 1)
    columns = np.swapaxes(x, -1, -2)
    return turned @ columns, columns @ turned, turned @ np.arange(1.0, 1 + x.shape[-1])


def rounded(x):
    return x.round(1), x.round(), np.round(x.astype(int)), x.T.round(1), x[::2].round(1)


def seen_in_another_order(x):
    y = x * 2
    return (
        y.ravel("K"),
        y.flatten("K"),
        y.ravel("F"),
        y.reshape(-1, order="A"),
        y.ravel("A"),
        y.ravel(),
    )


def written(x):
    y = x + 1
    y[0] = 3
    y[:, 1:] *= 2
    z = np.zeros_like(x)
    z[..., 0] = y[..., 1]
    x[1] = z[0] + 4
    return y, z, x.T


def in_loops(x):
    y, z = x * 1, x
    for k in range(3):
        y = y * 2 + k
        z = np.maximum(z, y[k % 2])
    return y, z


def on_sides(x):
    y = x * 2 if x.sum() > 3 else x.T.copy().T + 1
    z = np.zeros_like(x)
    if x.sum() > 3:
        z = x + 1
    return y, z


def attributes(x):
    y = x * 2
    return y, list(y.strides), y.flags.c_contiguous, y.flags.f_contiguous


FUNCTIONS = [
    elementwise, ufuncs, operands_in_two_orders, views, copies, conversions, made_alike, made,
    reductions, sums_so_far, sorted_arrays, order_statistics, chosen, gathered, rearranged,
    put_together, products, rounded, seen_in_another_order, written, in_loops, on_sides,
]  # fmt: skip
CUBE = np.arange(60.0).reshape(3, 4, 5) + 1
LAYOUTS = {
    "C": CUBE[:, :, 0].copy(),
    "F": np.asfortranarray(CUBE[0]),
    "turned": CUBE.transpose(2, 0, 1),
    "fortran": np.asfortranarray(CUBE),
    "sliced": np.asfortranarray(np.arange(60.0).reshape(6, 10))[::2, 1:5],
    "reversed": np.arange(48.0).reshape(4, 2, 6)[:, ::-1, ::2].transpose(2, 0, 1),
}


def order_of(array):
    """Strides where they have any effect, and flags."""
    steps = [step for step, size in zip(array.strides, array.shape, strict=True) if size > 1]
    return steps, array.flags.c_contiguous, array.flags.f_contiguous, array.flags.writeable


def same_order(got, want):
    for k, (ours, theirs) in enumerate(zip(got, want, strict=True)):
        if isinstance(theirs, np.ndarray):
            assert order_of(ours) == order_of(theirs), k


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_orders(function, layout, dynamic):
    compiled = qn.compile(function, fullgraph=not dynamic, dynamic=dynamic)
    for _ in range(2):
        x = LAYOUTS[layout]
        ours, theirs = (_copied(x) for _ in "ab")
        with np.errstate(all="ignore"):
            got, want = compiled(ours), function(theirs)
        same_order(got, want)
        for a, b in zip((*got, ours), (*want, theirs), strict=True):
            np.testing.assert_allclose(a, b, 1e-12)


def _copied(x):
    """A copy with the same strides."""
    whole = x.base if x.base is not None else x
    buffer = np.array(whole, order="K", copy=True)
    start = x.__array_interface__["data"][0] - whole.__array_interface__["data"][0]
    return np.lib.stride_tricks.as_strided(
        np.ndarray(1, x.dtype, buffer.reshape(-1, order="A").data, start), x.shape, x.strides
    )


@pytest.mark.parametrize("layout", ["C", "F"])
def test_attributes(layout):
    x = LAYOUTS[layout]
    got, want = qn.compile(attributes, fullgraph=True)(x), attributes(x)
    assert got[1:] == want[1:]
    same_order(got[:1], want[:1])


def test_an_order_that_turns_change_is_captured_turn_by_turn():
    def turning(x):
        for _ in range(3):
            x = (x * 2).T
        return x + 1

    x = np.arange(9.0).reshape(3, 3)
    compiled = check(turning, x)
    same_order([compiled(x)], [turning(x)])


def test_programs_of_a_layout_answer_other_sizes():
    compiled = qn.compile(lambda x: x * 2 + 1, fullgraph=True, dynamic=True)
    for n, m in ((3, 4), (7, 5), (30, 20)):
        for x in (np.ones((m, n)).T, np.ones((2 * m, n)).T[:, ::2], np.ones((n, m))):
            same_order([compiled(x)], [x * 2 + 1])
    assert compiled.stats()["compiles"] == 3


def medians_of_long_lines(x):
    return np.nanmedian(x, 1), np.nanmedian(x.astype(int), 1), np.median(x, 1)


@pytest.mark.parametrize("length", [599, 600])
def test_medians_of_long_lines(length):
    x = np.asfortranarray(np.arange(6.0 * length).reshape(3, length, 2) % 7)
    same_order(qn.compile(medians_of_long_lines, fullgraph=True)(x), medians_of_long_lines(x))


def chosen_rows(x):
    return x[x[:, 0, 0] > 1]


def raveled(x):
    return chosen_rows(x).transpose(2, 1, 0).reshape(5, -1).ravel("K")


def unknown(x):
    return chosen_rows(x).transpose(2, 1, 0).reshape(-1, 5) * 2


def shape_assigned(x):
    y = np.asfortranarray(x)
    y.shape = (3, 4, 5, 1)
    return y


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (raveled, "an order that depends on how an array lies in memory"),
        (unknown, "returning an array whose order in memory isn't known"),
        (shape_assigned, "assigning to `.shape` of an array that isn't in C order"),
    ],
)
def test_refused_orders(function, text):
    with pytest.raises(UnsupportedError, match=text) as caught:
        qn.compile(function, fullgraph=True)(CUBE)
    assert caught.value.file == __file__
    same_order([qn.compile(function)(CUBE)], [function(CUBE)])


@pytest.mark.parametrize("where", [{"axis": 0}, {"axis": 1}, {"axisc": 0, "axisa": 1, "axisb": 1}])
def test_cross_products_lie_as_their_axis_was_moved(where):
    x = np.arange(45.0).reshape(3, 3, 5) % 7

    def product(x):
        return np.cross(x, x[::-1], **where)

    got, want = qn.compile(product, fullgraph=True)(x), product(x)
    np.testing.assert_array_equal(got, want)
    assert got.strides == want.strides and (got.base is None) == (want.base is None)
