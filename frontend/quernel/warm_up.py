"""The compiler's first run of a process, in a thread of its own while Python captures."""

from __future__ import annotations

import _imp
import functools
import os
import sys

from . import _runtime


@functools.lru_cache(maxsize=1)
def warm_up() -> None:
    """Begin to load the compiler and have it compile something small, once a process.

    What it does the first time takes as long as what Python does before it needs the compiler:
    it imports the modules that capture, and captures. The thread holds no lock of Python's. A
    process that may use one thread does one after the other. Called within a section.
    """
    if "quernel._compiler" in sys.modules or _runtime.default_threads() < 2:
        return
    folder = os.path.dirname(os.path.abspath(__file__))
    _runtime.warm_up(
        os.path.join(folder, "_compiler" + _imp.extension_suffixes()[0]), "quernel_warm_up"
    )
