"""Exported libraries, called by ctypes as any program of C would, against NumPy."""

import json
import os
import re
import shutil
import subprocess
import sys

import exported_functions as functions
import numpy as np
import pytest
from exported_libraries import BAD, OK, RAISED, Library, list_of, struct

import quernel as qn
from quernel.cli import main

LEVEL = "x86-64-v2"  # which every machine has that runs the tests


@pytest.fixture(autouse=True)
def quickly(monkeypatch):
    """The examples are compiled with all optimisations; these needn't be."""
    monkeypatch.setenv("CXXFLAGS", "-O0")


@pytest.fixture
def rng():
    return np.random.default_rng(1)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Makes a library of a function once, and loads it."""
    folder, known = tmp_path_factory.mktemp("exported"), {}

    def library(name, signatures, **options):
        key = (name, str(signatures))
        if key not in known:
            function = qn.compile(getattr(functions, name), **options)
            path = folder / f"lib{name}{len(known)}.so"
            function.export(path, signatures, targets=[LEVEL])
            known[key] = Library(path)
        return known[key]

    return library


def test_values(made, rng):
    library = made("labels", "float64[n,2], float64[k,2]")
    X, means = rng.standard_normal((1000, 2)), rng.standard_normal((5, 2))
    assert library.shapes("labels", X, means, ("int64", 1)) == [(1000,)]
    result = np.full(1000, -1)
    assert library.call("labels", X, means, result) == OK
    assert np.array_equal(result, functions.labels(X, means))


@pytest.mark.parametrize("shape", [(0, 3), (1, 1), (1, 4), (5, 1), (30, 70)])
def test_sizes_of_0_and_1(made, rng, shape):
    library = made("softmax", "float64[n,m], float64")
    x = rng.standard_normal(shape)
    expected = functions.softmax(x, 0.5)
    shares, total = np.empty(shape), np.empty(())
    assert library.call("softmax", x, np.float64(0.5), shares, total) == OK, library.error
    np.testing.assert_allclose(shares, expected["shares"], rtol=1e-14)
    np.testing.assert_allclose(total, expected["total"], rtol=1e-14)


def test_arguments_that_are_written_and_a_size_that_data_decide(made):
    library = made("pick", "float64[n], int64, float64")
    x = np.array([1.0, 5.0, 2.0, 9.0, -3.0])
    mine, result = x.copy(), [struct(np.empty(5))]
    room = np.empty(5)
    result[0].data = room.ctypes.data
    assert library.call("pick", mine, np.int64(-1), np.float64(1.5), result) == OK
    expected = functions.pick(x, -1, 1.5)
    assert np.array_equal(mine, x)
    assert np.array_equal(room[: result[0].shape[0]], expected)


def test_an_exception_of_data(made):
    library = made("pick", "float64[n], int64, float64")
    x, room = np.arange(5.0), np.empty(5)
    assert library.call("pick", x, np.int64(8), np.float64(1), room) == RAISED
    assert re.fullmatch(
        r"IndexError: index 8 is out of bounds for axis 0 with size 5 "
        r"\(exported_functions.py:\d+\)",
        library.error,
    )
    assert np.array_equal(x, np.arange(5.0))
    assert library.call("pick", x, np.int64(2), np.float64(1), room) == OK
    assert library.error == ""


def test_an_exception_with_a_number_of_data(made):
    library = made("checked", "float64[n]")
    result = np.empty(2)
    assert library.call("checked", np.array([1.5, -2.25]), result) == RAISED
    assert library.error.startswith("ValueError: -2.25 is below 0 (")


def test_an_argument_that_is_the_result(made, rng):
    library = made("relax", "float32[n], int64")
    u = rng.standard_normal(50).astype(np.float32)
    mine = u.copy()
    assert library.call("relax", mine, np.int64(10)) == OK
    assert np.array_equal(mine, functions.relax(u, 10))
    header = library.path.with_name(library.path.stem[3:] + ".h").read_text()
    assert "float32[n], written, which the Python function returns" in header


def test_numbers_that_are_part_of_the_program(made, rng):
    library = made("power", "float64[n], 3")
    x, result = rng.standard_normal(7), np.empty(7)
    assert library.call("power", x, result) == OK
    np.testing.assert_allclose(result, x**3, rtol=1e-15)


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint16", "int32", "uint64", "float16", "float32"]
)
def test_dtypes(made, dtype):
    library = made("joined", f"{dtype}[n], {dtype}[m]")
    x, y = np.ones(3, dtype), np.zeros(2, dtype)
    expected = functions.joined(x, y)
    result = np.empty(5, expected.dtype)
    assert library.call("joined", x, y, result) == OK
    assert np.array_equal(result, expected)


def test_functions_of_halves_need_no_numpy(made):
    library = made("exponentials", "float16[n]")
    x = np.arange(-9, 9).astype(np.float16)
    result = np.empty_like(x)
    assert library.call("exponentials", x, result) == OK
    np.testing.assert_allclose(result, np.exp(x), rtol=1e-3)


def test_complex_numbers(made):
    library = made("same", "complex128[n]")
    x = np.array([1 + 2j, 3 - 4j])
    result = np.empty(2, complex)
    assert library.call("same", x, result) == OK
    assert np.array_equal(result, x + x)


def test_results_that_lie_in_another_order(made):
    library = made("columns", "float64[n,m]")
    a = np.arange(12.0).reshape(3, 4)
    form = list_of(("float64", 2))
    assert library.call("columns_shapes", a, form) == OK
    assert tuple(form[0].shape) == (4, 3)
    assert tuple(form[0].strides) == (1, 4)
    for result in (np.empty((4, 3), order="F"), np.empty((4, 3))):
        assert library.call("columns", a, result) == OK
        assert np.array_equal(result, 2 * a.T)


def test_arrays_with_gaps(made, rng):
    library = made("softmax", "float64[n,m], float64")
    x = rng.standard_normal((8, 12))[::2, ::-3]
    room = np.zeros((4, 8))
    assert library.call("softmax", x, np.float64(1), room[:, ::2], np.empty(())) == OK
    np.testing.assert_allclose(room[:, ::2], functions.softmax(x, 1)["shares"], rtol=1e-14)
    assert not room[:, 1::2].any()


def test_an_argument_with_gaps_that_is_written(made, rng):
    library = made("relax", "float32[n], int64")
    u = rng.standard_normal(40).astype(np.float32)
    mine = u.copy()
    assert library.call("relax", mine[::2], np.int64(3)) == OK
    functions.relax(u[::2], 3)
    assert np.array_equal(mine, u)


def test_a_result_that_lies_where_an_argument_does(made):
    library = made("joined", "float64[n], float64[m]")
    room = np.arange(6.0)
    expected = functions.joined(room[:4], room[4:])
    assert library.call("joined", room[:4], room[4:], room) == OK
    assert np.array_equal(room, expected)


def test_refused_arguments(made):
    library = made("labels", "float64[n,2], float64[k,2]")
    X, means, result = np.zeros((4, 2)), np.zeros((3, 2)), np.zeros(4, np.int64)

    def said(*arguments):
        assert library.call("labels", *arguments) == BAD
        return library.error

    assert said(np.zeros((4, 3)), means, result) == "labels: axis 1 of `X` has size 3, not 2"
    assert said(X, means, result[:3]) == "labels: axis 0 of `result` has size 3, not 4"
    nowhere = [struct(means)]
    nowhere[0].data = None
    assert said(X, nowhere, result) == "labels: `means` has no data"
    nowhere[0].shape[0] = -1
    assert said(X, nowhere, result) == "labels: axis 0 of `means` has size -1"
    assert library.loaded.labels(None, None, None) == BAD
    assert library.error == "labels: `X` is null"


def test_names_that_the_glue_has(made):
    library = made("named", "float64[n], float64, float64, float64")
    result, numbers = np.empty(3), [np.float64(number) for number in (2, 3, 4)]
    assert library.call("named", np.arange(3.0), *numbers, result) == OK
    assert np.array_equal(result, functions.named(np.arange(3.0), 2, 3, 4))


def test_shared_memory_is_refused_where_it_is_written(made):
    library = made("pick", "float64[n], int64, float64")
    x = np.arange(5.0)
    assert library.call("pick", x, np.int64(0), np.float64(1), x) == BAD
    assert library.error == "pick: `result` and `x`, which is written, share memory"


def test_names_that_c_has_a_meaning_for(made):
    library = made("class_", "float64[n], float64")
    result = np.empty(3)
    assert library.call("class_", np.arange(3.0), np.float64(2), result) == OK
    assert np.array_equal(result, np.arange(3.0) - 2)


@pytest.mark.parametrize("count", [1, 2, 40])
def test_linear_algebra(made, rng, count):
    library = made("solved", "float64[n,n], float64[n,m]")
    a, b = rng.standard_normal((count, count)), rng.standard_normal((count, 3))
    result = np.empty((count, 3))
    assert library.call("solved", a, b, result) == OK, library.error
    np.testing.assert_allclose(result, functions.solved(a, b), rtol=1e-9, atol=1e-12)
    assert library.call("solved", 0 * a, b, result) == RAISED
    assert library.error.startswith("LinAlgError: Singular matrix (")


def test_sorting(made, rng):
    library = made("ordered", "float64[n,m]")
    x = rng.standard_normal((3, 50))
    result = np.empty(150)
    assert library.call("ordered", x, result) == OK
    assert np.array_equal(result, functions.ordered(x))


def test_several_signatures(tmp_path):
    function = qn.compile(functions.same)
    function.export(tmp_path / "libtwo.so", ["float32[n]", "int64[n, m]"], targets=[LEVEL])
    two = Library(tmp_path / "libtwo.so")
    x, y = np.ones(3, np.float32), np.ones((2, 2), np.int64)
    assert two.call("same_0", x, x2 := np.empty(3, np.float32)) == OK
    assert two.call("same_1", y, y2 := np.empty((2, 2), np.int64)) == OK
    assert x2.tolist() == [2, 2, 2]
    assert y2.tolist() == [[2, 2], [2, 2]]
    named = {"twice": "float64[n]"}
    paths = function.export(tmp_path / "x" / "libnamed.so", named, tmp_path / "y" / "n.h", [LEVEL])
    assert Library(paths[0]).call("twice", np.ones(2), np.empty(2)) == OK
    assert {path.name for path in paths} == {
        "libnamed.so",
        "n.h",
        "n.hpp",
        "namedConfig.cmake",
        "namedConfigVersion.cmake",
    }


def test_the_headers_stand_alone(made, tmp_path):
    """Two libraries in one program, without a warning, in C and C++."""
    parts = [
        made("softmax", "float64[n,m], float64"),
        made("same", "complex128[n]"),
        made("named", "float64[n], float64, float64, float64"),
    ]
    stems = [part.path.stem[3:] for part in parts]
    strict = [
        "-Wall",
        "-Wextra",
        "-Werror",
        "-pedantic",
        "-fsyntax-only",
        f"-I{parts[0].path.parent}",
    ]
    for suffix, language in (
        (".h", ["cc", "-std=c99", "-xc"]),
        (".hpp", ["c++", "-std=c++17", "-xc++"]),
    ):
        text = "".join(f'#include "{stem}{suffix}"\n' for stem in stems)
        (tmp_path / "main").write_text(text + "int main(void) { return 0; }\n")
        done = subprocess.run(
            [*language, *strict, tmp_path / "main"], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr


def test_the_sources_have_no_warnings(tmp_path):
    """What a library is made of is clean, its part of the runtime too."""
    from quernel.export import glue, header
    from quernel.export.interface import Library as Description
    from quernel.export.interface import interface_of
    from quernel.export.toolchain import include_folder

    face = qn.compile(functions.pick)
    dispatcher = face.prepare.__self__
    function = interface_of(dispatcher, "pick", "float64[n], int64, float64", (LEVEL,))
    library = Description("picked", (function,), (LEVEL,))
    (tmp_path / "picked.h").write_text(header.text(library))
    _, text = glue.texts(library)["picked_functions.cpp"]
    (tmp_path / "main.cpp").write_text(text)
    for compiler in ("g++", "clang++-22"):
        command = [
            compiler,
            "-std=c++17",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-fsyntax-only",
            "-fopenmp",
        ]
        command += [f"-I{include_folder()}", "main.cpp"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


def test_the_best_level_runs(tmp_path):
    """One library has programs for several levels, of which the processor's best one runs."""
    function = qn.compile(functions.softmax)
    path = tmp_path / "liblevels.so"
    function.export(path, "float64[n,m], float64", targets=["x86-64-v4", "x86-64", "x86-64-v3"])
    symbols = subprocess.run(["nm", path], capture_output=True, text=True, check=True).stdout
    assert re.findall(r"softmax_x86_64\w*$", symbols, re.MULTILINE)
    public = subprocess.run(
        ["nm", "-D", "--defined-only", path], capture_output=True, text=True, check=True
    )
    assert sorted(line.split()[-1] for line in public.stdout.splitlines()) == [
        "levels_error",
        "softmax",
        "softmax_shapes",
    ]
    x, shares = np.ones((3, 4)), np.empty((3, 4))
    library = Library(path)
    assert library.call("softmax", x, np.float64(1), shares, np.empty(())) == OK
    assert np.array_equal(shares, np.full((3, 4), 0.25))


