"""Programs of many statements: what they compute again, and what Clang sees at once, is bounded."""

import re
from copy import copy

import numpy as np
import pytest

import quernel as qn
from quernel.errors import UnsupportedError


def repeated(statement, count, arguments, file="<repeated>"):
    """A function of the same statement so many times, which may contain `{k}`.

    Where it has branches, its text has to be in a file.
    """
    lines = [f"    {statement.format(k=k)}" for k in range(count)]
    text = "\n".join([f"def f({arguments}):", *lines, "    return x", ""])
    space = {"np": np}
    if file != "<repeated>":
        file.write_text(text)
    exec(compile(text, str(file), "exec"), space)
    return space["f"]


def kernels_of(text):
    """The texts of a program's kernels, with those of their loops."""
    return re.findall(
        r"^(?:\[\[gnu::noinline\]\] )?static \w+ f_.*?^}", text, re.DOTALL | re.MULTILINE
    )


def loops_inside(kernel):
    """How deep the loops of a kernel are nested, by its indentation."""
    return (
        max(
            (len(line) - len(line.lstrip()) for line in kernel.splitlines() if "for (" in line),
            default=0,
        )
        // 2
    )


def test_small_products_in_a_row():
    f = repeated("x = x @ y", 16, "x, y")
    x, y = np.linspace(0.1, 0.3, 16).reshape(4, 4), np.linspace(0.2, 0.4, 16).reshape(4, 4)
    compiled = qn.compile(f, fullgraph=True)
    np.testing.assert_allclose(compiled(x, y), f(x, y), rtol=1e-12)
    assert max(map(loops_inside, kernels_of(compiled.lower(x, y).text("cpp")))) <= 4


def test_outer_products_in_a_row():
    f = repeated("x = np.sum(x[:, None] * x[None, :], axis=1)", 6, "x")
    x = np.linspace(0.01, 0.02, 64)
    compiled = qn.compile(f, fullgraph=True)
    np.testing.assert_allclose(compiled(x), f(x), rtol=1e-10)
    assert max(map(loops_inside, kernels_of(compiled.lower(x).text("cpp")))) <= 4


def test_text_grows_with_the_number_of_means():
    x = np.linspace(0.5, 1.5, 4096)
    lengths = {}
    for count in (30, 60):
        f = repeated("x = x - x.mean()", count, "x")
        compiled = qn.compile(f, fullgraph=True)
        lengths[count] = len(compiled.lower(x).text("cpp"))
    assert lengths[60] < 2.5 * lengths[30]
    np.testing.assert_allclose(compiled(x), f(x), atol=1e-12)


def test_kernels_of_many_stay_functions():
    x, y = np.linspace(0.5, 1.5, 4096), np.ones(4096)
    statement = "x[{k}:] = np.exp(y[{k}:])"  # a function's loop has its own length
    few = qn.compile(repeated(statement, 5, "x, y"), fullgraph=True).lower(x, y).text("cpp")
    assert all("_range(" in kernel for kernel in kernels_of(few) if "noinline" in kernel)
    f = repeated(statement, 80, "x, y")
    compiled = qn.compile(f, fullgraph=True)
    kernels = kernels_of(compiled.lower(x, y).text("cpp"))
    assert len(kernels) >= 80
    assert all(kernel.startswith("[[gnu::noinline]]") for kernel in kernels)
    expected, result = x.copy(), x.copy()
    f(expected, y)
    compiled(result, y)
    np.testing.assert_allclose(result, expected, rtol=1e-15)


ALIKE = {
    "parts": ("x[{k}:] += y[{k}:]", 4),
    "numbers": ("x[1:] = x[:-1] * {k}.5 + y[1:] / {k}.25", 1),
    "sums": ("x += (y * {k}.5).sum()", 16),
    "products": ("x[:4] = y[:16].reshape(4, 4) @ x[4:8]", 1),
    "means": ("x = x - x.mean()", 60),
}


@pytest.mark.parametrize(("statement", "most"), ALIKE.values(), ids=ALIKE)
def test_kernels_that_do_the_same_are_one(statement, most):
    x, y = np.linspace(0.5, 1.5, 500), np.linspace(1, 2, 500)
    texts, results = {}, {}
    for count in (100, 200):
        f = repeated(statement, count, "x, y")
        compiled = qn.compile(f, fullgraph=True)
        texts[count] = compiled.lower(x, y).text("cpp")
        assert len(kernels_of(texts[count])) <= most
        given = x.copy(), y.copy()
        results[count] = compiled(*given)
        with np.errstate(all="ignore"):
            want = f(x.copy(), y.copy())
        np.testing.assert_allclose(results[count], want, rtol=1e-10, atol=1e-12)
    program = re.search(r"^extern .* f\((?:.|\n)*?^}", texts[200], re.MULTILINE)[0]
    assert ("UNOPTIMIZED" in program) == (len(re.findall(r"\bf_\w+\(", program)) > 64)


