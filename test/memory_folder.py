"""Where tests keep the programs that they compile: in memory, where that can be.

Each record of the cache waits until the disk has it, for some ten milliseconds, as long as a small
program takes to be compiled.
"""

from __future__ import annotations

import os
import shutil

_FOLDER = "/dev/shm"
_ROOM = 4 << 30  # bytes


def memory_folder() -> str | None:
    """A folder of a file system in memory, as `tempfile` takes it; None where there is no room."""
    if not os.access(_FOLDER, os.W_OK) or shutil.disk_usage(_FOLDER).free < _ROOM:
        return None
    return _FOLDER
