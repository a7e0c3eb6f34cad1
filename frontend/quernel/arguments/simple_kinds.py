"""The kinds of arguments that hold no others: arrays, numbers, streams and values."""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any

import numpy as np

from .. import _runtime
from ..describe import Undescribable, describe
from ..devices.selection import index_of
from ..dtypes import NUMBERS as DTYPES
from ..dtypes import name_of
from ..errors import UnsupportedError
from .hints import dtype_hint, subclass_hint
from .layouts import FLAGS, array_flags, device_of, flags_of, is_readable, lies, strides_layout
from .leaves import (
    ARRAY_TYPES,
    Leaf,
    LeafKind,
    Likeness,
    Mismatch,
    Pattern,
    Place,
    ProgramFacts,
    Wrapper,
)

IDENTITIES = (type, types.BuiltinFunctionType, np.ufunc, type(np.sum), _runtime.Function)


# The kinds of random streams, by the runtime's numbers.
STREAMS = ("PCG64", "PCG64DXSM", "Philox", "SFC64", "MT19937", "RandomState")


MOST_SMALL = 16  # a size of an inner axis up to this decides how loops over it are compiled


ANY = "any"  # of a program on disk that takes any size or number at a place


_SCALARS = {np.dtype(name).type: f"np.{name}" for name in DTYPES.values()}


_PYTHONS = {float: "float", complex: "complex", int: "int"}


_NUMBERS = (int, float, complex, np.number)


_INT64 = range(-(2**63), 2**63)


_LAYOUTS = {
    "C": "",
    "dense": ", axes {0} in memory",
    "nested": ", any strides with axes {0} in memory",
    "strided": ", any strides",
    "strides": ", strides {1}",
}


def _like_value(leaf: Leaf, counts: bool) -> tuple:
    """The guard for objects that are equal to one, or for those of its type."""
    return (VALUE.name, leaf.obj) if counts else ("like", leaf.obj, False)


