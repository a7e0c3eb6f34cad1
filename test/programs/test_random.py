"""Random programs of elementwise operations, views and reductions, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from places import examples
from support import assert_same

import quernel as qn

# What stays exact, or nearly so, however deep it is nested.
UNARY = "negative absolute floor square isfinite tanh logical_not".split()
BINARY = "add subtract multiply maximum minimum less equal".split()
REDUCTIONS = "sum max min mean argmin any all".split()
VIEWS = (
    "{x}.T",
    "{x}[::-1]",
    "{x}[..., ::2]",
    "{x}[1:]",
    "{x}[..., None]",
    "{x}.reshape(-1)",
    "{x}[0]",
    "np.concatenate([{x}, {x}])",
    "np.stack([{x}, {x}], axis=-1)",
    "np.roll({x}, 1)",
    "np.flip({x})",
)
DTYPES = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float32", "float64", "complex64", "complex128"),
)


@st.composite
def arrays(draw: Any) -> np.ndarray:
    dtype = draw(st.sampled_from(DTYPES))
    shape = draw(st.lists(st.sampled_from((1, 2, 3, 4, 17)), min_size=0, max_size=3))
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    kind = np.dtype(dtype).kind
    values = rng.integers(0 if kind == "u" else -4, 5, shape)
    array = (values / 2 if kind in "fc" else values).astype(dtype)
    if kind == "c":
        array = array + (1j * rng.integers(-4, 5, shape)).astype(dtype)
    return draw(st.sampled_from((array, array[::-1] if array.ndim else array, array.T)))


@st.composite
def expressions(draw: Any, names: list[str]) -> str:
    x, y, z = (draw(st.sampled_from(names)) for _ in range(3))
    form = draw(
        st.one_of(
            st.sampled_from([f"np.{name}({{x}})" for name in UNARY]),
            st.sampled_from([f"np.{name}({{x}}, {{y}})" for name in BINARY]),
            st.sampled_from(("{x} * 2 + 1", "{x} * 0.5 - 1", "np.where({x}, {y}, {z})")),
            st.sampled_from(VIEWS),
            st.builds(
                "np.{}({{x}}, axis={}, keepdims={})".format,
                st.sampled_from(REDUCTIONS),
                st.sampled_from((None, 0, 1, -1)),
                st.booleans(),
            ),
        )
    )
    return form.format(x=x, y=y, z=z)


@st.composite
def programs(draw: Any) -> tuple[list[np.ndarray], str]:
    """Arrays and the text of a function of them; steps that NumPy refuses are left out."""
    inputs = draw(st.lists(arrays(), min_size=1, max_size=3))
    names = [f"a{k}" for k in range(len(inputs))]
    values = dict(zip(names, inputs, strict=True))
    lines = [f"def compute({', '.join(names)}):"]
    for k in range(draw(st.integers(1, 8))):
        text = draw(expressions(names))
        value = evaluated(text, values)
        if value is None:
            continue
        names.append(f"v{k}")
        values[f"v{k}"] = value
        lines.append(f"    v{k} = {text}")
    # Copies: views of one array would share memory in NumPy's result.
    results = [f"{name} + 0 if {name}.dtype != bool else ~{name}" for name in names]
    lines.append(f"    return ({', '.join(results)},)")
    return inputs, "\n".join(lines)


def evaluated(text: str, values: dict[str, np.ndarray]) -> Any:
    with np.errstate(all="ignore"):
        try:
            value = eval(text, {"np": np}, values)
        except (ValueError, TypeError, IndexError):
            return None
    return value if value.dtype.name in DTYPES and value.size <= 10_000 else None


SETTINGS = settings(
    max_examples=examples(150),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=True,
)


@given(programs())
@SETTINGS
def test_random_programs(program: tuple[list[np.ndarray], str]) -> None:
    inputs, text = program
    namespace: dict[str, Any] = {"np": np}
    exec(text, namespace)
    compiled = qn.compile(namespace["compute"], fullgraph=True)
    with np.errstate(all="ignore"):
        want = namespace["compute"](*inputs)
    assert_same(compiled(*inputs), want, ulp=8, scale=1e-5)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(-3, 6), st.sampled_from((1, 2, -1)))))
@settings(max_examples=examples(40), deadline=None, derandomize=True)
def test_random_writes(writes: list[tuple[int, int, int]]) -> None:
    def compute(x):
        views = [x, x[::-1], x.reshape(2, 3).T]
        for k, (start, stop, step) in enumerate(writes):
            target = views[k % 3]
            target[start % target.shape[0] : stop : step] += k + 1
            views.append(target[::2])
        return [view * 1 for view in views]

    a, b = np.arange(6.0), np.arange(6.0)
    compiled = qn.compile(compute)
    assert_same(compiled(a), compute(b))
    np.testing.assert_array_equal(a, b)
    assert compiled.stats()["fallbacks"] == 0


@given(
    st.lists(st.integers(2, 40), min_size=2, max_size=4),
    st.sampled_from((np.float64, np.float32, np.int64)),
)
@settings(max_examples=examples(15), deadline=None, derandomize=True)
def test_random_sizes(sizes: list[int], dtype: type) -> None:
    def compute(x, y):
        z = np.zeros_like(x)
        z[1:-1] = x[2:] - x[:-2]
        return z + y[::-1], (x[:, None] * y).sum(axis=1), np.concatenate([x, y]) / len(x)

    compiled = qn.compile(compute, dynamic=True)
    for n in sizes:
        x, y = np.arange(n).astype(dtype), np.linspace(1, 3, n).astype(dtype)
        assert_same(compiled(x, y), compute(x, y), scale=1e-5)
    assert compiled.stats()["fallbacks"] == 0
    assert compiled.stats()["compiles"] <= 2


def test_a_method_of_the_global_stream_as_an_argument():
    def drawn(n, draw):
        return draw(n)

    def held(n):
        random = np.random.random
        return random(n)

    compiled = [qn.compile(drawn, fullgraph=True), qn.compile(held, fullgraph=True)]
    np.random.seed(3)
    got = [compiled[0](2, np.random.random), compiled[0](2, np.random.random), compiled[1](2)]
    np.random.seed(3)
    want = [np.random.random(2) for _ in range(3)]
    np.testing.assert_array_equal(got, want)
