"""`python bench/numpy_benchmarks.py --root CHECKOUT`: numpy-benchmarks' programs, unmodified.

The checkout is one of github.com/serge-sans-paille/numpy-benchmarks, whose programs say in comments
how their arguments are made (`#setup:`) and how they are called (`#run:`).
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from suites import command


def cases(arguments: argparse.Namespace) -> list[Any]:
    """The programs of a checkout, by name."""
    files = sorted((arguments.root / "numpy_benchmarks" / "benchmarks").glob("*.py"))
    found = [_case(path) for path in files if re.search("^#run:", path.read_text(), re.MULTILINE)]
    if not found:
        raise SystemExit(f"{arguments.root} has no programs: is it numpy-benchmarks' checkout?")
    return found


def _case(path: Path) -> Any:
    from suites.case import Case
    from suites.frameworks import built_by_pythran

    def pythran() -> Any:
        return getattr(built_by_pythran(path), path.stem)

    variants: dict[str, dict[str, Callable[[], Any]]] = {"numba": {"jit": lambda: _jitted(path)}}
    if "#pythran export" in path.read_text():
        variants["pythran"] = {"pythran": pythran}
    return Case(path.stem, lambda: _load(path), variants)


def _load(path: Path) -> Any:
    from suites.case import Loaded, module_of

    text = path.read_text()
    setup, call = (_comment(text, kind, path) for kind in ("setup", "run"))
    # The call is made on a stand-in that keeps what it is given.
    names: dict[str, Any] = {path.stem: lambda *args, **kwargs: (args, kwargs)}
    exec(setup, names)
    args, kwargs = eval(call, names)
    return Loaded(getattr(module_of(path), path.stem), args, kwargs)


def _comment(text: str, kind: str, path: Path) -> str:
    found = re.search(f"^#{kind}: *(.*)$", text, re.MULTILINE)
    if found is None:
        raise ValueError(f"{path} has no `#{kind}:`")
    return found[1]


def _jitted(path: Path) -> Any:
    """The function with Numba's decorator on each of the file's functions, as the suite has it."""
    import numba

    text = re.sub("^def ", "@__jit\ndef ", path.read_text(), flags=re.MULTILINE)
    names: dict[str, Any] = {"__jit": numba.njit}
    exec(compile(text, str(path), "exec"), names)
    return names[path.stem]


def main() -> int:
    """Run what the command line asks for."""
    return command.run(command.parser(__doc__.splitlines()[0]).parse_args(), cases)


if __name__ == "__main__":
    raise SystemExit(main())
