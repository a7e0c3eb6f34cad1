"""What stands for an object of NumPy's: the module that says so is loaded when that is asked."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from ..describe import fortrans_name
from ..signals import let_out
from ..traced.location import is_method, is_scipys
from .modules import MODULES
from .registry import CONSTRUCTORS, IMPLEMENTATIONS, OBJECTS, SOURCES, SPECIAL

# What stands for types of numbers, and for functions that aren't NumPy's.
FIRST = ("copying", "creation")
# What has sources that are captured in place of functions of SciPy's, and of `np.testing`.
OF_TESTING = ("assertions",)
OF_SPECIAL = ("special", "special_functions")
OF_SCIPY = (
    "scipy_sources",
    "scipy_distances",
    "scipy_roots",
    "scipy_cosines",
    "scipy_stats",
    "scipy_linalg",
    "scipy_exponential",
    "scipy_lapack",
)


def implementation_of(function: Any) -> Callable[..., Any] | None:
    """What stands for a function of NumPy or `scipy.special`, or None."""
    load(function)
    try:
        found = IMPLEMENTATIONS.get(function)
    except TypeError as error:
        let_out(error)
        return None
    if found is None:
        return special(function)
    return found


def replacement_of(obj: Any) -> Any:
    """What captured code gets in place of a NumPy object such as `np.mgrid`, or None."""
    load(obj)
    return OBJECTS.get(id(obj))


def constructor_of(kind: type) -> Callable[..., Any] | None:
    """What captured code calls in place of a type of NumPy's; None for other types."""
    load(kind)
    return CONSTRUCTORS.get(kind)


def is_numpys(ufunc: np.ufunc) -> bool:
    """Whether a ufunc is NumPy's own; others may have the name of one."""
    return getattr(np._core.umath, ufunc.__name__, None) is ufunc


def special(obj: Any) -> Callable[..., Any] | None:
    """What stands for a function of `scipy.special`, or None."""
    # SciPy's ufuncs have no module.
    is_foreign = not is_numpys(obj) if isinstance(obj, np.ufunc) else is_scipys(obj)
    if not is_foreign:
        return None
    for name in OF_SPECIAL:
        _import(name)
    return SPECIAL.get(getattr(obj, "__name__", ""))


def source_of(obj: Any) -> FunctionType | None:
    """What is captured in place of a function of SciPy or `np.testing`, or None."""
    is_testing = (getattr(obj, "__module__", None) or "").startswith("numpy.testing")
    if not (is_scipys(obj) or is_testing) or isinstance(obj, type):
        return None
    for name in OF_TESTING if is_testing else OF_SCIPY:
        _import(name)
    fortran = fortrans_name(obj)
    if fortran:
        return SOURCES.get(fortran)
    public = obj.__module__.partition("._")[0]
    name = obj.__qualname__ if is_method(obj) else getattr(obj, "__name__", "")
    return SOURCES.get(f"{public}.{name}") or SOURCES.get(f"{obj.__module__}.{name}")


def is_random(obj: Any) -> bool:
    """Whether an object is one of `np.random`, which is loaded by its first use alone."""
    return (getattr(obj, "__module__", None) or "").startswith("numpy.random")


def _import(name: str) -> None:
    importlib.import_module(f".{name}", __package__)


def load(obj: Any) -> None:
    """Load the module that says what stands for an object of NumPy's."""
    _, name = _modules().get(id(obj), (None, None))
    if name is None and is_random(obj):
        name = "seeding"
    if name is not None:
        _import(name)


@functools.cache
def _modules() -> dict[int, tuple[Any, str]]:
    """The objects that modules stand for, by their identity; some of NumPy's versions lack some."""
    for name in FIRST:
        _import(name)
    found = {}
    for module, names in MODULES.items():
        for name in names.split():
            obj = functools.reduce(
                lambda owner, part: getattr(owner, part, None), name.split("."), np
            )
            if obj is not None:
                found[id(obj)] = obj, module
    return found