def test_a_merged_kernel_tells_of_all_its_lines():
    x, y = np.linspace(0.5, 1.5, 500), np.ones(500)
    f = repeated("x[1:] = x[:-1] * {k}.5 + y[1:] / {k}.25", 20, "x, y")
    compiled = qn.compile(f, fullgraph=True)
    report = str(compiled.explain(x.copy(), y))
    assert report.startswith("f: 1 kernel"), report
    assert all(f"<repeated>:{line}" in report for line in range(2, 22)), report


def test_checks_of_equal_kernels_tell_of_their_own_lines(tmp_path):
    f = repeated("x[y[2 * {k} : 2 * {k} + 2]] += 1.0", 12, "x, y", tmp_path / "checks.py")
    compiled = qn.compile(f, fullgraph=True)
    for wrong in 0, 5, 11:
        y = np.zeros(24, np.int64)
        y[2 * wrong] = 99
        for call in compiled, f:
            with pytest.raises(IndexError, match="index 99 is out of bounds") as caught:
                call(np.zeros(50), y.copy())
            assert caught.traceback[-1].lineno == 1 + wrong


def test_arrays_of_one_shape_share_kernels_of_bounded_length():
    def f(y):
        return [y * float(k) for k in range(100)]

    y = np.linspace(0.5, 1.5, 4096)
    compiled = qn.compile(f, fullgraph=True)
    heads = [kernel.splitlines()[0] for kernel in kernels_of(compiled.lower(y).text("cpp"))]
    assert sum("_range(" not in head for head in heads) == 4  # a loop of threads is a function, too
    for result, expected in zip(compiled(y), f(y), strict=True):
        np.testing.assert_array_equal(result, expected)


def test_choices_of_choices(tmp_path):
    """Each is made of the one before in two places: what is asked of one is asked once."""
    count = 40
    f = repeated("x = np.where(x > {k}, x, x + y)", count, "x, y")
    x, y = np.linspace(-1, 50, 5), np.ones(5)
    np.testing.assert_array_equal(qn.compile(f, fullgraph=True)(x, y), f(x, y))
    statement = "y, x = x, (x if x[{k}] > y[0] else y)"
    g = repeated(statement, count, "x, y", tmp_path / "choices.py")
    for first in (0.5, 60.0):
        x, y = np.arange(float(count)), np.full(count, first)
        assert qn.compile(g, fullgraph=True)(x, y) is g(x, y)


BRANCHES = {
    "choices": ("x = x + {k} if y[0] > {k} else x", 1.0),
    "numbers": ("\n    if y[0] > {k}:\n        x = x + {k}", 1.0),
    "writes": ("\n    if y[0] > {k}:\n        x[1] += {k}", np.arange(4.0)),
}
WAYS = {
    "arrays": "\n    if y[0] > {k}:\n        x = x + {k}",
    "kinds": "\n    if y[0] > {k}:\n        x = (y, {k})",
    "views": "\n    if y[0] > {k}:\n        x = x[::-1]",
}
TOO_MANY = "a name that may be too many values, as data decide, one after the other"


@pytest.mark.parametrize(("statement", "x"), BRANCHES.values(), ids=BRANCHES)
def test_branches_in_a_row(statement, x, tmp_path):
    f = repeated(statement, 500, "x, y", tmp_path / "branches.py")
    y = np.array([250.5])
    got, want = qn.compile(f, fullgraph=True)(copy(x), y), f(copy(x), y)
    assert type(got) is type(want)
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("statement", WAYS.values(), ids=WAYS)
def test_ways_in_a_row(statement, tmp_path):
    x, y = np.arange(4.0), np.array([250.5])
    few = repeated(statement, 8, "x, y", tmp_path / "few.py")
    got, want = qn.compile(few, fullgraph=True)(x, y), few(x, y)
    if isinstance(want, tuple):
        assert got[0] is y and got[1] == want[1]
    else:
        np.testing.assert_array_equal(got, want)
    many = repeated(statement, 500, "x, y", tmp_path / "many.py")
    with pytest.raises(UnsupportedError, match=TOO_MANY):
        qn.compile(many, fullgraph=True)(x, y)
