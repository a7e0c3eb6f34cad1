"""What `explain` tells of a call: bytes, operations and turns, as the kernels' loops have them."""

from __future__ import annotations

import re
import time
from pathlib import Path

import numpy as np
import pytest

import quernel as qn
from quernel.report.explain import Report, Timing

A = np.zeros((2000, 1000))
X = np.zeros(1000)
BIG = np.zeros(100_000)


def report(function, *args):
    return qn.compile(function, fullgraph=True).explain(*args)


def test_two_rows() -> None:
    def two_rows(a):
        a[3] = a[5]
        a[7] = a[9] * 2

    kernels = report(two_rows, A).kernels
    moved = [(k.bytes_read, k.bytes_written, k.flops) for k in kernels]
    assert moved == [(8000, 8000, 0), (8000, 8000, 1000)]


def columns(a):
    return a[:, 3] + a[:, 4]


def gathered(x, i):
    return x[i] * 2


def joined(x, y):
    return np.concatenate([x, y]) * 2


def rolled(x):
    return np.roll(x, 2) + x


def total(a):
    return a.sum(axis=0)


def steps(x):
    for _ in range(50):
        x[1:-1] = (x[:-2] + x[2:]) * 0.5


def triangle(a):
    for i in range(1, 100):
        a[i, :i] = a[i, :i] * 0.5


def nearest(points, means):
    return np.argmin(np.linalg.norm(points - means[:, None], axis=2), axis=0)


