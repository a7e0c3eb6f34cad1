"""Cosine and sine transforms of `scipy.fft` and `scipy.fftpack`, by Fourier transforms.

J. Makhoul, "A Fast Cosine Transform in One and Two Dimensions", IEEE Trans. ASSP 28(1), 1980.
"""

from __future__ import annotations

import math

import numpy as np

from .sources import in_place_of, refuse


def _rows(x, n, axis):
    """The lines that are transformed, in the last axis, cut or filled up with zeros."""
    x = np.asarray(x)
    if x.dtype.kind == "c":
        refuse("cosine and sine transforms of complex numbers")
    if x.dtype.kind != "f":
        x = x.astype(np.float64)
    rows = np.moveaxis(x, axis, -1)
    if n is not None:
        if n < 1:
            raise ValueError(f"invalid number of data points ({n}) specified")
        rows = rows[..., :n]
        missing = n - rows.shape[-1]
        if missing > 0:
            rows = np.concatenate((rows, np.zeros((*rows.shape[:-1], missing), rows.dtype)), -1)
    elif rows.shape[-1] < 1:
        raise ValueError(f"invalid number of data points ({rows.shape[-1]}) specified")
    return rows


def _turns(rows):
    count = rows.shape[-1]
    angles = np.arange(count) * (-math.pi / (2 * count))
    turns = np.cos(angles) + 1j * np.sin(angles)
    return turns.astype(np.complex64) if rows.dtype == np.float32 else turns


def _second(rows):
    """``2 * sum(x[n] * cos(pi * k * (2 * n + 1) / (2 * N)))``."""
    folded = np.concatenate((rows[..., ::2], rows[..., 1::2][..., ::-1]), -1)
    return 2 * (np.fft.fft(folded) * _turns(rows)).real


def _third(rows):
    """What gives back, after `_second`, ``2 * N`` times the numbers."""
    count = rows.shape[-1]
    none = np.zeros((*rows.shape[:-1], 1), rows.dtype)
    mirrored = np.concatenate((none, rows[..., :0:-1]), -1)
    folded = np.fft.ifft((rows - 1j * mirrored) * np.conj(_turns(rows))).real * count
    made = np.empty(rows.shape, rows.dtype)
    made[..., ::2] = folded[..., : (count + 1) // 2]
    made[..., 1::2] = folded[..., (count + 1) // 2 :][..., ::-1]
    return made


def _signs(rows):
    return (1 - 2 * (np.arange(rows.shape[-1]) % 2)).astype(rows.dtype)


def _transformed(rows, kind, is_sine, is_orthogonal, scale):
    edge = -1 if is_sine else 0
    if kind == 3 and is_orthogonal:
        rows = rows.copy()
        rows[..., edge] *= math.sqrt(2)
    if kind == 2:
        made = _second(rows * _signs(rows))[..., ::-1].copy() if is_sine else _second(rows)
    else:
        made = _third(rows[..., ::-1]) * _signs(rows) if is_sine else _third(rows)
    if kind == 2 and is_orthogonal:
        made[..., edge] *= math.sqrt(0.5)
    return made if scale is None else made * scale


def _scale(count, norm, is_forward, is_packs):
    """What all results are multiplied by; None for nothing."""
    if norm == "ortho":
        return math.sqrt(0.5) / np.sqrt(count)
    if norm is None or norm == "backward":
        return None if is_forward or is_packs else 0.5 / count
    if norm == "forward" and not is_packs:
        return 0.5 / count if is_forward else None
    raise ValueError(f"Invalid norm value {norm!r}, should be one of {{None, 'ortho'}}")


def _define(name, is_packs):
    is_forward, is_sine = name[0] == "d", "dst" in name

    def along(x, type, n, axis, norm, orthogonalize):
        if type not in (2, 3):
            refuse("cosine and sine transforms of other types than 2 and 3")
        rows = _rows(x, n, axis)
        scale = _scale(rows.shape[-1], norm, is_forward, is_packs)
        kind = type if is_forward else 5 - type
        is_orthogonal = norm == "ortho" if orthogonalize is None else orthogonalize
        found = _transformed(rows, kind, is_sine, is_orthogonal, scale)
        return np.moveaxis(found.astype(rows.dtype, copy=False), -1, axis)

    def of_fft(
        x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None
    ):
        return along(x, type, n, axis, norm, orthogonalize)

    def of_fftpack(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False):
        return along(x, type, n, axis, norm, None)

    in_place_of(f"scipy.{'fftpack' if is_packs else 'fft'}.{name}")(
        of_fftpack if is_packs else of_fft
    )


for _name in ("dct", "idct", "dst", "idst"):
    _define(_name, False)
    _define(_name, True)


@in_place_of("scipy.fftpack.fft")
def fft(x, n=None, axis=-1, overwrite_x=False):
    return np.fft.fft(x, n, axis)


@in_place_of("scipy.fftpack.ifft")
def ifft(x, n=None, axis=-1, overwrite_x=False):
    return np.fft.ifft(x, n, axis)


@in_place_of("scipy.fftpack.fft2")
def fft2(x, shape=None, axes=(-2, -1), overwrite_x=False):
    return np.fft.fft2(x, shape, axes)


@in_place_of("scipy.fftpack.ifft2")
def ifft2(x, shape=None, axes=(-2, -1), overwrite_x=False):
    return np.fft.ifft2(x, shape, axes)
