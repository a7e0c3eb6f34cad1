"""`quernel.load`: functions of one's own in C++, called with arrays and in compiled functions."""

import os
import re
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

import quernel as qn
from quernel.errors import LoadError, NoCompilerError, SignatureError, UnsupportedError

AXPY = """
void axpy(double a, qn::array<const double, 1> x, qn::array<const double, 1> y,
          qn::array<double, 1> out) {
  for (int64_t i = 0; i < x.size(); ++i)
    out[i] = a * x[i] + y[i];
}
"""
SIGNATURE = "float64, float64[n], float64[n] -> float64[n]"
MORE = """
double total(qn::array<const double, 1> x) {
  double sum = 0;
  for (double value : x)
    sum += value;
  return sum;
}

void split(qn::array<const int32_t, 2> x, int64_t &rows, qn::array<int32_t, 1> diagonal) {
  rows = x.size(0);
  for (int64_t i = 0; i < x.size(0); ++i)
    diagonal[i] = x(i, i);
}

void pad(qn::array<const float, 1> x, float edge, qn::array<float, 1> out) {
  out[0] = out[out.size() - 1] = edge;
  for (int64_t i = 0; i < x.size(); ++i)
    out[i + 1] = x[i];
}

void add_to(qn::array<double, 1> x, qn::array<const double, 1> y) {
  for (int64_t i = 0; i < x.size(); ++i)
    x[i] += y[i];
}

int root(qn::array<const double, 1> x, qn::array<double, 1> out) {
  for (int64_t i = 0; i < x.size(); ++i) {
    if (x[i] < 0)
      return int(i) + 1;
    out[i] = __builtin_sqrt(x[i]);
  }
  return 0;
}

int rows(const qn::context &context, qn::array<const double, 2> a, qn::array<double, 1> out) {
  return qn::parallel_for(context, 0, a.size(0), 16, [&](int64_t i) {
    out[i] = 0;
    for (int64_t j = 0; j < a.size(1); ++j)
      out[i] += a(i, j);
  });
}

void conjugate(qn::array<const qn::complex<double>, 1> x, qn::array<qn::complex<double>, 1> out) {
  for (int64_t i = 0; i < x.size(); ++i)
    out[i] = {x[i].real, -x[i].imag};
}

void invert(qn::array<const bool, 1> x, uint8_t mask, qn::array<bool, 1> out) {
  for (int64_t i = 0; i < x.size(); ++i)
    out[i] = !x[i] && mask;
}
"""


@pytest.fixture(scope="module")
def axpy():
    return qn.load(AXPY, axpy=SIGNATURE)


@pytest.fixture(scope="module")
def more():
    return qn.load(
        MORE,
        total="float64[n] -> float64",
        split="int32[n, n] -> int64, int32[n]",
        pad="float32[n], float32 -> float32[n + 2]",
        add_to="out float64[n], float64[n]",
        root="float64[n] -> float64[n], status",
        rows="context, float64[m, :] -> float64[m], status",
        conjugate="complex128[n] -> complex128[n]",
        invert="bool[n], uint8 -> bool[n]",
    )


def compiled(function):
    return qn.compile(function, fullgraph=True)


def inside(function):
    """A compiled function that does nothing but call one."""

    @compiled
    def call(*args):
        return function(*args)

    return call


def test_a_function_takes_arrays_and_gives_a_new_one(axpy):
    x, y = np.arange(5.0), np.ones(5)
    result = axpy(2.0, x, y)
    assert type(result) is np.ndarray
    np.testing.assert_array_equal(result, 2 * x + y)


@pytest.mark.parametrize("size", [0, 1, 2, 1000])
def test_arrays_of_any_size(axpy, size):
    x = np.arange(float(size))
    np.testing.assert_array_equal(axpy(2.0, x, x), 3 * x)


