"""How often programs for devices wait for numbers, counted by the emulated driver."""

BEGIN = """
import ctypes, os
import numpy as np
import quernel as qn

LIBRARY = ctypes.CDLL(os.environ["CUDA_PATH"] + "/lib64/libcuda.so.1")
LIBRARY.emulator_count.restype = ctypes.c_int64
NAMES = dict(
    launches=b"cuLaunchKernel", reads=b"cuMemcpyDtoHAsync_v2", writes=b"cuMemcpyHtoDAsync_v2"
)
RANDOM = np.random.default_rng(0)
MATRIX = RANDOM.random((24, 24)) @ RANDOM.random((24, 24)) + 24 * np.eye(24)
MATRIX, VECTOR = (MATRIX + MATRIX.T) / 2, RANDOM.random(24)

def there(value):
    return qn.to_device(value) if isinstance(value, np.ndarray) else value

def here(value):
    if isinstance(value, tuple):
        return tuple(map(here, value))
    return value.to_host() if isinstance(value, qn.DeviceArray) else value

def counted(function, *args):
    # What one call asks for, whose answer is NumPy's.
    compiled = qn.compile(function, fullgraph=True, dynamic=False)
    compiled(*map(there, args))
    arguments = list(map(there, args))
    before = {name: LIBRARY.emulator_count(symbol) for name, symbol in NAMES.items()}
    answer = compiled(*arguments)
    asked = {name: LIBRARY.emulator_count(symbol) - before[name] for name, symbol in NAMES.items()}
    expected = function(*(np.array(a) if isinstance(a, np.ndarray) else a for a in args))
    answer = here(answer)
    pairs = zip(answer, expected) if isinstance(expected, tuple) else [(answer, expected)]
    for one, other in pairs:
        assert type(one) is type(other), (one, other)
        np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-12)
    return asked

def for_each_turn(function, *args):
    # What each turn of the loop asks for: the last argument is how many it has.
    few, many = counted(function, *args, 5), counted(function, *args, 9)
    return {name: (many[name] - few[name]) / 4 for name in few}
"""


def test_a_power_iteration_waits_for_nothing(run):
    run("""
def power(a, v, n: int):
    w = v
    for _ in range(n):
        w = (a * v).sum(axis=1)
        v = w / np.sqrt((w * w).sum())
    return v, (v * w).sum()

assert for_each_turn(power, MATRIX, VECTOR) == dict(launches=4, reads=0, writes=0)
""")


def test_a_conjugate_gradient_waits_for_nothing(run):
    run("""
def solve(A, b, n: int):
    x = np.zeros_like(b)
    r = b - (A * x).sum(axis=1)
    p = r.copy()
    rs = (r * r).sum()
    for _ in range(n):
        Ap = (A * p).sum(axis=1)
        alpha = rs / (p * Ap).sum()
        x = x + alpha * p
        r = r - alpha * Ap
        new = (r * r).sum()
        p = r + (new / rs) * p
        rs = new
    return x

assert for_each_turn(solve, MATRIX, VECTOR) == dict(launches=6, reads=0, writes=0)
""")


def test_a_condition_is_the_only_number_that_is_read(run):
    run("""
def solve(A, b, tolerance: float):
    turns = 0
    x = np.zeros_like(b)
    r = b - (A * x).sum(axis=1)
    p = r.copy()
    rs = (r * r).sum()
    while rs > tolerance:
        Ap = (A * p).sum(axis=1)
        alpha = rs / (p * Ap).sum()
        x = x + alpha * p
        r = r - alpha * Ap
        new = (r * r).sum()
        p = r + (new / rs) * p
        rs = new
        turns += 1
    return x, turns

few, many = counted(solve, MATRIX, VECTOR, 1e-3), counted(solve, MATRIX, VECTOR, 1e-12)
turns = [qn.compile(solve)(MATRIX, VECTOR, tolerance)[1] for tolerance in (1e-3, 1e-12)]
assert many["reads"] - few["reads"] == turns[1] - turns[0] > 0
assert many["writes"] == few["writes"]
""")


def test_what_branches_and_loops_carry_stays(run):
    run("""
def branches(x, n: int):
    total, least = 0.0, x[0]
    for i in range(n):
        s = (x * i).sum()
        if i % 2:
            least = np.minimum(least, s)
            total, s = s, total
        else:
            total = total + s
        x = x * 0.5 + total * 1e-3 + s
    return x, total, least

def exchanged(x, n: int):
    a, b = x.sum(), x.max()
    for i in range(n):
        a, b = b, a + x[i]
        x = x + a
    x[1], x[0] = x[0], x[1]
    return x, a - b, a, b

for function in (branches, exchanged):
    asked = for_each_turn(function, VECTOR)
    assert asked["reads"] == asked["writes"] == 0, asked
""")


def test_late_streams(run):
    run(
        """
def exchanged(x, n: int):
    a, b = x.sum(), x.max()
    for i in range(n):
        a, b = b, a + x[i]
        x = x + a
    return x, a, b

counted(exchanged, VECTOR, 7)
""",
        EMULATOR_STREAMS="late",
    )
