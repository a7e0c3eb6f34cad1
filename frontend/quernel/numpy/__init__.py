"""The NumPy surface: what stands for each NumPy function during capture.

As a namespace (``quernel.numpy.sum(x)``) it is NumPy's, with `linalg` and `fft`, whose functions
and ufuncs run compiled, one at a time: to run a program or its tests with one more compiler, or to
tell a compiler's error from the program's.
"""

from __future__ import annotations

import sys as _sys

import numpy as _np

from .eager import Namespace as _Namespace

__wrapped__ = _np
_sys.modules[__name__].__class__ = _Namespace
for _name in ("linalg", "fft"):
    globals()[_name] = _sys.modules[f"{__name__}.{_name}"] = _Namespace(getattr(_np, _name))
