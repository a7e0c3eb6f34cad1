"""Programs printed as CUDA C++; NVRTC compiles each for four architectures. No GPU is needed."""

from __future__ import annotations

import re

import numpy as np
import pytest

import quernel as qn
from quernel.call.build import compiler

RNG = np.random.default_rng(3)
X, Y = RNG.normal(size=(300, 40)), RNG.normal(size=(300, 40))
N, B = RNG.integers(-9, 9, (300, 40)), RNG.random((300, 40)) > 0.5


def kmeans(x, means):
    return np.argmin(np.linalg.norm(x - means[:, None], axis=2), axis=0)


def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def standardise(x):
    return (x - x.mean(axis=0)) / x.std(axis=0), x.sum(), x.min(axis=1)


def stencil(x):
    x[1:-1, 1:-1] = 0.25 * (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:])
    return x.mean()


def functions(x, y):
    parts = [
        np.sin(x),
        np.cos(y),
        np.tan(x),
        np.arctan2(x, y),
        np.hypot(x, y),
        np.expm1(x),
        np.cbrt(x),
    ]
    parts += [
        np.log1p(x * x),
        np.tanh(y),
        np.power(x * x, y),
        np.floor(x),
        np.rint(y),
        np.fmod(x, y),
        x % y,
        x // y,
    ]
    return [p + 1 for p in parts], np.maximum(x, y), np.fmin(x, y), np.sign(x), np.copysign(x, y)


def integers(i, b):
    return (
        i // 3,
        i % (i + 1),
        i << 2,
        i >> 1,
        i ^ 5,
        ~i,
        (i > 2) & b,
        np.where(b, i, -i),
        b.sum(),
        i.max(axis=0),
    )


def complexes(z, w):
    return (
        [z * w, z / w, abs(z), np.exp(z), np.sqrt(z), np.log(z), z**w, np.tan(z), z.conj()],
        (z * w).sum(axis=1),
        z.max(),
        z.argmin(axis=1),
        np.where(z == w, z, 1j),
    )


def views(x):
    return (
        np.concatenate([x[::-1], x.T.reshape(x.shape) * 2]),
        np.roll(x, 3, axis=1),
        np.stack([x, -x]),
        np.eye(5),
    )


def running(x, n, b):
    return (
        [np.cumsum(x), np.cumsum(x + 1j), np.cumsum(x.reshape(2, -1), axis=1)],
        [np.cumprod(n), np.maximum.accumulate(n), np.logical_or.accumulate(b)],
        [x[b], np.flatnonzero(b), x.argmin(), n.max()],
        [np.bincount(n), np.histogram(x, 9)[0], np.bincount(n, x)],
    )


def updates(y, k, v):
    few = np.zeros(9, v.dtype)
    np.add.at(few, k % 9, v)
    np.add.at(y, k, v)
    y[k] = v
    return few


def decays(a):
    out = np.zeros_like(a)
    for i in range(a.shape[0]):
        state = 0.0
        for j in range(a.shape[1]):
            state = 0.9 * state + a[i, j]
            out[i, j] = state
    return out


def box(x):
    rows = x[:, :, :-2] + x[:, :, 1:-1] + x[:, :, 2:]
    planes = rows[:, :-2] + rows[:, 1:-1] + rows[:, 2:]
    return planes[:-2] + planes[1:-1] + planes[2:]


def small_products(a, b, v, x):
    return (
        np.matmul(a, b),
        np.einsum("bij,bj->bi", a @ b, v),
        x @ a[0],
        np.abs(x[:, None] - v[:8]).sum(axis=2),
    )


def sorts(x):
    return np.sort(x), np.argsort(x, axis=0), np.median(x)


