"""Ordinary mistakes: NumPy's class and text, and no traceback longer than NumPy's."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from support import module_of

import quernel as qn

X = np.arange(6.0) + 1
ARGUMENTS = (X, X.reshape(2, 3) - 1, np.arange(6), X + 1j, X > 2)
MISTAKES = """
x + np.ones(4)
m @ m
m.sum(axis=2)
np.sum(m, axis=-3)
undefined_name + x
x.reshape(4, 2)
np.concatenate([x, m])
np.concatenate([])
np.einsum("ij,jk->ik", m, m)
np.einsum("ij->ijk", m)
x[10]
x[1, 2]
m[2]
m[0, 3]
x["a"]
x[1.5]
i.__iadd__(1.5)
x.foo
np.foo(x)
x.astype("float99")
np.zeros(-1)
np.zeros((2, -3))
np.ones(3, dtype="nope")
np.linspace(0, 1, -3)
np.arange(0, 5, 0)
np.stack([x, np.ones(3)])
np.vstack([m, np.ones((1, 2))])
np.hstack([m, np.ones((3, 1))])
np.dot(m, m)
np.matmul(x, 2.0)
np.cross(np.ones(4), np.ones(4))
np.linalg.cross(np.ones((4, 2)), np.ones((4, 2)))
np.linalg.solve(m, x)
np.linalg.inv(m)
np.linalg.det(m)
np.transpose(m, (0, 1, 2))
np.transpose(m, (0, 0))
m.transpose(0, 2)
np.swapaxes(m, 0, 2)
np.moveaxis(m, 0, 5)
np.expand_dims(x, 3)
np.squeeze(m, axis=0)
np.repeat(x, [1, 2])
np.tile()
np.split(x, 4)
np.array_split(x, 0)
np.broadcast_to(x, (2, 5))
np.argmax(np.zeros((0,)))
np.max(np.zeros((0,)))
np.min(x[:0])
np.mean(m, axis="a")
np.cumsum(m, axis=4)
np.where(b, x)
np.where(b, x, np.ones(4))
np.sort(m, axis=7)
np.argsort(x, kind="bogus")
np.take(x, 99)
np.take(x, [1, 99])
np.put(x, 99, 1)
np.delete(x, 99)
np.insert(x, 99, 1.0)
np.diag(np.ones((2, 2, 2)))
np.trace(x)
np.kron()
np.outer(x)
np.interp(x, x, np.ones(3))
np.searchsorted(m, x)
np.digitize(x, [3, 1, 2])
np.histogram(x, bins=-1)
np.bincount(x)
np.logspace(0)
np.full((2, 2))
np.eye("a")
~x
x % "a"
b - b
len(x[0])
x.sum(1)
np.sqrt(x, x, x)
np.add(x)
int(m)
complex(x)
x[b[:3]]
m[[0, 1, 2]]
x[::0]
np.unravel_index(99, (2, 2))
np.flip(m, axis=3)
np.pad(x, -1)
np.pad(x, 1, mode="constant", constant=3)
np.pad(x, 1, mode="edge", constant_values=x[0])
np.asarray(x, bogus=3)
np.asanyarray([x[0], 1.0], copy=False)
np.gradient(x[:1])
np.polyfit(x, x[:3], 1)
np.meshgrid(m, x, indexing="zz")
np.inner(m, np.ones(2))
np.linalg.norm(m, ord="bogus")
np.average(x, weights=np.ones(3))
np.median(m, axis=9)
np.quantile(x, -1)
np.logical_and(x, np.ones(2))
np.arctan2(c, c)
c // 2
min(x[:0])
sum(m, 1, 2)
abs()
range(x[0])
x.T.T.foo
x.reshape(-1, -1)
x.view("i3")
x.fill()
x.dot(np.ones(3))
x.argmax(axis=2)
np.choose(i, [x, x])
np.compress(b, x, axis=3)
np.unique(x, axis=4)
np.fft.fft(x, axis=3)
np.array([x, np.ones(3)])
np.asarray()
x.swapaxes(0, 1)
np.linalg.matrix_power(m, 2)
np.exp("a")
x + "a"
x * [1, 2]
x ** "a"
None + x
[1, 2][5] + x
math.sqrt(x)
math.log(x[0] * 0)
int("a")
np.add(x, 1, where=x)
np.sqrt(x, where=i)
np.sum(x, where=i)
x.std(where=i)
np.nansum(x, where=x)
np.copyto(x, 1.0, where=i)
np.add(x, 1, where=[True, False])
np.sum(x, initial=[1, 2])
np.sum(x, keepdims="a")
np.mean(x, keepdims=None)
np.var(x, keepdims="a")
np.add(x, 1, subok=3)
np.add(x, 1, out=np.empty(4))
np.add(x, 1.5, out=i)
np.sum(m, axis=0, out=np.empty(2))
np.sin(x, out=[1, 2])
np.add(x, 1, casting="foo")
np.sum(x, axes=0)
x.sum(axes=0)
np.sin(x, foo=1)
np.broadcast_to(x, (2, 6)).__setitem__(0, 1)
{x: 1}
{[1]: x}
"a" * x
x["a":"b"]
m[..., ...]
np.stack([])
np.stack([x, x], axis=5)
m.mean(axis=(0, 0))
m.sum(axis=1.0)
np.linalg.cholesky(-np.eye(3) * x[1])
np.linalg.cholesky(m)
x(3)
x.shape()
x.shape[3]
np(x)
np.einsum("ii->i", m)
np.einsum("i,j->k", x, x)
np.concatenate(x, m)
np.concatenate([x, 3.0])
np.full(x, 3)
np.zeros(2.5)
i ** -1
x << 2
1.0 / (float(x[0]) - 1.0)
len(x) % (len(x) - 6)
x > 1 and x < 3
np.select([x], [x])
np.linalg.multi_dot([m])
np.ravel_multi_index((5, 5), (2, 2))
np.average(x, weights=x * 0)
np.percentile(x, 101)
""".strip().splitlines()
STATEMENTS = [
    "i += 1.5",
    "x[10] = 1.0",
    "x[0:3] = np.ones(4)",
    "m[0, 5] = 1.0",
    "x[0] = 'a'",
    "x[0] = 1j",
    "x[0] = [1, 2]",
    "m.shape = (4, 4)",
    "p, q = x",
    "assert x.sum() < 0, 'negative'",
    "raise ValueError('my own', 3)",
    "del unknown",
    "for v in x[0]: y = y + v",
    "y.dtype = 'nope'",
    "i /= 2",
    "x[[0, 99]] = 1",
    "x[x > 1] = np.ones(7)",
    "y.flags.writeable = False; y[0] = 1",
    "x.foo = 3",
    "p, (q, r) = m",
    "p, *q, r, s = m",
    "p, q = 3",
    "for k in range(1.5): y = y + k",
    "for k in 5: y = y + k",
    "del x[0]",
    "assert x[0] > 5",
    "import nosuchmodule",
    "from numpy import nosuchname",
]


@pytest.fixture(scope="module")
def functions(tmp_path_factory):
    """A function for each mistake, in a file with one for each."""
    lines = ["import math", "import numpy as np"]
    for k, line in enumerate([*(f"return {text}" for text in MISTAKES), *STATEMENTS]):
        lines += [f"def f{k}(x, m, i, c, b):", "    y = x * 2.0", f"    {line}"]
    text = "\n".join(lines) + "\n"
    return module_of(tmp_path_factory.mktemp("mistakes") / "mistakes.py", text)


def raised(function):
    """The class and the text of the error of a call, and the frames of its traceback."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(Exception) as info:  # noqa: PT011
            function(*[array.copy() for array in ARGUMENTS])
    frames, trace = [], info.value.__traceback__.tb_next
    while trace is not None:
        frames.append((Path(trace.tb_frame.f_code.co_filename).name, trace.tb_lineno))
        trace = trace.tb_next
    return type(info.value), str(info.value), frames


@pytest.mark.parametrize("number", range(len(MISTAKES) + len(STATEMENTS)))
def test_mistakes(functions, number):
    function = getattr(functions, f"f{number}")
    compiled = qn.compile(function)
    kind, text, frames = raised(function)
    for _ in range(2):
        got = raised(compiled)
        assert got[:2] == (kind, text)
        assert len(got[2]) <= len(frames)
        assert [at for at in got[2] if at[0] == "mistakes.py"] == frames[:1]


def leaves(x):
    y = x * 2.0
    if y[0] > 1:
        raise SystemExit(3)
    return y


def leaves_and_catches(x):
    try:
        raise SystemExit(3)
    except SystemExit:
        return x + 1


@pytest.mark.filterwarnings("ignore::quernel.FallbackWarning")
def test_what_ends_the_process_is_raised_by_python():
    always = qn.compile(leaves_and_catches)
    assert "raising SystemExit (instead: raise it outside)" in str(always.explain(X))
    np.testing.assert_array_equal(always(X), X + 1)
    compiled = qn.compile(leaves)
    for _ in range(2):
        with pytest.raises(SystemExit) as info:
            compiled(X)
        assert info.value.code == 3
        assert info.traceback[-1].name == "leaves"
