"""Loops stay loops: counters as indices, carried arrays and scalars, every form of `for`."""

from __future__ import annotations

import numpy as np
import pytest
from whole import Program

PROGRAMS = []


def program(make, **how):
    """Register a function with what makes its arguments."""

    def add(function):
        PROGRAMS.append(Program(function, make, **how))
        return function

    return add


def vector(n, rng):
    return (rng.normal(size=n),)


def square(n, rng):
    return (rng.normal(size=(n, n)) + n * np.eye(n),)


# Stencils in time loops


@program(lambda n, rng: (7, rng.normal(size=n), np.zeros(n)))
def diffusion(steps, a, b):
    for _ in range(steps):
        b[1:-1] = a[1:-1] + 0.1 * (a[2:] - 2 * a[1:-1] + a[:-2])
        a[1:-1] = b[1:-1]


@program(lambda n, rng: (5, rng.normal(size=(n, n + 3))))
def copied_each_turn(steps, p):
    for _ in range(steps):
        old = p.copy()
        p[1:-1, 1:-1] = (old[2:, 1:-1] + old[:-2, 1:-1] + old[1:-1, 2:] + old[1:-1, :-2]) / 4
        p[0, :] = p[1, :]
        p[:, -1] = 0


@program(lambda n, rng: (4, rng.normal(size=(n, n, n))))
def three_dimensions(steps, a):
    for t in range(1, steps):
        inner = a[1:-1, 1:-1, 1:-1]
        lap = a[2:, 1:-1, 1:-1] + a[:-2, 1:-1, 1:-1] + a[1:-1, 2:, 1:-1] + a[1:-1, :-2, 1:-1]
        a[1:-1, 1:-1, 1:-1] = inner + (lap - 4 * inner) / (10.0 * t)


@program(lambda n, rng: (6, rng.normal(size=n), rng.normal(size=n)))
def names_swapped_each_turn(steps, a, b):
    for _ in range(steps):
        a, b = b, a * 0.5 + b
    return a, b


@program(lambda n, rng: (3, rng.normal(size=(n, n))))
def sweep_in_place(steps, a):
    for _ in range(steps):
        for i in range(1, a.shape[0] - 1):
            a[i, 1:-1] += a[i - 1, 1:-1] + a[i + 1, 1:-1] + a[i, 2:]
            for j in range(1, a.shape[1]):
                a[i, j] = (a[i, j] + a[i, j - 1]) / 5


@program(lambda n, rng: (9, rng.normal(size=(n, n)).astype(np.float32)))
def single_precision(steps, a):
    for _ in range(steps):
        a[1:, :] = 0.5 * (a[1:, :] + a[:-1, :]) + 1
    return a.sum(dtype=np.float64) > 0


# Triangles


@program(square)
def factorise(a):
    for i in range(a.shape[0]):
        for j in range(i):
            a[i, j] = (a[i, j] - a[i, :j] @ a[j, :j]) / a[j, j]
        a[i, i] = np.sqrt(abs(a[i, i] - np.dot(a[i, :i], a[i, :i])))


@program(lambda n, rng: (*square(n, rng), rng.normal(size=n)))
def solve_upwards(a, b):
    x = np.zeros_like(b)
    for i in range(a.shape[0] - 1, -1, -1):
        x[i] = (b[i] - a[i, i + 1 :] @ x[i + 1 :]) / a[i, i]
    return x


@program(lambda n, rng: (rng.normal(size=(n, n)), rng.normal(size=(n, 3))))
def growing_rows(c, a):
    for i in range(c.shape[0]):
        c[i, : i + 1] *= 0.5
        for k in range(a.shape[1]):
            c[i, : i + 1] += a[i, k] * a[: i + 1, k]


@program(lambda n, rng: (rng.normal(size=(n, 4)),))
def growing_means(a):
    out = np.empty((a.shape[0], a.shape[1]))
    for i in range(a.shape[0]):
        out[i] = a[: i + 1].mean(axis=0)
    return out


@program(vector)
def flipped_prefix(r):
    y = np.zeros_like(r)
    y[0] = r[0]
    for k in range(1, r.shape[0]):
        y[:k] += 0.3 * np.flip(y[:k])
        y[k] = r[k] + np.dot(np.flip(r[:k]), y[:k])
    return y


@program(square)
def orthogonal_columns(a):
    r = np.zeros((a.shape[1], a.shape[1]))
    for k in range(a.shape[1]):
        r[k, k] = np.sqrt(np.dot(a[:, k], a[:, k]))
        a[:, k] /= r[k, k]
        for j in range(k + 1, a.shape[1]):
            r[k, j] = a[:, k] @ a[:, j]
            a[:, j] -= a[:, k] * r[k, j]
    return r


