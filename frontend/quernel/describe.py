"""Texts and digests of Python objects: equal texts mean interchangeable objects in any process."""

from __future__ import annotations

import datetime
import enum
import functools
import operator
import re
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
        members = _members(obj) if issubclass(obj, enum.Enum) else ""
        return f"type:{obj.__module__}.{obj.__qualname__}{members}"
    if isinstance(obj, types.ModuleType):  # or of a class of its own
        return f"module:{obj.__name__}"
    if isinstance(obj, types.UnionType):
        return _sequence("union", obj.__args__)
    if is_member(obj):
        return f"enum:{type_text(obj)}.{obj.name}={describe(obj.value)}"
    if type_text(obj) == "fractions.Fraction":
        return f"fraction:{obj}"
    if type_text(obj).partition(".")[0] in _OF_TYPES or type(obj) is types.GenericAlias:
        return _generic(obj)
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


def has_text(obj: Any) -> bool:
    """Whether an object has a text that means the same in another process."""
    try:
        describe(obj)
    except Undescribable:
        return False
    return True


def is_member(obj: Any) -> bool:
    """Whether an object is a member of an enumeration, with the methods that Python gives it."""
    return isinstance(obj, enum.Enum) and _is_plain_enumeration(type(obj))


@functools.lru_cache(maxsize=1000)
def _is_plain_enumeration(kind: type) -> bool:
    """Whether none of Python's special methods of an enumeration is the user's."""
    return not any(
        isinstance(member, types.FunctionType) and name not in _OF_MAKING
        for part in kind.__mro__
        if part.__module__.partition(".")[0] not in sys.stdlib_module_names
        for name, member in vars(part).items()
        if name.startswith("__") and getattr(member, "__module__", "") != "enum"
    )


def _members(kind: type[enum.Enum]) -> str:
    """The members of an enumeration, with their values as far as these have texts."""
    values = {name: member._value_ for name, member in kind.__members__.items()}
    texts = (f"{k}={describe(v) if has_text(v) else '?'}" for k, v in values.items())
    return f"({', '.join(texts)})"


def _generic(obj: Any) -> str:
    """The text of what `typing` makes, unless a call of it makes an object of the user's."""
    origin = getattr(obj, "__origin__", None)
    root = (getattr(origin, "__module__", None) or "").partition(".")[0]
    if isinstance(origin, type) and root not in (*sys.stdlib_module_names, "numpy"):
        raise Undescribable(f"an object of type {type(obj).__name__}")
    return f"typing:{obj!r}"


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
    """The text of a default; one that has none is read as what is outside."""
    try:
        return describe(value)
    except Undescribable:
        return f"outside:{type_text(value)}"


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
        if type(owner) in IMMUTABLE:
            return f"method:{describe(owner)}.{obj.__name__}"
        if owner is getattr(sys.modules.get("random"), "_inst", None):
            return f"method:random.{obj.__name__}"
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
    for module in ("numpy", "scipy.special", "scipy.special._ufuncs"):
        if getattr(sys.modules.get(module), obj.__name__, None) is obj:
            return f"ufunc:{module}.{obj.__name__}"
    raise Undescribable(f"the ufunc {obj.__name__}, which is none of NumPy's or SciPy's")


# Whose methods in C change nothing, and give the same each time.
IMMUTABLE = (str, bytes, int, float, complex, tuple, frozenset, range, slice, re.Pattern)
_DISPATCHER = type(np.sum)
_OF_TYPES = ("typing",)
# Of enumerations, what only makes their members.
_OF_MAKING = ("__init__", "__init_subclass__", "__new__", "__new_member__")
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
    datetime.timedelta: lambda obj: f"timedelta:{obj!r}",
    operator.attrgetter: lambda obj: _sequence("attrgetter", obj.__reduce__()[1]),
    operator.itemgetter: lambda obj: _sequence("itemgetter", obj.__reduce__()[1]),
    re.Pattern: lambda obj: f"pattern:{obj.flags}:{describe(obj.pattern)}",
    types.CodeType: _code_text,
    types.FunctionType: _function,
    types.BuiltinFunctionType: _builtin,
    types.MethodType: _method,
}
