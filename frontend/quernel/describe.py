"""Texts and digests of Python objects: equal texts mean interchangeable objects in any process."""

from __future__ import annotations

import functools
import sys
import types
from _blake2 import blake2b  # hashlib itself loads OpenSSL, which a warm start can't afford
from typing import Any

import numpy as np

from . import _runtime
from .dtypes import is_bfloat16

HEAP_TYPE = 1 << 9  # of type.__flags__: made while Python runs


class Undescribable(TypeError):
    """An object that has no text that would mean the same in another process."""


def digest(*parts: str | bytes) -> str:
    """The BLAKE2b digest (32 hex digits) of texts and bytes, each with its length."""
    state = blake2b(digest_size=16)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        state.update(len(data).to_bytes(8, "little"))
        state.update(data)
    return state.hexdigest()


def file_name(path: str) -> str:
    """The name of a file in texts of programs, which are UTF-8: a path may hold any bytes."""
    return path.rpartition("/")[2].encode("utf-8", "backslashreplace").decode()


def type_text(obj: Any) -> str:
    """The name of an object's type."""
    return f"{type(obj).__module__}.{type(obj).__qualname__}"


def describe(obj: Any) -> str:
    """A text that is equal for equal objects, also in another process.

    Raises
    ------
    Undescribable
        For objects whose meaning can't be put into a text.
    """
    writer = WRITERS.get(type(obj))
    if writer is not None:
        return writer(obj)
    if isinstance(obj, np.generic):
        return f"{obj.dtype.str}:{obj.tobytes().hex()}"
    if isinstance(obj, np.dtype):
        return f"dtype:{obj.name if is_bfloat16(obj) else obj.str}"
    if isinstance(obj, type):
        return f"type:{obj.__module__}.{obj.__qualname__}"
    if isinstance(obj, types.ModuleType):  # or of a class of its own
        return f"module:{obj.__name__}"
    if isinstance(obj, types.UnionType):
        return _sequence("union", obj.__args__)
    if isinstance(obj, _runtime.Function):
        return f"compiled:{function_digest(obj.__wrapped__)}"
    if type(obj) is _DISPATCHER:
        return f"function:{obj.__module__}.{obj.__qualname__}"
    if type_text(obj) == "dataclasses._HAS_DEFAULT_FACTORY_CLASS":
        return "dataclasses:default_factory"
    if type(obj).__module__ == "uarray":  # functions of scipy.fft
        return f"function:{obj.__module__}.{obj.__name__}"
    if fortrans_name(obj):
        return f"function:{fortrans_name(obj)}"
    raise Undescribable(f"an object of type {type(obj).__name__}")


def fortrans_name(obj: Any) -> str:
    """A function of LAPACK or BLAS by the module of SciPy's that has it; empty for other objects.

    Such a function knows its own name alone.
    """
    if type(obj).__name__ != "fortran":
        return ""
    name = str(getattr(obj, "__name__", "")).removeprefix("function ")
    for module in ("scipy.linalg.lapack", "scipy.linalg.blas"):
        if getattr(sys.modules.get(module), name, None) is obj:
            return f"{module}.{name}"
    return ""


def function_digest(function: types.FunctionType) -> str:
    """Digest of a function's code and defaults, without what it reads from elsewhere."""
    defaults = [f"{name}={_default(value)}" for name, value in defaults_of(function).items()]
    return digest(function.__name__, _code_text(function.__code__), *defaults)


def code_digest(function: types.FunctionType) -> str:
    """Digest of a function's name and code alone."""
    return digest(function.__name__, _code_text(function.__code__))


def defaults_of(function: types.FunctionType) -> dict[str, Any]:
    """What the parameters of a function are where no argument is given, by their names."""
    code, values = function.__code__, function.__defaults__ or ()
    places = code.co_varnames[: code.co_argcount][code.co_argcount - len(values) :]
    return dict(zip(places, values, strict=True)) | (function.__kwdefaults__ or {})


def _default(value: Any) -> str:
    """The text of a default; arrays and objects are read as those from outside are."""
    if type(value) is np.ndarray:
        return "array"
    try:
        return describe(value)
    except Undescribable:
        if not type(value).__flags__ & HEAP_TYPE:
            raise
        return f"object:{type_text(value)}"


