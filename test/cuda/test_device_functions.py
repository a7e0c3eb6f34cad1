"""Functions of arrays on the emulated device, which aren't copied, and where calls run."""

import pytest
from emulated_device import FAILURE

BEGIN = """
import ctypes, os, sys, threading, warnings
import numpy as np
import quernel as qn
from quernel.errors import DeviceError

warnings.simplefilter("error")
LIBRARY = ctypes.CDLL(os.environ["CUDA_PATH"] + "/lib64/libcuda.so.1")
LIBRARY.emulator_count.restype = LIBRARY.emulator_bytes.restype = ctypes.c_int64

def copied():
    return tuple(LIBRARY.emulator_bytes(way) for way in (b"HtoD", b"DtoH"))

def without_copies(body, *args, **named):
    before = copied()
    answer = body(*args, **named)
    assert copied() == before, (copied(), before)
    return answer

def there(*arrays):
    return [qn.to_device(array) for array in arrays]

def same(array, expected):
    assert type(array) is qn.DeviceArray, type(array)
    host = array.to_host()
    assert host.dtype == expected.dtype and host.shape == expected.shape, (host, expected)
    assert np.array_equal(host, expected, equal_nan=host.dtype.kind in "fc"), (host, expected)

A, B = np.arange(12.0).reshape(3, 4), np.linspace(-1, 1, 12).reshape(3, 4)
"""
BEGIN += FAILURE


@pytest.mark.parametrize("pool", ["", "off"])
def test_arrays_are_not_copied(run, pool):
    run(
        """
        @qn.compile(device="cuda")
        def line(x, y):
            return x * 2 + y

        x, y = there(A, B)
        line(x, y)
        made = without_copies(line, x, y)
        twice = without_copies(line, made, x)
        same(made, A * 2 + B)
        same(twice, (A * 2 + B) * 2 + A)
        assert made._buffer.nbytes == A.nbytes
        assert line.stats()["memory_hits"] == 2
        other = line(*there(A[:2], B[:2]))
        same(other, A[:2] * 2 + B[:2])
        """,
        QUERNEL_DEVICE_POOL=pool,
    )


def test_memory_of_results(run):
    run("""
        @qn.compile
        def double(x):
            return x + x

        x = qn.to_device(np.ones(1000))
        before = qn.cuda.memory_allocated()
        made = double(x)
        assert qn.cuda.memory_allocated() > before
        for _ in range(20):
            made = double(made)
        assert qn.cuda.memory_allocated() == before + 8192
        del made
        assert qn.cuda.memory_allocated() == before
    """)


def test_results_of_all_kinds(run):
    run("""
        @qn.compile
        def many(x):
            return {
                "sum": np.sum(x), "some": x[x > 4], "same": x, "part": x[1:], "turned": x.T,
                "row": x.reshape(-1), "new": (x + 1, (x * 2)[::2, ::-1]), "nothing": None,
                "item": float(x[1, 1]), "rows": np.argwhere(x > 8), "zero": np.array(3.0) * x[0, 0],
            }

        x, = there(A)
        got, expected = many(x), many.__wrapped__(A)
        assert list(got) == list(expected)
        assert got["sum"] == expected["sum"] and type(got["sum"]) is np.float64
        assert got["item"] == 5.0 and type(got["item"]) is float
        assert got["same"] is x and got["nothing"] is None
        for name in ("some", "part", "turned", "row", "rows"):
            same(got[name], expected[name])
        assert all(got[name]._buffer is x._buffer for name in ("part", "turned", "row"))
        for one, other in zip(got["new"], expected["new"]):
            same(one, other)

        @qn.compile
        def open_sizes(counts):
            return np.repeat(np.arange(3), counts), np.zeros(counts.max()), counts.tolist()

        counts = np.array([2, 0, 3])
        repeated, zeros, listed = open_sizes(qn.to_device(counts))
        same(repeated, np.array([0, 0, 2, 2, 2]))
        same(zeros, np.zeros(3))
        assert listed == [2, 0, 3]
    """)


