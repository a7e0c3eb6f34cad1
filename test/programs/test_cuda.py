"""Programs printed as CUDA C++; NVRTC compiles each for two architectures. No GPU is needed."""

from __future__ import annotations

import inspect
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


CALLS = [
    (kmeans, (X[:, :2], X[:4, :2])),
    (kmeans, (X[:, :2], N[:4, :2])),
    (softmax, (X,)),
    (softmax, (X.astype(np.float32),)),
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
]


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize(("function", "args"), CALLS, ids=lambda x: getattr(x, "__name__", ""))
def test_nvrtc_compiles_every_kernel(function, args, dynamic) -> None:
    compiled = qn.compile(function, fullgraph=True, dynamic=dynamic)
    lowered = compiled.lower(*args)
    text = lowered.text("cuda")
    names = [kernel.name for kernel in compiled.explain(*args).kernels]
    for name in names:
        assert f'extern "C" __global__ void {name}(' in text
    options = lowered._dispatcher.options.compiler()
    for architecture in ("sm_80", "sm_90"):
        cubin = compiler().compile(lowered._graph(), architecture, options).object
        assert cubin[:4] == b"\x7fELF"
        assert all(name.encode() in cubin for name in names)


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


@pytest.mark.parametrize(
    ("function", "args", "text"),
    [
        (time_loop, (np.ones(100), 1000), "a loop of the program's own"),
        (picked, (np.ones(100), np.arange(20)), "a number that is computed between kernels"),
        (product, (np.ones((200, 200)), np.ones((200, 200))), "`matmul`, which a library computes"),
        (system, (np.eye(9), np.ones(9)), "`solve`, which a library computes"),
    ],
)
def test_what_is_more_than_kernels_is_refused(function, args, text) -> None:
    lowered = qn.compile(function).lower(*args)
    assert "context->" in lowered.text("cpp")
    last = inspect.getsourcelines(function)
    lines = range(last[1], last[1] + len(last[0]))
    for stage in ("cuda", "ptx"):
        with pytest.raises(qn.errors.UnsupportedError) as refusal:
            lowered.text(stage)
        found = re.match(rf"{re.escape(text)} \(test_cuda.py:(\d+)\)", refusal.value.reason)
        assert found and int(found[1]) in lines
        assert refusal.value.reason.endswith("which CUDA targets don't have")


def test_the_order_of_launches_is_told() -> None:
    text = qn.compile(standardise, fullgraph=True).lower(X).text("cuda")
    listed = text[text.index("// standardise launches, one after the other:") :].splitlines()[1:]
    names = [line.removeprefix("//   ").partition("(")[0] for line in listed if "//   " in line]
    assert len(names) > 1
    assert all(f"__global__ void {name}(" in text for name in names)
