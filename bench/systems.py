"""Everything that runs the programs: NumPy, Quernel and the peers."""

from __future__ import annotations

from collections.abc import Callable
from importlib import metadata
from typing import Any

import numpy as np

import peers
import programs

LABELS = {"numpy": "NumPy", "quernel": "Quernel", **peers.LABELS}


def installed() -> list[str]:
    """Those that can run here beside NumPy."""
    return ["quernel", *filter(peers.is_installed, peers.LABELS)]


def ready(system: str, program: str, arguments: tuple[Any, ...]) -> Callable[[], object]:
    """A call of a program in one system, after the first one, which may compile it.

    Raises
    ------
    Exception
        Whatever the system says where it can't take the program.
    """
    if system in peers.LABELS:
        return peers.ready(system, program, arguments)
    function = programs.over(np)[program]
    if system == "quernel":
        import quernel as qn

        function = qn.compile(function, fullgraph=True)
    function(*arguments)
    return lambda: function(*arguments)


def versions() -> dict[str, str]:
    """The version of each system that is installed, by label."""
    found = {label: _version(system) for system, label in LABELS.items()}
    return {label: version for label, version in found.items() if version}


def _version(system: str) -> str:
    if system == "quernel":
        import quernel as qn

        return qn.__version__
    try:
        return metadata.version(system)
    except metadata.PackageNotFoundError:
        return ""


def reason(problem: Exception) -> str:
    """One line that says why something can't be measured."""
    text = " ".join(str(problem).split())
    return f"{type(problem).__name__}: {text}"[:300]
