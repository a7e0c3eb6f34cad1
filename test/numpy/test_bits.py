"""Bits that are packed into bytes."""

import numpy as np
import pytest
from support import assert_same

import quernel as qn

RANDOM = np.random.default_rng(2)
MASKS = [RANDOM.random(shape) > 0.5 for shape in [(3,), (16,), (4, 11), (2, 3, 8), (0,)]]


@pytest.mark.parametrize("dynamic", [None, True])
@pytest.mark.parametrize("order", ["big", "little"])
def test_packbits(order, dynamic):
    def packed(mask):
        return np.packbits(mask, bitorder=order), np.packbits(mask, axis=0, bitorder=order)

    compiled = qn.compile(packed, fullgraph=True, dynamic=dynamic)
    for mask in MASKS:
        assert_same(compiled(mask), packed(mask))
    integers = RANDOM.integers(-1, 2, (5, 9))
    assert_same(compiled(integers), packed(integers))


@pytest.mark.parametrize("count", [None, 0, 5, 19, 40, -3])
@pytest.mark.parametrize("order", ["big", "little"])
def test_unpackbits(order, count):
    def unpacked(x):
        whole = np.unpackbits(x, count=count, bitorder=order)
        return whole, np.unpackbits(x, axis=-1, count=count, bitorder=order)

    compiled = qn.compile(unpacked, fullgraph=True)
    for shape in [(4,), (3, 5)]:
        x = RANDOM.integers(0, 256, shape, dtype=np.uint8)
        assert_same(compiled(x), unpacked(x))


@pytest.mark.parametrize(
    "call",
    [
        lambda x: np.packbits(x * 1.5),
        lambda x: np.unpackbits(x.astype(np.int8)),
        lambda x: np.packbits(x > 0, bitorder="middle"),
        lambda x: np.packbits(x > 0, axis=3),
        lambda x: np.unpackbits(x.astype(np.uint8), bitorder=1),
    ],
)
def test_what_numpy_refuses(call):
    x = np.arange(4.0)
    with pytest.raises((TypeError, ValueError, IndexError)) as wanted:
        call(x)
    with pytest.raises(type(wanted.value)) as raised:
        qn.compile(call, fullgraph=True)(x)
    assert str(raised.value) == str(wanted.value)
