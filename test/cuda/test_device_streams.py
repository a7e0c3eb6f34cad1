"""Streams and events on the emulated device, which does what it is asked for late."""

from emulated_device import FAILURE

BEGIN = """
import ctypes, gc, os, threading
import numpy as np
import quernel as qn
from quernel.errors import DeviceError

LIBRARY = ctypes.CDLL(os.environ["CUDA_PATH"] + "/lib64/libcuda.so.1")
X = np.linspace(0, 1, 4096)

@qn.compile
def f(x):
    return np.sqrt(x) + x

@qn.compile
def add_to(x, y):
    x += y
"""
BEGIN += FAILURE
SETTINGS = {"EMULATOR_STREAMS": "late"}


def test_calls_ask_in_the_stream_of_the_block(run):
    run("""
    x = qn.to_device(X)
    with qn.cuda.Stream() as stream:
        y = f(x)
        assert qn.cuda.Event().device == stream.device == "cuda:0"
    stream.synchronize()
    assert stream.query()
    assert np.array_equal(y.to_host(), np.sqrt(X) + X)
    with stream, qn.cuda.Stream():
        z = f(y)
    with stream:
        assert np.array_equal(z.to_host(), np.sqrt(f(X)) + f(X))  # waited for on the device
    assert stream.__cuda_stream__() == (0, stream.handle)
    assert repr(stream) == f"quernel.cuda.Stream({stream.handle:#x}, device='cuda:0')"
    """)


def test_arrays_are_right_in_any_stream(run):
    run("""
    a, b = qn.cuda.Stream(), qn.cuda.Stream()
    total, expected = qn.to_device(np.zeros(4096)), np.zeros(4096)
    for turn in range(20):
        with a:
            x = qn.to_device(X + turn)
        with b:
            add_to(total, x)
            del x
        with (a, b)[turn % 2]:
            add_to(total, total[::-1] * 1)
        expected += X + turn
        expected += expected[::-1].copy()
    assert np.array_equal(total.to_host(), expected)
    """)


def test_memory_of_one_stream_isn_t_given_to_another_early(run):
    run(
        """
    big = np.ones(1 << 21)  # 16 MiB of 40
    a, b = qn.cuda.Stream(), qn.cuda.Stream()
    for turn in range(6):
        with a:
            x = qn.to_device(big * turn)
            first = x * 2
            del x
        with b:
            y = qn.to_device(big * (turn + 100))
        assert first.to_host()[5] == 2 * turn and first.to_host().max() == 2 * turn
        assert y.to_host().min() == turn + 100
        del first, y
    """,
        EMULATOR_MEMORY=str(60 << 20),
    )


def test_threads_have_streams_of_their_own(run):
    run("""
    answers = {}
    def work(k):
        with qn.cuda.Stream():
            answers[k] = f(qn.to_device(X + k))
    f(qn.to_device(X))
    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    assert sorted(answers) == [0, 1, 2, 3]
    for k, answer in answers.items():
        assert np.array_equal(answer.to_host(), np.sqrt(X + k) + (X + k))
    qn.cuda.synchronize()
    """)


def test_events(run):
    run("""
    x = qn.to_device(X)
    begin, end, never = qn.cuda.Event(), qn.cuda.Event(), qn.cuda.Event()
    a, b = qn.cuda.Stream(), qn.cuda.Stream()
    with a:
        begin.record()
        y = f(x)
    end.record(a)
    b.wait(end)
    b.wait(a)
    b.wait(never)
    end.synchronize()
    assert end.query() and begin.query()
    assert begin.elapsed_time(end) >= 0
    text = "the time between two events needs both of them recorded"
    assert failure(lambda: begin.elapsed_time(never)) == text
    never.synchronize()
    """)


def test_streams_of_other_libraries(run):
    run("""
    handle = ctypes.c_void_p()
    qn.to_device(X)
    context = ctypes.c_void_p()
    LIBRARY.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
    LIBRARY.cuCtxSetCurrent(context)
    assert LIBRARY.cuStreamCreate(ctypes.byref(handle), 1) == 0

    class Theirs:
        def __cuda_stream__(self):
            return 0, handle.value

    class Property:
        __cuda_stream__ = 0, handle.value

    class Newer:
        __cuda_stream__ = 1, handle.value

    for given in (handle.value, Theirs(), Property()):
        with qn.cuda.Stream(given) as stream:
            assert stream.handle == handle.value
            y = f(qn.to_device(X))
        assert np.array_equal(y.to_host(), np.sqrt(X) + X)
        event = qn.cuda.Event()
        event.record(given)
        event.synchronize()
    text = "expected a stream, or the handle of one, not "
    for wrong in ("stream", -1, True, 1.5):
        assert failure(lambda: qn.cuda.Stream(wrong), TypeError) == text + type(wrong).__name__
    text = "a stream whose __cuda_stream__ is of version 1 isn't known"
    assert failure(lambda: qn.cuda.Stream(Newer()), TypeError) == text
    with qn.cuda.Stream(handle.value):
        kept = f(qn.to_device(X))
    assert LIBRARY.cuStreamDestroy_v2(handle) == 0  # theirs to destroy
    del stream
    gc.collect()
    assert np.array_equal(kept.to_host(), np.sqrt(X) + X)
    """)


def test_exports_wait_on_the_device(run):
    run("""
    seen = []
    class Foreign:
        def __init__(self, array):
            self.array = array
        def __dlpack_device__(self):
            return self.array.__dlpack_device__()
        def __dlpack__(self, *, stream=None, max_version=None):
            seen.append(stream)
            return self.array.__dlpack__(stream=stream, max_version=max_version)

    with qn.cuda.Stream():
        y = f(qn.to_device(X))
    with qn.cuda.Stream() as stream:
        taken = qn.from_dlpack(Foreign(y))
        assert seen == [stream.handle]
        z = f(taken)
    assert np.array_equal(z.to_host(), np.sqrt(f(X)) + f(X))

    class Interface:
        def __init__(self, array, stream):
            self.array = array
            self.__cuda_array_interface__ = array.__cuda_array_interface__ | {"stream": stream}
    with qn.cuda.Stream():
        w = f(qn.to_device(Interface(y, stream.handle)))
    assert np.array_equal(w.to_host(), z.to_host())
    """)


def test_libraries_compute_in_the_stream(run):
    run("""
    rng = np.random.default_rng(0)
    m = rng.standard_normal((24, 24))
    both = qn.compile(lambda a: (a @ a, np.linalg.inv(a), np.fft.fft(a)))
    x = qn.to_device(m)
    for stream in (qn.cuda.Stream(), qn.cuda.Stream()):
        with stream:
            product, inverse, transform = both(x)
        assert np.allclose(product.to_host(), m @ m)
        assert np.allclose(inverse.to_host(), np.linalg.inv(m))
        assert np.allclose(transform.to_host(), np.fft.fft(m))
    """)


def test_streams_that_are_many(run):
    run("""
    kept = [qn.cuda.Stream() for _ in range(63)]
    text = "device 0 (Quernel emulator) has 64 streams already; drop those that aren't needed"
    assert failure(qn.cuda.Stream) == text
    del kept
    for _ in range(100):
        with qn.cuda.Stream():
            y = f(qn.to_device(X))
    assert np.array_equal(y.to_host(), np.sqrt(X) + X)
    """)
