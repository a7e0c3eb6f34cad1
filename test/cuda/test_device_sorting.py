"""Sorts on the emulated device, by kernels that are part of the program."""

import pytest

BEGIN = """
import ctypes, os
import numpy as np
import quernel as qn

LIBRARY = ctypes.CDLL(os.environ["CUDA_PATH"] + "/lib64/libcuda.so.1")
LIBRARY.emulator_bytes.restype = ctypes.c_int64
RNG = np.random.default_rng(5)

def copied():
    return tuple(LIBRARY.emulator_bytes(way) for way in (b"HtoD", b"DtoH"))

def on_device(function, *arrays):
    compiled = qn.compile(function, device="cuda", fullgraph=True)
    arrays = [qn.to_device(array) for array in arrays]
    compiled(*arrays)
    before = copied()
    made = compiled(*arrays)
    assert copied() == before, (copied(), before)
    return [array.to_host() for array in made]

def made(dtype, shape):
    kind, count = np.dtype(dtype).kind, int(np.prod(shape))
    special = [np.nan, -np.nan, 0.0, -0.0, np.inf, -np.inf, 1, -2]
    if kind == "b":
        x = RNG.random(count) > 0.5
    elif kind in "iu":
        x = RNG.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, count, dtype, endpoint=True)
        x[::3] = 7
    elif kind == "f":
        x = np.where(RNG.random(count) > 0.5, RNG.choice(special, count), RNG.normal(size=count))
        x = x.astype(dtype)
    else:
        x = np.empty(count, dtype)
        x.real, x.imag = RNG.choice(special, count), RNG.choice(special, count)
    return x.reshape(shape)

def same_bits(got, expected):
    assert got.dtype == expected.dtype and got.shape == expected.shape
    assert got.tobytes() == expected.tobytes(), (got, expected)
"""
# Each array is an allocation of its own.
SETTINGS = {"EMULATOR_OPEN": "1", "QUERNEL_DEVICE_POOL": "off"}


@pytest.mark.parametrize("dtype", list("?bBhHiIlLefdFD"))
def test_sorts_of_every_dtype(run, dtype):
    run(f"""
        def stable(x):
            return (np.sort(x, kind="stable"), np.sort(x, axis=0, kind="stable"),
                    np.argsort(x, kind="stable"), np.argsort(x, axis=0, kind="stable"))

        def plain(x):
            return np.sort(x), np.argsort(x)

        # Several lines of a tile, a tile and one element, several merges.
        for shape in [(300, 6), (2, 2049), (1, 9001)]:
            x = made({dtype!r}, shape)
            for got, expected in zip(on_device(stable, x), stable(x), strict=True):
                same_bits(got, expected)
            values, places = on_device(plain, x)
            assert np.array_equal(values, np.sort(x), equal_nan=x.dtype.kind in "fc")
            same_bits(places, np.argsort(x, kind="stable"))
    """)


def test_layouts_and_small_sizes(run):
    run("""
        def sorts(x):
            return (np.sort(x, axis=-1), np.sort(x[..., ::-1], axis=0),
                    np.argsort(x[::-1], axis=0, kind="stable"))

        for shape in [(0,), (1,), (9,), (0, 4), (4, 0), (1, 1), (7, 33), (3, 5, 8), (65, 3)]:
            x = made("l", shape)
            for got, expected in zip(on_device(sorts, x), sorts(x), strict=True):
                same_bits(got, expected)
        x = made("d", (40, 50))
        for part in (x[::2, ::-3], x.T, x[5:, 1:2]):
            for got, expected in zip(on_device(sorts, part), sorts(part), strict=True):
                assert np.array_equal(got, expected, equal_nan=True)
    """)


@pytest.mark.parametrize("seed", ["3", "8"])
def test_other_orders_of_threads(run, seed):
    run(
        """
        def sorts(x):
            return np.sort(x), np.argsort(x, kind="stable")

        for shape in [(100, 12), (2, 5000)]:
            x = made("d", shape)
            values, places = on_device(sorts, x)
            assert np.array_equal(values, np.sort(x), equal_nan=True)
            same_bits(places, np.argsort(x, kind="stable"))
        """,
        EMULATOR_SEED=seed,
    )


def test_what_sorts_and_partitions_are_used_for(run):
    run("""
        def uses(x):
            return np.median(x, axis=0), np.quantile(x, [0.2, 0.7], axis=1)

        x = RNG.normal(size=(30, 41))
        for got, expected in zip(on_device(uses, x), uses(x), strict=True):
            assert np.allclose(got, expected, rtol=1e-15)

        def places(x):
            return (np.partition(x, 5),)

        compiled = qn.compile(places, device="cuda", fullgraph=True)
        same_bits(compiled(qn.to_device(x[0]))[0].to_host(), np.partition(x[0], 5))
    """)