class ArrayKind(LeafKind):
    """NumPy's arrays and memmaps, of the dtypes that compiled code has.

    The pattern has the number of the input, the dtype, the sizes (an integer or the name of a
    symbol), the layout and whether the array is written. The layout is ``"C"``, ``"strided"`` for
    any strides, or a list: ``"dense"`` or ``"nested"`` and the axes in the order of memory, or
    ``"strides"``, the axes and the strides in elements. Where the program has asked for flags of
    the array, a mask of them and what they are (as NumPy's C interface numbers them) come last.
    """

    name = "array"

    def leaf(self, obj: Any, path: str, symbolic: bool, depth: int) -> Leaf | None:
        if type(obj) not in ARRAY_TYPES:
            if isinstance(obj, np.ndarray):
                reason = f"`{path}` is a {type(obj).__name__}, a subclass of ndarray"
                raise UnsupportedError(reason, subclass_hint(obj, path))
            return None
        name = name_of(obj.dtype)
        if name is None or obj.dtype.fields is not None:
            reason = f"`{path}` has dtype {obj.dtype}"
            raise UnsupportedError(reason, dtype_hint(obj.dtype, path))
        leaf = Leaf(self, path, obj, name)
        leaf.shape = obj.shape
        leaf.writeable = obj.flags.writeable
        if not is_readable(obj):
            leaf.original = obj
            leaf.obj = np.asarray(obj).astype(np.dtype(name), order="C")
        pairs = zip(leaf.shape, leaf.obj.strides, strict=True)
        leaf.strides = tuple(step // leaf.obj.itemsize if size > 1 else 0 for size, step in pairs)
        is_c = leaf.obj.flags.c_contiguous
        leaf.layout = "C" if is_c else strides_layout(leaf.shape, leaf.strides)
        return leaf

    def signature(self, leaf: Leaf, static: set[str], shapes: bool) -> tuple:
        shape = leaf.shape if shapes else len(leaf.shape)
        layout = leaf.known_layout() if leaf.path in static else leaf.layout
        return (self.name, leaf.dtype, shape, layout)

    def form(self, leaf: Leaf) -> tuple:
        return (leaf.dtype, len(leaf.shape))

    def text(self, leaf: Leaf) -> str:
        layout = "" if leaf.layout == "C" else " with strides"
        return f"{leaf.dtype}{list(leaf.shape)}{layout}"

    def wrapped(self, leaf: Leaf, to: Wrapper) -> Any:
        return to.array(leaf)

    def pattern(self, leaf: Leaf, captured: ProgramFacts) -> Pattern:
        layout = leaf.known_layout() if captured.has_strides(leaf) else leaf.layout
        layout = list(layout) if type(layout) is tuple else layout
        index = captured.index(leaf)
        index = -1 if index is None else index  # a capture may be given up before it has all
        sizes, is_written = captured.sizes(leaf), captured.is_written(leaf)
        asked = captured.flags(leaf)
        flags = [[asked, array_flags(leaf) & asked]] if asked else []
        return [self.name, index, leaf.dtype, sizes, layout, is_written, *flags]

    def guard(self, pattern: Pattern, obj: Any, symbols: dict[str, int]) -> tuple:
        _, index, dtype, dims, layout, written, *flags = pattern
        if type(obj) not in ARRAY_TYPES or DTYPES.get(obj.dtype.num) != dtype:
            raise Mismatch
        if obj.ndim != len(dims) or (layout == "C" and not obj.flags.c_contiguous):
            raise Mismatch
        if written and not obj.flags.writeable:
            raise Mismatch
        if type(layout) is list and not lies(obj, *layout):
            raise Mismatch
        if any(flags_of(obj) & asked != bits for asked, bits in flags):
            raise Mismatch
        shape = []
        for dim, size in zip(dims, obj.shape, strict=True):
            if isinstance(dim, int):
                if dim != size:
                    raise Mismatch
                shape.append(dim)
                continue
            number, least = symbol_of(dim)
            if size < least or symbols.setdefault(dim, size) != size:
                raise Mismatch
            shape.append(("sym", number, least))
        layout = (layout[0], *map(tuple, layout[1:])) if type(layout) is list else layout
        return (self.name, index, dtype, tuple(shape), layout, written, *map(tuple, flags))

    def guard_texts(self, pattern: Pattern, path: str) -> list[str]:
        _, _, dtype, dims, layout, written, *flags = pattern
        text = f"{path}: {dtype}[{', '.join(map(str, dims))}]"
        how, *parts = layout if type(layout) is list else [layout]
        text += _LAYOUTS[how].format(*parts)
        for asked, bits in flags:
            for name, bit in FLAGS.items():
                said = "of no subclass" if name == "plain" else f".flags.{name}"
                text += f", {said} {bool(bits & bit)}" if asked & bit else ""
        return [text + (", written" if written else "")]

    def is_written(self, pattern: Pattern) -> bool:
        return bool(pattern[5])

    def stored(self, leaf: Leaf, pattern: Pattern) -> Iterator[tuple[Place, str]]:
        for axis, dim in enumerate(pattern[3]):
            if type(dim) is str and symbol_of(dim)[1] > 1:
                yield (leaf.path, axis), ANY


class DeviceArrayKind(ArrayKind):
    """Arrays in the memory of a device; the patterns are those of arrays, but for the name.

    Which device it is, is no part of the pattern: it is the one that the function runs on.
    """

    name = "device_array"

    def leaf(self, obj: Any, path: str, symbolic: bool, depth: int) -> Leaf | None:
        if device_of(obj) is None:
            return None
        header = obj.header()
        if not is_readable(header):
            raise UnsupportedError(
                f"`{path}` is an array on a device whose elements aren't aligned",
                f"copy it first: {path}.copy()",
            )
        leaf = super().leaf(header, path, symbolic, depth)
        if leaf is not None:
            leaf.obj = obj
        return leaf

    def text(self, leaf: Leaf) -> str:
        return f"{super().text(leaf)} on {leaf.obj.device}"

    def guard(self, pattern: Pattern, obj: Any, symbols: dict[str, int]) -> tuple:
        device = device_of(obj)
        if device is None:
            raise Mismatch
        form = super().guard(pattern, obj.header(), symbols)
        return (self.name, index_of(device), *form[1:])

    def guard_texts(self, pattern: Pattern, path: str) -> list[str]:
        return [f"{text}, on the device" for text in super().guard_texts(pattern, path)]


class NumberKind(LeafKind):
    """Numbers that stay symbolic: Python's, and NumPy's scalars.

    The pattern has the number of the input and the kind of number; that of a number which the
    program depends on is a value's.
    """

    name = "scalar"

    def leaf(self, obj: Any, path: str, symbolic: bool, depth: int) -> Leaf | None:
        kind = self.kind_of(obj) if symbolic else None
        return None if kind is None else Leaf(self, path, obj, kind)

    @staticmethod
    def kind_of(obj: Any) -> str | None:
        """The runtime's name of a number's kind, or None for what isn't one."""
        kind = type(obj)
        if kind is int and obj not in _INT64:
            return None
        return _PYTHONS.get(kind) or _SCALARS.get(kind)

    def signature(self, leaf: Leaf, static: set[str], shapes: bool) -> tuple:
        if leaf.path in static:
            return VALUE.signature(leaf, static, shapes)
        return (self.name, leaf.dtype)

    def wrapped(self, leaf: Leaf, to: Wrapper) -> Any:
        return to.number(leaf)

    def pattern(self, leaf: Leaf, captured: ProgramFacts) -> Pattern:
        index = captured.index(leaf)
        if index is None:
            return VALUE.pattern(leaf, captured)
        return [self.name, index, leaf.dtype]

    def guard(self, pattern: Pattern, obj: Any, symbols: dict[str, int]) -> tuple:
        _, index, kind = pattern
        if self.kind_of(obj) != kind:
            raise Mismatch
        return (self.name, index, kind)

    def like(self, leaf: Leaf, likeness: Likeness) -> tuple:
        return _like_value(leaf, likeness.exact)

    def guard_texts(self, pattern: Pattern, path: str) -> list[str]:
        return [f"{path}: any {pattern[2]}"]

    def stored(self, leaf: Leaf, pattern: Pattern) -> Iterator[tuple[Place, str]]:
        yield leaf.path, pattern[1] if pattern[0] == VALUE.name else ANY


class StreamKind(LeafKind):
    """NumPy's random generators, whose state is an array of words that programs write.

    The pattern has the number of the input and the runtime's number of the kind of generator.
    """

    name = "stream"

    def leaf(self, obj: Any, path: str, symbolic: bool, depth: int) -> Leaf | None:
        if not type(obj).__module__.startswith("numpy.random"):  # which few programs have loaded
            return None
        found = _runtime.stream_kind(obj)
        if found is None:
            return None
        leaf = Leaf(self, path, obj, "uint64")
        leaf.shape = (found[1],)
        leaf.layout, leaf.strides, leaf.writeable = "C", (1,), True
        leaf.keys = [found[0]]
        return leaf

    def signature(self, leaf: Leaf, static: set[str], shapes: bool) -> tuple:
        return (self.name, *leaf.keys)

    def form(self, leaf: Leaf) -> tuple:
        return (self.name, *leaf.keys)

    def wrapped(self, leaf: Leaf, to: Wrapper) -> Any:
        return to.stream(leaf)

    def pattern(self, leaf: Leaf, captured: ProgramFacts) -> Pattern:
        index = captured.index(leaf)
        return [self.name, -1 if index is None else index, *leaf.keys]

    def guard(self, pattern: Pattern, obj: Any, symbols: dict[str, int]) -> tuple:
        found = _runtime.stream_kind(obj)
        if found is None or found[0] != pattern[2]:
            raise Mismatch
        return tuple(pattern)

    def guard_texts(self, pattern: Pattern, path: str) -> list[str]:
        return [f"{path}: any random stream of a {STREAMS[pattern[2]]}, written"]


def bits_of(leaf: Leaf) -> Any:
    """The bit generator of a random generator, which several may have."""
    return getattr(leaf.obj, "_bit_generator", None) or leaf.obj.bit_generator


class ValueKind(LeafKind):
    """Values that are part of the program: texts, None, flags, dtypes, modules, slices."""

    name = "value"
    is_constant = True
    _relation = "=="

    def leaf(self, obj: Any, path: str, symbolic: bool, depth: int) -> Leaf | None:
        try:
            describe(obj)
        except Undescribable:
            return None
        return Leaf(self, path, obj)

    def signature(self, leaf: Leaf, static: set[str], shapes: bool) -> tuple:
        return (self.name, describe(leaf.obj))

    def wrapped(self, leaf: Leaf, to: Wrapper) -> Any:
        return to.value(leaf.obj)

    def pattern(self, leaf: Leaf, captured: ProgramFacts) -> Pattern:
        return [self.name, describe(leaf.obj)]

    def guard(self, pattern: Pattern, obj: Any, symbols: dict[str, int]) -> tuple:
        try:
            text = describe(obj)
        except Undescribable:
            raise Mismatch from None
        if text != pattern[1]:
            raise Mismatch
        return (self.name, obj)

    def like(self, leaf: Leaf, likeness: Likeness) -> tuple:
        is_number = isinstance(leaf.obj, _NUMBERS) and type(leaf.obj) is not bool
        return _like_value(leaf, likeness.exact if is_number else likeness.by_value)

    def guard_texts(self, pattern: Pattern, path: str) -> list[str]:
        return [f"{path} {self._relation} {pattern[1]}"]


class IdentityKind(ValueKind):
    """Types, NumPy's functions and the like, which are compared by identity."""

    name = "is"
    _relation = "is"

    def leaf(self, obj: Any, path: str, symbolic: bool, depth: int) -> Leaf | None:
        return Leaf(self, path, obj) if isinstance(obj, IDENTITIES) else None

    def signature(self, leaf: Leaf, static: set[str], shapes: bool) -> tuple:
        try:
            text = describe(leaf.obj)
        except Undescribable:
            text = ""
        return (self.name, id(leaf.obj), text)

    def wrapped(self, leaf: Leaf, to: Wrapper) -> Any:
        return to.object(leaf)

    def like(self, leaf: Leaf, likeness: Likeness) -> tuple:
        return (self.name, leaf.obj) if likeness.by_value else ("like", leaf.obj, False)


def symbol_name(number: int, least: int) -> str:
    """The name of a symbol in patterns: ``n0``, which is 2 at least, ``n0?``, ``n0>16``.

    A program with ``n0?``, for any size, has symbols of that kind alone. It takes the calls that
    have a 0 or a 1: the others have a program that knows more. So have those with a size up to 16
    where the symbol is ``n0>16``.
    """
    return f"n{number}" + ("?" if least == 0 else "" if least == 2 else f">{least - 1}")


def symbol_of(name: str) -> tuple[int, int]:
    """The number of a symbol and the least size that it stands for, from its name in a pattern."""
    number, _, below = name[1:].rstrip("?").partition(">")
    least = int(below) + 1 if below else 2
    return int(number), 0 if name.endswith("?") else least


ARRAY, DEVICE_ARRAY, NUMBER, STREAM = ArrayKind(), DeviceArrayKind(), NumberKind(), StreamKind()
VALUE, IDENTITY = ValueKind(), IdentityKind()
