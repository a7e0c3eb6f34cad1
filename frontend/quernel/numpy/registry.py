"""The table of NumPy functions and of what stands for each during capture."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..primitives.memory_orders import with_letters

IMPLEMENTATIONS: dict[Any, Callable[..., Any]] = {}
CREATIONS: set[Any] = set()
ORDERS: dict[Any, str] = {}
OBJECTS: dict[int, Any] = {}
CONSTRUCTORS: dict[type, Callable[..., Any]] = {}
#: Of `scipy.special`, by the function's own name; ufuncs and plain functions alike.
SPECIAL: dict[str, Callable[..., Any]] = {}
#: What is captured in place of SciPy's functions, by their public module and name.
SOURCES: dict[str, Callable[..., Any]] = {}


def implements(*functions: Any, creation: bool = False, order: str = "") -> Callable[[Any], Any]:
    """Register what stands for NumPy functions; it takes their arguments.

    Parameters
    ----------
    creation : bool
        Whether to capture calls that no traced array takes part in.
    order : str
        How NumPy lays new arrays that the functions give, where our implementation may do it in
        another way: ``"C"``; ``"K"``, as the first argument lies; ``"F"``, in Fortran order where
        the first argument lies in that one alone, else in C order.
    """

    def register(implementation: Any) -> Any:
        called = with_letters(implementation)
        for function in functions:
            IMPLEMENTATIONS[function] = called
            ORDERS[function] = order
            if creation:
                CREATIONS.add(function)
        return implementation

    return register


def stands_for(obj: Any, replacement: Any) -> None:
    """Register what captured code gets in place of a NumPy object that isn't a function."""
    OBJECTS[id(obj)] = replacement


def constructs(*types: type) -> Callable[[Any], Any]:
    """Register what a call of NumPy types does in captured code."""

    def register(implementation: Any) -> Any:
        CONSTRUCTORS.update(dict.fromkeys(types, implementation))
        return implementation

    return register
