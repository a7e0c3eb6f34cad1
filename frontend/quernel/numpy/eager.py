"""NumPy's namespaces with their functions compiled, each alone: `quernel.numpy`."""

from __future__ import annotations

import functools
import importlib
import types
from typing import Any

import numpy as np

from ..describe import WRITERS, describe
from ..wrapped import Wrapped

UFUNC_METHODS = ("reduce", "accumulate", "reduceat", "outer", "at")
_FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, type(np.sum))
# What writes or makes texts, and what asks for the memory of arguments, beside what captured code
# can't call at all.
_OWN = {
    "base_repr", "binary_repr", "format_float_positional", "format_float_scientific",
    "datetime_as_string", "info", "test", "typename", "geterrcall",
    "may_share_memory", "shares_memory",
}  # fmt: skip


class Namespace(Wrapped, types.ModuleType):
    """A module of NumPy's whose functions and ufuncs are compiled, each when it is first read.

    Classes, constants, other modules, and functions about files, printing and NumPy's state are
    NumPy's own.

    Parameters
    ----------
    source : module
        NumPy's module.

    Attributes
    ----------
    __wrapped__ : module
        The same.
    """

    def __init__(self, source: types.ModuleType) -> None:
        super().__init__(source.__name__.replace("numpy", "quernel.numpy", 1), source.__doc__)
        self.__wrapped__ = source

    def __getattr__(self, name: str) -> Any:
        if name == "__wrapped__":  # before there is one
            raise AttributeError(name)
        found = compiled(getattr(self.__wrapped__, name))
        if isinstance(found, types.ModuleType) and found.__name__ == "numpy.random":
            found = importlib.import_module("quernel.numpy.random")
        if name in vars(self.__wrapped__):  # else NumPy may warn at each look at the name
            setattr(self, name, found)
        return found

    def __dir__(self) -> list[str]:
        return dir(self.__wrapped__)


class Compiled(Wrapped):
    """A function of NumPy's written in C, whose calls run compiled.

    As such a function, and unlike one of Python's, it is no method of the objects of a class that
    has it as an attribute. It is equal to NumPy's function, so that tables of those know it. What
    isn't named here is an attribute of NumPy's.

    Attributes
    ----------
    __wrapped__ : callable
        NumPy's function.
    """

    def __init__(self, function: Any) -> None:
        self.__wrapped__ = function
        self.__doc__ = function.__doc__
        self._call = _alone(function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function."""
        return self._call(*args, **kwargs)

    def stats(self) -> dict[str, Any]:
        """Counters of the calls, as of a compiled function."""
        return self._call.stats()

    def __getattr__(self, name: str) -> Any:
        if name in ("__wrapped__", "_call"):  # of an object that isn't made yet
            raise AttributeError(name)
        return getattr(self._call if name in ("explain", "lower") else self.__wrapped__, name)

    @property
    def __class__(self) -> type:  # type: ignore[override]
        """NumPy's own class for `isinstance`; `type` says what the object is."""
        return type(self.__wrapped__)

    def __eq__(self, other: object) -> bool:
        return self.__wrapped__ == (other.__wrapped__ if isinstance(other, Compiled) else other)

    def __hash__(self) -> int:
        return hash(self.__wrapped__)

    def __dir__(self) -> list[str]:
        return dir(self.__wrapped__)

    def __repr__(self) -> str:
        return f"<compiled {type(self.__wrapped__).__name__} {self.__wrapped__.__name__}>"

    def __reduce__(self) -> tuple:
        return compiled, (self.__wrapped__,)


class Ufunc(Compiled):
    """A ufunc whose calls and methods run compiled; its other attributes are the ufunc's."""

    def stats(self) -> dict[str, Any]:
        """Counters of the calls of the ufunc and of its methods, as of a compiled function."""
        methods = [vars(self)[name] for name in UFUNC_METHODS if name in vars(self)]
        counts = [super().stats(), *(method.stats() for method in methods)]
        return {name: sum((one[name] for one in counts[1:]), counts[0][name]) for name in counts[0]}

    def __getattr__(self, name: str) -> Any:
        if name not in UFUNC_METHODS:
            return super().__getattr__(name)
        method = _method(self.__wrapped__, name)
        setattr(self, name, method)
        return method


for _kind in (Compiled, Ufunc):
    WRITERS[_kind] = lambda obj: f"compiled:{describe(obj.__wrapped__)}"


def compiled(obj: Any) -> Any:
    """What `quernel.numpy` has in place of an object of NumPy's: the same one at each call."""
    return _made(obj) if isinstance(obj, (np.ufunc, *_FUNCTIONS)) else obj


@functools.cache
def _made(function: Any) -> Any:
    if isinstance(function, np.ufunc):
        return Ufunc(function)
    if _is_own(function):
        return function
    is_of_c = isinstance(function, types.BuiltinFunctionType)
    return Compiled(function) if is_of_c else _alone(function)


def _is_own(function: Any) -> bool:
    """Whether a function makes no sense compiled."""
    from ..capture.rebuild import IMPURE_NUMPY

    return function.__name__ in IMPURE_NUMPY or function.__name__ in _OWN


def _alone(target: Any) -> Any:
    """A compiled function that does nothing but call a function or a ufunc of NumPy's."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return target(*args, **kwargs)

    return compile_as(call, target)


def _method(ufunc: np.ufunc, name: str) -> Any:
    """A compiled function that does nothing but call a method of a ufunc."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return getattr(ufunc, name)(*args, **kwargs)

    return compile_as(call, getattr(ufunc, name))


def compile_as(call: types.FunctionType, target: Any, **options: Any) -> Any:
    """Compile a function under the name, the text and the signature of another."""
    from ..api import compile

    functools.update_wrapper(call, target, updated=())
    face = compile(call, **options)
    if hasattr(target, "__signature__"):
        face.__signature__ = target.__signature__
    return face
