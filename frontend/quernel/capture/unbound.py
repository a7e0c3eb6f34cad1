"""Methods of NumPy's types that are called as functions, and what reads the bytes of an object."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import numpy as np

from ..traced.array import TracedArray
from ..traced.tracer import Tracer

METHODS = (types.MethodDescriptorType, types.WrapperDescriptorType)
_READERS = (memoryview, bytes, bytearray)


def unbound(method: Any) -> Callable[..., Any]:
    """What is called in place of a method that a type has: ``np.ndarray.sum``."""
    kind = method.__objclass__
    if not issubclass(kind, np.ndarray | np.generic):
        return method

    def call(*args: Any, **kwargs: Any) -> Any:
        owner = args[0] if args else None
        if type(owner) is TracedArray and issubclass(owner.__class__, kind):
            return getattr(owner, method.__name__)(*args[1:], **kwargs)
        return method(*args, **kwargs)

    return call


def readers(tracer: Tracer) -> dict[Any, Callable[..., Any]]:
    """What is called in place of Python's types that read the bytes of an object."""

    def reader(kind: type, least: int = 1) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            if len(args) + len(kwargs) >= least and type(args[0]) is TracedArray:
                tracer.fail("the bytes of an array", "read them outside, or use x.view(np.uint8)")
            return kind(*args, **kwargs)

        return call

    return {**{kind: reader(kind) for kind in _READERS}, str: reader(str, 2)}
