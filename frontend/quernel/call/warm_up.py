"""The compiler, loaded in a thread of its own while Python imports what captures."""

from __future__ import annotations

import _imp
import functools
import os
import sys

from .. import _runtime


@functools.lru_cache(maxsize=1)
def warm_up() -> None:
    """Begin to load the compiler's library, once a process.

    That takes about as long as Python imports the modules that capture, and needs none of Python's
    locks. A process that may use one thread does one after the other. Called within a section.
    """
    if "quernel._compiler" in sys.modules or _runtime.default_threads() < 2:
        return
    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    _runtime.warm_up(os.path.join(folder, "_compiler" + _imp.extension_suffixes()[0]))
