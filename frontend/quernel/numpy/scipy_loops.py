"""Where the loops of SciPy's ufuncs are in this process, as attributes of this module.

``betainc_ddd_d`` has the addresses of the loop of `betainc` with these types, and of what the loop
is given besides. Programs read them from outside, as they read an array of the user's.
"""

from __future__ import annotations

import ctypes
import sys

import numpy as np


class _Ufunc(ctypes.Structure):
    """The beginning of ``PyUFuncObject``, behind what all of Python's objects have."""

    _fields_ = (
        ("nin", ctypes.c_int),
        ("nout", ctypes.c_int),
        ("nargs", ctypes.c_int),
        ("identity", ctypes.c_int),
        ("functions", ctypes.POINTER(ctypes.c_void_p)),
        ("data", ctypes.POINTER(ctypes.c_void_p)),
        ("ntypes", ctypes.c_int),
    )


def loop_name(ufunc: np.ufunc, types: str) -> str:
    """The attribute that has the addresses of a loop."""
    return f"{ufunc.__name__}_{types.replace('->', '_')}"


def types_of_loops(ufunc: np.ufunc) -> list[str]:
    """The types of a ufunc's loops, where each type has one character."""
    return ["".join(c if c in "->" else np.dtype(c).char for c in types) for types in ufunc.types]


def ufunc_of(name: str) -> np.ufunc | None:
    """SciPy's ufunc of a name."""
    found = getattr(sys.modules.get("scipy.special._ufuncs"), name, None)
    return found if isinstance(found, np.ufunc) else None


def is_quiet() -> bool:
    """Whether SciPy's loops ignore what they meet: they don't ask Python for anything then."""
    actions = sys.modules["scipy.special"].geterr()
    return all(action == "ignore" for kind, action in actions.items() if kind != "memory")


def __getattr__(name: str) -> np.ndarray:
    function, _, types = name.rpartition("_")
    function, _, inputs = function.rpartition("_")
    ufunc = ufunc_of(function)
    loops = [] if ufunc is None else types_of_loops(ufunc)
    if f"{inputs}->{types}" not in loops:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = _Ufunc.from_address(id(ufunc) + object.__basicsize__)
    if (found.nin, found.nout, found.ntypes) != (ufunc.nin, ufunc.nout, ufunc.ntypes):
        raise AttributeError(f"{function} isn't laid out as ufuncs are")
    place = loops.index(f"{inputs}->{types}")
    addresses = [found.functions[place], found.data[place] or 0]
    return globals().setdefault(name, np.array(addresses, np.uint64))
