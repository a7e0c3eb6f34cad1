"""The programs as Numba's users write them: loops, the outer one parallel.

A program that isn't here is compiled as it stands in `programs.py`. `FAST` lets LLVM reorder sums
and take it that there are no NaNs.
"""

from __future__ import annotations

import numba
import numpy as np
from numba import prange

PARALLEL = numba.njit(parallel=True)
FAST = numba.njit(parallel=True, fastmath=True, error_model="numpy")
EPSILON = np.float32(1e-5)


@PARALLEL
def kmeans(X, means):
    """One pass over the points."""
    labels = np.empty(X.shape[0], np.int64)
    for i in prange(X.shape[0]):
        nearest, label = np.inf, 0
        for j in range(means.shape[0]):
            distance = 0.0
            for c in range(X.shape[1]):
                difference = X[i, c] - means[j, c]
                distance += difference * difference
            if distance < nearest:
                nearest, label = distance, j
        labels[i] = label
    return labels


@numba.njit
def multiply_add(a, b, c):
    """By one thread: there is too little for two."""
    return a * b + c


@FAST
def softmax(x):
    """Three passes over each row."""
    out = np.empty_like(x)
    for i in prange(x.shape[0]):
        top = x[i, 0]
        for j in range(x.shape[1]):
            top = max(top, x[i, j])
        total = np.float32(0)
        for j in range(x.shape[1]):
            out[i, j] = np.exp(x[i, j] - top)
            total += out[i, j]
        for j in range(x.shape[1]):
            out[i, j] /= total
    return out


@FAST
def layer_norm(x, gain, bias):
    """Three passes over each row."""
    out = np.empty_like(x)
    width = np.float32(x.shape[1])
    for i in prange(x.shape[0]):
        mean, spread = np.float32(0), np.float32(0)
        for j in range(x.shape[1]):
            mean += x[i, j]
        mean /= width
        for j in range(x.shape[1]):
            spread += (x[i, j] - mean) * (x[i, j] - mean)
        scale = np.float32(1) / np.sqrt(spread / width + EPSILON)
        for j in range(x.shape[1]):
            out[i, j] = (x[i, j] - mean) * scale * gain[j] + bias[j]
    return out


@FAST
def rms_norm(x, gain):
    """Two passes over each row."""
    out = np.empty_like(x)
    width = np.float32(x.shape[1])
    for i in prange(x.shape[0]):
        total = np.float32(0)
        for j in range(x.shape[1]):
            total += x[i, j] * x[i, j]
        scale = np.float32(1) / np.sqrt(total / width + EPSILON)
        for j in range(x.shape[1]):
            out[i, j] = x[i, j] * scale * gain[j]
    return out


@FAST
def cross_entropy(x, labels):
    """Two passes over each row."""
    out = np.empty(x.shape[0], x.dtype)
    for i in prange(x.shape[0]):
        top = x[i, 0]
        for j in range(x.shape[1]):
            top = max(top, x[i, j])
        total = np.float32(0)
        for j in range(x.shape[1]):
            total += np.exp(x[i, j] - top)
        out[i] = np.log(total) + top - x[i, labels[i]]
    return out


@FAST
def variance(x):
    """Two passes over each row."""
    out = np.empty(x.shape[0], x.dtype)
    width = np.float32(x.shape[1])
    for i in prange(x.shape[0]):
        mean, spread = np.float32(0), np.float32(0)
        for j in range(x.shape[1]):
            mean += x[i, j]
        mean /= width
        for j in range(x.shape[1]):
            spread += (x[i, j] - mean) * (x[i, j] - mean)
        out[i] = spread / width
    return out


@PARALLEL
def horner(x, coefficients):
    """One pass over the array."""
    out = np.empty_like(x)
    for i in prange(x.size):
        y = 0.0
        for c in coefficients:
            y = y * x[i] + c
        out[i] = y
    return out


@FAST
def attention(q, k, v):
    """Each head by one thread, its products by the BLAS."""
    shape = q.shape[0] * q.shape[1], q.shape[2], q.shape[3]
    q, k, values = q.reshape(shape), k.reshape(shape), v.reshape(shape)
    out = np.empty_like(values)
    scale = np.float32(1 / np.sqrt(shape[2]))
    for head in prange(shape[0]):
        scores = np.dot(q[head], k[head].T)
        for i in range(shape[1]):
            top = scores[i, 0]
            for j in range(shape[1]):
                top = max(top, scores[i, j])
            total = np.float32(0)
            for j in range(shape[1]):
                scores[i, j] = np.exp((scores[i, j] - top) * scale)
                total += scores[i, j]
            for j in range(shape[1]):
                scores[i, j] /= total
        out[head] = np.dot(scores, values[head])
    return out.reshape(v.shape)


@PARALLEL
def stencil(u):
    """Two arrays by turns."""
    u, new = u.copy(), u.copy()
    for _ in range(20):
        for i in prange(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                for k in range(1, u.shape[2] - 1):
                    around = u[i + 1, j, k] + u[i - 1, j, k] + u[i, j + 1, k] + u[i, j - 1, k]
                    around += u[i, j, k + 1] + u[i, j, k - 1]
                    new[i, j, k] = u[i, j, k] + 0.1 * (around - 6.0 * u[i, j, k])
        u, new = new, u
    return u
