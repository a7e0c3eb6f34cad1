"""Dynamic programming, small products of complex matrices, transforms, systems of equations."""

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


def complexes(*shape, rng):
    return rng.normal(size=shape) + 1j * rng.normal(size=shape)


# Dynamic programming


@program(lambda n, rng: (rng.integers(0, 4, n), rng.integers(0, 4, n + 2)))
def edit_distance(a, b):
    table = np.zeros((len(a) + 1, len(b) + 1), np.int32)
    for i in range(len(a) + 1):
        table[i, 0] = i
    for j in range(len(b) + 1):
        table[0, j] = j
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            table[i, j] = min(table[i - 1, j] + 1, table[i, j - 1] + 1, table[i - 1, j - 1] + cost)
    return table[len(a), len(b)]


@program(lambda n, rng: (rng.integers(1, 6, n), rng.integers(1, 9, n), 12))
def knapsack(sizes, values, room):
    best = np.zeros(room + 1, np.int64)
    for i in range(len(sizes)):
        for r in range(room, sizes[i] - 1, -1):
            best[r] = max(best[r], best[r - sizes[i]] + values[i])
    return best[room]


@program(lambda n, rng: (rng.integers(1, 9, n + 1),))
def chain_of_products(d):
    n = len(d) - 1
    cost = np.zeros((n, n), np.int64)
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            j = i + length - 1
            cost[i, j] = 1_000_000
            for k in range(i, j):
                cost[i, j] = min(
                    cost[i, j], cost[i, k] + cost[k + 1, j] + d[i] * d[k + 1] * d[j + 1]
                )
    return cost


@program(lambda n, rng: (rng.integers(1, 50, (n, n)).astype(np.int32),))
def shortest_paths(d):
    for k in range(d.shape[0]):
        d[:] = np.minimum(d, np.add.outer(d[:, k], d[k, :]))


@program(lambda n, rng: (rng.integers(-5, 50, (n, n)).astype(np.int32),))
def shortest_paths_by_rows(d):
    for k in range(d.shape[0]):
        for i in range(d.shape[0]):
            d[i] = np.minimum(d[i], d[i, k] + d[k])


@program(lambda n, rng: (rng.integers(0, 2, (n, n)).astype(np.uint8), 3))
def game_of_life(board, steps):
    for _ in range(steps):
        near = np.zeros(board.shape, np.uint8)
        for di in (-1, 0, 1):
            for dj in (-1, 0, 1):
                if di != 0 or dj != 0:
                    near += np.roll(np.roll(board, di, 0), dj, 1)
        board = ((near == 3) | ((board == 1) & (near == 2))).astype(np.uint8)
    return board


@program(lambda n, rng: (rng.integers(0, 256, n).astype(np.uint8),))
def hash_of_bytes(data):
    value = np.uint32(2166136261)
    for byte in data:
        value = (value ^ byte) * np.uint32(16777619)
    return value


# Complex numbers


@program(lambda n, rng: (complexes(n, 3, 3, rng=rng), complexes(3, 3, rng=rng)))
def small_complex_products(a, b):
    out = np.zeros_like(a)
    for i in range(a.shape[0]):
        out[i] = a[i] @ b
        out[i] += b.conj().T * 0.5
    return out


@program(lambda n, rng: (complexes(n, 4, 2, 2, rng=rng), complexes(n, 2, 2, rng=rng)))
def accumulated_small_products(g, s):
    for i in range(g.shape[0]):
        for j in range(g.shape[1]):
            if i - j >= 0:
                s[i] += g[i - j, j] @ g[i, j] * 2.0


@program(lambda n, rng: (complexes(n, rng=rng),))
def complex_parts(z):
    z.imag[1:] = 0.5
    z.real *= 2
    return z.real + z.imag, np.abs(z), np.angle(z), z.conj(), z * 2j, np.exp(1j * z.real)


@program(lambda n, rng: (complexes(n, rng=rng).astype(np.complex64),), scale=1e-6)
def single_complex(z):
    for _ in range(3):
        z = z * z * 0.25 + 0.1
    return z


@program(lambda n, rng: (n,))
def grid_in_the_plane(n):
    x, y = np.linspace(-1.5, 0.5, n), np.linspace(-1, 1, n + 1)
    c = x + y[:, None] * 1j
    z = np.zeros(c.shape, np.complex128)
    counts = np.zeros(c.shape, np.int64)
    for k in range(12):
        inside = np.abs(z) < 2
        counts[inside] = k
        z[inside] = z[inside] ** 2 + c[inside]
    return counts


