"""The programs in the peers that are installed; none of them is required.

Arguments are converted before the clock starts where a peer has arrays of its own, and results are
waited for.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import sys
import tempfile
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import programs
from sources import elementwise_expression, pythran_module
from suites.frameworks import built_by_dace, built_by_pythran

LABELS = {
    "numba": "Numba",
    "jax": "JAX",
    "torch": "torch.compile",
    "pythran": "Pythran",
    "dace": "DaCe",
    "numexpr": "numexpr",
}
Call = Callable[[], object]


def is_installed(peer: str) -> bool:
    """Whether the peer can be imported here."""
    return importlib.util.find_spec(peer) is not None


def ready(peer: str, program: str, arguments: tuple[Any, ...]) -> Call:
    """A call of a program in one peer, after the first one, which may compile it.

    Raises
    ------
    Exception
        Whatever the peer says where it can't take the program.
    """
    if not is_installed(peer):
        raise ModuleNotFoundError("not installed")
    # What a peer says of a program stays out of the table.
    with warnings.catch_warnings(), contextlib.redirect_stdout(sys.stderr):
        warnings.simplefilter("ignore")
        call = _PEERS[peer](program, arguments)
        call()
    return call


def candidates(program: str, *arguments: Any) -> dict[str, Call]:
    """Calls of a program by label, one for each peer that can take it."""
    found = {}
    for peer, label in LABELS.items():
        with contextlib.suppress(Exception):
            found[label] = ready(peer, program, arguments)
    return found


def _numba(program: str, arguments: tuple[Any, ...]) -> Call:
    import numba_loops

    function = getattr(numba_loops, program, None)
    if function is None:
        function = numba_loops.PARALLEL(programs.over(np)[program])
    return lambda: function(*arguments)


def _jax(program: str, arguments: tuple[Any, ...]) -> Call:
    import jax

    import jax_updates

    jax.config.update("jax_enable_x64", True)
    written = getattr(jax_updates, program, None) or programs.over(jax.numpy)[program]
    function = jax.jit(written)
    inputs = jax.tree.map(jax.numpy.asarray, arguments)
    return lambda: jax.block_until_ready(function(*inputs))


def _torch(program: str, arguments: tuple[Any, ...]) -> Call:
    import torch

    torch.compiler.reset()  # or the sizes of the program's other rows make these ones dynamic
    function = torch.compile(programs.over(np)[program])
    return lambda: function(*arguments)


def _pythran(program: str, arguments: tuple[Any, ...]) -> Call:
    written = pythran_module(programs.over(np)[program], arguments)
    function = getattr(_pythran_built(program, written), program)
    return lambda: function(*arguments)


@cache
def _pythran_built(program: str, written: str) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, f"{program}_pythran.py")
        source.write_text(written)
        return built_by_pythran(source)


def _dace(program: str, arguments: tuple[Any, ...]) -> Call:
    import dace

    plain = programs.over(np)[program]
    names = plain.__code__.co_varnames[: len(arguments)]
    with tempfile.TemporaryDirectory() as folder:
        dace.Config.set("default_build_folder", value=folder)
        graph = dace.program(plain).to_sdfg(*arguments, simplify=True)
        function = built_by_dace(graph, optimised=True)
    inputs = dict(zip(names, arguments, strict=True))
    return lambda: function(**inputs)


def _numexpr(program: str, arguments: tuple[Any, ...]) -> Call:
    # Or it has sixteen threads at most.
    os.environ.setdefault("NUMEXPR_MAX_THREADS", str(len(os.sched_getaffinity(0))))
    import numexpr

    plain = programs.over(np)[program]
    expression = elementwise_expression(plain)
    inputs = dict(zip(plain.__code__.co_varnames, arguments, strict=True))
    return lambda: numexpr.evaluate(expression, local_dict=inputs)


_PEERS: dict[str, Callable[[str, tuple[Any, ...]], Call]] = {
    "numba": _numba,
    "jax": _jax,
    "torch": _torch,
    "pythran": _pythran,
    "dace": _dace,
    "numexpr": _numexpr,
}
