"""What stands for functions of SciPy, written in NumPy's: it is captured as a user's helper is.

SciPy itself is not needed. What a source doesn't have it refuses.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .sources import in_place_of, leave_unless, refuse

# scipy.fft


_BACKWARDS = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward"}


def _define_transform(name: str, axes: Any) -> None:
    transform = getattr(np.fft, name)
    has_mirror = name.removeprefix("i") in ("fft2", "fftn")  # of real numbers

    def along(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
        if plan is not None:
            refuse("plan= of scipy.fft")
        if name == "ifft" and np.asarray(x).dtype.kind != "c" and norm in _BACKWARDS:
            return np.conj(np.fft.fft(x, n, axis, _BACKWARDS[norm]))
        return transform(x, n, axis, norm)

    def over(x, s=None, axes=axes, norm=None, overwrite_x=False, workers=None, *, plan=None):
        if plan is not None:
            refuse("plan= of scipy.fft")
        if s is not None and axes is None:
            axes = tuple(range(-len(s), 0))
        x = np.asarray(x)
        chosen = range(x.ndim) if axes is None else axes
        if not all(-x.ndim <= k < x.ndim for k in chosen):
            raise ValueError("axes exceeds dimensionality of input")
        places = [k % x.ndim for k in chosen]
        if len(set(places)) < len(places):
            raise ValueError("all axes must be unique")
        if not has_mirror or x.dtype.kind == "c" or not places or norm not in _BACKWARDS:
            return transform(x, s, axes, norm)
        return _of_real(x, s, places, norm, name[0] == "i")

    in_place_of(f"scipy.fft.{name}")(along if axes == -1 else over)


def _of_real(x, s, places, norm, is_backward):
    """A transform of real numbers: one half of it is computed, of which the other one is a mirror.

    The mirror of an element is where the places along all transformed axes have the other sign.
    """
    *others, last = places
    count = x.shape[last] if s is None or s[-1] == -1 else s[-1]
    found = np.fft.rfftn(x, s, places, _BACKWARDS[norm] if is_backward else norm)
    rest = np.moveaxis(found, last, -1)[..., (count - 1) // 2 : 0 : -1]
    rest = np.moveaxis(rest, -1, last)
    for axis in others:
        rest = np.roll(np.flip(rest, axis), 1, axis)
    parts = (np.conj(found), rest) if is_backward else (found, np.conj(rest))
    return np.concatenate(parts, last)


for _name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
    _define_transform(_name, -1)
    if _name[0] in "fir" and "h" not in _name:
        _define_transform(_name + "2", (-2, -1))
        _define_transform(_name + "n", None)


# scipy.integrate


@in_place_of("scipy.integrate.trapezoid")
def trapezoid(y, x=None, dx=1.0, axis=-1):
    return np.trapezoid(y, x, dx, axis)


@in_place_of("scipy.integrate.cumulative_trapezoid")
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


@in_place_of("scipy.ndimage.correlate1d")
def correlate1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    x = np.asarray(input)
    if output is not None or x.dtype.kind in "bc":
        refuse("output= of filters, and images of bools or complex numbers")
    taps = [weights[k] for k in range(len(weights))]
    return _along(x, taps, axis, mode, cval, origin).astype(x.dtype)


@in_place_of("scipy.ndimage.convolve1d")
def convolve1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    count = len(weights)
    taps = [weights[count - 1 - k] for k in range(count)]
    shift = -origin - (1 if count % 2 == 0 else 0)
    return correlate1d(input, taps, axis, output, mode, cval, shift)


def _gaussian_taps(sigma, radius):
    places = np.arange(-radius, radius + 1)
    taps = np.exp(-0.5 / (sigma * sigma) * places**2)
    return taps / taps.sum()


@in_place_of("scipy.ndimage.gaussian_filter1d")
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
        refuse("derivatives of gaussian filters")
    reach = int(truncate * float(sigma) + 0.5) if radius is None else radius
    taps = _gaussian_taps(float(sigma), reach)[::-1]
    return correlate1d(input, taps, axis, output, mode, cval, 0)


@in_place_of("scipy.ndimage.gaussian_filter")
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
        refuse("axes= of filters")
    sigmas = _each_axis(x, sigma)
    for axis in range(x.ndim):
        if sigmas[axis] > 1e-15:
            x = gaussian_filter1d(
                x, sigmas[axis], axis, order, output, mode, cval, truncate, radius=radius
            )
    return x


@in_place_of("scipy.ndimage.correlate")
def correlate(input, weights, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    x, w = np.asarray(input), np.asarray(weights)
    if output is not None or axes is not None or x.dtype.kind in "bc":
        refuse("output= and axes= of filters, and images of bools or complex numbers")
    if w.ndim != x.ndim:
        raise RuntimeError("weights.ndim must match input.ndim.")
    before = [n // 2 + k for n, k in zip(w.shape, _each_axis(x, origin), strict=True)]
    after = [n - 1 - k for n, k in zip(w.shape, before, strict=True)]
    if min(before + after) < 0:
        refuse("origins outside of the weights")
    wide = _padded(x.astype(np.float64), before, after, mode, cval)
    if w.size > _MOST_TAPS:
        windows = np.lib.stride_tricks.sliding_window_view(wide, w.shape)
        return (windows * w).sum(tuple(range(-w.ndim, 0))).astype(x.dtype)
    total = np.zeros(x.shape)
    for place in np.ndindex(*w.shape):
        part = wide[tuple([slice(k, k + n) for k, n in zip(place, x.shape, strict=True)])]
        total = total + part * w[place]
    return total.astype(x.dtype)


@in_place_of("scipy.ndimage.convolve")
def convolve(input, weights, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    w = np.flip(np.asarray(weights))
    origins = zip(w.shape, _each_axis(w, origin), strict=True)
    shifts = [-k - (1 if n % 2 == 0 else 0) for n, k in origins]
    return correlate(input, w, output, mode, cval, shifts, axes=axes)


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
            refuse("footprint=, output= and axes= of filters")
        if x.dtype.kind in "bc":
            refuse("output= of filters, and images of bools or complex numbers")
        sizes, origins = _each_axis(x, size), _each_axis(x, origin)
        before = [n // 2 + k for n, k in zip(sizes, origins, strict=True)]
        after = [n - 1 - k for n, k in zip(sizes, before, strict=True)]
        wide = _padded(x, before, after, mode, cval)
        windows = np.lib.stride_tricks.sliding_window_view(wide, tuple(sizes))
        return reduce(windows, tuple(range(-x.ndim, 0)))

    in_place_of(f"scipy.ndimage.{name}")(rank)


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


@in_place_of("scipy.ndimage.uniform_filter1d")
def uniform_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    x = np.asarray(input)
    if output is not None or x.dtype.kind != "f":
        refuse("output= of filters, and images of other dtypes than floats")
    wide = _padded_along(x, size, axis, mode, cval, origin)
    windows = np.lib.stride_tricks.sliding_window_view(wide, size, axis=axis)
    return (windows.sum(-1) / size).astype(x.dtype)


@in_place_of("scipy.ndimage.uniform_filter")
def uniform_filter(input, size=3, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    x = np.asarray(input)
    if axes is not None:
        refuse("axes= of filters")
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


@in_place_of("scipy.signal.convolve")
def convolve_signals(in1, in2, mode="full", method="auto"):
    x, w = np.asarray(in1), np.asarray(in2)
    if x.ndim != 1 or w.ndim != 1 or x.dtype.kind == "b" or w.dtype.kind == "b":
        refuse("convolutions of several axes, and of bools")
    if mode == "valid" and x.size < w.size:
        x, w = w, x
    return _cut(np.convolve(x, w), x.shape, w.shape, mode)


@in_place_of("scipy.signal.fftconvolve")
def fftconvolve(in1, in2, mode="full", axes=None):
    x, w = np.asarray(in1), np.asarray(in2)
    if axes is not None or x.ndim != w.ndim or x.ndim == 0:
        refuse("axes= of fftconvolve, and arrays of unlike axes")
    if x.dtype.kind not in "fc" or w.dtype.kind not in "fc":
        refuse("convolutions of integers by transforms")
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


@in_place_of("scipy.signal.convolve2d")
def convolve2d(in1, in2, mode="full", boundary="fill", fillvalue=0):
    x, w = np.asarray(in1), np.asarray(in2)
    if boundary != "fill" or x.ndim != 2 or w.ndim != 2:
        refuse("boundaries of convolutions")
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


@in_place_of("scipy.signal.hilbert")
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


@in_place_of("scipy.signal.lfilter")
def lfilter(b, a, x, axis=-1, zi=None):
    if zi is not None:
        refuse("zi= of lfilter")
    b, a, x = np.atleast_1d(b), np.atleast_1d(a), np.asarray(x)
    if b.ndim != 1 or a.ndim != 1 or x.dtype.kind == "c":
        refuse("filters of complex numbers")
    count = max(len(a), len(b))
    kind = np.result_type(b.dtype, a.dtype, x.dtype)
    if kind.kind != "f":
        refuse("filters of integers")
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


# scipy.spatial.transform


@in_place_of("scipy.spatial.transform._rotation.select_backend")
def select_backend(xp, cython_compatible):
    """The functions of rotations that SciPy has written in Python."""
    from scipy.spatial.transform import _rotation_xp

    return _rotation_xp


@in_place_of("scipy.spatial.transform._rotation_xp._normalize_quaternion")
def normalize_quaternion(quat):
    """Quaternions of length one; of NaN, the functions that SciPy has compiled raise errors."""
    length = np.linalg.vector_norm(quat, axis=-1, keepdims=True)
    leave_unless(not np.isnan(length).any(), "quaternions of NaN")
    if (length == 0).any():
        raise ValueError("Found zero norm quaternions in `quat`.")
    return quat / length


def _refuse_rotations(name):
    def refused(*args, **kwargs):
        refuse(f"`{name}` of rotations")

    in_place_of(f"scipy.spatial.transform._rotation_xp.{name}")(refused)


# SciPy's compiled functions choose among several answers in another way.
for _name in ("align_vectors", "mean", "reduce"):
    _refuse_rotations(_name)
