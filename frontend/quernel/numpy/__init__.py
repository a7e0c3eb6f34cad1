"""The NumPy surface: what stands for each NumPy function during capture.

As a namespace (``quernel.numpy.sum(x)``) its functions run compiled, one at a time, to tell a
compiler's error from the program's.
"""

from __future__ import annotations

from typing import Any

import numpy as _np


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    target = getattr(_np, name)
    if not callable(target) or isinstance(target, type):
        return target
    from .eager import eager

    globals()[name] = function = eager(target)
    return function
