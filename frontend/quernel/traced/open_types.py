"""Types of numbers that data decide: a Python number on one path, a NumPy scalar on another.

A number of such a type is held in a dtype that has the value of each path exactly. What it is used
in has to come out the same for each of the types, or is refused.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .numbers import DTYPES, RANK

_EXACT = 2**53  # float64 has all integers up to it
_PREFIX = "python "
_PYTHON = {_PREFIX + kind.__name__: kind for kind in RANK}
_NUMBERS = ("SymbolicNumber", "TracedArray")


class Open(NamedTuple):
    """The type of a number that has one of several types, as data decide.

    Attributes
    ----------
    names : tuple of str
        The types, sorted: dtypes' names, and Python types' with a prefix.
    base : str
        The type by which the number is held.
    """

    names: tuple[str, ...]
    base: str

    @property
    def kinds(self) -> list[Any]:
        """The types: Python's, and dtypes."""
        return [_kind(name) for name in self.names]

    def text(self) -> str:
        """The types for a message."""
        return " or ".join(name.removeprefix(_PREFIX) for name in self.names)


def _name(kind: Any) -> str:
    return _PREFIX + kind.__name__ if isinstance(kind, type) else kind.name


def _kind(name: str) -> Any:
    return _PYTHON.get(name) or np.dtype(name)


def base_of(kind: Any) -> Any:
    """The Python type or dtype by which numbers of a type are held."""
    return _kind(kind.base) if type(kind) is Open else kind


def kinds_of(kind: Any) -> list[Any]:
    """The Python types and dtypes that a type may turn out to be."""
    return kind.kinds if type(kind) is Open else [kind]


def same_type(first: Any, second: Any) -> bool:
    """Whether two types of numbers are one; a dtype equals the Python type that it is made of."""
    return type(first) is type(second) and first == second


def open_type(kinds: list[Any], base: Any) -> Any:
    """The type of a number that has one of some types and is held in `base`."""
    names = tuple(sorted({_name(kind) for kind in kinds}))
    return _kind(names[0]) if names == (_name(base),) else Open(names, _name(base))


def joined(first: Any, second: Any, *numbers: Any) -> Any:
    """The type of a number that may have either of two types; None where no dtype holds both.

    Parameters
    ----------
    numbers : objects, optional
        The two numbers. A Python number that is known may be held in a narrow dtype.
    """
    if same_type(first, second):
        return first
    kinds = [*kinds_of(first), *kinds_of(second)]
    pairs = zip((first, second), numbers or (None, None), strict=True)
    exact = all(_is_exact_in_float(base_of(kind), number) for kind, number in pairs)
    if all(isinstance(kind, type) for kind in kinds):
        base = max(kinds, key=RANK.__getitem__)
        return open_type(kinds, base) if exact or base is int else None
    parts, weak = [], []
    for kind, number in zip((first, second), numbers or (None, None), strict=True):
        base = base_of(kind)
        if not isinstance(base, type):
            parts.append(base)
        elif kind is base and type(number) is kind:
            weak.append(number)
        else:
            parts.append(np.dtype(DTYPES[base]))
    base = np.result_type(*parts)
    for number in weak:
        narrow = np.result_type(base, type(number)(0))
        full = np.dtype(DTYPES[type(number)])
        base = narrow if _holds(narrow, number) else np.result_type(base, full)
    if base.kind in "fc" and not exact:
        return None
    integral = all(part.kind in "biu" for part in parts) and {*map(type, weak)} <= {bool, int}
    if integral and base.kind == "f":
        return None  # no dtype has all integers of both
    return open_type(kinds, base)


def _is_exact_in_float(kind: Any, number: Any) -> bool:
    """Whether float64, or a wider type, has a number of a type exactly.

    Python integers of which no bounds are known, such as counters, count as ones that it has.
    """
    if type(number) is int:
        return _holds(np.dtype(float), number)
    if isinstance(kind, type):
        bounds = getattr(number, "bounds", None)
        return bounds is None or max(map(abs, bounds)) <= _EXACT
    return kind.kind not in "iu" or kind.itemsize < np.dtype(np.int64).itemsize


def _holds(dtype: np.dtype, number: Any) -> bool:
    """Whether a dtype has a Python number exactly."""
    if type(number) is int and dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return limits.min <= number <= limits.max
    with np.errstate(all="ignore"):
        held = dtype.type(number).item()
    return held == number or np.isnan(number)


def open_types_of(obj: Any) -> list[type]:
    """The types that a number may have of which data decide, as Python's classes; else none."""
    kind = getattr(obj, "open", None) if type(obj).__name__ in _NUMBERS else None
    kinds = [] if kind is None else kind.kinds
    return [part if isinstance(part, type) else part.type for part in kinds]


def refuse_open_index(tracer: Any, key: tuple) -> None:
    """Refuse an index that is an integer on some paths only."""
    for item in key:
        parts = (item.start, item.stop, item.step) if type(item) is slice else (item,)
        for part in parts:
            found = {issubclass(kind, (int, np.integer)) for kind in open_types_of(part)}
            boolean = any(kind in (bool, np.bool_) for kind in open_types_of(part))
            if len(found) > 1 or (boolean and len(open_types_of(part)) > 1):
                text = part.open.text()
                tracer.decide(part.value)
                tracer.fail(f"an index that is {text}, as data decide", "convert it: int(x)")


def refuse_open_result(tracer: Any, obj: Any) -> None:
    """Refuse a number as a result of which nobody knows which type it has."""
    if open_types_of(obj):
        tracer.fail(
            f"returning a number that is {obj.open.text()}, as data decide",
            "convert it, such as float(x) or np.int64(x)",
        )
