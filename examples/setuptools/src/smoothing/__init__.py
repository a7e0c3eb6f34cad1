"""Filters, with the kernels that this package's wheel has."""

import os
import warnings

import quernel as qn

from .filters import outliers, smooth

__all__ = ["outliers", "smooth"]

_KERNELS = os.path.join(os.path.dirname(__file__), "kernels.qnb")
if os.path.exists(_KERNELS):  # not while they are made, nor in a checkout
    try:
        qn.cache.use(_KERNELS)
    except qn.errors.CacheError as error:  # such as a folder that other users may write in
        warnings.warn(f"smoothing: {error}", RuntimeWarning, stacklevel=2)
