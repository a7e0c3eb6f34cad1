"""`probe.py WHAT PEER POINTS`: one measurement that needs a process of its own; prints one number.

`first-call` and `import` give seconds, `memory` bytes.
"""

from __future__ import annotations

import importlib
import re
import sys
import time
from pathlib import Path

import numpy as np

import peers
import programs


def first_call(peer: str, points: int) -> float:
    """Seconds from handing over the function to its first result, the import not counted."""
    X, means = programs.kmeans_data(points)
    if peer == "quernel":
        import quernel as qn

        start = time.perf_counter()
        qn.compile(programs.over(np)["kmeans"])(X, means)
        return time.perf_counter() - start
    importlib.import_module(peer)
    start = time.perf_counter()
    (call,) = peers.candidates("kmeans", X, means, only=peer).values()
    call()
    return time.perf_counter() - start


def import_time(peer: str) -> float:
    """Seconds of the import, NumPy being there already."""
    start = time.perf_counter()
    importlib.import_module(peer)
    return time.perf_counter() - start


def memory(peer: str, points: int) -> int:
    """Bytes that a call needs at its peak beyond its result, once everything is compiled."""
    X, means = programs.kmeans_data(points)
    function = programs.over(np)["kmeans"]
    if peer == "quernel":
        import quernel as qn

        function = qn.compile(function)
    earlier = function(X, means)
    Path("/proc/self/clear_refs").write_text("5")
    before = _status("VmRSS")
    result = function(X, means)
    peak = _status("VmHWM")
    assert earlier.shape == result.shape
    return peak - before - result.nbytes


def _status(field: str) -> int:
    text = Path("/proc/self/status").read_text()
    return int(re.search(rf"{field}:\s+(\d+) kB", text)[1]) * 1024


def main() -> None:
    """Runs the measurement that the command line names."""
    what, peer, points = sys.argv[1], sys.argv[2], int(sys.argv[3])
    if what == "first-call":
        print(first_call(peer, points))
    elif what == "import":
        print(import_time(peer))
    else:
        print(memory(peer, points))


if __name__ == "__main__":
    main()