def test_layouts(run):
    run("""
        @qn.compile
        def both(x, y):
            return x - y, np.sort(x.ravel()), x.reshape(-1), np.ascontiguousarray(x)

        x, y = there(A, B)
        for cut in (np.s_[::2], np.s_[:, ::-1], np.s_[1:, 1:3], np.s_[:, :1], np.s_[:0]):
            for turned in (False, True):
                mine, theirs = (x[cut], y[cut]), (A[cut], B[cut])
                if turned:
                    mine, theirs = [a.T for a in mine], [a.T for a in theirs]
                for got, expected in zip(both(*mine), both.__wrapped__(*theirs), strict=True):
                    same(got, expected)
        for array, host in zip((*there(A[0, 0]), x[1, 2]), (A[0, 0], A[1, 2])):
            same(qn.compile(lambda x: np.stack([x, x]))(array), np.array([host, host]))
        parts = qn.to_device(np.arange(3) * 1j)
        same(qn.compile(lambda x: x + 1)(parts.imag), np.arange(3) + 1.0)
    """)


def test_written_arguments(run):
    run("""
        @qn.compile
        def change(x, y):
            x[1:] = y[:-1] * 2
            x += 1
            return x

        host = A.copy()
        x, y = there(host, B)
        assert change(x, y) is x
        assert without_copies(change, x, y) is x
        for _ in range(2):
            change.__wrapped__(host, B)
        same(x, host)
        part = x[:, ::-2]
        assert change(part, y[:, ::2]) is part
        change.__wrapped__(host[:, ::-2], B[:, ::2])
        same(x, host)
        assert change(x, x) is x
        change.__wrapped__(host, host)
        same(x, host)
        assert change(x[1:], x[:2])._buffer is x._buffer
        change.__wrapped__(host[1:], host[:2])
        same(x, host)
        text = failure(lambda: change(x[:, 1:], x.reshape(4, 3)[:3]))
        assert text.startswith("change can't run on cuda:0: "), text
        assert "share memory with others (among y, x), and they aren't slices of one" in text, text
        same(x, host)
        fixed = qn.DeviceArray(x._buffer, x._layout, x.dtype, is_writeable=False)
        text = failure(lambda: change(fixed, y), ValueError)
        assert text.endswith(" is read-only"), text
    """)


def test_arrays_of_the_host_beside_those_of_the_device(run):
    run("""
        @qn.compile
        def line(x, y):
            y[0] = 5
            return x + y, y[1:]

        x, = there(A)
        host = B.copy()
        made, part = line(x, host)
        assert (host[0] == 5).all() and type(part) is np.ndarray and part.base is host
        same(made, A + host)
    """)


def test_no_call_waits_without_reason(run):
    run("""
        @qn.compile
        def line(x):
            return x * 2

        x, = there(A)
        line(x)
        waits = LIBRARY.emulator_count(b"cuStreamQuery")
        for _ in range(5):
            x = line(x)
        assert waits == LIBRARY.emulator_count(b"cuStreamQuery")
        assert qn.compile(lambda x: np.sum(x))(x) == A.sum() * 32
        assert waits < LIBRARY.emulator_count(b"cuStreamQuery")
    """)


def test_the_device_of_a_call(run):
    run(
        """
        @qn.compile
        def line(x):
            return x * 2

        def launches(*args):
            before = LIBRARY.emulator_count(b"cuLaunchKernel")
            answer = line(*args)
            return answer, LIBRARY.emulator_count(b"cuLaunchKernel") - before

        def kinds():
            return [type(line(a)).__name__ for a in arrays] + [launches(A)[1] > 0]

        arrays = [A, *there(A)]
        assert kinds() == ["ndarray", "DeviceArray", False]
        with qn.device("cuda"):
            assert kinds() == ["ndarray", "DeviceArray", True]
            with qn.device("cpu"):
                assert kinds() == ["ndarray", "DeviceArray", False]
            with qn.device(None):
                assert kinds() == ["ndarray", "DeviceArray", False]
            others = []
            thread = threading.Thread(target=lambda: others.append(launches(A)[1]))
            thread.start()
            thread.join()
            assert others == [0]
            assert launches(A)[1] > 0
        assert kinds() == ["ndarray", "DeviceArray", False]
        stats = line.stats()
        assert stats["compiles"] + stats["disk_hits"] == 3, stats
        assert stats["memory_hits"] > 5 and stats["fallbacks"] == 0, stats
        assert "on the device" in str(line.explain(arrays[1]))

        on_host = qn.compile(line.__wrapped__, device="cpu")
        with qn.device("cuda"):
            before = LIBRARY.emulator_count(b"cuLaunchKernel")
            assert (on_host(A) == A * 2).all()
            assert LIBRARY.emulator_count(b"cuLaunchKernel") == before
        text = failure(lambda: on_host(arrays[1]))
        assert text == (
            "`x` is on cuda:0, and the function runs on cpu: move the array with "
            "quernel.to_device(), or compile the function without a device"), text
        other = qn.to_device(A, "cuda:1")
        same(line(other), A * 2)
        assert line(other).device == "cuda:1"
        pair = qn.compile(lambda x, y: x + y)
        text = failure(lambda: pair(arrays[1], other))
        assert text == "arrays on cuda:0 and on cuda:1 in one call; move one of them"
        fixed = qn.compile(line.__wrapped__, device="cuda:0")
        assert "`x` is on cuda:1, and the function runs on cuda:0" in failure(lambda: fixed(other))
        """,
        EMULATOR_DEVICES="2",
    )


