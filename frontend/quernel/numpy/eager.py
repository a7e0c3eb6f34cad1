"""NumPy's namespaces with their functions compiled, each alone: `quernel.numpy`."""

from __future__ import annotations

import functools
import types
from typing import Any

import numpy as np

from ..describe import WRITERS, describe

UFUNC_METHODS = ("reduce", "accumulate", "reduceat", "outer", "at")
_FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, type(np.sum))
# What writes or makes texts, beside what captured code can't call at all.
_TEXTS = {
    "base_repr", "binary_repr", "format_float_positional", "format_float_scientific",
    "datetime_as_string", "info", "test", "typename", "geterrcall",
}  # fmt: skip


class Namespace(types.ModuleType):
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
        if name in vars(self.__wrapped__):  # else NumPy may warn at each look at the name
            setattr(self, name, found)
        return found

    def __dir__(self) -> list[str]:
        return dir(self.__wrapped__)


class Ufunc:
    """A ufunc whose calls and methods run compiled; its other attributes are the ufunc's.

    It has `stats`, `explain` and `lower`, too, as compiled functions have.

    Attributes
    ----------
    __wrapped__ : numpy.ufunc
    """

    def __init__(self, ufunc: np.ufunc) -> None:
        self.__wrapped__ = ufunc
        self.__doc__ = ufunc.__doc__
        self._call = _alone(ufunc)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the ufunc."""
        return self._call(*args, **kwargs)

    def stats(self) -> dict[str, Any]:
        """Counters of the calls of the ufunc and of its methods, as of a compiled function."""
        functions = [
            self._call,
            *(vars(self)[name] for name in UFUNC_METHODS if name in vars(self)),
        ]
        counts = [function.stats() for function in functions]
        return {name: sum((one[name] for one in counts[1:]), counts[0][name]) for name in counts[0]}

    def __getattr__(self, name: str) -> Any:
        if name == "__wrapped__":  # of one that isn't made yet
            raise AttributeError(name)
        ufunc = self.__wrapped__
        if name in ("explain", "lower"):
            return getattr(self._call, name)
        if name not in UFUNC_METHODS:
            return getattr(ufunc, name)
        method = _method(ufunc, name)
        setattr(self, name, method)
        return method

    def __dir__(self) -> list[str]:
        return dir(self.__wrapped__)

    def __repr__(self) -> str:
        return f"<compiled ufunc '{self.__wrapped__.__name__}'>"

    def __reduce__(self) -> tuple:
        return compiled, (self.__wrapped__,)


WRITERS[Ufunc] = lambda obj: f"compiled:{describe(obj.__wrapped__)}"


def compiled(obj: Any) -> Any:
    """What `quernel.numpy` has in place of an object of NumPy's: the same one at each call."""
    if isinstance(obj, np.ufunc):
        return _ufunc(obj)
    if not isinstance(obj, _FUNCTIONS) or _is_own(obj):
        return obj
    return _alone(obj)


@functools.cache
def _ufunc(ufunc: np.ufunc) -> Ufunc:
    return Ufunc(ufunc)


def _is_own(function: Any) -> bool:
    """Whether a function makes no sense compiled."""
    from ..capture.rebuild import IMPURE_NUMPY

    return function.__name__ in IMPURE_NUMPY or function.__name__ in _TEXTS


@functools.cache
def _alone(target: Any) -> Any:
    """A compiled function that does nothing but call a function or a ufunc of NumPy's."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return target(*args, **kwargs)

    return _compile(call, target)


def _method(ufunc: np.ufunc, name: str) -> Any:
    """A compiled function that does nothing but call a method of a ufunc."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return getattr(ufunc, name)(*args, **kwargs)

    return _compile(call, getattr(ufunc, name))


def _compile(call: types.FunctionType, target: Any) -> Any:
    """Compile a function under the name, the text and the signature of another."""
    from ..api import compile

    functools.update_wrapper(call, target, updated=())
    return compile(call)