@program(lambda n, rng: (complexes(8, rng=rng),), sizes=(1, 2))
def transform_by_definition(x):
    n = x.shape[0]
    out = np.zeros(n, np.complex128)
    for k in range(n):
        out[k] = (x * np.exp(-2j * np.pi * k * np.arange(n) / n)).sum()
    return out


# Linear algebra in loops


@program(lambda n, rng: (rng.normal(size=(3, n, n)) + 5 * np.eye(n), rng.normal(size=(n, 2))))
def systems_in_a_loop(a, b):
    total = np.zeros_like(b)
    for k in range(a.shape[0]):
        total += np.linalg.solve(a[k], b)
    return total


@program(lambda n, rng: (rng.normal(size=(n, n)),))
def decomposed(a):
    spd = a @ a.T + len(a) * np.eye(len(a))
    return np.linalg.cholesky(spd), np.linalg.inv(spd)


@program(lambda n, rng: (rng.normal(size=(n, n)) + 4 * n * np.eye(n), rng.normal(size=n)))
def iterated_solution(a, b):
    x = np.zeros_like(b)
    diagonal = np.diag(a)
    for _ in range(30):
        x = x + (b - a @ x) / diagonal
    return x


@program(lambda n, rng: (rng.normal(size=(n, n)), rng.normal(size=n)))
def power_iteration(a, x):
    spd = a @ a.T
    value = 0.0
    for _ in range(200):
        y = spd @ x
        new = np.linalg.norm(y)
        x = y / new
        if abs(new - value) < 1e-3 * new:
            break
        value = new
    return new


@program(lambda n, rng: (rng.normal(size=(n, 3)), rng.normal(size=(n, 3)), 0.01, 5), scale=1e-10)
def particles(position, velocity, dt, steps):
    for _ in range(steps):
        difference = position[None, :, :] - position[:, None, :]
        distance = np.sqrt((difference**2).sum(axis=-1) + 0.1)
        velocity += dt * (difference / distance[:, :, None] ** 3).sum(axis=1)
        position += dt * velocity
    return 0.5 * (velocity**2).sum()


@program(lambda n, rng: (rng.normal(size=(2, n + 3, n + 3, 2)), rng.normal(size=(3, 3, 2, 4))))
def convolution(image, weights):
    k = weights.shape[0]
    height, width = image.shape[1] - k + 1, image.shape[2] - k + 1
    out = np.empty((image.shape[0], height, width, weights.shape[3]))
    for i in range(height):
        for j in range(width):
            patch = image[:, i : i + k, j : j + k, :, None]
            out[:, i, j, :] = np.sum(patch * weights[None], axis=(1, 2, 3))
    return np.maximum(out, 0)


@program(lambda n, rng: (rng.normal(size=(2, 2 * n, 2 * n)),))
def pooling(x):
    out = np.empty((x.shape[0], x.shape[1] // 2, x.shape[2] // 2), x.dtype)
    for i in range(x.shape[1] // 2):
        for j in range(x.shape[2] // 2):
            out[:, i, j] = np.max(x[:, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2], axis=(1, 2))
    return out


@program(lambda n, rng: (rng.normal(size=(n, n, 6)), 0.5))
def tridiagonal_columns(a, weight):
    c = np.zeros(a.shape)
    d = np.zeros(a.shape)
    for k in range(a.shape[2]):
        if k == 0:
            c[:, :, k] = weight / (2 + weight)
            d[:, :, k] = a[:, :, k] / (2 + weight)
        else:
            scale = 1.0 / (2 + weight - weight * c[:, :, k - 1])
            c[:, :, k] = weight * scale
            d[:, :, k] = (a[:, :, k] + weight * d[:, :, k - 1]) * scale
    carry = d[:, :, -1]
    for k in range(a.shape[2] - 2, -1, -1):
        carry = d[:, :, k] + c[:, :, k] * carry
        a[:, :, k] = carry


@program(lambda n, rng: (rng.normal(size=(n, 4)), rng.normal(size=(3, 4))))
def clusters(points, means):
    labels = np.zeros(len(points), np.int64)
    for _ in range(4):
        labels = np.argmin(((points[:, None] - means) ** 2).sum(axis=2), axis=1)
        for k in range(len(means)):
            mine = labels == k
            if mine.any():
                means[k] = points[mine].mean(axis=0)
    return labels


@pytest.mark.parametrize("case", PROGRAMS, ids=lambda case: case.name)
def test_numerics(case: Program) -> None:
    case.check()
