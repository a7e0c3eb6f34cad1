"""`quernel.Module`, a base class of objects whose arrays move between devices together."""

from __future__ import annotations

import copy
import functools
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

import numpy as np

from .describe import WRITERS
from .devices.selection import CPU, parse
from .dtypes import name_of

Self = TypeVar("Self", bound="Module")


class Module:
    """A base class of objects with arrays, which are its *buffers*.

    An attribute that is an array of numbers is a buffer; one that is a module has buffers of its
    own; so do lists, tuples and dicts of these. Attributes of other kinds stay as they are, and so
    do those of the class. Methods may be compiled, and read the arrays as they read arguments.
    ``__init__`` need not be called.

    A module that has been moved by `to` moves arrays that it is given later, those that a
    ``functools.cached_property`` makes included. Modules are pickled and copied as other objects
    are, each array with the device that it is on.

    Examples
    --------
    >>> class Projection(qn.Module):
    ...     def __init__(self, columns):
    ...         self.columns, self.inverse = columns, None
    ...
    ...     def __call__(self, y):
    ...         if self.inverse is None:
    ...             self.inverse = np.linalg.pinv(self.columns)
    ...         return self.project(y)
    ...
    ...     @qn.compile
    ...     def project(self, y):
    ...         return self.columns @ (self.inverse @ y)
    """

    _device: str | None = None  # where `to` has moved it

    def __init_subclass__(cls, **named: Any) -> None:
        super().__init_subclass__(**named)
        for name, member in list(vars(cls).items()):
            if type(member) is functools.cached_property:
                lazy = _Lazy(member.func)
                lazy.__set_name__(cls, name)
                setattr(cls, name, lazy)

    def __setattr__(self, name: str, value: Any) -> None:
        if self._device is not None and not _is_property(type(self), name):
            for _, module in list(_named(value, "", _is_module)):
                if module._device != self._device:
                    module.to(self._device)
            value = _moved(value, self._device, {})
        object.__setattr__(self, name, value)

    @property
    def device(self) -> str:
        """Where its arrays are: where it was moved to, else where its first buffer is."""
        if self._device is not None:
            return self._device
        return next((buffer.device for buffer in self.buffers()), CPU)

    def buffers(self) -> Iterator[Any]:
        """Each of its arrays, and of its submodules', once.

        Returns
        -------
        iterator of ndarray or DeviceArray
        """
        return (buffer for _, buffer in self.named_buffers())

    def named_buffers(self, prefix: str = "") -> Iterator[tuple[str, Any]]:
        """The same with their names, such as ``"inner.weights"`` and ``"layers.0.weights"``.

        Parameters
        ----------
        prefix : str
            What the names begin with, before a dot.

        Returns
        -------
        iterator of (str, ndarray or DeviceArray)
        """
        seen: set[int] = set()
        for name, buffer in _named(self, prefix, is_array):
            if id(buffer) not in seen:
                seen.add(id(buffer))
                yield name, buffer

    def modules(self) -> Iterator[Module]:
        """The module itself and its submodules, also those of submodules, each once."""
        return (module for _, module in _named(self, "", _is_module))

    def to(self: Self, device: Any) -> Self:
        """Move all arrays to a device.

        An array that several attributes have is one array afterwards, too; views of one array are
        arrays of their own. Where memory ends, the module stays where it is.

        Parameters
        ----------
        device : str or Device
            ``"cpu"``, ``"cuda"`` or ``"cuda:1"``.

        Returns
        -------
        Module
            The module itself.

        Raises
        ------
        DeviceError
            Where the device isn't there, or has no memory left.
        """
        name = parse(device)
        if name is None:
            return self
        if name != CPU:
            from .devices.driver import check_there

            check_there(name)
        known: dict[int, Any] = {}
        changes: list[tuple[Module, str, Any]] = []
        every = list(self.modules())
        for module in every:
            for attribute, value in _attributes(module):
                moved = _moved(value, name, known)
                if moved is not value:
                    changes.append((module, attribute, moved))
        for module, attribute, moved in changes:
            object.__setattr__(module, attribute, moved)
        for module in every:
            object.__setattr__(module, "_device", name)
        return self

    def state_dict(self) -> dict[str, Any]:
        """The arrays by their names, also those that several attributes have; not copies.

        Returns
        -------
        dict of str to ndarray or DeviceArray
            ``numpy.savez(path, **module.to("cpu").state_dict())`` saves them.
        """
        return dict(_named(self, "", is_array))

    def load_state_dict(self, state: Mapping[str, Any], strict: bool = True) -> None:
        """Copy arrays into the buffers of the same names.

        A buffer that isn't made yet, as its attribute is None, is made. Nothing is copied where
        anything is wrong.

        Parameters
        ----------
        state : mapping of str to array_like
            As `state_dict` gives it, on any device.
        strict : bool
            Whether the names have to be the same.

        Raises
        ------
        ValueError
            Which says what names are missing or unexpected, and which arrays have another shape,
            or a dtype that doesn't fit.
        """
        own, unmade = self.state_dict(), dict(self._unmade())
        found: list[str] = []
        if strict:
            missing = [name for name in own if name not in state]
            unexpected = [name for name in state if name not in own and name not in unmade]
            found += [f"missing: {', '.join(missing)}"] if missing else []
            found += [f"unexpected: {', '.join(unexpected)}"] if unexpected else []
        given = {name: _array(value) for name, value in state.items()}
        for name, buffer in own.items():
            found += [f"{name} {why}" for why in _misfits(buffer, given.get(name))]
        if found:
            lines = "\n  ".join(found)
            raise ValueError(f"the arrays don't fit {type(self).__name__}:\n  {lines}")
        for name, value in given.items():
            if name in own:
                own[name][...] = _on(value, CPU)
            elif name in unmade:
                module, attribute = unmade[name]
                setattr(module, attribute, copy.copy(value))

    def _unmade(self) -> Iterator[tuple[str, tuple[Module, str]]]:
        """The attributes that are None, by their names: the module and the attribute."""
        for prefix, module in _named(self, "", _is_module):
            for attribute, value in _attributes(module):
                if value is None:
                    name = f"{prefix}.{attribute}" if prefix else attribute
                    yield name, (module, attribute)


