"""The command line: ``quernel emit | explain | bench | build | cache | doctor``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from ..store import VERSION
from .target import ProgramError, UsageError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command.

    Returns
    -------
    int
        0: done; 1: the user's program is at fault; 2: wrong usage.
    """
    parser = _parser()
    try:
        chosen = parser.parse_args(arguments)
        return chosen.run(chosen) or 0
    except SystemExit as stop:  # argparse has printed why
        return int(stop.code or 0)
    except UsageError as error:
        return _complain(error, 2)
    except ProgramError as error:
        return _complain(error, 1)
    except BrokenPipeError:
        return 0


def _complain(error: Exception, status: int) -> int:
    print(f"quernel: {error}", file=sys.stderr)
    return status


def _parser() -> argparse.ArgumentParser:
    from . import bench, build, cache, doctor, emit, explain

    parser = argparse.ArgumentParser(
        prog="quernel", description="Compiles NumPy functions into fused, parallel kernels."
    )
    parser.add_argument("--version", action="version", version=f"quernel {VERSION}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for module in (emit, explain, bench, build, cache, doctor):
        module.register(commands)
    return parser
