"""Check the programs of test modules on a CUDA device; prints what is wrong as JSON, by programs.

python on_device.py MODULE …
"""

from __future__ import annotations

import importlib
import json
import sys
import traceback

from whole import Program


def failures(module: str) -> dict[str, str]:
    """What is wrong with each program of a module."""
    found = {}
    programs = importlib.import_module(module).PROGRAMS
    assert programs and all(isinstance(program, Program) for program in programs)
    for number, program in enumerate(programs):
        try:
            program.check(device="cuda")
        except Exception:  # what is wrong is told, and the others are looked at
            found[f"{number} {program.name}"] = traceback.format_exc()
    return found


if __name__ == "__main__":
    print(json.dumps({name: failures(name) for name in sys.argv[1:]}))
