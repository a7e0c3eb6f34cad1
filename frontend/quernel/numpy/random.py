"""`quernel.numpy.random`: NumPy's streams, of which each drawing method runs compiled, alone."""

from __future__ import annotations

import functools
import sys
from typing import Any

import numpy as np

from .eager import Compiled, Namespace, compile_as

# What looks at a stream's state, sets it, or makes other streams.
_OF_STATE = {"seed", "get_state", "set_state"}


class RandomNamespace(Namespace):
    """`np.random` with compiled streams: those of its classes, and the one of its functions.

    Seeds, bit generators, and functions about the state are NumPy's own.
    """

    def __getattr__(self, name: str) -> Any:
        found = super().__getattr__(name)
        owner = getattr(found, "__self__", None)
        if isinstance(owner, np.random.RandomState) and name not in _OF_STATE:
            found = Compiled(found)
            setattr(self, name, found)
        return found


def _drawing(base: type, name: str) -> Any:
    """A method that runs a compiled function, which calls NumPy's method of a plain stream."""

    def call(stream: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(stream, name)(*args, **kwargs)

    target = getattr(base, name)
    face = compile_as(call, target)

    @functools.wraps(target, updated=())
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return face(self.__wrapped__, *args, **kwargs)

    method.stats = face.stats  # type: ignore[attr-defined]
    return method


def _delegating(base: type, name: str) -> Any:
    """A method that is that of the plain stream, which has the state."""
    target = getattr(base, name)

    @functools.wraps(target, updated=())
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(self.__wrapped__, name)(*args, **kwargs)

    return method


def _methods(base: type) -> dict[str, Any]:
    names = [name for name in dir(base) if name[0] != "_" and callable(getattr(base, name))]
    return {
        name: _delegating(base, name) if name in _OF_STATE else _drawing(base, name)
        for name in names
        if name != "spawn"
    }


class Generator(np.random.Generator):
    """A `np.random.Generator` whose drawing methods run compiled.

    Attributes
    ----------
    __wrapped__ : np.random.Generator
        One of NumPy's over the same bit generator.
    """

    def __init__(self, bit_generator: Any) -> None:
        super().__init__(bit_generator)
        self.__wrapped__ = np.random.Generator(bit_generator)

    def __reduce__(self) -> tuple:
        return Generator, (self.bit_generator,)


class RandomState(np.random.RandomState):
    """A `np.random.RandomState` whose drawing methods run compiled.

    Attributes
    ----------
    __wrapped__ : np.random.RandomState
        NumPy's own, which has the state.
    """

    def __init__(self, seed: Any = None) -> None:
        self.__wrapped__ = np.random.RandomState(seed)
        super().__init__(self.__wrapped__._bit_generator)

    def __reduce__(self) -> tuple:
        return RandomState, (self._bit_generator,), self.__wrapped__.get_state(legacy=False)

    def __setstate__(self, state: Any) -> None:
        self.__wrapped__.set_state(state)


for _kind in (Generator, RandomState):
    for _name, _made in _methods(_kind.__bases__[0]).items():
        setattr(_kind, _name, _made)


def default_rng(seed: Any = None) -> Any:
    """`np.random.default_rng`, as a stream whose drawing methods run compiled."""
    plain = np.random.default_rng(seed)
    return plain if plain is seed else Generator(plain.bit_generator)


__wrapped__ = np.random
sys.modules[__name__].__class__ = RandomNamespace