class _Lazy(functools.cached_property):
    """A cached property of a module, whose value is on the module's device."""

    def __get__(self, obj: Any, owner: Any = None) -> Any:
        if obj is None:
            return self
        value = super().__get__(obj, owner)
        Module.__setattr__(obj, self.attrname, value)
        return vars(obj)[self.attrname]


WRITERS[_Lazy] = WRITERS[functools.cached_property]


def is_array(obj: Any) -> bool:
    """Whether an object is an array of numbers of NumPy's, or one on a device."""
    if isinstance(obj, np.ndarray):
        is_masked = isinstance(obj, np.ma.MaskedArray)
        return name_of(obj.dtype) is not None and obj.dtype.fields is None and not is_masked
    return _is_on_device(obj)


def _is_on_device(obj: Any) -> bool:
    devices = sys.modules.get("quernel.devices.array")  # without it there is no such array
    return devices is not None and isinstance(obj, devices.DeviceArray)


def _is_module(obj: Any) -> bool:
    return isinstance(obj, Module)


def _is_property(kind: type, name: str) -> bool:
    """Whether assigning to an attribute calls what the class has by its name."""
    member = next((vars(part)[name] for part in kind.__mro__ if name in vars(part)), None)
    is_slot = isinstance(member, types.MemberDescriptorType)
    return not is_slot and hasattr(type(member), "__set__")


def _attributes(module: Module) -> Iterator[tuple[str, Any]]:
    """The attributes of a module itself, those in slots included."""
    yield from list(vars(module).items())
    for kind in type(module).__mro__:
        for name, member in vars(kind).items():
            if isinstance(member, types.MemberDescriptorType) and hasattr(module, name):
                yield name, getattr(module, name)


def _named(root: Any, prefix: str, wanted: Callable) -> Iterator[tuple[str, Any]]:
    """What a module leads to that is wanted, with the names, in the order of the attributes.

    A module or container that several ways lead to is gone through on the first one.
    """
    seen: set[int] = set()

    def walk(obj: Any, name: str) -> Iterator[tuple[str, Any]]:
        is_holder = _is_module(obj) or _is_container(obj)
        if is_holder and id(obj) in seen:
            return
        seen.add(id(obj))
        if wanted(obj):
            yield name, obj
        for part, item in _parts(obj):
            yield from walk(item, f"{name}.{part}" if name else str(part))

    return walk(root, prefix)


def _parts(obj: Any) -> Iterator[tuple[Any, Any]]:
    """What a module or a container has, by the last parts of the names."""
    if isinstance(obj, Module):
        yield from ((name, value) for name, value in _attributes(obj) if name != "_device")
    elif type(obj) is dict:
        yield from list(obj.items())
    elif _is_container(obj):
        yield from enumerate(list(obj))


def _is_container(obj: Any) -> bool:
    return type(obj) in (list, tuple, dict) or _is_named_tuple(obj)


def _is_named_tuple(obj: Any) -> bool:
    return isinstance(obj, tuple) and hasattr(obj, "_fields")


def _moved(value: Any, device: str, known: dict[int, Any]) -> Any:
    """A value with its arrays on a device: itself, where they are there. Modules stay.

    Parameters
    ----------
    known : dict
        What has been moved so far, by the identity of what it was.
    """
    if id(value) in known:
        return known[id(value)][0]
    moved = value
    if is_array(value):
        moved = _on(value, device)
    elif _is_container(value):
        known[id(value)] = value, value  # where it holds itself
        items = [_moved(item, device, known) for _, item in _parts(value)]
        if any(now is not before for now, (_, before) in zip(items, _parts(value), strict=True)):
            moved = _rebuilt(value, items)
    known[id(value)] = moved, value  # which lives as long as its identity counts
    return moved


def _rebuilt(value: Any, items: list[Any]) -> Any:
    if type(value) is dict:
        return dict(zip(value, items, strict=True))
    return type(value)._make(items) if _is_named_tuple(value) else type(value)(items)


def _on(array: Any, device: str) -> Any:
    """An array on a device: itself, where it is there."""
    if not _is_on_device(array) and device == CPU:
        return array
    from .devices.placing import to_device

    return to_device(array, device)


def _array(value: Any) -> Any:
    return value if is_array(value) else np.asarray(value)


def _misfits(buffer: Any, value: Any) -> Iterator[str]:
    """Why a value can't be copied into a buffer."""
    if value is None:
        return
    if value.shape != buffer.shape:
        yield f"has shape {value.shape}, and the buffer {buffer.shape}"
    if not np.can_cast(value.dtype, buffer.dtype, "same_kind"):
        yield f"has dtype {value.dtype}, and the buffer {buffer.dtype}"
    if isinstance(buffer, np.ndarray) and not buffer.flags.writeable:
        yield "is read-only"