THREADS = """
import os, sys
from pathlib import Path
import numpy as np
sys.path.insert(0, {folder!r})
import exported_libraries
library = exported_libraries.Library(Path({path!r}))
x = np.zeros(4_000_000)
before = len(os.listdir("/proc/self/task"))
assert library.call("same", x, np.empty_like(x)) == 0
print(len(os.listdir("/proc/self/task")) - before)
"""


@pytest.mark.parametrize("threads", [1, 3])
def test_openmp_has_the_threads(made, threads):
    library = made("same", "float64[n]")
    folder = os.path.dirname(os.path.abspath(__file__))
    text = THREADS.format(folder=folder, path=str(library.path))
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}
    done = subprocess.run(
        [sys.executable, "-c", text], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == threads - 1


def test_programs_that_differ_in_what_they_raise(tmp_path, monkeypatch):
    from quernel.call.builder import builder

    compiler = builder().compiler()
    plain = compiler.compile

    def compiled(graph, target, options):
        made = plain(graph, target, options)
        manifest = json.loads(made.manifest)
        manifest["errors"] += [{"exception": target}] if target == "x86-64" else []
        made.manifest = json.dumps(manifest)
        return made

    monkeypatch.setattr(compiler, "compile", compiled)
    with pytest.raises(qn.errors.UnsupportedError, match="raise their exceptions in another order"):
        qn.compile(functions.pick).export(
            tmp_path / "libx.so", "float64[n], int64, float64", targets=[LEVEL, "x86-64"]
        )


REFUSED = [
    ("weighted", "float64[n]", "an exported function reads `WEIGHTS` from outside"),
    (
        "transformed",
        "complex128[n]",
        "an exported function that calls fft_c128",
    ),
    ("viewed", "float64[n]", "an exported function that returns a view of another array"),
    ("repeated", "float64[n], int64[n]", "returns an array whose size has no bound"),
    ("one_of", "float64[n], float64[n]", "returns one of two objects, as data choose"),
    ("summed", "float64[n,m], int64", "the program depends on the value of `axis`"),
]


@pytest.mark.parametrize(("name", "signature", "text"), REFUSED)
def test_what_only_python_has_is_refused(tmp_path, name, signature, text):
    function = qn.compile(getattr(functions, name))
    with pytest.raises(qn.errors.UnsupportedError, match=re.escape(text)):
        function.export(tmp_path / "libx.so", signature, targets=[LEVEL])
    assert not os.listdir(tmp_path)


@pytest.mark.parametrize(
    ("path", "options", "text"),
    [
        ("x.so", {}, "a name is libNAME.so, or libNAME.a for a static library"),
        ("libx-y.so", {}, "where NAME is a C identifier"),
        (
            "libx.so",
            {"targets": ["x86-64-v9"]},
            "'x86-64-v9' is no target of a library here; there are",
        ),
        ("libx.so", {"signatures": ()}, "same has no signatures; give some, such as"),
        ("libx.so", {"signatures": {}}, "same has no signatures; give some, such as"),
        ("libx.so", {"signatures": {"a b": "float64[n]"}}, "'a b' is no name of a C function"),
    ],
)
def test_wrong_usage(tmp_path, path, options, text):
    given = {"signatures": "float64[n]", **options}
    with pytest.raises(ValueError, match=re.escape(text)):
        qn.compile(functions.same).export(tmp_path / path, **given)


def test_another_kind_of_processor(tmp_path, monkeypatch, rng):
    """A library for aarch64, where a compiler for it is installed and something that runs it."""
    function = qn.compile(functions.softmax)
    text = function.lower(np.ones((20, 30)), 0.5).text("cpp", "aarch64")
    assert text.startswith("// Generated by Quernel. ")
    assert " -march=armv8-a\n" in text
    with pytest.raises(qn.errors.DeviceError, match="'asm' needs one of the targets"):
        function.lower(np.ones((20, 30)), 0.5).text("asm", "aarch64")
    with pytest.raises(ValueError, match="or one of aarch64 alone"):
        function.export(tmp_path / "libx.so", "float64[n]", targets=["aarch64", "x86-64"])
    compiler = "aarch64-linux-gnu-g++"
    if shutil.which(compiler) is None or shutil.which("qemu-aarch64") is None:
        pytest.skip(f"there is no {compiler}, or no qemu-aarch64")
    monkeypatch.setenv("CXX", compiler)
    function.export(tmp_path / "libsoft.so", "float64[n,m], float64", targets=["aarch64"])
    with pytest.raises(qn.errors.ExportError, match="no library here that calls"):
        qn.compile(functions.ordered).export(tmp_path / "libo.so", "int8[n]", targets=["aarch64"])
    (tmp_path / "main.cpp").write_text(
        '#include "soft.hpp"\n#include <cstdio>\nint main() {\n'
        "  const double x[] = {1, 2, 3, 4, 5, 6};\n"
        "  auto [shares, total] = quernel::soft::softmax({x, {2, 3}}, 0.5);\n"
        '  for (double share : shares)\n    std::printf("%.17g ", share);\n}\n'
    )
    options = ["-std=c++17", "main.cpp", "-L.", "-lsoft", "-Wl,-rpath,.", "-o", "main"]
    subprocess.run([compiler, *options], cwd=tmp_path, check=True)
    command = ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu", "./main"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    shares = functions.softmax(np.arange(1.0, 7).reshape(2, 3), 0.5)["shares"]
    np.testing.assert_allclose([float(x) for x in done.stdout.split()], shares.ravel(), rtol=1e-15)


def test_a_signature_that_does_not_fit(tmp_path):
    with pytest.raises(qn.errors.SignatureError, match="doesn't fit the function"):
        qn.compile(functions.same).export(tmp_path / "libx.so", "float64[n], float64")


def test_faults_of_the_compiler(tmp_path, monkeypatch):
    function = qn.compile(functions.same)
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(qn.errors.ExportError, match=r"there is no C.. compiler 'no-such-compiler'"):
        function.export(tmp_path / "libx.so", "float64[n]")
    monkeypatch.setenv("CXX", "false")
    with pytest.raises(qn.errors.ExportError, match="fails"):
        function.export(tmp_path / "libx.so", "float64[n]")
    monkeypatch.delenv("CXX")
    (tmp_path / "file").write_text("")
    with pytest.raises(qn.errors.ExportError, match="can't be written"):
        function.export(tmp_path / "file" / "libx.so", "float64[n]", targets=[LEVEL])


def test_a_library_that_is_loaded_may_be_made_anew(tmp_path):
    """A file that is loaded isn't written, nor is one beside it: it gets another one's place."""
    path, x, result = tmp_path / "libagain.so", np.ones((2, 3)), np.empty(6)
    for name in ("ordered", "same"):
        qn.compile(getattr(functions, name)).export(path, {"f": "float64[n, m]"}, targets=[LEVEL])
        loaded = Library(path)  # the first one, each time
        assert loaded.call("f", x, result) == OK
    assert result.tolist() == [1] * 6
    assert not [name for name in os.listdir(tmp_path) if name.startswith(".")]


PROGRAM = """
import quernel as qn


@qn.compile(signatures="float64[n]")
def f(x):
    return x + 1


def g(x):
    print(x)
"""


def test_the_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "exported_prog.py").write_text(PROGRAM)
    for_level = ["--target", LEVEL]
    header = ["--header", "include/f.h"]
    assert main(["export", "exported_prog.py:f", "-o", "libf.a", *header, *for_level]) == 0
    assert capsys.readouterr().out.split() == [
        "libf.a",
        "include/f.h",
        "include/f.hpp",
        "cmake/fConfig.cmake",
        "cmake/fConfigVersion.cmake",
    ]
    named = ["--sig", "h: float32[:]", "-o", "libh.so"]
    assert main(["export", "exported_prog.py:f", *named, *for_level]) == 0
    x = np.ones(2, np.float32)
    assert Library(tmp_path / "libh.so").call("h", x, np.empty_like(x)) == OK


def test_faults_of_the_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "exported_prog.py").write_text(PROGRAM)
    for wrong in (
        ["-o", "f.so"],
        ["-o", "libf.so", "--target", "i386"],
        ["-o", "libf.so", "--sig", "x["],
    ):
        assert main(["export", "exported_prog.py:f", *wrong]) == 2
    given = ["--sig", "float64[n]", "-o", "libf.so"]
    assert main(["export", "exported_prog.py:g", *given]) == 1
    assert "exported_prog.py:11" in capsys.readouterr().err
    monkeypatch.setenv("CXX", "false")
    assert main(["export", "exported_prog.py:f", *given]) == 1
