"""Each option of `quernel.compile`."""

from __future__ import annotations

import time

import numpy as np
import pytest
from support import assert_same, sample

import quernel as qn

X = sample("float64", (8,))


def f(x):
    return x * 2 + 1


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"nonsense": 1}, TypeError),
        ({"fullgraph": 1}, TypeError),
        ({"dynamic": "yes"}, TypeError),
        ({"threads": 0}, ValueError),
        ({"threads": 1.5}, TypeError),
        ({"threads": True}, TypeError),
        ({"default_float": "float16"}, ValueError),
        ({"device": "tpu"}, qn.errors.DeviceError),
        ({"device": 0}, qn.errors.DeviceError),
        ({"signatures": ["float64[n"]}, qn.errors.SignatureError),
        ({"signatures": ["quaternion[n]"]}, qn.errors.SignatureError),
        ({"signatures": ["float64[n+1]"]}, qn.errors.SignatureError),
    ],
    ids=str,
)
def test_wrong_options(options: dict, error: type) -> None:
    with pytest.raises(error):
        qn.compile(f, **options)


def test_an_option_that_was_meant() -> None:
    with pytest.raises(TypeError, match="no option 'fulgraph': did you mean 'fullgraph'"):
        qn.compile(f, fulgraph=True)
    with pytest.raises(TypeError, match="no option 'nonsense': there are device, fullgraph, "):
        qn.compile(f, nonsense=1)


def test_ways_to_write_it() -> None:
    assert_same(qn.compile(f)(X), f(X))
    assert_same(qn.compile()(f)(X), f(X))
    assert_same(qn.compile(fullgraph=True, threads=1, device="cpu")(f)(X), f(X))
    compiled = qn.compile(f)
    assert compiled.__wrapped__ is f
    assert compiled.__name__ == "f"
    for wrong in (3, np.sin, int, qn.compile(f)):
        with pytest.raises(TypeError):
            qn.compile(wrong)


def sizes(compiled, counts=(5, 6, 7, 9)) -> int:
    for n in counts:
        x = sample("float64", (n, 3))
        assert_same(compiled(x), compiled.__wrapped__(x), scale=1e-14)
    assert compiled.stats()["fallbacks"] == 0
    return compiled.stats()["compiles"]


def stencil(x):
    y = np.zeros_like(x)
    y[1:-1] = x[2:] - x[:-2]
    n = x.shape[0]
    return y[::-1] / n + len(x), x.mean(axis=0), x.reshape(-1), np.arange(n), x[n - 1]


def test_dynamic() -> None:
    assert sizes(qn.compile(stencil, fullgraph=True, dynamic=False)) == 4
    assert sizes(qn.compile(stencil, fullgraph=True)) == 2
    assert sizes(qn.compile(stencil, fullgraph=True, dynamic=True)) == 1


def test_dynamic_keeps_unit_and_empty_sizes_apart() -> None:
    compiled = qn.compile(lambda x, y: x + y, fullgraph=True, dynamic=True)
    for n, m in ((5, 5), (6, 6), (7, 1), (1, 7), (1, 1), (0, 0), (0, 1), (2, 2)):
        x, y = sample("float64", (n,)), sample("float64", (m,), 1)
        assert_same(compiled(x, y), x + y)
    with pytest.raises(ValueError, match="broadcast"):
        compiled(X, X[:3])


def test_a_branch_on_a_size_makes_it_static() -> None:
    @qn.compile(fullgraph=True, dynamic=True)
    def g(x, y):
        z = x + 1 if x.shape[0] > 5 else x - 1
        return z, y * 2

    for n in (4, 6, 9):
        for m in (3, 8):
            x, y = sample("float64", (n,)), sample("float64", (m,), 1)
            assert_same(g(x, y), g.__wrapped__(x, y))
    assert g.stats()["compiles"] <= 6