@program(lambda n, rng: (np.arange(n * n).reshape(n, n) % 7,))
def halves_of_integers(a):
    total = 0
    for i in range(a.shape[0]):
        total += a[i, i // 2 : i + 1].sum() - a[i, : i // 2].sum()
    return total


# Recurrences and carried scalars


@program(vector)
def first_order_filter(x):
    y = np.empty_like(x)
    y[0] = x[0]
    for i in range(1, len(x)):
        y[i] = 0.9 * y[i - 1] + 0.1 * x[i]
    return y


@program(vector)
def alternating_sum(x):
    total, sign = 0.0, 1.0
    for i in range(x.size):
        total += sign * x[i]
        sign = -sign
    return total, sign


@program(vector)
def integer_becomes_float(x):
    total = 0
    for i in range(x.size):
        total += x[i]
    return total


@program(lambda n, rng: (rng.integers(0, 9, n),))
def integer_becomes_float_by_division(x):
    value = 1
    for i in range(x.size):
        value = value / 2 + x[i]
    return value


@program(vector)
def maximum_and_its_place(x):
    best, place = x[0], 0
    for i in range(1, x.size):
        if x[i] > best:
            best, place = x[i], i
    return best, place


@program(lambda n, rng: (n,))
def sequence_of_numbers(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


@program(lambda n, rng: (rng.integers(0, 255, n, dtype=np.uint8),))
def checksum(data):
    value = 0xFFFF
    for byte in data:
        value = value ^ int(byte)
        for _ in range(8):
            if value & 1:
                value = (value >> 1) ^ 0xA001
            else:
                value >>= 1
    return value & 0xFFFF


@program(lambda n, rng: (rng.normal(size=(n, 3)),))
def carried_vector(a):
    state = np.zeros(3)
    for i in range(a.shape[0]):
        state = 0.5 * state + a[i]
    return state


# Forms of range


@program(vector)
def descending_by_two(x):
    for i in range(len(x) - 1, 0, -2):
        x[i] = x[i] * 2 + x[i - 1]


@program(lambda n, rng: (rng.normal(size=3 * n), n // 2))
def symbolic_step(x, step):
    out = []
    total = 0.0
    for i in range(1, len(x), step):
        total += x[i] * i
    del out
    return total


@program(lambda n, rng: (rng.normal(size=n), 2, n - 1))
def symbolic_bounds(x, start, stop):
    for i in range(start, stop):
        x[i] += x[i - 1]


@program(vector)
def no_turn_at_all(x):
    last = -1.0
    for i in range(len(x), len(x)):
        last = x[i]
    for i in range(3, 1):
        x[i] = 0
    return last


@program(vector)
def counter_afterwards(x):
    for i in range(len(x)):
        x[i] += i
    return i


@program(vector)
def counter_in_arithmetic(x):
    for i in range(len(x)):
        x[i] = i * 0.5 + i**2 - i // 3 + i % 3 + float(i) / (i + 1)


@program(lambda n, rng: (rng.normal(size=(n, n)),))
def blocks(a):
    for i in range(0, a.shape[0], 2):
        for j in range(0, a.shape[1], 2):
            a[i : i + 2, j : j + 2] -= a[i : i + 2, j : j + 2].mean()


# Other things to iterate over


@program(vector)
def over_an_array(x):
    total = 0.0
    for value in x:
        total += value * value
    return total


@program(lambda n, rng: (rng.normal(size=(n, 4)),))
def over_rows_written(a):
    for row in a:
        row[1:] -= row[:-1]


@program(lambda n, rng: (rng.normal(size=n), rng.normal(size=n)))
def over_zip(x, y):
    total = 0.0
    for a, b in zip(x, y):  # noqa: B905
        total = total * 0.5 + a * b
    return total


@program(lambda n, rng: (rng.normal(size=n + 2), rng.normal(size=n)))
def over_zip_of_unlike_lengths(x, y):
    total = 0.0
    for a, b in zip(x, y):  # noqa: B905
        total += a - b
    return total


@program(vector)
def over_enumerate(x):
    out = np.zeros_like(x)
    for i, value in enumerate(x):
        out[i] = value * i
    return out


@program(vector)
def over_enumerate_from_two(x):
    total = 0.0
    for i, value in enumerate(x[1:], 2):
        total += value / i
    return total


@program(vector)
def over_reversed(x):
    total = 0.0
    for value in reversed(x):
        total = total / 2 + value
    for i in reversed(range(len(x))):
        total += i * x[i]
    return total


@program(vector)
def over_lists_and_tuples(x):
    total = np.zeros_like(x)
    for weight in [0.5, 0.25, 2]:
        for shift in (0, 1):
            total += weight * np.roll(x, shift)
    return total


@program(vector)
def over_a_dictionary(x):
    weights = {"a": 1.0, "b": 2.0}
    total = x * 0
    for name, weight in weights.items():
        total += weight * x + len(name)
    return total


@program(lambda n, rng: (rng.normal(size=(n, 3)),))
def unpacked_rows(a):
    total = 0.0
    for x, y, z in a:
        total += x * y - z
    return total


@program(vector)
def list_that_grows(x):
    parts = []
    for k in range(4):
        parts.append(x * k)
    return np.stack(parts)


# Shapes and names in loops


@program(vector)
def view_then_array(x):
    out = np.zeros_like(x)
    column = x[:]
    for _ in range(3):
        out += column
        column = column * 0.5
    return out


@program(lambda n, rng: (rng.normal(size=(n, 5)),))
def buffer_outside_loop(a):
    buffer = np.empty(a.shape[0])
    out = np.zeros(a.shape[0])
    for k in range(a.shape[1]):
        buffer[:] = a[:, k] * 2
        out += buffer * buffer
    return out


@program(lambda n, rng: (rng.normal(size=(n, n)),))
def empty_at_the_edges(a):
    out = np.zeros(a.shape[0])
    for i in range(a.shape[0]):
        out[i] = a[i, :i].sum() + a[i, i + 1 :].sum() + np.dot(a[i, :i], a[:i, i])
        a[:i, i] += 1
        a[i + 1 :, i] -= 1
    return out


@program(lambda n, rng: (rng.normal(size=(4, n)),))
def nested_four_deep(a):
    for i in range(2):
        for j in range(a.shape[1]):
            for k in range(3):
                for m in range(k, 3):
                    a[m, j] += a[k, j] * 0.1 + i


@program(lambda n, rng: (rng.integers(1, 9, n).astype(np.int32), 5))
def integers_wrap(x, steps):
    for _ in range(steps):
        x *= 1103515245
        x += 12345
    return x.sum()


@pytest.mark.parametrize("case", PROGRAMS, ids=lambda case: case.name)
def test_loops(case: Program) -> None:
    case.check()
