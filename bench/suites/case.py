"""One program of a suite: its function, its arguments, and what other frameworks have of it."""

from __future__ import annotations

import importlib.util
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass
class Loaded:
    """The plain function and its arguments, as NumPy runs them.

    Attributes
    ----------
    sizes : dict
        What a framework may ask for by name although the function doesn't take it.
    short : tuple, optional
        Arguments of a shorter run, where only such a run has values that can be compared.
    """

    function: types.FunctionType
    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)
    sizes: dict[str, Any] = field(default_factory=dict)
    short: tuple[Any, ...] | None = None


@dataclass
class Case:
    """One program of a suite.

    Attributes
    ----------
    name : str
        What `--only` and the table call it.
    load : callable
        Imports the program and makes its arguments.
    variants : dict of str to list of callable
        For each framework, what imports its versions of the program and gives the function.
    scale : float
        How many times the usual tolerance is allowed.
    note : str
        How it is compared, where that isn't the usual way.
    """

    name: str
    load: Callable[[], Loaded]
    variants: dict[str, dict[str, Callable[[], Any]]] = field(default_factory=dict)
    scale: float = 1.0
    note: str = ""


def module_of(path: Path) -> types.ModuleType:
    """Import a file of the checkout under its own name, without writing anything beside it."""
    sys.dont_write_bytecode = True
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} can't be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module
