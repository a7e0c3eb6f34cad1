"""Loads a compiled program and calls it by the kernel ABI, for the tests that look at values."""

import ctypes
import itertools
import math
import sys
import threading

import numpy as np


class Context(ctypes.Structure):
    """The qn_context of runtime/abi.h."""

    ALLOC = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_int64)
    RELEASE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
    FAIL = ctypes.CFUNCTYPE(
        ctypes.c_int32,
        ctypes.c_void_p,
        ctypes.c_int32,
        ctypes.POINTER(ctypes.c_int64),
        ctypes.c_int32,
    )
    POLL = ctypes.CFUNCTYPE(ctypes.c_int32)
    CALL = ctypes.CFUNCTYPE(
        ctypes.c_int32,
        ctypes.c_void_p,
        *[ctypes.c_int32] * 2,
        ctypes.POINTER(ctypes.c_void_p),
        *[ctypes.POINTER(ctypes.c_int64)] * 2,
    )
    TURNS = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, *[ctypes.c_int64] * 2)
    PARALLEL_FOR = ctypes.CFUNCTYPE(
        ctypes.c_int32, ctypes.c_void_p, *[ctypes.c_int64] * 4, TURNS, ctypes.c_void_p
    )
    _fields_ = [
        ("threads", ctypes.c_int32),
        ("alloc", ALLOC),
        ("release", RELEASE),
        ("fail", FAIL),
        ("poll", POLL),
        ("call", CALL),
        ("parallel_for", PARALLEL_FOR),
    ]


def run(
    name: str,
    buffers: list[np.ndarray],
    sizes: tuple[int, ...] = (),
    threads: int = 1,
    memory: int = 1 << 40,
    polls: float = math.inf,
    numbers: list[int] | None = None,
) -> int:
    """Calls program `name` of the library on the command line.

    `memory` is the number of bytes that the program may allocate. The temporaries that it didn't release count as an error.
    The program is told to stop when it asks for the `polls`-th time. The numbers of a failed check go to `numbers`.
    """
    libc = ctypes.CDLL(None)
    libc.malloc.restype = ctypes.c_void_p
    libc.malloc.argtypes = [ctypes.c_size_t]
    libc.free.argtypes = [ctypes.c_void_p]
    held: dict[int, int] = {}

    def alloc(size: int) -> int | None:
        if sum(held.values()) + size > memory:
            return None
        pointer = libc.malloc(size)
        held[pointer] = size
        return pointer

    def release(pointer: int) -> None:
        del held[pointer]
        libc.free(pointer)

    def view(address: int, shape: tuple[int, ...], strides: list[int]) -> np.ndarray:
        size = 1 + sum((extent - 1) * stride for extent, stride in zip(shape, strides, strict=True))
        flat = np.frombuffer((ctypes.c_double * size).from_address(address))
        return np.lib.stride_tricks.as_strided(flat, shape, [8 * stride for stride in strides])

    def call(_, routine, kind, operands, strides, sizes) -> int:
        """Products of float64 matrices, and inverses."""
        batch, i, j, k = sizes[:4]
        matmul, inv = 0, 2
        shapes = {matmul: [(i, j), (j, k), (i, k)], inv: [(i, j), (i, j)]}
        if kind != 1 or routine not in shapes:
            return 10
        arrays = [
            view(operands[place], (batch, *shape), strides[3 * place : 3 * place + 3])
            for place, shape in enumerate(shapes[routine])
        ]
        if routine == matmul:
            arrays[2][...] = arrays[0] @ arrays[1]
        elif np.linalg.matrix_rank(arrays[0]).min() < i:
            ctypes.c_int64.from_address(operands[2]).value = 3
        else:
            arrays[1][...] = np.linalg.inv(arrays[0])
        return 0

    asked = itertools.count(1)

    def fail(_: int, code: int, values: ctypes.Array, count: int) -> int:
        if numbers is not None and not numbers:
            numbers.extend(values[:count])
        return code

    def poll() -> int:
        return 2 if next(asked) >= polls else 0

    def parallel_for(_, begin, end, step, grain, turns, data) -> int:
        steps = max(0, -(-(end - begin) // step))
        parts = min(threads, 1 + steps // grain)
        bounds = [begin + steps * part // parts * step for part in range(parts)] + [end]
        codes = []

        def compute(first: int, last: int) -> None:
            codes.append(turns(data, first, last))

        workers = [
            threading.Thread(target=compute, args=part) for part in itertools.pairwise(bounds)
        ]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        return next(filter(None, codes), 0)

    context = Context(
        threads,
        Context.ALLOC(alloc),
        Context.RELEASE(release),
        Context.FAIL(fail),
        Context.POLL(poll),
        Context.CALL(call),
        Context.PARALLEL_FOR(parallel_for),
    )
    entry = getattr(ctypes.CDLL(sys.argv[1]), name)
    pointers = (ctypes.c_void_p * max(len(buffers), 1))(*[buffer.ctypes.data for buffer in buffers])
    code = entry(ctypes.byref(context), pointers, (ctypes.c_int64 * max(len(sizes), 1))(*sizes))
    assert not held, f"{len(held)} temporaries were not released"
    return code


def same(left: np.ndarray, right: np.ndarray) -> None:
    """Asserts that two arrays have the same bits, whatever the payload of a NaN."""
    left, right = np.asarray(left), np.asarray(right)
    assert left.dtype == right.dtype
    assert left.shape == right.shape
    equal = (
        (left == right) & (np.signbit(left) == np.signbit(right))
        if left.dtype.kind == "f"
        else left == right
    )
    if left.dtype.kind == "f":
        equal |= np.isnan(left) & np.isnan(right)
    assert equal.all(), (np.flatnonzero(~equal)[:5], left[~equal][:5], right[~equal][:5])
