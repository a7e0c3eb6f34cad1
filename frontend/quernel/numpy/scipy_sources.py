"""What stands for functions of SciPy, written in NumPy's: it is captured as a user's helper is.

SciPy itself is not needed. What a source doesn't have it refuses.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..traced.tracer import current
from .registry import SOURCES, implements
from .triangles import lu_factors, solve_triangles


def _refuse(what: str) -> None:
    current().fail(f"{what}, in SciPy", "call it outside of the compiled function")


implements(_refuse)(_refuse)


def _stands_for(name: str) -> Callable[[Any], Any]:
    def register(source: Any) -> Any:
        SOURCES[name] = source
        # Refusals call it so.
        source.__module__, _, source.__name__ = name.rpartition(".")
        source.__qualname__ = source.__name__
        return source

    return register


# scipy.fft


def _define_transform(name: str, axes: Any) -> None:
    transform = getattr(np.fft, name)

    def along(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
        if plan is not None:
            _refuse("plan= of scipy.fft")
        return transform(x, n, axis, norm)

    def over(x, s=None, axes=axes, norm=None, overwrite_x=False, workers=None, *, plan=None):
        if plan is not None:
            _refuse("plan= of scipy.fft")
        if s is not None and axes is None:
            axes = tuple(range(-len(s), 0))
        return transform(x, s, axes, norm)

    _stands_for(f"scipy.fft.{name}")(along if axes == -1 else over)


for _name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
    _define_transform(_name, -1)
    if _name[0] in "fir" and "h" not in _name:
        _define_transform(_name + "2", (-2, -1))
        _define_transform(_name + "n", None)


# scipy.linalg


def _finite(a, check_finite):
    return np.asarray_chkfinite(a) if check_finite else np.asarray(a)


def _matrix(a, check_finite):
    a = _finite(a, check_finite)
    if a.dtype.kind == "b" or (a.dtype.kind in "iu" and a.dtype.itemsize <= 2):
        _refuse("matrices of bools, and of integers of 8 and 16 bits")
    return a


@_stands_for("scipy.linalg.det")
def det(a, overwrite_a=False, check_finite=True):
    a = _matrix(a, check_finite)
    return np.linalg.det(a.astype(np.result_type(a.dtype, np.float64)))


@_stands_for("scipy.linalg.inv")
def inv(a, overwrite_a=False, check_finite=True, *, assume_a=None, lower=False):
    if assume_a is not None:
        _refuse("assume_a= of inv")
    a = _matrix(a, check_finite)
    try:
        return np.linalg.inv(a)
    except np.linalg.LinAlgError:
        return _refuse("a singular matrix")  # SciPy's error says more


@_stands_for("scipy.linalg.solve")
def solve(
    a,
    b,
    lower=False,
    overwrite_a=False,
    overwrite_b=False,
    check_finite=True,
    assume_a=None,
    transposed=False,
):
    if assume_a not in (None, "gen", "general"):
        _refuse("assume_a= of solve")
    a, b = _matrix(a, check_finite), _matrix(b, check_finite)
    if a.ndim != 2 or b.ndim > 2:
        _refuse("batches of systems")
    if transposed and a.dtype.kind == "c":
        _refuse("transposed= of solve for complex numbers")
    try:
        return np.linalg.solve(a.T if transposed else a, b)
    except np.linalg.LinAlgError:
        return _refuse("a singular matrix")  # SciPy's error says more


@_stands_for("scipy.linalg.cholesky")
def cholesky(a, lower=False, overwrite_a=False, check_finite=True):
    a = _matrix(a, check_finite)
    try:
        return np.linalg.cholesky(a, upper=not lower)
    except np.linalg.LinAlgError:
        return _refuse("a matrix that isn't positive definite")  # SciPy's error says more


@_stands_for("scipy.linalg.cho_factor")
def cho_factor(a, lower=False, overwrite_a=False, check_finite=True):
    a = _matrix(a, check_finite)
    factor = cholesky(a, lower, check_finite=False)
    rest = np.triu(a, 1) if lower else np.tril(a, -1)  # what is there stays
    return factor + rest, lower


@_stands_for("scipy.linalg.qr")
def qr(a, overwrite_a=False, lwork=None, mode="full", pivoting=False, check_finite=True):
    if pivoting or mode not in ("full", "r", "economic"):
        _refuse("pivoting and modes of qr")
    a = _matrix(a, check_finite)
    q, r = np.linalg.qr(a, "reduced" if mode == "economic" else "complete")
    return (r,) if mode == "r" else (q, r)


@_stands_for("scipy.linalg.block_diag")
def block_diag(*arrs):
    blocks = [np.atleast_2d(block) for block in arrs]
    kind = np.result_type(*[block.dtype for block in blocks])
    rows = sum([block.shape[0] for block in blocks])
    columns = sum([block.shape[1] for block in blocks])
    out = np.zeros((rows, columns), kind)
    i = j = 0
    for block in blocks:
        out[i : i + block.shape[0], j : j + block.shape[1]] = block
        i = i + block.shape[0]
        j = j + block.shape[1]
    return out


@_stands_for("scipy.linalg.svd")
def svd(
    a,
    full_matrices=True,
    compute_uv=True,
    overwrite_a=False,
    check_finite=True,
    lapack_driver="gesdd",
):
    a = _matrix(a, check_finite)
    if not compute_uv:
        return np.linalg.svd(a, full_matrices, compute_uv=False)
    u, s, vh = np.linalg.svd(a, full_matrices)
    return u, s, vh


@_stands_for("scipy.linalg.svdvals")
def svdvals(a, overwrite_a=False, check_finite=True):
    return np.linalg.svd(_matrix(a, check_finite), compute_uv=False)


@_stands_for("scipy.linalg.pinv")
def pinv(a, *, atol=None, rtol=None, return_rank=False, check_finite=True):
    a = _matrix(a, check_finite)
    if a.ndim != 2 or atol is not None or return_rank:
        _refuse("atol= and return_rank= of pinv, and batches of matrices")
    if rtol is None:
        rtol = max(a.shape) * np.finfo(np.result_type(a.dtype, np.float32)).eps
    return np.linalg.pinv(a, rtol=rtol)


@_stands_for("scipy.linalg.norm")
def norm(a, ord=None, axis=None, keepdims=False, check_finite=True):
    a = _finite(a, check_finite)
    found = np.linalg.norm(a, ord, axis, keepdims)
    # What BLAS and LAPACK compute is a Python number.
    by_library = a.dtype.kind in "fc" and axis is None and not keepdims
    if by_library and a.ndim == 1 and ord in (None, 2):
        return float(found)
    if by_library and a.ndim == 2 and ord in (1, np.inf):
        return float(found)
    return found


@_stands_for("scipy.linalg.solve_triangular")
def solve_triangular(
    a, b, trans=0, lower=False, unit_diagonal=False, overwrite_b=False, check_finite=True
):
    a, b = _finite(a, check_finite), _finite(b, check_finite)
    if a.ndim != 2 or b.ndim > 2:
        _refuse("batches of triangular systems")
    if a.shape[0] != a.shape[1]:
        raise ValueError("expected square matrix")
    if trans in (1, "T"):
        a, lower = a.T, not lower
    elif trans in (2, "C"):
        a, lower = a.conj().T, not lower
    kind = np.result_type(a.dtype, b.dtype, np.float32)
    diagonal = np.eye(a.shape[0], dtype=bool)
    if unit_diagonal:
        a = np.where(diagonal, 1, a)
    else:
        zeros = np.diagonal(a) == 0
        if zeros.any():
            i = int(np.argmax(zeros))
            raise np.linalg.LinAlgError(f"singular matrix: resolution failed at diagonal {i}")
    sides = b if b.ndim == 2 else b[:, None]
    return solve_triangles(a.astype(kind), sides.astype(kind), lower).reshape(b.shape)


@_stands_for("scipy.linalg.lu_factor")
def lu_factor(a, overwrite_a=False, check_finite=True):
    a = _matrix(a, check_finite)
    if a.ndim != 2:
        _refuse("batches of matrices")
    factors, exchanged = lu_factors(a)
    try:
        if (np.diagonal(factors) == 0).any():
            raise np.linalg.LinAlgError
    except np.linalg.LinAlgError:
        return _refuse("a singular matrix")  # SciPy warns
    return factors, exchanged.astype(np.int32)


def _order(exchanged, count):
    """The rows of a matrix in the order that exchanges one after the other give."""
    order = np.arange(count)
    for i in range(len(exchanged)):
        j = exchanged[i]
        order[i], order[j] = order[j], order[i]
    return order


@_stands_for("scipy.linalg.lu_solve")
def lu_solve(lu_and_piv, b, trans=0, overwrite_b=False, check_finite=True):
    factors, exchanged = lu_and_piv
    b = _finite(b, check_finite)
    if factors.ndim != 2 or b.ndim > 2:
        _refuse("batches of systems")
    if factors.shape[0] != b.shape[0]:
        raise ValueError(f"Shapes of lu {factors.shape} and b {b.shape} are incompatible")
    order = _order(exchanged, b.shape[0])
    if trans == 0:
        return _by_factors(factors, b[order], 0)
    x = _by_factors(factors, b, trans)
    out = np.empty(x.shape, x.dtype)
    out[order] = x
    return out


def _by_factors(factors, b, trans):
    first = trans == 0
    x = solve_triangular(factors, b, trans, first, first, check_finite=False)
    return solve_triangular(factors, x, trans, not first, not first, check_finite=False)


@_stands_for("scipy.linalg.lu")
def lu(a, permute_l=False, overwrite_a=False, check_finite=True, p_indices=False):
    a = _matrix(a, check_finite)
    if a.ndim != 2:
        _refuse("batches of matrices")
    rows, columns = a.shape
    if min(rows, columns) < 2:
        _refuse("matrices of one row or column")
    factors, exchanged = lu_factors(a)
    least = min(rows, columns)
    lower = np.tril(factors[:, :least], -1) + np.eye(rows, least, dtype=factors.dtype)
    upper = np.triu(factors[:least])
    place = np.empty(rows, np.int64)
    place[_order(exchanged, rows)] = np.arange(rows)
    if permute_l:
        return lower[place], upper
    if p_indices:
        return place.astype(np.int32), lower, upper
    return np.eye(rows, dtype=factors.real.dtype)[place], lower, upper


@_stands_for("scipy.linalg.cho_solve")
def cho_solve(c_and_lower, b, overwrite_b=False, check_finite=True):
    c, lower = c_and_lower
    first = solve_triangular(c, b, 0 if lower else 2, lower, check_finite=check_finite)
    return solve_triangular(c, first, 2 if lower else 0, lower, check_finite=check_finite)


@_stands_for("scipy.linalg.toeplitz")
def toeplitz(c, r=None):
    c = np.asarray(c)
    r = c.conj() if r is None else np.asarray(r)
    if c.ndim != 1 or r.ndim != 1:
        _refuse("batches of matrices")
    both = np.concatenate((c[::-1], r[1:]))
    places = np.arange(c.size)[:, None] - np.arange(r.size)
    return both[c.size - 1 - places]


@_stands_for("scipy.linalg.hankel")
def hankel(c, r=None):
    c = np.asarray(c)
    r = np.zeros_like(c) if r is None else np.asarray(r)
    both = np.concatenate((c, r[1:]))
    return both[np.arange(c.size)[:, None] + np.arange(r.size)]


@_stands_for("scipy.linalg.circulant")
def circulant(c):
    c = np.asarray(c)
    if c.ndim != 1:
        _refuse("batches of matrices")
    return c[(np.arange(c.size)[:, None] - np.arange(c.size)) % c.size]


# scipy.integrate


@_stands_for("scipy.integrate.trapezoid")
def trapezoid(y, x=None, dx=1.0, axis=-1):
    return np.trapezoid(y, x, dx, axis)


@_stands_for("scipy.integrate.cumulative_trapezoid")
def cumulative_trapezoid(y, x=None, dx=1.0, axis=-1, initial=None):
    y = np.asarray(y)
    if initial is not None and initial != 0:
        raise ValueError("`initial` must be `None` or `0`.")
    rows = np.moveaxis(y, axis, -1)
    distance = dx if x is None else np.diff(x)
    total = np.cumsum(distance * (rows[..., 1:] + rows[..., :-1]) / 2.0, axis=-1)
    if initial is not None:
        start = np.full((*rows.shape[:-1], 1), initial, total.dtype)
        total = np.concatenate((start, total), axis=-1)
    return np.moveaxis(total, -1, axis)


# scipy.spatial.distance


@_stands_for("scipy.spatial.distance.cdist")
def cdist(XA, XB, metric="euclidean"):
    a, b = np.asarray(XA, np.float64), np.asarray(XB, np.float64)
    if a.ndim != 2 or b.ndim != 2:
        raise ValueError("XA and XB must be 2-dimensional arrays.")
    if a.shape[1] != b.shape[1]:
        raise ValueError("XA and XB must have the same number of columns (i.e. feature dimension.)")
    apart = a[:, None, :] - b[None, :, :]
    if metric == "euclidean":
        return np.sqrt((apart * apart).sum(-1))
    if metric == "sqeuclidean":
        return (apart * apart).sum(-1)
    if metric == "cityblock":
        return np.abs(apart).sum(-1)
    if metric == "chebyshev":
        return np.abs(apart).max(-1)
    _refuse("a distance of that name")


@_stands_for("scipy.spatial.distance.euclidean")
def euclidean(u, v, w=None):
    if w is not None:
        _refuse("weights of distances")
    apart = np.asarray(u) - np.asarray(v)
    return norm(apart)


# scipy.ndimage

_MOST_TAPS = 49  # of a filter, that are added one after the other in the text
_PADS = {
    "reflect": "symmetric",
    "grid-mirror": "symmetric",
    "constant": "constant",
    "grid-constant": "constant",
    "nearest": "edge",
    "mirror": "reflect",
    "wrap": "wrap",
    "grid-wrap": "wrap",
}


def _padded(x, before, after, mode, cval):
    pad = _PADS[mode]
    widths = list(zip(before, after, strict=True))
    if pad == "constant":
        return np.pad(x, widths, pad, constant_values=cval)
    return np.pad(x, widths, pad)


def _padded_along(x, size, axis, mode, cval, origin):
    first = size // 2 + origin
    before, after = [0] * x.ndim, [0] * x.ndim
    before[axis], after[axis] = first, size - 1 - first
    return _padded(x.astype(np.float64), before, after, mode, cval)


def _along(x, weights, axis, mode, cval, origin):
    """Sums of neighbours along an axis, in the order of the weights."""
    size = len(weights)
    wide = _padded_along(x, size, axis, mode, cval, origin)
    rows = np.moveaxis(wide, axis, 0)
    count = x.shape[axis]
    if size > _MOST_TAPS:
        windows = np.lib.stride_tricks.sliding_window_view(rows, size, axis=0)
        return np.moveaxis((windows * np.array(weights)).sum(-1), 0, axis)
    total = rows[:count] * weights[0]
    for k in range(1, size):
        total = total + rows[k : k + count] * weights[k]
    return np.moveaxis(total, 0, axis)


@_stands_for("scipy.ndimage.correlate1d")
def correlate1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    x = np.asarray(input)
    if output is not None or x.dtype.kind in "bc":
        _refuse("output= of filters, and images of bools or complex numbers")
    taps = [weights[k] for k in range(len(weights))]
    return _along(x, taps, axis, mode, cval, origin).astype(x.dtype)


@_stands_for("scipy.ndimage.convolve1d")
def convolve1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    count = len(weights)
    taps = [weights[count - 1 - k] for k in range(count)]
    shift = -origin - (1 if count % 2 == 0 else 0)
    return correlate1d(input, taps, axis, output, mode, cval, shift)


def _gaussian_taps(sigma, radius):
    places = np.arange(-radius, radius + 1)
    taps = np.exp(-0.5 / (sigma * sigma) * places**2)
    return taps / taps.sum()


@_stands_for("scipy.ndimage.gaussian_filter1d")
def gaussian_filter1d(
    input,
    sigma,
    axis=-1,
    order=0,
    output=None,
    mode="reflect",
    cval=0.0,
    truncate=4.0,
    *,
    radius=None,
):
    if order != 0:
        _refuse("derivatives of gaussian filters")
    reach = int(truncate * float(sigma) + 0.5) if radius is None else radius
    taps = _gaussian_taps(float(sigma), reach)[::-1]
    return correlate1d(input, taps, axis, output, mode, cval, 0)


@_stands_for("scipy.ndimage.gaussian_filter")
def gaussian_filter(
    input,
    sigma,
    order=0,
    output=None,
    mode="reflect",
    cval=0.0,
    truncate=4.0,
    *,
    radius=None,
    axes=None,
):
    x = np.asarray(input)
    if axes is not None:
        _refuse("axes= of filters")
    sigmas = _each_axis(x, sigma)
    for axis in range(x.ndim):
        if sigmas[axis] > 1e-15:
            x = gaussian_filter1d(
                x, sigmas[axis], axis, order, output, mode, cval, truncate, radius=radius
            )
    return x


@_stands_for("scipy.ndimage.correlate")
def correlate(input, weights, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    x, w = np.asarray(input), np.asarray(weights)
    if output is not None or axes is not None or origin != 0 or x.dtype.kind in "bc":
        _refuse("output=, origin= and axes= of filters, and images of bools or complex numbers")
    if w.ndim != x.ndim:
        raise RuntimeError("weights.ndim must match input.ndim.")
    before = [size // 2 for size in w.shape]
    after = [size - 1 - size // 2 for size in w.shape]
    wide = _padded(x.astype(np.float64), before, after, mode, cval)
    if w.size > _MOST_TAPS:
        windows = np.lib.stride_tricks.sliding_window_view(wide, w.shape)
        return (windows * w).sum(tuple(range(-w.ndim, 0))).astype(x.dtype)
    total = np.zeros(x.shape)
    for place in np.ndindex(*w.shape):
        part = wide[tuple([slice(k, k + n) for k, n in zip(place, x.shape, strict=True)])]
        total = total + part * w[place]
    return total.astype(x.dtype)


@_stands_for("scipy.ndimage.convolve")
def convolve(input, weights, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    w = np.flip(np.asarray(weights))
    for size in w.shape:
        if size % 2 == 0:
            _refuse("convolutions by weights of even sizes")
    return correlate(input, w, output, mode, cval, origin, axes=axes)


def _each_axis(x, value):
    return value if isinstance(value, (tuple, list)) else [value] * x.ndim


def _define_rank(name, reduce):
    """A filter that picks one of the neighbours of each element, which stand in the last axes."""

    def rank(
        input,
        size=None,
        footprint=None,
        output=None,
        mode="reflect",
        cval=0.0,
        origin=0,
        *,
        axes=None,
    ):
        x = np.asarray(input)
        if size is None or footprint is not None or output is not None or axes is not None:
            _refuse("footprint=, output= and axes= of filters")
        if x.dtype.kind in "bc":
            _refuse("output= of filters, and images of bools or complex numbers")
        sizes, origins = _each_axis(x, size), _each_axis(x, origin)
        before = [n // 2 + k for n, k in zip(sizes, origins, strict=True)]
        after = [n - 1 - k for n, k in zip(sizes, before, strict=True)]
        wide = _padded(x, before, after, mode, cval)
        windows = np.lib.stride_tricks.sliding_window_view(wide, tuple(sizes))
        return reduce(windows, tuple(range(-x.ndim, 0)))

    _stands_for(f"scipy.ndimage.{name}")(rank)


def _middle(windows, axes):
    kept = windows.ndim - len(axes)
    count = 1
    for axis in axes:
        count = count * windows.shape[axis]
    lines = windows.reshape(*windows.shape[:kept], count)
    return np.sort(lines, axis=-1)[..., count // 2].copy()


_define_rank("maximum_filter", np.max)
_define_rank("minimum_filter", np.min)
_define_rank("median_filter", _middle)


@_stands_for("scipy.ndimage.uniform_filter1d")
def uniform_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    x = np.asarray(input)
    if output is not None or x.dtype.kind != "f":
        _refuse("output= of filters, and images of other dtypes than floats")
    wide = _padded_along(x, size, axis, mode, cval, origin)
    windows = np.lib.stride_tricks.sliding_window_view(wide, size, axis=axis)
    return (windows.sum(-1) / size).astype(x.dtype)


@_stands_for("scipy.ndimage.uniform_filter")
def uniform_filter(input, size=3, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    x = np.asarray(input)
    if axes is not None:
        _refuse("axes= of filters")
    sizes = _each_axis(x, size)
    for axis in range(x.ndim):
        if sizes[axis] > 1:
            x = uniform_filter1d(x, sizes[axis], axis, output, mode, cval, origin)
    return x


# scipy.signal


def _check_valid(mode, sizes):
    """One array covers the other, where that is asked for; by pairs of their sizes."""
    fits, covers = [n >= k for n, k in sizes], [n <= k for n, k in sizes]
    if mode == "valid" and not all(fits) and not all(covers):
        raise ValueError(
            "For 'valid' mode, one must be at least as large as the other in every dimension"
        )


def _cut(whole, shape, other, mode):
    """What a mode keeps of a whole convolution."""
    if mode == "full":
        return whole
    if mode == "same":
        sizes = shape
    elif mode == "valid":
        sizes = [max(n, k) - min(n, k) + 1 for n, k in zip(shape, other, strict=True)]
    else:
        raise ValueError("Acceptable mode flags are 'valid', 'same', or 'full'.")
    starts = [(n - k) // 2 for n, k in zip(whole.shape, sizes, strict=True)]
    return whole[tuple([slice(k, k + n) for k, n in zip(starts, sizes, strict=True)])].copy()


@_stands_for("scipy.signal.convolve")
def convolve_signals(in1, in2, mode="full", method="auto"):
    x, w = np.asarray(in1), np.asarray(in2)
    if x.ndim != 1 or w.ndim != 1 or x.dtype.kind == "b" or w.dtype.kind == "b":
        _refuse("convolutions of several axes, and of bools")
    if mode == "valid" and x.size < w.size:
        x, w = w, x
    return _cut(np.convolve(x, w), x.shape, w.shape, mode)


@_stands_for("scipy.signal.fftconvolve")
def fftconvolve(in1, in2, mode="full", axes=None):
    x, w = np.asarray(in1), np.asarray(in2)
    if axes is not None or x.ndim != w.ndim or x.ndim == 0:
        _refuse("axes= of fftconvolve, and arrays of unlike axes")
    if x.dtype.kind not in "fc" or w.dtype.kind not in "fc":
        _refuse("convolutions of integers by transforms")
    pairs = list(zip(x.shape, w.shape, strict=True))
    _check_valid(mode, [(n, k) for n, k in pairs if n != 1 and k != 1])
    shape = [n + k - 1 for n, k in pairs]
    over = tuple(range(x.ndim))
    if x.dtype.kind == "c" or w.dtype.kind == "c":
        whole = np.fft.ifftn(np.fft.fftn(x, shape, over) * np.fft.fftn(w, shape, over), shape, over)
    else:
        spectrum = np.fft.rfftn(x, shape, over) * np.fft.rfftn(w, shape, over)
        whole = np.fft.irfftn(spectrum, shape, over)
    return _cut(whole, x.shape, w.shape, mode)


@_stands_for("scipy.signal.convolve2d")
def convolve2d(in1, in2, mode="full", boundary="fill", fillvalue=0):
    x, w = np.asarray(in1), np.asarray(in2)
    if boundary != "fill" or x.ndim != 2 or w.ndim != 2:
        _refuse("boundaries of convolutions")
    kind = np.result_type(x.dtype, w.dtype)
    if kind.kind == "b":
        raise ValueError("convolve2d not available for this type.")
    rows, columns = w.shape
    wide = np.full((x.shape[0] + 2 * (rows - 1), x.shape[1] + 2 * (columns - 1)), fillvalue, kind)
    wide[rows - 1 : rows - 1 + x.shape[0], columns - 1 : columns - 1 + x.shape[1]] = x
    shape = (x.shape[0] + rows - 1, x.shape[1] + columns - 1)
    total = np.zeros(shape, kind)
    for i in range(rows):
        for j in range(columns):
            total = (
                total + wide[i : i + shape[0], j : j + shape[1]] * w[rows - 1 - i, columns - 1 - j]
            )
    if mode not in ("full", "same", "valid"):
        raise ValueError("acceptable mode flags are 'valid', 'same', or 'full'")
    _check_valid(mode, list(zip(x.shape, w.shape, strict=True)))
    return _cut(total, x.shape, w.shape, mode)


@_stands_for("scipy.signal.hilbert")
def hilbert(x, N=None, axis=-1):
    x = np.asarray(x)
    if x.dtype.kind == "c":
        raise ValueError("x must be real.")
    count = x.shape[axis] if N is None else N
    if count <= 0:
        raise ValueError("N must be positive.")
    spectrum = np.fft.fft(x, count, axis)
    sides = np.zeros(count, spectrum.dtype)
    sides[0] = 1
    sides[1 : (count + 1) // 2] = 2
    if count % 2 == 0:
        sides[count // 2] = 1
    places = [1] * x.ndim
    places[axis] = count
    return np.fft.ifft(spectrum * sides.reshape(places), axis=axis)


@_stands_for("scipy.signal.lfilter")
def lfilter(b, a, x, axis=-1, zi=None):
    if zi is not None:
        _refuse("zi= of lfilter")
    b, a, x = np.atleast_1d(b), np.atleast_1d(a), np.asarray(x)
    if b.ndim != 1 or a.ndim != 1 or x.dtype.kind == "c":
        _refuse("filters of complex numbers")
    count = max(len(a), len(b))
    kind = np.result_type(b.dtype, a.dtype, x.dtype)
    if kind.kind != "f":
        _refuse("filters of integers")
    numerator, denominator = np.zeros(count, kind), np.zeros(count, kind)
    numerator[: len(b)] = b
    denominator[: len(a)] = a
    numerator = numerator / a[0]
    denominator = denominator / a[0]
    rows = np.moveaxis(x, axis, 0)
    out = np.zeros(rows.shape, kind)
    state = np.zeros((count, *rows.shape[1:]), kind)
    for i in range(rows.shape[0]):
        y = state[0] + numerator[0] * rows[i]
        for k in range(count - 1):
            state[k] = state[k + 1] + numerator[k + 1] * rows[i] - denominator[k + 1] * y
        out[i] = y
    return np.moveaxis(out, 0, axis)