CALLS = [
    (kmeans, (X[:, :2], X[:4, :2])),
    (kmeans, (X[:, :2], N[:4, :2])),
    (softmax, (X,)),
    (softmax, (X.astype(np.float32),)),
    (softmax, (np.ones((40, 20000), np.float32),)),
    (softmax, (np.ones((40, 7000)),)),
    (standardise, (X,)),
    (stencil, (X.copy(),)),
    (functions, (X, Y)),
    (functions, (X.astype(np.float32), Y.astype(np.float32))),
    (integers, (N, B)),
    (integers, (N.astype(np.int32), B)),
    (integers, (N.astype(np.int8), B)),
    (integers, (N.astype(np.uint16), B)),
    (integers, (N.astype(np.uint64), B)),
    (complexes, (X + 1j * Y, Y - 2j * X)),
    (complexes, ((X + 1j * Y).astype(np.complex64), X.astype(np.complex64))),
    (views, (X,)),
    (running, (RNG.normal(size=70000), RNG.integers(0, 9, 70000), RNG.random(70000) > 0.5)),
    (updates, (np.zeros(5000), RNG.integers(0, 5000, 8000), RNG.random(8000))),
    (
        updates,
        (np.zeros(5000, np.float32), RNG.integers(0, 5000, 8000), RNG.random(8000, np.float32)),
    ),
    (decays, (X,)),
    (decays, (X.astype(np.float32),)),
    (box, (np.ones((128, 128, 128), np.float32),)),
    *(
        (small_products, tuple(np.ones(shape, dtype) for shape in shapes))
        for dtype in (np.float32, np.float64, np.complex128)
        for shapes in [((40000, 3, 3), (40000, 3, 3), (40000, 3), (40000, 3))]
    ),
    (sorts, (X,)),
    (sorts, (X.astype(np.float16),)),
    (sorts, (X + 1j * Y,)),
    (sorts, (N.astype(np.int8),)),
]


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize(("function", "args"), CALLS, ids=lambda x: getattr(x, "__name__", ""))
def test_nvrtc_compiles_every_kernel(function, args, dynamic) -> None:
    compiled = qn.compile(function, fullgraph=True, dynamic=dynamic)
    lowered = compiled.lower(*args)
    text = lowered.text("cuda")
    kernel = r'extern "C" __global__ void (?:__launch_bounds__\(\d+\)\s+)?(\w+)\('
    names = re.findall(kernel, text)
    assert names
    for architecture in ("sm_75", "sm_80", "sm_90", "sm_100"):
        options = lowered._dispatcher.options.compiler(architecture)
        made = compiler().compile(lowered._captured().graph, architecture, options).object
        assert made[:4] == b"\x7fELF"  # the program, which has the kernels' image
        image = made[made.index(b"\x7fELF", 4) :]
        assert all(name.encode() in image for name in names)


def time_loop(x, n):
    for _ in range(n):
        x[1:-1] = 0.5 * (x[:-2] + x[2:])


def picked(x, i):
    return x[i]


def product(a, b):
    c = a + 1
    return c @ b


def system(a, b):
    return np.linalg.solve(a, b) + 1


def until(x):
    while x.max() > 1:
        x = x / 2
    return x


@pytest.mark.parametrize(
    ("function", "args", "texts"),
    [
        (time_loop, (np.ones(100000), 1000), ["for (int64_t", "context->poll()", "launch<"]),
        (picked, (np.ones(100), np.arange(20)), ["launch<", "IndexError"]),
        (product, (np.ones((200, 200)), np.ones((200, 200))), ["launch<", "/* matmul */"]),
        (system, (np.eye(9), np.ones(9)), ["/* solve */", "read<", "LinAlgError", "launch<"]),
        (until, (np.arange(99999.0),), ["repeat(device, goes_on, ", "const auto turn = "]),
    ],
)
def test_the_whole_program_is_printed(function, args, texts) -> None:
    lowered = qn.compile(function, fullgraph=True).lower(*args)
    program = lowered.text("cuda")
    body = program[program.index(f'extern "C" int32_t {function.__name__}(') :]
    assert [text for text in texts if text not in body] == []
    options = lowered._dispatcher.options.compiler("sm_80")
    assert compiler().compile(lowered._captured().graph, "sm_80", options).object[:4] == b"\x7fELF"
