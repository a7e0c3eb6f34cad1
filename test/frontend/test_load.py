"""`quernel.load`: functions of one's own in C++, called with arrays; errors; the cache."""

import os
import re
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import quernel as qn
from own_functions import AXPY, SIGNATURE, compiled, inside
from quernel.errors import LoadError, NoCompilerError, SignatureError


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


def test_a_text_that_lacks_a_function():
    text = "double lost(double x); double f(double x) { return lost(x); }"
    with pytest.raises(LoadError, match=r"the text can't be loaded: .*undefined symbol: _Z4lostd"):
        qn.load(text, f="float64 -> float64")


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


STOPPED = """
import os, signal, threading
import numpy as np
import quernel as qn

text = '''
int wait(const qn::context &context, qn::array<double, 1> out) {
  while (true)
    if (int code = context.poll())
      return code;
}
'''
wait = qn.load(text, wait="context, out float64[n] -> status")
for function in (wait, qn.compile(lambda x: wait(x), fullgraph=True)):
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    try:
        function(np.ones(3))
    except KeyboardInterrupt:
        print("stopped")
"""


def test_a_function_that_asks_can_be_stopped(tmp_path):
    (tmp_path / "stopped.py").write_text(STOPPED)
    done = subprocess.run(
        [sys.executable, tmp_path / "stopped.py"],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.stdout == "stopped\nstopped\n", done.stderr


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