def test_arrays_of_other_libraries(run):
    run("""
        class Other:
            def __init__(self, array):
                self.array, self.__cuda_array_interface__ = array, array.__cuda_array_interface__

        class Marked(Other):
            __cuda_array_interface__ = None

        x, y = there(A, B)
        line = qn.compile(lambda x, y: x * 2 + y[0])
        for one, more in [(Marked(x), [y]), (x, [Marked(y)]), (Marked(x), [Marked(y)])]:
            same(line(one, more), A * 2 + B)
        fixed = qn.compile(line.__wrapped__, device="cuda")
        same(fixed(Marked(x), (y,)), A * 2 + B)
    """)


def test_modules(run):
    run("""
        class Scale(qn.Module):
            def __init__(self, factors):
                self.factors, self.count = factors, 0

            @qn.compile
            def __call__(self, x):
                return x * self.factors

            @qn.compile
            def move(self, by):
                self.factors = self.factors + by

        scale = Scale(B)
        assert (scale(A) == A * B).all()
        scale.to("cuda")
        x, = there(A)
        same(scale(x), A * B)
        same(without_copies(scale, x), A * B)
        same(scale(A), A * B)
        scale.move(1.0)
        same(scale.factors, B + 1)
        scale.to("cpu")
        assert (scale(A) == A * (B + 1)).all()

        class Plain:
            pass

        plain = Plain()
        plain.factors, = there(B)
        multiply = qn.compile(lambda held, x: held.factors * x)
        same(multiply(plain, A), A * B)
        same(multiply(plain, x), A * B)
    """)


def test_statements_for_python(run):
    run("""
        warnings.simplefilter("ignore")

        @qn.compile
        def parts(x):
            y = np.sqrt(x * 2 + 1)
            print("a shape:", y.shape, type(y).__name__)
            return np.cumsum(y) + 1

        x = np.arange(6000.0)
        there_x, = there(x)
        for _ in range(2):
            made = parts(there_x)
            assert type(made) is qn.DeviceArray
            assert np.allclose(made.to_host(), np.cumsum(np.sqrt(x * 2 + 1)) + 1)
        assert parts.stats()["fallbacks"] == 2
    """)


def test_a_function_answers_for_its_siblings(run):
    run("""
        double = qn.compile(lambda x: x * 2)
        x, = there(A)
        for _ in range(5):
            double(x)
        assert double.stats()["memory_hits"] == 4
        assert (double(A) == 2 * A).all()
        held = there(B)[0]
        add = qn.compile(lambda x: x + held)
        same(add(x), A + B)
        same(add(A), A + B)
        checked = qn.compile(lambda x: x * 2, verify=True)
        same(checked(x), A * 2)
        later = qn.compile(lambda x: x * 2, background=True)
        same(later(x), A * 2)
        rng, numpys = np.random.default_rng(3), np.random.default_rng(3)
        same(qn.compile(lambda x, rng: x + rng.random(4))(x, rng), A + numpys.random(4))
    """)


