"""`python bench/pyhpc.py --root CHECKOUT`: pyhpc-benchmarks' NumPy programs, unmodified.

The checkout is one of github.com/dionhaefner/pyhpc-benchmarks, whose folders of `benchmarks` have a
program each: what makes its inputs for a number of elements, and a module for each framework. The
NumPy module's `run` is compiled as a whole.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from suites import command

PEERS = ("numba", "jax")
SIZES = "1000000,4000000"


def cases(arguments: argparse.Namespace) -> list[Any]:
    """The programs of a checkout, each for all sizes."""
    folders = sorted(path.parent for path in arguments.root.glob("benchmarks/*/*_numpy.py"))
    if not folders:
        raise SystemExit(f"{arguments.root} has no programs: is it pyhpc-benchmarks' checkout?")
    sizes = [int(size) for size in command.listed(arguments.sizes)]
    return [_case(arguments.root, folder, size) for folder in folders for size in sizes]


def _case(root: Path, folder: Path, size: int) -> Any:
    from suites.case import Case

    modules = {path.stem.rpartition("_")[2]: path.stem for path in folder.glob("*_*.py")}
    variants = {
        peer: {"": _getter(root, folder.name, modules[peer])} for peer in PEERS if peer in modules
    }
    load = _loader(root, folder.name, modules["numpy"], size)
    return Case(f"{folder.name}-{size}", load, variants)


def _loader(root: Path, name: str, module: str, size: int) -> Callable[[], Any]:
    from suites.case import Loaded

    def load() -> Any:
        inputs = _imported(root, name).generate_inputs(size)
        return Loaded(_getter(root, name, module)(), tuple(inputs))

    return load


def _getter(root: Path, name: str, module: str) -> Callable[[], Any]:
    return lambda: _imported(root, f"{name}.{module}").run


def _imported(root: Path, name: str) -> Any:
    """A module of the checkout's package, without writing anything beside it."""
    sys.dont_write_bytecode = True
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
    return importlib.import_module(f"benchmarks.{name}")


def main() -> int:
    """Run what the command line asks for."""
    options = command.parser(__doc__.splitlines()[0])
    options.add_argument("--sizes", default=SIZES, help="elements of an array: a,b,…")
    options.set_defaults(threads="1,2")
    return command.run(options.parse_args(), cases)


if __name__ == "__main__":
    raise SystemExit(main())
