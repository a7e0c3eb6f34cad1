"""Puts compiled functions in the place of a package's own."""

from __future__ import annotations

import importlib
import pkgutil
import sys
import types
from collections.abc import Iterator
from typing import Any

import quernel as qn

_TESTS = {"tests", "test", "testing", "conftest", "examples", "benchmarks"}


class Replaced:
    """The compiled functions of a package.

    Attributes
    ----------
    functions : dict of function to compiled function
    """

    def __init__(self, package: str) -> None:
        self.package = package
        self.functions: dict[types.FunctionType, Any] = {}
        modules = list(_modules(package))
        for module in modules:
            self._namespace(module)
        for module in modules:
            for obj in list(vars(module).values()):
                if isinstance(obj, type) and self._is_own(obj):
                    self._class(obj)

    def refusals(self) -> dict[str, int]:
        """Why calls ran in NumPy, with the place, and of how many functions."""
        found: dict[str, int] = {}
        for compiled in self.functions.values():
            for reason in {str(item) for item in compiled.stats.__self__.fallbacks}:
                found[reason] = found.get(reason, 0) + 1
        return found

    def compiles(self) -> int:
        """How many programs were compiled in this process."""
        return sum(compiled.stats()["compiles"] for compiled in self.functions.values())

    def _namespace(self, module: types.ModuleType) -> None:
        for name, obj in list(vars(module).items()):
            if isinstance(obj, types.FunctionType) and self._is_own(obj):
                setattr(module, name, self._compiled(obj))
            elif isinstance(obj, (dict, list)):  # tables of functions, which identity looks up
                for key, item in list(obj.items() if isinstance(obj, dict) else enumerate(obj)):
                    if isinstance(item, types.FunctionType) and self._is_own(item):
                        obj[key] = self._compiled(item)

    def _class(self, cls: type) -> None:
        """The methods, of whatever kind; what can't be set stays."""
        for name, obj in list(vars(cls).items()):
            made = self._member(obj)
            if made is not obj:
                try:
                    setattr(cls, name, made)
                except (AttributeError, TypeError):
                    continue

    def _member(self, obj: Any) -> Any:
        if isinstance(obj, types.FunctionType) and self._is_own(obj):
            return self._compiled(obj)
        if isinstance(obj, (staticmethod, classmethod)):
            return type(obj)(self._member(obj.__func__))
        if isinstance(obj, property):
            accessors = (obj.fget, obj.fset, obj.fdel)
            return property(*map(self._member, accessors), doc=obj.__doc__)
        return obj

    def _compiled(self, function: types.FunctionType) -> Any:
        if function not in self.functions:
            self.functions[function] = qn.compile(function)
        return self.functions[function]

    def _is_own(self, obj: Any) -> bool:
        module = getattr(obj, "__module__", None) or ""
        return module.split(".")[0] == self.package and not _is_test(module)


def _is_test(module: str) -> bool:
    return any(part in _TESTS or part.startswith("test_") for part in module.split("."))


def _modules(package: str) -> Iterator[types.ModuleType]:
    """The package's modules, those of its tests excepted; what can't be imported is left out."""
    root = importlib.import_module(package)
    yield root
    for found in pkgutil.walk_packages(getattr(root, "__path__", ()), f"{package}."):
        if _is_test(found.name):
            continue
        try:
            yield importlib.import_module(found.name)
        except ImportError:  # of a package that isn't there
            sys.modules.pop(found.name, None)
