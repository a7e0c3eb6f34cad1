"""Distances, with the kernels that this package's wheel has."""

import os
import warnings

import quernel as qn

from .metrics import nearest

__all__ = ["nearest"]

_KERNELS = os.path.join(os.path.dirname(__file__), "kernels.qnb")
if os.path.exists(_KERNELS):  # not while they are made, nor in a checkout
    try:
        qn.cache.use(_KERNELS)
    except qn.errors.CacheError as error:  # such as a folder that other users may write in
        warnings.warn(f"distances: {error}", RuntimeWarning, stacklevel=2)