def test_arrays_that_are_not_contiguous_are_copied(axpy):
    x, y = np.arange(10.0)[::-2], np.arange(20.0).reshape(4, 5)[1:, 1:3].T[0]
    np.testing.assert_array_equal(axpy(2.0, x[:3], y), 2 * x[:3] + y)


def test_unaligned_arrays_are_copied(axpy):
    x = np.frombuffer(b"\0" + np.arange(3.0).tobytes(), np.uint8)[1:].view(np.float64)
    np.testing.assert_array_equal(axpy(2.0, x, x), 3 * x)


@pytest.mark.parametrize("number", [2, 2.0, np.float32(2), np.int16(2), np.array(2.0), True])
def test_numbers_of_any_type_that_fits(axpy, number):
    np.testing.assert_array_equal(axpy(number, np.ones(2), np.ones(2)), [1.0 + number] * 2)


def test_results_of_every_kind(more):
    x = np.arange(9, dtype=np.int32).reshape(3, 3)
    total = more.total(np.arange(4.0))
    assert type(total) is np.float64
    assert total == 6
    rows, diagonal = more.split(x)
    assert (type(rows), rows) == (np.int64, 3)
    np.testing.assert_array_equal(diagonal, [0, 4, 8])
    padded = more.pad(np.ones(2, np.float32), 7)
    assert padded.dtype == np.float32
    np.testing.assert_array_equal(padded, [7, 1, 1, 7])
    np.testing.assert_array_equal(more.conjugate(np.array([1 + 2j])), [1 - 2j])
    np.testing.assert_array_equal(more.invert(np.array([True, False]), 1), [False, True])


def test_numbers_of_every_dtype():
    types = {"float16": "_Float16", "float32": "float", "float64": "double", "bool": "bool"}
    types |= {
        f"{sign}int{bits}": f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)
    }
    types |= {"complex64": "qn::complex<float>", "complex128": "qn::complex<double>"}
    texts = [f"{cpp} f_{name}({cpp} x) {{ return x; }}" for name, cpp in types.items()]
    texts += [
        f"void g_{name}(qn::array<const {cpp}, 0> x, {cpp} &y, {cpp} &z) {{ y = z = x(); }}"
        for name, cpp in types.items()
    ]
    signatures = {f"f_{name}": f"{name} -> {name}" for name in types}
    signatures |= {f"g_{name}": f"{name}[] -> {name}, {name}" for name in types}
    functions = vars(qn.load("\n".join(texts), **signatures))
    for name in types:
        number, same = np.array(1, name), functions[f"f_{name}"]
        for given in (number, number[()], 1 if name != "bool" else True):
            answer = same(given)
            assert (type(answer), answer) == (number.dtype.type, number)
        pair = functions[f"g_{name}"](number)
        assert [type(part) for part in pair] == [number.dtype.type] * 2
        assert pair == (number, number)
        if name != "float16":  # such a number is no argument of a compiled function
            assert inside(same)(number[()]) == number
        assert inside(functions[f"g_{name}"])(number) == (number, number)


def test_a_function_writes_an_argument(more):
    x, y = np.arange(3.0), np.ones(3)
    assert more.add_to(x, y) is None
    np.testing.assert_array_equal(x, [1, 2, 3])
    base = np.arange(6.0)
    more.add_to(base[::2], y)
    np.testing.assert_array_equal(base, [1, 1, 3, 3, 5, 5])


def test_what_is_written_overlaps_nothing(more):
    x = np.arange(4.0)
    more.add_to(x[1:], x[:-1])
    np.testing.assert_array_equal(x, [0, 1, 3, 5])


def test_arguments_that_are_written_are_written_in_their_order():
    text = "void f(qn::array<double, 1> x, qn::array<double, 1> y) { x[0] = 1; y[0] = 2; }"
    f = qn.load(text, f="out float64[n], out float64[n]")
    for function in (lambda x: f(x[:2], x[1:]), compiled(lambda x: f(x[:2], x[1:]))):
        x = np.zeros(3)
        function(x)
        np.testing.assert_array_equal(x, [1, 2, 0])


