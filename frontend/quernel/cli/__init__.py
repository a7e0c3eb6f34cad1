"""The command line: ``quernel emit | explain | bench | build | record | export | …``."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from ..cache.store import VERSION
from .target import ProgramError, UsageError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command.

    Returns
    -------
    int
        0: done; 1: the user's program is at fault, or the output can't be written; 2: wrong usage;
        130: interrupted.
    """
    try:
        status = _run(arguments)
        if sys.stdout is not None:
            sys.stdout.flush()
        return status
    except UsageError as error:
        return _complain(error, 2)
    except ProgramError as error:
        return _complain(error, 1)
    except KeyboardInterrupt:
        return _complain("interrupted", 130)
    except BrokenPipeError:
        _discard_output()
        return 0
    except OSError as error:
        _discard_output()
        return _complain(_fault_text(error), 1)
    except UnicodeEncodeError as error:
        return _complain(f"the output can't be written as {error.encoding}", 1)


def _run(arguments: Sequence[str] | None) -> int:
    try:
        chosen = _parser().parse_args(arguments)
    except SystemExit as stop:  # argparse has printed why
        return int(stop.code or 0)
    return chosen.run(chosen) or 0


def _complain(error: object, status: int) -> int:
    if sys.stderr is not None:
        print(f"quernel: {error}", file=sys.stderr)
    return status


def _fault_text(error: OSError) -> str:
    name = error.filename if error.filename is not None else "the output"
    return f"{name}: {error.strerror or error}"


def _discard_output() -> None:
    """Let what is still to be written go nowhere, so that Python doesn't fail again at its end."""
    try:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
    except (OSError, ValueError, AttributeError):  # there is no such descriptor
        pass


def _parser() -> argparse.ArgumentParser:
    from . import bench, build, cache, doctor, emit, explain, export, record

    parser = argparse.ArgumentParser(
        prog="quernel", description="Compiles NumPy functions into fused, parallel kernels."
    )
    parser.add_argument("--version", action="version", version=f"quernel {VERSION}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for module in (emit, explain, bench, build, record, export, cache, doctor):
        module.register(commands)
    return parser
