"""Files, where Python's own helpers would take what a signal's handler raises for the disk's."""

from __future__ import annotations

import linecache
import os
import stat
import tokenize
from typing import Any

from .signals import let_out


def state_of(path: str) -> os.stat_result | None:
    """What is known of a file; None where there is none that can be asked about."""
    try:
        return os.stat(path)
    except OSError as error:
        let_out(error)
        return None


def is_folder(path: str) -> bool:
    """Whether a path is that of a folder."""
    state = state_of(path)
    return state is not None and stat.S_ISDIR(state.st_mode)


def source_lines(file: str, namespace: dict[str, Any] | None = None) -> list[str]:
    """The lines of a source, as `linecache` knows them; none where there is no source."""
    if file not in linecache.cache:
        _read_source(file)
    return linecache.getlines(file, namespace)


def _read_source(file: str) -> None:
    """Have `linecache` know a file, unless it has to find it elsewhere than at its path."""
    try:
        with tokenize.open(file) as opened:
            state, lines = os.fstat(opened.fileno()), opened.readlines()
    except (OSError, SyntaxError, UnicodeDecodeError) as error:
        let_out(error)
        return
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    linecache.cache[file] = (state.st_size, state.st_mtime, lines, file)