def test_integers_that_are_out_of_bounds(more):
    x = np.array([True])
    for function in (more.invert, inside(more.invert)):
        np.testing.assert_array_equal(function(x, 2), [False])
        with pytest.raises(OverflowError, match="Python integer 300 out of bounds for uint8"):
            function(x, 300)


def test_sizes_of_arguments_and_results_that_are_computed():
    text = """
    void f(qn::array<const double, 2> x, qn::array<const double, 1> y, qn::array<double, 1> out) {
      for (int64_t i = 0; i < out.size(); ++i)
        out[i] = x(0, x.size(1) - 1) + y[i];
    }
    """
    f = qn.load(text, f="float64[2, n + 1], float64[n] -> float64[n // 2 - 1]")
    for function in (f, inside(f)):
        for n in (8, 9, 2, 3):
            x, y = np.full((2, n + 1), 3.0), np.arange(float(n))
            np.testing.assert_array_equal(function(x, y), 3 + y[: n // 2 - 1])
        with pytest.raises(ValueError, match="negative dimensions are not allowed"):
            function(np.ones((2, 2)), np.ones(1))
        with pytest.raises(ValueError, match="of which axis 1 has 5 elements, not 6"):
            function(np.ones((2, 5)), np.ones(5))
        with pytest.raises(ValueError, match="of which axis 0 has 3 elements, not 2"):
            function(np.ones((3, 6)), np.ones(5))


def test_threads_share_the_turns_of_a_loop(more):
    a = np.random.default_rng(0).standard_normal((400, 30))
    np.testing.assert_allclose(more.rows(a), a.sum(1), rtol=1e-12)


def test_a_status_is_an_exception(more):
    with pytest.raises(RuntimeError, match=re.escape("root() has returned 2")):
        more.root(np.array([1.0, -1.0]))


def test_calls_that_do_not_fit(axpy, more):
    x = np.ones(3)
    for args, text in [
        ((1.0, x), "axpy() takes 3 arguments, 2 given: float64, float64[n], float64[n] -> flo"),
        ((1.0, [1.0], x), "axpy() takes float64[n] as the second argument, which is of the type"),
        ((1.0, x.astype("f4"), x), "axpy() takes float64[n] as the second argument, which has th"),
        ((1.0, x, x[None]), "as the third argument, which has the shape (1, 3)"),
        ((1j, x, x), "axpy() takes float64 as the first argument, which is of the type complex"),
        ((x, x, x), "axpy() takes float64 as the first argument, which has the shape (3,)"),
        (("1", x, x), "axpy() takes float64 as the first argument, which is of the type builtin"),
    ]:
        with pytest.raises(TypeError, match=re.escape(text)):
            axpy(*args)
    with pytest.raises(TypeError, match=re.escape("axpy() takes no keyword arguments")):
        axpy(1.0, x, y=x)
    with pytest.raises(ValueError, match="of which axis 0 has 2 elements, not 3"):
        axpy(1.0, x, x[:2])
    with pytest.raises(ValueError, match="output array is read-only"):
        more.add_to(np.broadcast_to(1.0, 3), x)


def test_signatures_that_cannot_be_read():
    for text, reason in [
        ("float64[n]", "the function gives nothing, and writes nothing\n  float64[n]\n   "),
        ("flot64[n] -> float64", "'flot64' is none of bool, int8"),
        ("float64[n] -> float64[m]", "no argument has an axis whose size is 'm'\n  "),
        ("float64[n]] -> float64", "can't be read here; write for example"),
        ("float64[n], -> float64", "a comma that nothing follows"),
        ("float64[n+] -> float64", "'n+' is no size: write a number, a name, or a sum of them"),
        ("out float64 -> float64", "`out` is for arrays; write for example"),
        ("float64[n] -> out float64[n]", "`out` is for arguments"),
        ("float64[n], context -> float64", "`context` is the first argument"),
        ("float64[n] -> status, float64", "nothing stands behind `status`"),
    ]:
        with pytest.raises(SignatureError) as caught:
            qn.load(AXPY, axpy=text)
        assert reason in str(caught.value)
    with pytest.raises(SignatureError) as caught:
        qn.load(AXPY, axpy="float64, float65[n] -> float64[n]")
    assert str(caught.value).endswith("\n  float64, float65[n] -> float64[n]\n           ^")


def test_what_load_takes():
    with pytest.raises(TypeError, match="takes the signature of each function, by the function"):
        qn.load(AXPY)
    with pytest.raises(TypeError, match=re.escape("takes a text or a path, not int")):
        qn.load(3, axpy=SIGNATURE)
    with pytest.raises(FileNotFoundError):
        qn.load("nowhere.cpp", axpy=SIGNATURE)


def test_texts_for_gpus_are_refused(tmp_path):
    (tmp_path / "f.cu").write_text("")
    with pytest.raises(LoadError, match=r"f\.cu is a text in CUDA C\+\+; load takes C\+\+"):
        qn.load(tmp_path / "f.cu", f=SIGNATURE)


def test_where_there_is_no_compiler(monkeypatch, tmp_path):
    monkeypatch.setenv("QUERNEL_CACHE_DIR", str(tmp_path))
    monkeypatch.setitem(sys.modules, "quernel._compiler", None)
    monkeypatch.delattr("quernel._compiler", raising=False)
    f = qn.load("double f(double x) { return x + 3; }", f="float64 -> float64")
    with pytest.raises(NoCompilerError) as caught:
        f(1.0)
    assert "f() is a function of a text that this installation has no compiler for" in str(
        caught.value
    )
    with pytest.raises(NoCompilerError, match="this installation has no compiler"):
        qn.load('#include "nothing.h"\ndouble f(double x);', f="float64 -> float64")


def test_errors_of_a_text_have_its_lines(tmp_path):
    path = tmp_path / "wrong.cpp"
    path.write_text("\nvoid f(qn::array<double, 1> x) {\n  x[0] = y;\n}\n")
    with pytest.raises(LoadError) as caught:
        qn.load(path, f="out float64[n]")
    assert "wrong.cpp can't be compiled:\nwrong.cpp:3:10: error: use of undeclared" in str(
        caught.value
    )
    with pytest.raises(LoadError, match=r"the text:1:18: error: expected expression"):
        qn.load("int f() { return }", f="-> float64")


def test_errors_of_a_signature_name_the_function():
    with pytest.raises(LoadError) as caught:
        qn.load(AXPY, axpy="float32, float32[n] -> float32[n]")
    assert "the signature of axpy:5:57: error: too few arguments to function" in str(caught.value)
    assert "the text:2:6: note: 'axpy' declared here" in str(caught.value)
    with pytest.raises(LoadError, match="the function returns what its signature doesn't have"):
        qn.load(
            "int f(double x, double &y, double &z) { return 0; }", f="float64 -> float64, float64"
        )


def test_a_text_may_include_its_own_header_and_files_beside_it(tmp_path):
    (tmp_path / "two.h").write_text("inline double two() { return 2; }\n")
    path = tmp_path / "f.cpp"
    path.write_text(
        '#include <quernel.h>\n#include "two.h"\ndouble f(double x) { return two() * x; }\n'
    )
    assert qn.load(path, f="float64 -> float64")(3.0) == 6
    twice = qn.load(path, f="float64 -> float64")
    assert compiled(lambda x: twice(x) + 1)(2.0) == 5
    (tmp_path / "two.h").write_text("inline double two() { return 20; }\n")
    again = qn.load(str(path), f="float64 -> float64")
    assert again(3.0) == 60
    assert compiled(lambda x: again(x) + 1)(2.0) == 41


@pytest.mark.skipif(not os.path.isdir("/usr/include/c++"), reason="no headers of C++")
def test_a_text_may_include_the_headers_of_the_machine():
    text = """
    #include <algorithm>
    #include <cmath>
    void f(qn::array<const double, 1> x, qn::array<double, 1> out) {
      std::transform(x.begin(), x.end(), out.begin(), [](double v) { return std::cbrt(v); });
      std::sort(out.begin(), out.end());
    }
    """
    f = qn.load(text, f="float64[n] -> float64[n]")
    x = np.array([8.0, 1.0, 27.0])
    np.testing.assert_allclose(f(x), [1, 2, 3])
    np.testing.assert_allclose(compiled(lambda x: f(x) * 2)(x), [2, 4, 6])


def test_names_of_texts_are_their_own():
    text = "static double by = {}; double f(double x) {{ return by * x; }}"
    text = "double by = {}; void exit(int) {{}} double f(double x) {{ exit(0); return by * x; }}"
    two, three = (qn.load(text.format(k), f="float64 -> float64") for k in (2, 3))
    assert two(1.0) + 10 * three(1.0) == 32
    assert compiled(lambda x: two(x) + 10 * three(x))(1.0) == 32


# Inside of compiled functions


def test_a_call_is_a_node_of_the_graph(axpy):
    @compiled
    def f(x, y):
        return axpy(3.0, x + 1, y * 2).sum()

    x, y = np.arange(5.0), np.ones(5)
    assert f(x, y) == (3 * (x + 1) + 2 * y).sum()
    text = f.lower(x, y).text("cpp")
    assert re.search(r"call_user\(axpy_\w+, context, \w+, ", text)
    assert "quernel.user_call" in f.lower(x, y).text("quernel")
    assert "axpy" in str(f.explain(x, y))


def test_sizes_that_vary(axpy):
    @compiled
    def f(x, y):
        return axpy(2.0, x[1:], y[:-1]) + 1

    for n in (5, 6, 7, 2, 1):
        x = np.arange(float(n))
        np.testing.assert_array_equal(f(x, x), 2 * x[1:] + x[:-1] + 1)
    assert f.stats()["compiles"] <= 4


def test_arrays_in_other_orders(axpy):
    @compiled
    def f(a):
        return axpy(1.0, a[:, 1], a.T[0])

    for a in (np.arange(6.0).reshape(3, 2), np.asfortranarray(np.arange(6.0).reshape(3, 2))):
        np.testing.assert_array_equal(f(a), a[:, 1] + a[:, 0])
    a = np.arange(24.0).reshape(6, 4)[::2, ::2]
    np.testing.assert_array_equal(f(a), a[:, 1] + a[:, 0])


def test_sizes_are_compared_where_only_the_run_knows_them(axpy):
    @compiled
    def f(x, mask):
        return axpy(1.0, x, x[mask])

    x = np.arange(4.0)
    np.testing.assert_array_equal(f(x, np.ones(4, bool)), 2 * x)
    with pytest.raises(ValueError, match="of which axis 0 has 3 elements, not 4"):
        f(x, x > 0)


def test_in_loops_and_branches(axpy):
    @compiled
    def f(x, n):
        y = np.zeros(len(x))
        for i in range(n):
            if y.sum() < 20:
                y = axpy(float(i), x, y)
            else:
                y = axpy(-1.0, x, y)
                y += 1
        return y

    plain = f.__wrapped__
    for size in (3, 5, 8):
        for n in (0, 1, 30):
            x = np.arange(float(size))
            np.testing.assert_array_equal(f(x, n), plain(x, n))


def test_writes_are_seen(more):
    add_to = more.add_to

    @compiled
    def f(x, y):
        z = x * 2
        view = z[1:]
        add_to(view, y[1:])
        add_to(x, y)
        return z, x.sum()

    x, y = np.arange(4.0), np.ones(4)
    z, total = f(x, y)
    np.testing.assert_array_equal(z, [0, 3, 5, 7])
    np.testing.assert_array_equal(x, [1, 2, 3, 4])
    assert total == 10


def test_writes_in_loops(more):
    @compiled
    def f(a, y):
        for i in range(len(a)):
            more.add_to(a[i], y)
            more.add_to(a[i], a[i - 1])
        return a

    def plain(a, y):
        for i in range(len(a)):
            a[i] += y
            a[i] += a[i - 1]
        return a

    a = np.arange(12.0).reshape(4, 3)
    np.testing.assert_array_equal(f(a.copy(), np.ones(3)), plain(a.copy(), np.ones(3)))


def test_a_written_argument_that_is_not_contiguous(more):
    @compiled
    def f(a, y):
        more.add_to(a[:, 0], y)

    a = np.zeros((3, 2))
    f(a, np.arange(3.0))
    np.testing.assert_array_equal(a[:, 0], [0, 1, 2])


def test_results_of_every_kind_inside(more):
    @compiled
    def f(x, k, z, mask):
        rows, diagonal = more.split(k)
        padded = more.pad(x.astype(np.float32), 7)
        return (
            more.total(x) + rows,
            diagonal * 2,
            padded,
            more.conjugate(z[1:] * 1j),
            more.invert(mask, 1),
        )

    k = np.arange(9, dtype=np.int32).reshape(3, 3)
    z = np.array([1 + 2j, 3 - 1j, 2j])
    total, diagonal, padded, conjugate, inverted = f(np.ones(2), k, z, np.array([True, False]))
    assert total == 5
    assert type(total) is np.float64
    np.testing.assert_array_equal(diagonal, [0, 8, 16])
    np.testing.assert_array_equal(padded, [7, 1, 1, 7])
    np.testing.assert_array_equal(conjugate, np.conj(z[1:] * 1j))
    np.testing.assert_array_equal(inverted, [False, True])


def test_threads_inside(more):
    f = compiled(lambda a: more.rows(a * 2))
    a = np.random.default_rng(0).standard_normal((400, 30))
    np.testing.assert_allclose(f(a), 2 * a.sum(1), rtol=1e-12)


def test_a_status_is_an_exception_at_the_user_s_line(more):
    @compiled
    def f(x):
        return more.root(x - 1)

    np.testing.assert_array_equal(f(np.array([2.0, 5.0])), [1, 2])
    with pytest.raises(RuntimeError, match=re.escape("root() has returned 1")) as caught:
        f(np.array([0.0, 5.0]))
    assert caught.traceback[-1].name == "f"


def test_exceptions_are_caught_inside(axpy, more):
    root = more.root

    @compiled
    def f(x):
        try:
            return root(x)
        except RuntimeError:
            return x * 0

    np.testing.assert_array_equal(f(np.array([4.0])), [2])
    np.testing.assert_array_equal(f(np.array([-4.0])), [0])

    @compiled
    def g(x):
        try:
            return axpy(1.0, x, x[1:])
        except ValueError:
            return x

    np.testing.assert_array_equal(g(np.ones(3)), np.ones(3))


def test_calls_that_do_not_fit_raise_the_same_inside(axpy):
    x = np.ones(3)
    for function in (
        lambda x: axpy(1.0, x),
        lambda x: axpy(1.0, x, 1.0),
        lambda x: axpy(1.0, x, x.astype(np.float32)),
        lambda x: axpy(1.0, x, x[None]),
        lambda x: axpy(x, x, x),
        lambda x: axpy(1j, x, x),
        lambda x: axpy(1.0, x, x[1:]),
        lambda x: axpy(1.0, x, y=x),
    ):
        with pytest.raises((TypeError, ValueError)) as plain:
            function(x)
        with pytest.raises(plain.type, match=re.escape(str(plain.value))):
            qn.compile(function)(x)


def test_no_warnings_come_of_a_function(recwarn):
    text = "double f(double x) { return 1 / (x * 0); }"
    divide = qn.load(text, f="float64 -> float64")
    assert divide(2.0) == np.inf
    f = compiled(lambda x: divide(2.0) * x + 1)
    assert f(np.ones(1)).tolist() == [np.inf]
    assert not recwarn.list
    assert f.stats()["fallbacks"] == 0


def test_a_function_in_tasks(more):
    total = more.total

    @compiled
    def f(a):
        out = np.zeros(len(a))
        for i in range(len(a)):
            out[i] = total(a[i] + 1) + total(a[i, ::2])
        return out

    a = np.random.default_rng(0).standard_normal((64, 500))
    np.testing.assert_allclose(f(a), a.sum(1) + 500 + a[:, ::2].sum(1), rtol=1e-10)


def rows_apart(add_to, a, y):
    for i in range(len(a)):
        add_to(a[i], y)


def rows_that_wait(add_to, a, y):
    for i in range(1, len(a)):
        add_to(a[i], a[i - 1])


def rows_before(add_to, a, y):
    for i in range(len(a) - 1):
        add_to(a[i], a[i + 1])


def columns(add_to, a, y):
    for j in range(a.shape[1]):
        add_to(a[:, j], y[: len(a)])


def windows(add_to, a, y):
    for i in range(60):
        add_to(a.reshape(-1)[i * 10 : i * 10 + 100], y[:100])


def either_side(add_to, a, y):
    for i in range(len(a)):
        if a[i, 0] > 0:
            add_to(a[i], y)
        else:
            add_to(a[i], -y)


def exchanged(add_to, a, y):
    p, q = a[0].copy(), a[1].copy()
    for _ in range(7):
        add_to(p, q)
        p, q = q, p
    a[0], a[1] = p, q


@pytest.mark.parametrize(
    "function",
    [rows_apart, rows_that_wait, rows_before, columns, windows, either_side, exchanged],
)
def test_turns_that_write_wait_for_each_other_where_they_have_to(more, function):
    rng = np.random.default_rng(0)
    a, y = rng.standard_normal((64, 2000)), rng.standard_normal(2000)
    expected = a.copy()
    function(more.add_to, expected, y)
    compiled(function)(more.add_to, a, y)
    np.testing.assert_array_equal(a, expected)


def test_equal_calls_are_shared_and_unused_ones_left_out(more):
    @compiled
    def f(x):
        more.conjugate(x * 1j)
        return more.total(x), more.total(x)

    x = np.arange(3.0)
    assert f(x) == (3, 3)
    assert f.lower(x).text("cpp").count("call_user(") == 2  # one is the function itself


def test_a_loop_that_hands_on_what_a_function_writes(more):
    add_to = more.add_to

    def plain(x, y, n):
        old = x.copy()
        while n > 0:
            add_to(x, y)
            if n % 2:
                add_to(y, old)
            n -= 1
        return x + y, old

    for n in (0, 1, 6):
        x, y = np.arange(5.0), np.ones(5)
        expected = plain(x.copy(), y.copy(), n)
        for result, wanted in zip(compiled(plain)(x, y, n), expected, strict=True):
            np.testing.assert_array_equal(result, wanted)


def test_a_function_may_be_an_argument(axpy):
    @compiled
    def f(function, x):
        return function(1.0, x, x)

    np.testing.assert_array_equal(f(axpy, np.ones(2)), [2, 2])


def test_a_function_that_is_replaced(axpy):
    namespace = {"axpy": axpy}
    f = compiled(lambda x: namespace["axpy"](1.0, x, x))
    np.testing.assert_array_equal(f(np.ones(2)), [2, 2])
    minus = AXPY.replace("+ y", "- y")
    namespace["axpy"] = qn.load(minus, axpy=SIGNATURE)
    np.testing.assert_array_equal(f(np.ones(2)), [0, 0])


def test_other_threads_run_meanwhile():
    text = """
    double wait(qn::array<const int64_t, 1> flag) {
      const volatile int64_t *seen = flag.data;
      for (int64_t turn = 0; turn < 4000000000; ++turn)
        if (*seen)
          return 1;
      return 0;
    }
    """
    wait = qn.load(text, wait="int64[n] -> float64")
    f = inside(wait)
    f(np.ones(2, np.int64))
    for function in (wait, f):
        flag = np.zeros(2, np.int64)
        timer = threading.Timer(0.05, flag.__setitem__, (0, 1))
        timer.start()
        assert function(flag) == 1
        timer.join()


def test_a_gpu_runs_no_functions_in_cpp(axpy):
    f = compiled(lambda x: axpy(1.0, x, x))
    with pytest.raises(UnsupportedError, match=r"`axpy_\w+`, a function in C\+\+"):
        f.lower(np.ones(3)).text("cuda")


# The cache

SCRIPT = """
import sys
import numpy as np
import quernel as qn

axpy = qn.load({text!r}, axpy={signature!r})

@qn.compile(fullgraph=True)
def f(x):
    return axpy(2.0, x, x) + 1

x = np.arange(4.0)
print(axpy(1.0, x, x).tolist(), f(x).tolist(), "quernel._compiler" in sys.modules)
"""


def run(folder, cache, text):
    script = folder / "script.py"
    script.write_text(SCRIPT.format(text=text, signature=SIGNATURE))
    done = subprocess.run(
        [sys.executable, script],
        capture_output=True,
        text=True,
        env={**os.environ, "QUERNEL_CACHE_DIR": str(cache)},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_warm_process_compiles_nothing(tmp_path):
    cache = tmp_path / "cache"
    expected = "[0.0, 2.0, 4.0, 6.0] [1.0, 4.0, 7.0, 10.0] "
    assert run(tmp_path, cache, AXPY) == expected + "True"
    assert run(tmp_path, cache, AXPY) == expected + "False"
    # Another text is another function, for the functions that call it, too.
    minus = AXPY.replace("+ y", "- y")
    assert run(tmp_path, cache, minus) == "[0.0, 0.0, 0.0, 0.0] [1.0, 2.0, 3.0, 4.0] True"
    assert run(tmp_path, cache, AXPY) == expected + "False"


BUNDLED = """
import sys
import numpy as np
import quernel as qn

twice = qn.load("double twice(double x) { return 2 * x; }", twice="float64 -> float64")

@qn.compile
def f(x):
    return x * twice(x.sum())

if __name__ == "__main__":
    print(f(np.arange(3.0)).tolist(), f.stats()["disk_hits"])
"""


def test_a_bundle_has_the_programs_that_call_functions(tmp_path):
    (tmp_path / "prog.py").write_text(BUNDLED)
    (tmp_path / "main.py").write_text(
        "import runpy, sys\nsys.modules['quernel._compiler'] = None\n"
        "runpy.run_path('prog.py', run_name='__main__')\n"
    )

    def python(cache, *arguments, **more):
        done = subprocess.run(
            [sys.executable, *arguments],
            capture_output=True,
            text=True,
            env={**os.environ, "QUERNEL_CACHE_DIR": str(tmp_path / cache), **more},
            cwd=tmp_path,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    build = ("-m", "quernel", "build", "prog.py:f", "--sig", "float64[n]", "-o", "prog.qnb")
    python("first", *build)
    bundle = str(tmp_path / "prog.qnb")
    assert python("second", "main.py", QUERNEL_BUNDLE=bundle) == "[0.0, 6.0, 12.0] 1"


def test_the_header_has_the_context_of_the_abi():
    root = os.path.join(os.path.dirname(__file__), "..", "..")

    def fields(*path):
        with open(os.path.join(root, *path), encoding="utf-8") as file:
            text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.DOTALL)
        body = re.search(r"struct qn_context \{(.*?)\n\}", text, re.DOTALL)[1]
        return re.findall(r"\(\*(\w+)\)\(|int32_t (threads);", textwrap.dedent(body))

    ours = fields("frontend", "quernel", "loaded", "include", "quernel.h")
    abi = fields("runtime", "abi.h")
    names = [a or b for a, b in ours if a not in ("turns", "tasks")]
    assert names == [a or b for a, b in abi]
