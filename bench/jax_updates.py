"""The programs that write to arrays, as JAX's users write them."""

from __future__ import annotations


def stencil(u):
    """Each step gives a new array."""
    for _ in range(20):
        inner = u[1:-1, 1:-1, 1:-1]
        around = u[2:, 1:-1, 1:-1] + u[:-2, 1:-1, 1:-1] + u[1:-1, 2:, 1:-1] + u[1:-1, :-2, 1:-1]
        around += u[1:-1, 1:-1, 2:] + u[1:-1, 1:-1, :-2]
        u = u.at[1:-1, 1:-1, 1:-1].add(0.1 * (around - 6.0 * inner))
    return u
