"""The rows of the table: which program, on what, how much work it is, how exact it has to be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any

import data


@dataclass(frozen=True)
class Row:
    """One program on arguments of one size.

    Attributes
    ----------
    name, what : str
        What `--only` and the table call it.
    program : str
        Its name in `programs.over`.
    arguments : callable
        Makes the arguments from a size.
    size, quick : tuple of int
        The size, and a small one that only shows that everything works.
    operations : callable
        How many floating-point operations the arguments need at least: a sum, a product, a
        quotient, a root and an exponential are one each, a comparison is none.
    tolerance : float
        The greatest error that any system may have, as a share of the greatest element.
    """

    name: str
    what: str
    program: str
    arguments: Callable[..., tuple[Any, ...]]
    size: tuple[int, ...]
    quick: tuple[int, ...]
    operations: Callable[..., int]
    tolerance: float


# Of float32 kernels over rows: the program, what it is, its arguments, operations for each number.
_KERNELS = (
    ("softmax", "softmax", data.rows, 4),
    ("layer_norm", "layer norm", data.shifted_rows, 7),
    ("rms_norm", "RMS norm", data.scaled_rows, 4),
    ("cross_entropy", "cross entropy", data.labelled_rows, 3),
    ("variance", "variance", data.rows, 4),
)
_NUMBERS = 2**24


def _kernel(
    program: str, what: str, arguments: Callable[..., tuple[Any, ...]], each: int, width: int
) -> Row:
    return Row(
        f"{program.replace('_', '-')}-{width}",
        f"{what} of rows",
        program,
        arguments,
        (_NUMBERS // width, width),
        (64, width),
        lambda x, *_: each * x.size,
        1e-5,
    )


def _attention_operations(q: Any, k: Any, v: Any) -> int:
    *batch, length, width = q.shape
    scores = prod(batch) * length * length
    return scores * (4 * width + 5)


ROWS = (
    Row(
        "kmeans",
        "k-means step, four means",
        "kmeans",
        data.kmeans,
        (2_000_000,),
        (20_000,),
        lambda X, means: len(X) * len(means) * (3 * X.shape[1] - 1),
        0.0,
    ),
    Row(
        "multiply-add",
        "`a*b+c`",
        "multiply_add",
        data.three,
        (16,),
        (16,),
        lambda a, b, c: 2 * a.size,
        1e-12,
    ),
    Row(
        "chain",
        "ten operations",
        "chain",
        data.one,
        (10_000_000,),
        (100_000,),
        lambda a: 10 * a.size,
        1e-12,
    ),
    *(_kernel(*kernel, width) for kernel in _KERNELS for width in (512, 4096)),
    Row(
        "exp-uses",
        "four uses of one exp",
        "exp_uses",
        data.one,
        (2048, 4096),
        (64, 512),
        lambda x: 7 * x.size // 2,
        1e-12,
    ),
    Row(
        "horner",
        "polynomial of degree 15",
        "horner",
        data.polynomial,
        (10_000_000, 15),
        (100_000, 15),
        lambda x, coefficients: 2 * x.size * (len(coefficients) - 1),
        1e-12,
    ),
    Row(
        "attention",
        "attention",
        "attention",
        data.heads,
        (4, 8, 512, 64),
        (1, 2, 128, 64),
        _attention_operations,
        1e-5,
    ),
    Row("sort", "sort", "sort", data.one, (1_000_000,), (20_000,), lambda x: 0, 0.0),
    Row("median", "median", "median", data.one, (1_000_000,), (20_000,), lambda x: 0, 1e-12),
    Row(
        "histogram",
        "histogram, 100 bins",
        "histogram",
        data.one,
        (1_000_000,),
        (20_000,),
        lambda x: 2 * x.size,
        1e-4,  # a number at an edge may be counted on its other side
    ),
    Row(
        "concatenate",
        "concatenate",
        "concatenate",
        data.parts,
        (32, 312_500),
        (32, 1_000),
        lambda parts: 0,
        0.0,
    ),
    Row(
        "stencil",
        "7-point stencil, 20 steps",
        "stencil",
        data.one,
        (128, 128, 128),
        (24, 24, 24),
        lambda u: 20 * 9 * prod(n - 2 for n in u.shape),
        1e-12,
    ),
)