@pytest.mark.parametrize(
    ("function", "args", "read", "written"),
    [
        (columns, (A,), 2 * 2000 * 8, 2000 * 8),
        (joined, (BIG, X), 101_000 * 8, 101_000 * 8),
        (rolled, (X,), 8000, 8000),
        (triangle, (A,), 8 * 99 * 50, 8 * 99 * 50),
        (nearest, (np.zeros((2000, 2)), np.zeros((4, 2))), 2000 * 2 * 8 + 4 * 2 * 8, 2000 * 8),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_bytes_of_one_kernel(function, args, read, written) -> None:
    (kernel,) = report(function, *args).kernels
    assert (kernel.bytes_read, kernel.bytes_written) == (read, written)
    assert (kernel.assumed, kernel.turns) == (0, 1)


def test_a_gather_reads_what_it_picks() -> None:
    *_, kernel = report(gathered, BIG, np.zeros(50, np.int64)).kernels
    assert (kernel.bytes_read, kernel.bytes_written) == (50 * 16, 50 * 8)


def test_a_sum_reads_its_array_once() -> None:
    kernels = report(total, A).kernels
    assert kernels[0].bytes_read == A.nbytes
    assert kernels[-1].bytes_written == 8000


def test_turns_of_a_loop_count() -> None:
    (kernel,) = report(steps, X).kernels
    assert kernel.flops == 50 * 998 * 2
    assert kernel.bytes_written == 50 * 998 * 8 * 2  # the temporary array too
    assert kernel.assumed == 0


def test_turns_that_only_the_call_knows() -> None:
    def steps_of(x, n):
        for _ in range(n):
            x[1:] = x[1:] + 1

    found = report(steps_of, X, 30)
    assert found.kernels[0].assumed == 1
    assert "unknown sizes count as 1024" in str(found)


def test_turns_of_a_program_s_loop() -> None:
    def products(a, b):
        for _ in range(7):
            b = a @ b
            b = b / b.max()
        return b

    found = report(products, np.zeros((300, 300)), np.zeros((300, 300)))
    assert all(kernel.turns in (1, 7) for kernel in found.kernels)
    assert any(kernel.turns == 7 for kernel in found.kernels)
    assert found.library_calls[0]["turns"] == 7
    assert "in each of 7 turns" in str(found)

    def until(a):
        while a.max() > 1:
            a = a @ a
        return a

    found = report(until, np.zeros((300, 300)))
    assert found.library_calls[0]["turns"] is None
    assert "in each turn of a loop" in str(found)


def test_library_calls_have_lines() -> None:
    def system(a, b):
        c = b + 1
        return np.linalg.solve(a, c)

    found = report(system, np.eye(50), np.zeros(50))
    line = system.__code__.co_firstlineno + 2
    (call,) = found.library_calls
    assert call["lines"] == [f"test_explain.py:{line}"]
    assert f"qn_solve_f64, from test_explain.py:{line}" in str(found)


def test_copies_have_sizes() -> None:
    def turned(a):
        b = a
        for _ in range(4):
            b = b[::-1] + a
        return b

    found = report(turned, np.zeros((300, 300)))
    assert found.copies
    assert all(copy["bytes_written"] == 720_000 for copy in found.copies)
    assert "720 kB, as the old values are still read" in str(found)


def test_the_source_of_a_parallel_kernel_is_its_loop() -> None:
    def scaled(x):
        return np.sqrt(x) * 3

    (kernel,) = report(scaled, np.zeros(1_000_000)).kernels
    assert kernel.parallel
    assert "scaled_multiply_range(" in kernel.source
    assert "sqrt" in kernel.source and "for (" in kernel.source
    assert "parallel_for" not in kernel.source


STAGES = ["quernel", "kernels", "loops", "cpp", "Clang's front end", "optimizer", "code generation"]
OWN = ["loading the compiler", "capture", *STAGES, "link", "manifest"]


def test_times_of_a_compile_for_the_report() -> None:
    (timing,) = report(gathered, X, np.arange(5)).times
    assert timing.what == "compiled for this report"
    assert list(timing.seconds) == OWN
    assert all(seconds >= 0 for seconds in timing.seconds.values())
    assert all(timing.seconds[stage] > 0 for stage in ("capture", *STAGES))


def test_times_of_the_call_s_program() -> None:
    compiled = qn.compile(columns, fullgraph=True)
    begin = time.perf_counter()
    compiled(A)
    whole = time.perf_counter() - begin
    (timing,) = compiled.explain(A).times
    assert timing.what == "compiled"
    assert list(timing.seconds) == [*OWN, "store", "load"]
    assert 0 < timing.total == sum(timing.seconds.values()) <= whole
    (again,) = compiled.explain(A).times
    assert again == timing


def test_times_of_a_program_from_disk() -> None:
    qn.compile(joined, fullgraph=True)(BIG, X)
    compiled = qn.compile(joined, fullgraph=True)
    compiled(BIG, X)
    found, own = compiled.explain(BIG, X).times
    assert (found.what, list(found.seconds)) == ("loaded from disk", ["load"])
    assert (own.what, list(own.seconds)) == ("compiled for this report", OWN)


def test_times_of_an_object_without_its_index() -> None:
    def scaled(x, k):
        return x * k

    qn.compile(scaled, fullgraph=True)(X, 2.0)
    for index in Path(qn.cache.path).rglob("*.index"):
        index.unlink()
    compiled = qn.compile(scaled, fullgraph=True)
    compiled(X, 2.0)
    found = compiled.explain(X, 2.0).times[0]
    assert found.what == "loaded from disk"
    assert list(found.seconds) == ["loading the compiler", "capture", "load"]


def test_times_of_parts() -> None:
    def parts(x):
        y = np.sin(x) + 1
        print(end="")
        return y * 2

    compiled = qn.compile(parts)
    assert compiled.explain(X).times == []
    with pytest.warns(qn.FallbackWarning):
        compiled(X)
    times = compiled.explain(X).times
    assert [timing.what for timing in times] == ["a part of it, compiled"] * 2
    assert "a part of it, compiled in " in str(compiled.explain(X))


def test_text_of_times() -> None:
    seconds = {"capture": 0.01234, "quernel": 0.00001, "link": 0.002}
    shown = Report("f", times=[Timing("compiled", seconds)])
    line = "compiled in 14.3 ms: capture 12.3, link 2.0"
    assert str(shown) == f"f: 0 kernels\n  time by stage\n    {line}"
    assert f"<p>time by stage</p><ul><li>{line}</li></ul>" in shown._repr_html_()


def test_the_plans_decisions_are_told_with_their_costs():
    def function(x):
        e = np.exp(x)
        return e.sum(0), e.sum(1), e + 1

    report = qn.compile(function).explain(np.ones((2000, 100)))
    decisions = [line for kernel in report.kernels for line in kernel.decisions]
    assert "one loop over rows in place of 3" in decisions
    stored = [line for line in decisions if line.startswith("stores exp: several kernels")]
    assert len(stored) == 1
    price, without = map(int, re.findall(r"\d+", stored[0]))
    assert price < without
    assert stored[0] in str(report)
