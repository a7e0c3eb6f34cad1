"""`probe.py WHAT SYSTEM POINTS`: one measurement that needs a process of its own.

Prints JSON: the `value`, in seconds for `first-call` and `import` and in bytes for `memory`, or the
`reason` why there is none.
"""

from __future__ import annotations

import importlib
import re
import sys
import time
from pathlib import Path

# The one import that every system may take as done; all others wait until the clock has stopped.
import numpy as np


def first_call(system: str, points: int) -> float:
    """Seconds from handing over the function to its first result, the import not counted."""
    import data
    import systems

    arguments = data.kmeans(points)
    importlib.import_module(system)
    start = time.perf_counter()
    systems.ready(system, "kmeans", arguments)
    return time.perf_counter() - start


def import_time(system: str, points: int) -> float:
    """Seconds of the import, NumPy being there already."""
    start = time.perf_counter()
    importlib.import_module(system)
    return time.perf_counter() - start


def memory(system: str, points: int) -> int:
    """Bytes that a call needs at its peak beyond its result, once everything is compiled."""
    import data
    import systems

    call = systems.ready(system, "kmeans", data.kmeans(points))
    earlier = np.asarray(call())
    Path("/proc/self/clear_refs").write_text("5")
    before = _status("VmRSS")
    result = np.asarray(call())
    peak = _status("VmHWM")
    assert earlier.shape == result.shape
    return peak - before - result.nbytes


def _status(field: str) -> int:
    text = Path("/proc/self/status").read_text()
    return int(re.search(rf"{field}:\s+(\d+) kB", text)[1]) * 1024


def main() -> None:
    """Runs the measurement that the command line names."""
    what, system, points = sys.argv[1], sys.argv[2], int(sys.argv[3])
    measurements = {"first-call": first_call, "import": import_time, "memory": memory}
    try:
        answer = {"value": measurements[what](system, points)}
    except Exception as problem:
        from systems import reason

        answer = {"reason": reason(problem)}
    import json

    print(json.dumps(answer))


if __name__ == "__main__":
    main()
