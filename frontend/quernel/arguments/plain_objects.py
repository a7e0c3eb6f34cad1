"""Objects of the user's own classes: which ones programs take, and what belongs to them."""

from __future__ import annotations

import contextlib
import functools
import sys
import types
import typing
from abc import ABC, ABCMeta
from typing import Any

from ..describe import HEAP_TYPE
from ..module import Module
from .python_random import is_base

_NUMPYS = ("numpy", "quernel")
_LIBRARIES = (*_NUMPYS, "scipy")
_ROOTS = (object, ABC, Module, typing.Generic, typing.Protocol)
_NATIVE = (
    types.MethodDescriptorType, types.WrapperDescriptorType, types.ClassMethodDescriptorType,
    types.BuiltinFunctionType,
)  # fmt: skip
# What NumPy asks objects for that stand for arrays.
_ARRAYS = (
    "__array__", "__array_function__", "__array_interface__", "__array_namespace__",
    "__array_priority__", "__array_struct__", "__array_ufunc__", "__buffer__",
)  # fmt: skip
_LAYOUT = ("__dict__", "__weakref__")
# What makes attributes or objects in a way of its own.
_OWN_WAYS = ("__getattribute__", "__new__", "__next__", "__del__")


def is_plain_object(obj: Any) -> bool:
    """Whether an object is nothing but a class of the user's and attributes."""
    return is_plain_class(type(obj))


@functools.lru_cache(maxsize=1000)
def is_plain_class(kind: type) -> bool:
    """Whether a class is written in Python, by users, and makes objects as usual.

    Python's own generators of random numbers are such objects, too.
    Named tuples, enumerations, exceptions and subclasses of containers and arrays are none, and
    neither are classes of what stands for arrays.
    """
    if kind is types.SimpleNamespace:
        return True
    if type(kind) not in (type, ABCMeta, type(typing.Protocol)):
        return False
    own = [part for part in kind.__mro__ if part not in _ROOTS]
    return bool(own) and all(map(_is_written_in_python, own))


@functools.lru_cache(maxsize=1000)
def is_scipys_class(kind: type) -> bool:
    """Whether a class of SciPy's is otherwise one as users write it: captured code can make one."""
    own = [part for part in kind.__mro__ if part not in _ROOTS]
    is_scipys = any(part.__module__.startswith("scipy.") for part in own)
    is_plain = type(kind) in (type, ABCMeta, type(typing.Protocol))
    return is_scipys and is_plain and all(_is_written_in_python(part, _NUMPYS) for part in own)


def _is_written_in_python(kind: type, libraries: tuple = _LIBRARIES) -> bool:
    if is_base(kind):  # what it has of C stands for itself
        return True
    root = kind.__module__.partition(".")[0]
    is_librarys = root in libraries or root in sys.stdlib_module_names
    if is_librarys or not kind.__flags__ & HEAP_TYPE:
        return False
    slots = vars(kind).get("__slots__", ())
    slots = (slots,) if isinstance(slots, str) else slots
    return not any(_is_native(name, member, slots) for name, member in vars(kind).items())


def _is_native(name: str, member: Any, slots: Any) -> bool:
    if name in (*_OWN_WAYS, *_ARRAYS) or type(member) in _NATIVE:
        return True
    if type(member) is types.GetSetDescriptorType:
        return name not in _LAYOUT
    return type(member) is types.MemberDescriptorType and not slots


def is_array_like(kind: type) -> bool:
    """Whether NumPy asks the objects of a class for arrays that they stand for."""
    return any(hasattr(kind, name) for name in _ARRAYS)


def class_text(kind: type) -> str:
    """The module and the name of a class."""
    return f"{kind.__module__}.{kind.__qualname__}"


def raw_member(kind: type, name: str) -> Any:
    """What a class or a base of it has by a name, as it stands there; None where nothing does."""
    for part in kind.__mro__:
        if name in vars(part):
            return vars(part)[name]
    return None


def has_member(kind: type, name: str) -> bool:
    """Whether a class or a base of it has something by a name."""
    return any(name in vars(part) for part in kind.__mro__)


def member_of(kind: Any, name: str) -> Any:
    """What a class has by a name, as it stands there.

    Raises
    ------
    AttributeError
    """
    if not isinstance(kind, type) or not has_member(kind, name):
        raise AttributeError(name)
    return raw_member(kind, name)


def function_of(member: Any) -> Any:
    """The function of a method, a property or the like; else the member itself."""
    if type(member) is property:
        return member.fget
    if isinstance(member, functools.cached_property):
        return member.func
    return member.__func__ if isinstance(member, (staticmethod, classmethod)) else member


def own_attribute(obj: Any, name: str) -> Any:
    """An attribute of an object itself, in its dict or in a slot; no code of its class runs.

    What a property of the class stands before isn't one.

    Raises
    ------
    AttributeError
    """
    member, kept = raw_member(type(obj), name), _dict_of(obj)
    if type(member) is types.MemberDescriptorType:
        return member.__get__(obj, type(obj))
    if name not in kept or hasattr(type(member), "__set__"):
        raise AttributeError(name)
    return kept[name]


def own_attributes(obj: Any) -> dict[str, Any]:
    """All attributes of an object itself, in its dict and in slots."""
    found = dict(_dict_of(obj))
    for name, slot in slots_of(type(obj)).items():
        with contextlib.suppress(AttributeError):
            found[name] = slot.__get__(obj, type(obj))
    return found


def slots_of(kind: type) -> dict[str, types.MemberDescriptorType]:
    """The slots that objects of a class have, by name."""
    return {
        name: member
        for part in kind.__mro__
        for name, member in vars(part).items()
        if type(member) is types.MemberDescriptorType
    }


def own_names(obj: Any) -> list[str]:
    """The names of all attributes that an object has in its dict."""
    return list(_dict_of(obj))


def _dict_of(obj: Any) -> dict[str, Any]:
    try:
        return object.__getattribute__(obj, "__dict__")
    except AttributeError:  # it has slots alone
        return {}
