"""Indexing and rearranging, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from support import check, sample

A = sample("float64", (4, 5, 6))
KEYS = {
    "integer": lambda x: x[2],
    "negative": lambda x: x[-1, -2],
    "all": lambda x: x[1, 2, 3],
    "slice": lambda x: x[1:3],
    "step": lambda x: x[::2, 1::3],
    "reverse": lambda x: x[::-1, :, ::-2],
    "open": lambda x: x[:, -3:, :-1],
    "past the end": lambda x: x[2:99, 99:],
    "backwards": lambda x: x[3:0:-1, -1:-4:-2],
    "newaxis": lambda x: x[:, None, 2, ..., np.newaxis],
    "ellipsis": lambda x: x[..., 0],
    "empty": lambda x: x[2:2],
    "numpy integer": lambda x: x[np.int64(1)],
    "constant array element": lambda x: x[np.array([2, 1])[0]],
    "tuple": lambda x: x[(slice(None), 1)],
    "chain": lambda x: x[1:][::-1].T[2:, :, 0],
}
FUNCTIONS = {
    "reshape": lambda x: (x.reshape(20, 6), np.reshape(x, (-1, 3)), x.reshape(2, 2, -1, 6)),
    "ravel": lambda x: (x.ravel(), x.flatten(), np.ravel(x[:, ::2]), x.T.ravel()),
    "transpose": lambda x: (x.T, x.transpose(1, 0, 2), np.transpose(x, (2, 0, 1)), x.mT),
    "axes": lambda x: (
        np.swapaxes(x, 0, 2),
        np.moveaxis(x, 0, -1),
        np.moveaxis(x, (0, 1), (1, 2)),
        np.rollaxis(x, 2),
    ),
    "expand": lambda x: (
        np.expand_dims(x, 1),
        np.expand_dims(x, (0, -1)),
        np.squeeze(x[:1]),
        x[:, :1].squeeze(1),
    ),
    "broadcast": lambda x: (
        np.broadcast_to(x[0, 0], (3, 6)) + 0,
        np.broadcast_arrays(x[:, :1], x[0])[0] * 1,
    ),
    "at least": lambda x: (
        np.atleast_1d(x[0, 0, 0]),
        np.atleast_2d(x[0, 0]),
        np.atleast_3d(x[0]),
        np.atleast_3d(x[0, 0]),
    ),
    "flip": lambda x: (np.flip(x), np.flip(x, 1), np.flipud(x), np.fliplr(x), np.flip(x, (0, 2))),
    "roll": lambda x: (
        np.roll(x, 2),
        np.roll(x, 1, 0),
        np.roll(x, (1, -2), (0, 1)),
        np.roll(x, 13, axis=2),
    ),
    "join": lambda x: (
        np.concatenate([x, x[:2]]),
        np.concatenate((x, x), axis=-1),
        np.concatenate((x, x), axis=None),
        np.stack([x, x + 1], axis=1),
    ),
    "stacks": lambda x: (
        np.vstack([x[0], x[1]]),
        np.hstack([x[0], x[1]]),
        np.hstack([x[0, 0], x[0, 1]]),
        np.dstack([x[0], x[1]]),
        np.column_stack([x[0, 0], x[0, 1]]),
        np.append(x[0], x[1]),
    ),
    "repeat": lambda x: (
        np.tile(x[0], 2),
        np.tile(x[0, 0], (2, 3)),
        np.repeat(x, 2),
        np.repeat(x, 3, axis=1),
        x[0].repeat(2, 0),
    ),
    "diff": lambda x: (np.diff(x), np.diff(x, 2, axis=0), np.diff(x > 0, axis=1)),
    "split": lambda x: (np.split(x, 2), np.split(x, [1, 3], axis=1)),
    "shape functions": lambda x: (np.shape(x), np.ndim(x), np.size(x), x.size, x.nbytes, len(x)),
    "iterate": lambda x: [row.sum() for row in x[:, 0]],
    "unpack": lambda x: sum([a * b for a, b in zip(*x[:2, 0], strict=True)]),
}


@pytest.mark.parametrize("name", KEYS)
def test_keys(name: str) -> None:
    def compute(x):
        return KEYS[name](x) * 1.0

    check(compute, A)


@pytest.mark.parametrize("name", KEYS)
def test_keys_of_strided_arrays(name: str) -> None:
    wide = sample("float64", (8, 6, 10))

    def compute(x):
        return KEYS[name](x) * 1.0

    check(compute, wide.transpose(0, 2, 1)[::2, ::-2])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name: str) -> None:
    check(FUNCTIONS[name], A, scale=1e-15)


def test_views_are_returned_as_views() -> None:
    import quernel as qn

    x = A.copy()
    compiled = qn.compile(
        lambda x: (x, x[1:, ::-2], x.T, x.reshape(-1), x[0, 0, 0]), fullgraph=True
    )
    for _ in range(2):
        same, part, turned, flat, element = compiled(x)
        assert same is x
        assert all(np.shares_memory(x, view) for view in (part, turned, flat))
        assert part.strides == x[1:, ::-2].strides
        assert isinstance(element, np.float64)
        np.testing.assert_array_equal(part, x[1:, ::-2])


def test_reshapes_that_numpy_copies_and_those_that_it_does_not() -> None:
    def compute(x):
        y = x.copy()
        turned = y.T.ravel()
        y[0] = 9
        cut = y.transpose(1, 0, 2)[:, :, :2].reshape(3, 4)
        y[1] = 7
        widened = y[:, None, :, :].reshape(2, 1, 12)
        y[0, 0, 0] = 5
        unit = y[:1].transpose(1, 0, 2).reshape(-1)
        y[0, 1] = 3
        strided = y[:, :, ::2].reshape(6, 2)
        y[1, 1] = 1
        return turned, cut, widened, unit, strided, y

    check(compute, np.arange(24.0).reshape(2, 3, 4))


def test_what_is_copied_into_another_order() -> None:
    def compute(x):
        y = x.copy()
        arrays = (
            np.ascontiguousarray(y),
            np.ascontiguousarray(y.T),
            np.ascontiguousarray(y[:1]),
            np.ascontiguousarray(y[:, :2]),
            np.asarray(y, order="F"),
            np.asarray(y[:, 0], order="F"),
            np.asfortranarray(y.T),
            np.array(y, ndmin=3),
            np.array(y, copy=None, ndmin=3),
        )
        y[0] = 9.0
        return *(a * 1 for a in arrays), y

    check(compute, np.arange(12.0).reshape(3, 4))


@pytest.mark.parametrize("pair", [("float32", "int32"), ("float64", "uint64"), ("int16", "uint16")])
def test_bytes_as_another_dtype(pair: tuple[str, str]) -> None:
    first, second = pair

    def reads(x):
        y = x.view(second)
        return y + y.dtype.type(1), x[::-1].view(dtype=y.dtype), x[0].view(second), x.T.view(second)

    def writes(x):
        y = x[1:].view(second)
        y[0] = 3
        x[2] = x[0]
        return y, y.view(first), y.copy()

    for x in (sample(first), sample(first, (7, 5))):
        check(reads, x)
        check(writes, x.copy())
