"""Functions of `dataclasses` that look at an object's fields."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from ..traced.array import TracedArray


def stand_in(function: Any) -> Callable[..., Any] | None:
    """What captured code calls in place of a function of `dataclasses`; None: it is captured."""
    return _STAND_INS.get(function)


def _replace(obj: Any, /, **changes: Any) -> Any:
    fields = [field for field in dataclasses.fields(obj) if field.init]
    kept = {x.name: getattr(obj, x.name) for x in fields if x.name not in changes}
    return type(obj)(**kept, **changes)


def _asdict(obj: Any) -> dict[str, Any]:
    return {field.name: _copied(getattr(obj, field.name), _asdict) for field in _fields(obj)}


def _astuple(obj: Any) -> tuple:
    return tuple(_copied(getattr(obj, field.name), _astuple) for field in _fields(obj))


def _fields(obj: Any) -> tuple:
    return dataclasses.fields(obj)


def _copied(obj: Any, inner: Callable[[Any], Any]) -> Any:
    """A deep copy of what a field holds."""
    if dataclasses.is_dataclass(obj) and not isinstance(obj, type):
        return inner(obj)
    if type(obj) in (list, tuple):
        return type(obj)(_copied(item, inner) for item in obj)
    if type(obj) is dict:
        return {key: _copied(item, inner) for key, item in obj.items()}
    return obj.copy() if type(obj) is TracedArray and not obj.is_scalar else obj


_STAND_INS: dict[Any, Callable[..., Any]] = {
    dataclasses.replace: _replace,
    dataclasses.asdict: _asdict,
    dataclasses.astuple: _astuple,
    dataclasses.fields: dataclasses.fields,
    dataclasses.is_dataclass: dataclasses.is_dataclass,
}
