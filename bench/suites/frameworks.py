"""What runs a program: Quernel, NumPy and the peers, each behind one interface."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
import types
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .case import Case, Loaded, module_of

PEERS = ("numba", "jax", "pythran", "dace")
LABELS = {
    "numpy": "NumPy",
    "quernel": "Quernel",
    "numba": "Numba",
    "jax": "JAX",
    "pythran": "Pythran",
    "dace": "DaCe",
}


def installed() -> list[str]:
    """Everything that can run here."""
    return ["numpy", *(name for name in LABELS if name != "numpy" and _importable(name))]


def _importable(name: str) -> bool:
    return importlib.util.find_spec(name) is not None


@dataclass
class Candidate:
    """One way to run one program.

    Attributes
    ----------
    framework, variant : str
        Who runs it, and which of the framework's versions of the program.
    make : callable
        Gives the function; its time counts as part of the first call.
    prepare : callable
        Turns the arguments, which are copies already, into those of the framework.
    finish : callable
        Waits for a result, and gives it.
    """

    framework: str
    variant: str
    make: Callable[[], Callable[..., Any]]
    prepare: Callable[[Any], Any] = lambda value: value
    finish: Callable[[Any], Any] = lambda value: value

    @property
    def label(self) -> str:
        """The framework, and its version of the program where it has several."""
        return f"{self.framework}:{self.variant}" if self.variant else self.framework


def candidates(
    case: Case, loaded: Loaded, frameworks: list[str], fullgraph: bool, device: str | None
) -> list:
    """The ways to run a program with these frameworks, NumPy's first."""
    found = [Candidate("numpy", "", lambda: loaded.function)]
    for name in frameworks:
        if name == "quernel":
            found.append(Candidate(name, "", lambda: _quernel(loaded.function, fullgraph, device)))
        for variant, load in case.variants.get(name, {}).items():
            found.append(_PEERS[name](variant, load, loaded))
    return found


def _quernel(function: types.FunctionType, fullgraph: bool, device: str | None) -> Any:
    import quernel as qn

    return qn.compile(function, fullgraph=fullgraph, device=device)


def _numba(variant: str, load: Callable[[], Any], loaded: Loaded) -> Candidate:
    return Candidate("numba", variant, load)


def _jax(variant: str, load: Callable[[], Any], loaded: Loaded) -> Candidate:
    import jax
    import numpy as np

    jax.config.update("jax_enable_x64", True)

    def prepare(value: Any) -> Any:
        return jax.numpy.asarray(value) if isinstance(value, np.ndarray) else value

    return Candidate("jax", variant, load, prepare, jax.block_until_ready)


def _pythran(variant: str, load: Callable[[], Any], loaded: Loaded) -> Candidate:
    return Candidate("pythran", variant, load)


def _dace(variant: str, load: Callable[[], Any], loaded: Loaded) -> Candidate:
    def make() -> Callable[..., Any]:
        compiled = built_by_dace(load().to_sdfg(simplify=True), optimised=variant == "auto")
        names = loaded.function.__code__.co_varnames
        sizes = {k: v for k, v in loaded.sizes.items() if k not in names}
        return lambda *args: compiled(**dict(zip(names, args, strict=False)), **sizes)

    return Candidate("dace", variant, make)


_PEERS: dict[str, Callable[[str, Callable[[], Any], Loaded], Candidate]] = {
    "numba": _numba,
    "jax": _jax,
    "pythran": _pythran,
    "dace": _dace,
}


def built_by_pythran(source: Path) -> types.ModuleType:
    """The module that Pythran makes of a file, built with the options that NPBench gives it."""
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as folder:
        target = Path(folder, f"{source.stem}.so")
        options = ["-DUSE_XSIMD", "-fopenmp", "-march=native", "-ffast-math"]
        command = [sys.executable, "-m", "pythran.run", *options, str(source), "-o", str(target)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            said = [*done.stderr.strip().splitlines(), "no compiler"]
            raise ImportError(next((line for line in said if "error:" in line), said[-2:][0]))
        return module_of(target)


def built_by_dace(graph: Any, *, optimised: bool) -> Callable[..., Any]:
    """What DaCe compiles a graph to, by its own optimiser where that is asked for."""
    from dace.dtypes import DeviceType
    from dace.transformation.auto import auto_optimize

    if optimised:
        auto_optimize.auto_optimize(graph, DeviceType.CPU)
    return graph.compile()


def import_quietly(framework: str) -> None:
    """Import a framework, so that its import isn't counted as compiling."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        importlib.import_module(framework)