def test_operators_and_functions_of_numpy(run):
    run("""
        H = dict(np=np, A=A, B=B, M=A > 3, I=np.array([2, 0, 1]), S=A[:, :3] + 9 * np.eye(3))
        D = {k: qn.to_device(v) if isinstance(v, np.ndarray) else v for k, v in H.items()}
        texts = [
            "A - 1", "2 * A", "A // (B + 2)", "abs(B) ** 0.5", "~M", "A @ A.T", "A == B", "M.any()",
            "np.where(M, A, B)", "np.add.accumulate(A, axis=1)", "A.sum(axis=0)", "B.std()",
            "A.argmax()", "A[M]", "A[I]", "A[:, I]", "A.T.copy()", "A[:, ::2].reshape(-1)",
            "np.concatenate([A, B])", "np.linalg.norm(A, axis=1)", "np.linalg.solve(S, A)",
            "np.sort(B[:, ::-1])", "np.argsort(B, axis=0)", "np.divmod(A, B + 2)",
            "np.histogram(B, bins=4)", "np.unique(M)", "np.zeros_like(A)", "A.astype(np.int32)",
        ]
        for text in texts:
            got, expected = eval(text, D), eval(text, H)
            pairs = zip(got, expected) if type(expected) is tuple else [(got, expected)]
            for one, other in pairs:
                if isinstance(other, np.ndarray):
                    assert type(one) is qn.DeviceArray, text
                    assert one.dtype == other.dtype, text
                    one = one.to_host()
                assert np.allclose(one, other), (text, one, other)

        x, host = qn.to_device(A), A.copy()
        texts = [
            "x += 1", "x[0] = 3", "x[:, 1] = x[:, 2]", "x[M] = 0", "x[I[:2]] = 5.0", "x[1:] *= 2",
            "np.add(x, x, out=x)", "x[:, ::2] = 7", "x[1:] = x[:-1]", "x[:2] += x[1:]",
        ]
        for text in texts:
            names, hosts = D | dict(x=x), H | dict(x=host)
            exec(text, names)
            exec(text, hosts)
            assert names["x"] is x
            same(x, host)
        text = failure(lambda: np.apply_along_axis(np.sum, 0, x))
        assert text.startswith("apply_along_axis can't run on cuda:0: "), text
    """)


def test_errors(run):
    run("""
        @qn.compile
        def pick(x, k):
            return x[k]

        x, = there(A)
        same(pick(x, 1), A[1])
        text = failure(lambda: pick(x, 7), IndexError)
        assert text == "index 7 is out of bounds for axis 0 with size 3", text
        add = qn.compile(lambda x, y: x + y)
        text = failure(lambda: add(x, qn.to_device(np.ones(3))), ValueError)
        assert "could not be broadcast together with shapes (3,4) (3,)" in text, text
        add(x, x)
        text = failure(lambda: x + qn.to_device(np.ones(3)), ValueError)
        assert "could not be broadcast together with shapes (3,4) (3,)" in text, text

        @qn.compile
        def unknown(x):
            return eval("x")

        text = failure(lambda: unknown(x))
        assert text.startswith("unknown can't run on cuda:0: "), text
    """)


def test_what_is_written_before_an_error(run):
    run("""
        @qn.compile
        def written(x, rows, host, box=None):
            rows[0][1] = 7
            host[0] = 5
            x[2] += host[:4]
            return x + np.ones(3)

        want, host = A.copy(), np.ones(5)
        text = failure(lambda: written.__wrapped__(want, [want[1]], host.copy()), ValueError)
        x, = there(A)
        assert failure(lambda: written(x, [x[1]], host), ValueError) == text
        same(x, want)
        assert host[0] == 5

        # What reads arrays on the device from outside can't run on the host.
        constant, = there(np.ones((3, 4)))

        @qn.compile
        def outside(x):
            x[0] = 3
            return x + constant + np.ones(3)

        x, = there(A)
        text = failure(lambda: outside(x), ValueError)
        assert "could not be broadcast together with shapes (3,4) (3,)" in text, text

        # An array that can't be written raises on the host, too.
        fixed = qn.to_device(A)
        fixed._is_writeable = False
        want.flags.writeable = False
        fill = qn.compile(lambda x: np.add(x, 1, out=x))
        text = failure(lambda: fill.__wrapped__(want), ValueError)
        assert failure(lambda: fill(fixed), ValueError) == text
        same(fixed, A)
    """)


def test_unaligned_arrays_are_refused(run):
    run("""
        @qn.compile
        def twice(x):
            return x * 2

        bytes_, = there(np.zeros(24, np.int8))
        text = failure(lambda: twice(bytes_[1:17].view(np.float64)))
        assert "`x` is an array on a device whose elements aren't aligned" in text, text
        assert "copy it first: x.copy()" in text, text
    """)