def test_sizes_as_numbers() -> None:
    def g(x):
        n = x.shape[0]
        total = 0
        for k in range(x.shape[1]):
            total = total + x[:, k]
        return (
            x * n, x / n, x - (n - 1), (n + 1) * x, total / (2 * n), x[: n // 2], x[n // 2 :],
            n, x.shape, np.full(n, 1.5), np.zeros((n, 2)), x[-1], np.sqrt(n) * x, n % 2,
            x.reshape(n * 3), x.reshape(3, -1), np.ones(x.shape)[None],
        )  # fmt: skip

    compiled = qn.compile(g, fullgraph=True, dynamic=True)
    sizes(compiled)


def test_reasons_for_compiling_again() -> None:
    compiled = qn.compile(f, dynamic=False)
    compiled(X)
    compiled(X[:3])
    reasons = compiled.stats()["recompile_reasons"]
    assert len(reasons) == 1
    assert "float64[3]" in reasons[0]


def test_signatures() -> None:
    compiled = qn.compile(
        lambda x, m, s: x @ m * s, fullgraph=True, signatures=["float64[n,3], float64[3,k], float"]
    )
    assert compiled.stats()["compiles"] == 1
    for n, k in ((4, 5), (7, 2)):
        x, m = sample("float64", (n, 3)), sample("float64", (3, k))
        assert_same(compiled(x, m, 2.0), x @ m * 2.0, scale=1e-15)
    assert compiled.stats()["compiles"] == 1


def test_verify() -> None:
    compiled = qn.compile(stencil, verify=True)
    assert_same(
        compiled(sample("float64", (5, 3))), stencil(sample("float64", (5, 3))), scale=1e-14
    )
    assert compiled.stats()["calls"] == 1
    truth = {"value": 1}

    def changing(x):
        return x + len(str(truth["value"]))

    lying = qn.compile(changing, verify=True)
    lying(X)


def test_verify_finds_differences(monkeypatch: pytest.MonkeyPatch) -> None:
    from quernel.call.verify import compare

    for got, want in (
        (X, X + 1e-6),
        (X, X.astype("f4")),
        (X, X[:2]),
        ((X,), [X]),
        ({"a": X}, {"b": X}),
        (np.arange(3), np.arange(3) + 1),
    ):
        with pytest.raises(qn.errors.VerificationError, match="the result"):
            compare(got, want, "the result")
    compare(X + 1e-14, X, "the result")


def test_background() -> None:
    compiled = qn.compile(f, background=True)
    assert_same(compiled(X), f(X))
    deadline = time.monotonic() + 60
    while not compiled.stats()["compiles"] and time.monotonic() < deadline:
        time.sleep(0.01)
        assert_same(compiled(X), f(X))
    while not compiled.stats()["memory_hits"] and time.monotonic() < deadline:
        assert_same(compiled(X), f(X))
    assert compiled.stats()["memory_hits"] >= 1


def test_threads_in_python_compile_once() -> None:
    from concurrent.futures import ThreadPoolExecutor

    def once(x):  # which no thread of another test, that compiles in the background, puts on disk
        return x * 3 + 1

    compiled = qn.compile(once, fullgraph=True)
    with ThreadPoolExecutor(8) as pool:
        for got in pool.map(lambda _: compiled(X), range(32)):
            assert_same(got, once(X))
    assert compiled.stats()["compiles"] == 1


def test_explain_and_lower() -> None:
    compiled = qn.compile(lambda x, s: np.sqrt(x * x + s), fullgraph=True)
    report = compiled.explain(X, 2.0)
    assert len(report.kernels) == 1
    assert report.fallbacks == []
    assert {"sqrt", "multiply", "add"} <= set(report.kernels[0].ops)
    assert report.kernels[0].name in report.kernels[0].source
    assert any("test_options.py" in line for line in report.kernels[0].lines)
    assert "x: float64[8]" in report.guards
    assert "s: any float" in report.guards
    assert report._repr_html_()
    assert compiled.stats()["calls"] == 0
    lowered = compiled.lower(X, 2.0)
    for stage in ("quernel", "kernels", "loops", "cpp", "cuda", "asm"):
        assert lowered.text(stage)
    with pytest.raises(ValueError, match="stage must be"):
        lowered.text("fortran")
    assert lowered.compile()(X, 2.0).shape == X.shape
    assert compiled.stats()["compiles"] == 1


def test_reports_are_saved(tmp_path) -> None:
    path = tmp_path / "report.html"
    qn.compile(f).explain(X).save(str(path))
    assert path.read_text().startswith("<!doctype html>")


def test_namespace() -> None:
    assert_same(qn.numpy.sum(X[None], axis=0), X)
    assert_same(qn.numpy.sqrt(np.abs(X)), np.sqrt(np.abs(X)))
    assert qn.numpy.pi == np.pi


def test_a_profiler_at_work_is_left_alone() -> None:
    import cProfile

    with cProfile.Profile() as profiler:
        assert_same(qn.compile(f, fullgraph=True)(X), f(X))
    assert profiler.getstats()