@functools.lru_cache(maxsize=256)
def _code_text(code: types.CodeType) -> str:
    """Everything of a code object that decides what it does; not its file and lines."""
    parts = [
        sys.implementation.cache_tag or "",
        code.co_code.hex(),
        getattr(code, "co_exceptiontable", b"").hex(),
        str((code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)),
        str((code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)),
    ]
    parts += [describe(constant) for constant in code.co_consts]
    return digest(*parts)


def _sequence(name: str, items: Any) -> str:
    return f"{name}:[{','.join(describe(item) for item in items)}]"


def _slice(obj: slice) -> str:
    return _sequence("slice", (obj.start, obj.stop, obj.step))


def _function(obj: types.FunctionType) -> str:
    if (obj.__module__ or "").split(".")[0] in sys.stdlib_module_names:
        module = sys.modules.get(obj.__module__)
        if getattr(module, obj.__name__, None) is obj:
            # Python's own: its version says what it does.
            return f"function:{sys.version}:{obj.__module__}.{obj.__name__}"
    return f"function:{function_digest(obj)}"


def _builtin(obj: types.BuiltinFunctionType) -> str:
    owner = obj.__self__
    if owner is not None and not isinstance(owner, types.ModuleType):
        if isinstance(owner, np.ufunc):
            return f"{describe(owner)}.{obj.__name__}"
        raise Undescribable(f"a bound method of {type(owner).__name__}")
    return f"builtin:{obj.__module__}.{obj.__qualname__}"


def _method(obj: types.MethodType) -> str:
    """Of the functions of `np.random`, which are methods of one object."""
    name = obj.__func__.__name__
    public = getattr(sys.modules.get("numpy.random"), name, None)
    if getattr(public, "__self__", None) is not obj.__self__:
        raise Undescribable(f"a bound method of {type(obj.__self__).__name__}")
    return f"method:numpy.random.{name}"


def _vectorize(obj: np.vectorize) -> str:
    parts = (obj.pyfunc, str(obj.otypes), frozenset(obj.excluded), obj.signature)
    return _sequence("vectorize", parts)


def _ufunc(obj: np.ufunc) -> str:
    for module in ("numpy", "scipy.special"):
        if getattr(sys.modules.get(module), obj.__name__, None) is obj:
            return f"ufunc:{module}.{obj.__name__}"
    raise Undescribable(f"the ufunc {obj.__name__}, which is none of NumPy's or SciPy's")


_DISPATCHER = type(np.sum)
WRITERS: dict[type, Any] = {
    type(None): lambda obj: "none",
    type(...): lambda obj: "ellipsis",
    bool: lambda obj: f"bool:{obj:d}",
    int: lambda obj: f"int:{obj}",
    float: lambda obj: f"float:{obj.hex()}",
    complex: lambda obj: f"complex:{obj.real.hex()},{obj.imag.hex()}",
    str: lambda obj: f"str:{obj!r}",
    bytes: lambda obj: f"bytes:{obj.hex()}",
    tuple: lambda obj: _sequence("tuple", obj),
    frozenset: lambda obj: f"frozenset:{sorted(describe(item) for item in obj)}",
    slice: _slice,
    range: lambda obj: f"range:{obj.start},{obj.stop},{obj.step}",
    type(sys.float_info): lambda obj: _sequence("float_info", obj),
    np.vectorize: _vectorize,
    property: lambda obj: _sequence("property", (obj.fget, obj.fset, obj.fdel)),
    staticmethod: lambda obj: f"staticmethod:{describe(obj.__func__)}",
    classmethod: lambda obj: f"classmethod:{describe(obj.__func__)}",
    functools._lru_cache_wrapper: lambda obj: f"cached:{describe(obj.__wrapped__)}",
    functools.cached_property: lambda obj: f"cached_property:{describe(obj.func)}",
    np.ufunc: _ufunc,
    types.CodeType: _code_text,
    types.FunctionType: _function,
    types.BuiltinFunctionType: _builtin,
    types.MethodType: _method,
}
