"""The kinds of arguments: one class says all that is particular to each.

An argument is a tree of *leaves*. A kind makes the leaf of an object, and tells of it

- its *signature*, by which calls are alike;
- its *pattern*: what a compiled program demands of such an object, as JSON. It is written when a
  function is captured;
- the runtime's *guard*, made from a pattern and an object of the running process, which may be
  another process than the one that compiled;
- what captured code gets in its place.
"""

from __future__ import annotations

import ast
import functools
import types
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any

import numpy as np

from .. import _runtime
from ..describe import Undescribable, code_digest, describe, has_text, is_member, type_text
from ..devices.selection import index_of
from ..dtypes import NUMBERS as DTYPES
from ..dtypes import name_of
from ..errors import UnsupportedError
from ..signals import let_out
from .carried import MOST_ITEMS, PARTS, parts_of, reaches_itself
from .hints import dtype_hint, object_hint, subclass_hint
from .layouts import (
    FLAGS,
    array_flags,
    device_of,
    flags_of,
    is_readable,
    lies,
    strides_layout,
)
from .leaves import (
    ARRAY_TYPES,
    Leaf,
    LeafKind,
    Likeness,
    Mismatch,
    NothingKind,
    Pattern,
    Place,
    ProgramFacts,
    Wrapper,
)
from .long_lists import NumbersKind
from .named_tuples import class_form, is_named_tuple
from .opaque import OBSERVATION, OPAQUE
from .plain_objects import (
    class_text,
    has_member,
    is_plain_object,
    own_attribute,
    own_names,
)
from .sets import SetKind

MOST_NESTED = 32
# Of dicts that programs take.
KEYS = (str, int, bool)
IDENTITIES = (type, types.BuiltinFunctionType, np.ufunc, type(np.sum), _runtime.Function)
# The kinds of random streams, by the runtime's numbers.
STREAMS = ("PCG64", "PCG64DXSM", "Philox", "SFC64", "MT19937", "RandomState")
MOST_SMALL = 16  # a size of an inner axis up to this decides how loops over it are compiled
ANY = "any"  # of a program on disk that takes any size or number at a place

_SCALARS = {np.dtype(name).type: f"np.{name}" for name in DTYPES.values()}
_PYTHONS = {float: "float", complex: "complex", int: "int"}
_HOLDERS = {tuple, list, dict}
_NUMBERS = (int, float, complex, np.number)
_INT64 = range(-(2**63), 2**63)
_LAYOUTS = {
    "C": "",
    "dense": ", axes {0} in memory",
    "nested": ", any strides with axes {0} in memory",
    "strided": ", any strides",
    "strides": ", strides {1}",
}


class Whole(Exception):
    """What an object holds can't be told apart: no program takes it as a whole."""

    def __init__(self, fault: UnsupportedError) -> None:
        super().__init__()
        self.fault = fault


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


class ContainerKind(LeafKind):
    """What holds other arguments; its patterns end with those of its items."""

    is_container = True

    def form(self, leaf: Leaf) -> tuple:
        return (self.name, *(child.kind.form(child) for child in leaf.children))

    def is_written(self, pattern: Pattern) -> bool:
        return any(map(writes_array, pattern[-1]))

    def stored(self, leaf: Leaf, pattern: Pattern) -> Iterator[tuple[Place, str]]:
        own = NUMBERED.within(pattern)
        if own is not None and own[-1] is not None and len(own[-1]) == len(leaf.children):
            for child, part in zip(leaf.children, own[-1], strict=True):
                yield from child.kind.stored(child, part)

    @staticmethod
    def _parts(
        holder: Any, places: Iterable[tuple[str, Any]], symbolic: bool, depth: int
    ) -> list[Leaf]:
        """The leaves of what a holder holds, by paths.

        Raises
        ------
        Whole
            Where it holds too much, and something that no program takes.
        """
        parts = []
        for path, item in places:
            parts.append(_part_of(item, path, symbolic, depth + 1))
            if len(holder) > MOST_ITEMS:
                for part in parts[-1].refusals():
                    raise Whole(part.fault)
        return parts

    @staticmethod
    def _signatures(leaf: Leaf, static: set[str], shapes: bool) -> tuple:
        return tuple(child.signature(static, shapes) for child in leaf.children)

    @staticmethod
    def _patterns(leaf: Leaf, captured: ProgramFacts) -> list[Pattern]:
        return [child.kind.pattern(child, captured) for child in leaf.children]

    @staticmethod
    def _wrapped(leaf: Leaf, to: Wrapper) -> list[Any]:
        return [child.kind.wrapped(child, to) for child in leaf.children]

    @staticmethod
    def _guards(patterns: list[Pattern], items: Any, symbols: dict[str, int]) -> list[tuple]:
        return [guard(part, item, symbols) for part, item in zip(patterns, items, strict=True)]

    @staticmethod
    def _likes(leaf: Leaf, likeness: Likeness) -> list[tuple]:
        return [child.kind.like(child, likeness) for child in leaf.children]

    def _texts_below(self, pattern: Pattern, path: str) -> list[str]:
        return sum((guard_texts(part, at) for at, part in self.places(pattern, path)), [])

    @staticmethod
    def _texts(patterns: list[Pattern], path: str, keys: Any) -> list[str]:
        parts = zip(patterns, keys, strict=True)
        return sum((guard_texts(part, f"{path}[{key}]") for part, key in parts), [])


class NumberedKind(LeafKind):
    """Lists and dicts of programs that change one, or give one back: these are numbered as objects.

    It is a kind of patterns alone: of the number and the pattern of the list or dict, or None where
    it was there before.
    """

    name = "numbered"

    @classmethod
    def around(
        cls, leaf: Leaf, captured: ProgramFacts, own: Callable[[Leaf, ProgramFacts], Pattern]
    ) -> Pattern:
        """The pattern of a list or dict, which has a number where the program counts them."""
        known = captured.container(leaf)
        if known is None:
            return own(leaf, captured)
        number, is_first = known
        return [cls.name, number, own(leaf, captured) if is_first else None]

    @classmethod
    def within(cls, pattern: Pattern) -> Pattern | None:
        """The pattern of the list or dict itself."""
        return pattern[2] if pattern[0] == cls.name else pattern

    def leaf(self, obj: Any, path: str, symbolic: bool, depth: int) -> Leaf | None:
        return None

    def guard(self, pattern: Pattern, obj: Any, symbols: dict[Any, Any]) -> tuple:
        _, number, own = pattern
        NamedPartsKind._number(number, own is None, obj, symbols)
        form = None if own is None else guard(own, obj, symbols)
        if own is not None and own[0] == DictKind.name:
            keys = [describe(key) for key in obj]
            if keys != own[1]:
                raise Mismatch
            form = (*form, True)
        return (self.name, number, form)

    def guard_texts(self, pattern: Pattern, path: str) -> list[str]:
        _, number, own = pattern
        return [f"{path}: container {number} again"] if own is None else guard_texts(own, path)

    def places(self, pattern: Pattern, path: str) -> Iterable[tuple[str, Pattern]]:
        return () if pattern[2] is None else ((path, pattern[2]),)

    def is_written(self, pattern: Pattern) -> bool:
        return pattern[2] is not None and writes_array(pattern[2])


class SequenceKind(ContainerKind):
    """Tuples, or lists."""

    def __init__(self, python: type) -> None:
        self.python, self.name = python, python.__name__

    def leaf(self, obj: Any, path: str, symbolic: bool, depth: int) -> Leaf | None:
        if type(obj) is not self.python:
            return None
        places = ((f"{path}[{k}]", item) for k, item in enumerate(obj))
        leaf = Leaf(self, path, obj, children=self._parts(obj, places, symbolic, depth))
        leaf.fixed = not symbolic
        return leaf

    def signature(self, leaf: Leaf, static: set[str], shapes: bool) -> tuple:
        return (self.name, ANY if leaf.is_open else (), self._signatures(leaf, static, shapes))

    def form(self, leaf: Leaf) -> tuple:
        return (*super().form(leaf), leaf.is_open)

    def rebuilt(self, leaf: Leaf, children: list[Any]) -> Any:
        return self.python(children)

    def wrapped(self, leaf: Leaf, to: Wrapper) -> Any:
        if self.python is tuple:
            return tuple(self._wrapped(leaf, to))
        return to.container(leaf, lambda: self._wrapped(leaf, to))

    def pattern(self, leaf: Leaf, captured: ProgramFacts) -> Pattern:
        if self.python is tuple:
            return [self.name, self._patterns(leaf, captured)]
        return NUMBERED.around(leaf, captured, self._own_pattern)

    def _own_pattern(self, leaf: Leaf, captured: ProgramFacts) -> Pattern:
        return [self.name, None if leaf.is_open else self._patterns(leaf, captured)]

    def guard(self, pattern: Pattern, obj: Any, symbols: dict[str, int]) -> tuple:
        _, parts = pattern
        if type(obj) is not self.python or (parts is not None and len(obj) != len(parts)):
            raise Mismatch
        return (self.name, None if parts is None else self._guards(parts, obj, symbols))

    def like(self, leaf: Leaf, likeness: Likeness) -> tuple:
        if leaf.is_open:
            return (self.name, None)
        if likeness.by_value:
            return (self.name, self._likes(leaf, likeness))
        if any(leaf.refusals()):
            raise Mismatch  # which items other lists have, no guard for all of them says
        return ("like", leaf.obj, False)

    def places(self, pattern: Pattern, path: str) -> Iterator[tuple[str, Pattern]]:
        return ((f"{path}[{k}]", part) for k, part in enumerate(pattern[1] or ()))

    def is_written(self, pattern: Pattern) -> bool:
        return pattern[1] is not None and super().is_written(pattern)

    def guard_texts(self, pattern: Pattern, path: str) -> list[str]:
        if pattern[1] is None:
            return [f"{path}: any {self.name}"]
        count = len(pattern[1])
        texts = self._texts(pattern[1], path, range(count))
        return [f"{path}: {self.name} of {count}", *texts]


class NamedTupleKind(ContainerKind):
    """Named tuples whose class has a text; the pattern says which class it is."""

    name = "named"

    def leaf(self, obj: Any, path: str, symbolic: bool, depth: int) -> Leaf | None:
        if not is_named_tuple(obj) or not class_form(type(obj)):
            return None
        items = zip(type(obj)._fields, obj, strict=True)
        places = ((f"{path}.{name}", item) for name, item in items)
        return Leaf(self, path, obj, children=self._parts(obj, places, symbolic, depth))

    def signature(self, leaf: Leaf, static: set[str], shapes: bool) -> tuple:
        form = class_form(type(leaf.obj))
        return (self.name, *form, self._signatures(leaf, static, shapes))

    def rebuilt(self, leaf: Leaf, children: list[Any]) -> Any:
        return type(leaf.obj)._make(children)

    def wrapped(self, leaf: Leaf, to: Wrapper) -> Any:
        return type(leaf.obj)._make(self._wrapped(leaf, to))

    def pattern(self, leaf: Leaf, captured: ProgramFacts) -> Pattern:
        return [self.name, class_form(type(leaf.obj)), self._patterns(leaf, captured)]

    def guard(self, pattern: Pattern, obj: Any, symbols: dict[str, int]) -> tuple:
        _, form, parts = pattern
        kind = type(obj)
        if not is_named_tuple(obj) or class_form(kind) != form or len(obj) != len(parts):
            raise Mismatch
        return (self.name, kind, self._guards(parts, obj, symbols))

    def like(self, leaf: Leaf, likeness: Likeness) -> tuple:
        return (self.name, type(leaf.obj), self._likes(leaf, likeness))

    def guard_texts(self, pattern: Pattern, path: str) -> list[str]:
        _, form, parts = pattern
        texts = self._texts(parts, path, range(len(parts)))
        return [f"{path}: {form[1]} of {len(parts)}", *texts]


class DictKind(ContainerKind):
    """Dicts whose keys have texts that tell them apart, which the pattern has."""

    name = "dict"

    def leaf(self, obj: Any, path: str, symbolic: bool, depth: int) -> Leaf | None:
        if type(obj) is not dict:
            return None
        for key in obj:
            if symbolic and not is_key(key):
                raise UnsupportedError(
                    f"`{path}` is a dict with a key of type {type(key).__name__}",
                    "use texts, numbers, types, or tuples of them as keys",
                )
        if not all(map(is_key, obj)):
            return None
        if len(set(map(describe, obj))) < len(obj):  # classes of one name
            return None
        places = ((f"{path}[{key!r}]", value) for key, value in obj.items())
        leaf = Leaf(self, path, obj, children=self._parts(obj, places, symbolic, depth))
        leaf.keys, leaf.fixed = list(obj), not symbolic
        return leaf

    def signature(self, leaf: Leaf, static: set[str], shapes: bool) -> tuple:
        keys = tuple(describe(key) for key in leaf.keys)
        keys = (ANY, *keys) if leaf.is_open else keys
        return (self.name, keys, self._signatures(leaf, static, shapes))

    def form(self, leaf: Leaf) -> tuple:
        return (*super().form(leaf), leaf.is_open, tuple(leaf.keys) if leaf.is_open else ())

    def rebuilt(self, leaf: Leaf, children: list[Any]) -> Any:
        return dict(zip(leaf.keys, children, strict=True))

    def wrapped(self, leaf: Leaf, to: Wrapper) -> Any:
        def make() -> dict[Any, Any]:
            return dict(zip(map(to.key, leaf.keys), self._wrapped(leaf, to), strict=True))

        return to.container(leaf, make)

    def pattern(self, leaf: Leaf, captured: ProgramFacts) -> Pattern:
        return NUMBERED.around(leaf, captured, self._own_pattern)

    def _own_pattern(self, leaf: Leaf, captured: ProgramFacts) -> Pattern:
        if not leaf.is_open:
            keys = [describe(key) for key in leaf.keys]
            return [self.name, keys, self._patterns(leaf, captured)]
        refused = [child.kind.pattern(child, captured) for child in leaf.refused.values()]
        keys, parts = (*leaf.keys, *leaf.refused), [*self._patterns(leaf, captured), *refused]
        return [ENTRIES.name, list(map(repr, leaf.absent)), list(map(repr, keys)), parts]

    def stored(self, leaf: Leaf, pattern: Pattern) -> Iterator[tuple[Place, str]]:
        own = NUMBERED.within(pattern)
        if not leaf.is_open and (own is None or own[0] == self.name):
            yield from super().stored(leaf, pattern)
        elif own is not None and own[0] == ENTRIES.name:
            parts = dict(zip(own[2], own[3], strict=True))
            for key, child in zip(leaf.keys, leaf.children, strict=True):
                part = parts.get(repr(key), [""])
                if part[0] in (child.kind.name, VALUE.name) and child.kind in (ARRAY, NUMBER):
                    yield from child.kind.stored(child, part)

    def guard(self, pattern: Pattern, obj: Any, symbols: dict[str, int]) -> tuple:
        _, keys, parts = pattern
        if type(obj) is not dict or len(obj) != len(keys):
            raise Mismatch
        by_text = {describe(key): key for key in obj if is_key(key)}
        if any(key not in by_text for key in keys):
            raise Mismatch
        names = [by_text[key] for key in keys]
        return (self.name, names, self._guards(parts, map(obj.get, names), symbols))

    def like(self, leaf: Leaf, likeness: Likeness) -> tuple:
        if leaf.is_open:
            refused = [child.kind.like(child, likeness) for child in leaf.refused.values()]
            guards = [*self._likes(leaf, likeness), *refused]
            return (ENTRIES.name, tuple(leaf.absent), (*leaf.keys, *leaf.refused), guards)
        if likeness.by_value:
            return (self.name, list(leaf.keys), self._likes(leaf, likeness))
        if any(leaf.refusals()):
            raise Mismatch  # under which keys other dicts have it, no guard for all of them says
        return (ENTRIES.name, (), (), [])

    def places(self, pattern: Pattern, path: str) -> Iterator[tuple[str, Pattern]]:
        # The texts of texts and integers have what Python writes behind their kind.
        keys = (key.partition(":")[2] for key in pattern[1])
        return ((f"{path}[{key}]", part) for key, part in zip(keys, pattern[2], strict=True))

    def guard_texts(self, pattern: Pattern, path: str) -> list[str]:
        return self._texts(pattern[2], path, pattern[1])


class EntriesKind(ContainerKind):
    """Dicts of which programs look at some keys and take whatever else they hold.

    It is a kind of patterns alone: of the keys that aren't there and those that are, as they are
    written out, and the patterns of what is there.
    """

    name = "entries"

    def leaf(self, obj: Any, path: str, symbolic: bool, depth: int) -> Leaf | None:
        return None

    def guard(self, pattern: Pattern, obj: Any, symbols: dict[str, int]) -> tuple:
        absent, keys = (tuple(map(ast.literal_eval, texts)) for texts in pattern[1:3])
        if type(obj) is not dict or any(key in obj for key in absent):
            raise Mismatch
        if any(key not in obj for key in keys):
            raise Mismatch
        return (self.name, absent, keys, self._guards(pattern[3], map(obj.get, keys), symbols))

    def guard_texts(self, pattern: Pattern, path: str) -> list[str]:
        texts = [f"{path}: a dict", *(f"{path}: no key {key}" for key in pattern[1])]
        return texts + self._texts_below(pattern, path)

    def places(self, pattern: Pattern, path: str) -> Iterator[tuple[str, Pattern]]:
        return ((f"{path}[{k}]", part) for k, part in zip(pattern[2], pattern[3], strict=True))


class NamedPartsKind(ContainerKind):
    """What has parts by name, and is numbered: the patterns end with the names and the parts'."""

    def places(self, pattern: Pattern, path: str) -> Iterator[tuple[str, Pattern]]:
        return ((f"{path}.{k}", part) for k, part in zip(pattern[-2], pattern[-1], strict=True))

    @staticmethod
    def _number(number: int, is_again: bool, obj: Any, symbols: dict[Any, Any]) -> None:
        """Note that an object has a number, and that it had no other one where it is there first.

        Raises
        ------
        Mismatch
        """
        if symbols.setdefault((OBJECT.name, number), obj) is not obj:
            raise Mismatch
        others = [key for key, known in symbols.items() if known is obj and key[1] != number]
        if others and not is_again:
            raise Mismatch


class PartsKind(ContainerKind):
    """Methods that are bound to an object, and partial functions, which are made of their parts."""

    name = "parts"

    def leaf(self, obj: Any, path: str, symbolic: bool, depth: int) -> Leaf | None:
        names = PARTS.get(type(obj))
        if names is None:
            return None
        places = [(f"{path}.{name}", getattr(obj, name)) for name in names]
        return Leaf(self, path, obj, children=self._parts(names, places, symbolic, depth))

    def signature(self, leaf: Leaf, static: set[str], shapes: bool) -> tuple:
        return (self.name, class_text(type(leaf.obj)), self._signatures(leaf, static, shapes))

    def rebuilt(self, leaf: Leaf, children: list[Any]) -> Any:
        if type(leaf.obj) is functools.partial:
            function, args, keywords = children
            return functools.partial(function, *args, **keywords)
        return type(leaf.obj)(*children)

    def wrapped(self, leaf: Leaf, to: Wrapper) -> Any:
        if type(leaf.obj) is functools.partial:
            return self.rebuilt(leaf, self._wrapped(leaf, to))
        return types.MethodType(*self._wrapped(leaf, to))

    def pattern(self, leaf: Leaf, captured: ProgramFacts) -> Pattern:
        return [self.name, class_text(type(leaf.obj)), self._patterns(leaf, captured)]

    def guard(self, pattern: Pattern, obj: Any, symbols: dict[str, int]) -> tuple:
        _, text, parts = pattern
        kind = type(obj)
        if kind not in PARTS or class_text(kind) != text:
            raise Mismatch
        names = PARTS[kind]
        values = [getattr(obj, name) for name in names]
        return (self.name, kind, names, self._guards(parts, values, symbols))

    def like(self, leaf: Leaf, likeness: Likeness) -> tuple:
        kind = type(leaf.obj)
        return (self.name, kind, PARTS[kind], self._likes(leaf, likeness))

    def guard_texts(self, pattern: Pattern, path: str) -> list[str]:
        texts = [f"{path}: a {pattern[1].rpartition('.')[2]}"]
        return texts + self._texts_below(pattern, path)

    def places(self, pattern: Pattern, path: str) -> Iterator[tuple[str, Pattern]]:
        _, text, parts = pattern
        names = next(names for kind, names in PARTS.items() if class_text(kind) == text)
        return ((f"{path}.{name}", part) for name, part in zip(names, parts, strict=True))


class ObjectKind(NamedPartsKind):
    """Objects of the user's classes, of which a program takes the attributes that it looks at.

    Which these are is known when a function has been captured; see `attribute_leaf`. The pattern
    has the object's number, the text of its class, how many attributes its dict has, if that
    counts, those that it mustn't have of its own, each with whether its class has one, and those
    that the program takes, with their patterns.
    Where an object was there before, the pattern has its number alone: objects of other numbers
    are other objects.
    """

    name = "object"

    def leaf(self, obj: Any, path: str, symbolic: bool, depth: int) -> Leaf | None:
        if not is_plain_object(obj):
            return None
        leaf = Leaf(self, path, obj)
        leaf.fixed = not symbolic
        return leaf

    def signature(self, leaf: Leaf, static: set[str], shapes: bool) -> tuple:
        kind = type(leaf.obj)
        parts = tuple(zip(leaf.keys, self._signatures(leaf, static, shapes), strict=True))
        return (self.name, id(kind), class_text(kind), parts)

    def form(self, leaf: Leaf) -> tuple:
        return (self.name, type(leaf.obj), tuple(leaf.keys), super().form(leaf))

    def wrapped(self, leaf: Leaf, to: Wrapper) -> Any:
        return to.instance(leaf)

    def pattern(self, leaf: Leaf, captured: ProgramFacts) -> Pattern:
        number, is_first = captured.instance(leaf)
        form = [self.name, number, class_text(type(leaf.obj))]
        if not is_first:
            return [*form, None, None, [], []]
        count = len(own_names(leaf.obj)) if leaf.whole else None
        absent = [[name, has_member(type(leaf.obj), name)] for name in leaf.absent]
        refused = [child.kind.pattern(child, captured) for child in leaf.refused.values()]
        names, parts = [*leaf.keys, *leaf.refused], [*self._patterns(leaf, captured), *refused]
        return [*form, count, absent, names, parts]

    def guard(self, pattern: Pattern, obj: Any, symbols: dict[Any, Any]) -> tuple:
        _, number, text, count, absent, names, parts = pattern
        kind = type(obj)
        if not is_plain_object(obj) or class_text(kind) != text:
            raise Mismatch
        self._number(number, absent is None, obj, symbols)
        if absent is None:
            return (self.name, number, kind, None, [], [])
        if count is not None and len(own_names(obj)) != count:
            raise Mismatch
        for name, is_of_class in absent:
            if _has_own(obj, name) or has_member(kind, name) != is_of_class:
                raise Mismatch
        try:
            values = [own_attribute(obj, name) for name in names]
        except AttributeError:
            raise Mismatch from None
        guards = self._guards(parts, values, symbols)
        counted = () if count is None else (count,)
        lacks = [name for name, _ in absent]
        return (self.name, number, kind, lacks, list(names), guards, *counted)

    def like(self, leaf: Leaf, likeness: Likeness) -> tuple:
        number, is_first = likeness.number(leaf.obj)
        form = (self.name, number, type(leaf.obj))
        if not is_first:
            return (*form, None, [], [])
        refused = [child.kind.like(child, likeness) for child in leaf.refused.values()]
        guards = [*self._likes(leaf, likeness), *refused]
        counted = (len(own_names(leaf.obj)),) if leaf.whole else ()
        return (*form, list(leaf.absent), [*leaf.keys, *leaf.refused], guards, *counted)

    def guard_texts(self, pattern: Pattern, path: str) -> list[str]:
        _, number, text, count, absent, _, _ = pattern
        if absent is None:
            return [f"{path}: object {number} again"]
        texts = [f"{path}: a {text.rpartition('.')[2]}"]
        texts += [] if count is None else [f"{path}: {count} attributes"]
        texts += [f"{path}: no attribute {name}{' of its own' * own}" for name, own in absent]
        return texts + self._texts_below(pattern, path)

    def stored(self, leaf: Leaf, pattern: Pattern) -> Iterator[tuple[Place, str]]:
        parts = dict(zip(pattern[-2], pattern[-1], strict=True))
        for name, child in zip(leaf.keys, leaf.children, strict=True):
            kind = parts.get(name, [""])[0]
            is_number = child.kind is NUMBER and kind in (NUMBER.name, VALUE.name)
            if is_number or (child.kind in (ARRAY, DEVICE_ARRAY, self) and kind == child.kind.name):
                yield from child.kind.stored(child, parts[name])


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


class FunctionKind(NamedPartsKind):
    """The user's functions: their code, and what each carries along in its closure and defaults.

    So a function that is made for each call, such as a lambda, is the same to a program as long as
    its parts are. Functions are numbered with the objects, so that a program may ask which are one.
    The pattern has the number, how the function is known, the text of its code, and the names and
    the patterns of its parts. It is known by its ``"code"``; or it is there ``"again"``; or, where
    not all of its parts can be guarded, it ``"is"`` one, whose parts are read when it is captured.
    """

    name = "function"

    def leaf(self, obj: Any, path: str, symbolic: bool, depth: int) -> Leaf | None:
        if type(obj) is not types.FunctionType:
            return None
        leaf = Leaf(self, path, obj)
        try:
            self._take_apart(leaf, symbolic, depth)
        except UnsupportedError:
            leaf.fixed = True  # what reads the parts says why
        return leaf

    @staticmethod
    def _take_apart(leaf: Leaf, symbolic: bool, depth: int) -> None:
        """Give a function's leaf those of its parts, or have it be known by itself.

        Raises
        ------
        UnsupportedError
        """
        function = leaf.obj
        parts = None if vars(function) or reaches_itself(function) else parts_of(function)
        if parts is None or any(map(has_many_items, parts.values())):
            leaf.fixed = True
            return
        children = [
            classify(value, f"{leaf.path}.{name}", symbolic, depth + 1)
            for name, value in parts.items()
        ]
        leaf.fixed = any(part.original is not None for one in children for part in one.leaves())
        if not leaf.fixed:
            leaf.keys, leaf.children = list(parts), children

    def signature(self, leaf: Leaf, static: set[str], shapes: bool) -> tuple:
        known = id(leaf.obj) if leaf.fixed else id(leaf.obj.__code__)
        try:
            text = self._text(leaf.obj, leaf.fixed)
        except Undescribable:
            text = ""
        return (self.name, known, text, self._signatures(leaf, static, shapes))

    def rebuilt(self, leaf: Leaf, children: list[Any]) -> Any:
        return leaf.obj

    def wrapped(self, leaf: Leaf, to: Wrapper) -> Any:
        if leaf.fixed:
            return to.object(leaf)
        return to.function(leaf, lambda: dict(zip(leaf.keys, self._wrapped(leaf, to), strict=True)))

    def pattern(self, leaf: Leaf, captured: ProgramFacts) -> Pattern:
        number, is_first = captured.instance(leaf)
        how = "again" if not is_first else "is" if leaf.fixed else "code"
        form = [self.name, number, how, self._text(leaf.obj, leaf.fixed)]
        if not is_first:
            return [*form, [], []]
        return [*form, list(leaf.keys), self._patterns(leaf, captured)]

    def guard(self, pattern: Pattern, obj: Any, symbols: dict[Any, Any]) -> tuple:
        _, number, how, text, names, patterns = pattern
        if type(obj) is not types.FunctionType:
            raise Mismatch
        self._number(number, how == "again", obj, symbols)
        if how == "again":
            return (self.name, number, how, obj, [])
        try:
            is_same = self._text(obj, how == "is") == text
        except Undescribable:
            raise Mismatch from None
        parts = {} if how == "is" else parts_of(obj)
        if not is_same or parts is None or list(parts) != names or (how == "code" and vars(obj)):
            raise Mismatch
        return (self.name, number, how, obj, self._guards(patterns, parts.values(), symbols))

    def like(self, leaf: Leaf, likeness: Likeness) -> tuple:
        if not likeness.by_value:
            return ("like", leaf.obj, False)
        number, is_first = likeness.number(leaf.obj)
        how = "again" if not is_first else "is" if leaf.fixed else "code"
        parts = self._likes(leaf, likeness) if how == "code" else []
        return (self.name, number, how, leaf.obj, parts)

    def guard_texts(self, pattern: Pattern, path: str) -> list[str]:
        _, number, how, text, _, _ = pattern
        if how == "again":
            return [f"{path}: function {number} again"]
        texts = [f"{path} is {text}" if how == "is" else f"{path} has the code of {text}"]
        return texts + self._texts_below(pattern, path)

    def stored(self, leaf: Leaf, pattern: Pattern) -> Iterator[tuple[Place, str]]:
        return super().stored(leaf, pattern) if pattern[2] == "code" else iter(())

    @staticmethod
    def _text(obj: types.FunctionType, is_whole: bool) -> str:
        return describe(obj) if is_whole else f"function:{code_digest(obj)}"


class RefusedKind(LeafKind):
    """What no program takes, of any type; a leaf of it says why.

    The pattern says what it is: an object for which that text is the same is refused, too, if it is
    no list that holds other things.
    """

    name = "refused"

    def signature(self, leaf: Leaf, static: set[str], shapes: bool) -> tuple:
        return (self.name, refused_text(leaf.obj))

    def wrapped(self, leaf: Leaf, to: Wrapper) -> Any:
        return to.refused(leaf)

    def pattern(self, leaf: Leaf, captured: ProgramFacts) -> Pattern:
        return [self.name, refused_text(leaf.obj)]

    def guard(self, pattern: Pattern, obj: Any, symbols: dict[str, int]) -> tuple:
        if refused_text(obj) != pattern[1] or not any(any_leaf(obj, "", depth=1).refusals()):
            raise Mismatch
        return ("like", obj, False)

    def like(self, leaf: Leaf, likeness: Likeness) -> tuple:
        if type(leaf.obj) in (tuple, list, dict):
            raise Mismatch  # no guard tells them from others
        return super().like(leaf, Likeness(False, False))

    def guard_texts(self, pattern: Pattern, path: str) -> list[str]:
        return [f"{path}: what no program takes ({pattern[1]})"]


ARRAY, DEVICE_ARRAY, NUMBER, STREAM = ArrayKind(), DeviceArrayKind(), NumberKind(), StreamKind()
VALUE, IDENTITY, OBJECT = ValueKind(), IdentityKind(), ObjectKind()
FUNCTION, REFUSED, NUMBERS = FunctionKind(), RefusedKind(), NumbersKind(ARRAY)
TUPLE, LIST, NAMED, DICT = SequenceKind(tuple), SequenceKind(list), NamedTupleKind(), DictKind()
NUMBERED, ENTRIES = NumberedKind(), EntriesKind()
NO_OBJECT = NothingKind()
# In the order in which an object is asked whose it is.
KINDS: tuple[LeafKind, ...] = (
    ARRAY,
    NUMBER,
    DEVICE_ARRAY,
    NUMBERS,
    TUPLE,
    LIST,
    NAMED,
    DICT,
    STREAM,
    FUNCTION,
    IDENTITY,
    VALUE,
    SetKind(),
    PartsKind(),
    OBJECT,
    NO_OBJECT,
    OBSERVATION,
    OPAQUE,
)
BY_NAME = {kind.name: kind for kind in (*KINDS, REFUSED, NUMBERED, ENTRIES)}


def classify(obj: Any, path: str, symbolic: bool = True, depth: int = 0) -> Leaf:
    """The leaf of an object; see `any_leaf`.

    Raises
    ------
    UnsupportedError
        For kinds of objects that compiled code can't take.
    """
    return taken(any_leaf(obj, path, symbolic, depth))


def any_leaf(obj: Any, path: str, symbolic: bool = True, depth: int = 0) -> Leaf:
    """The leaf of an object, also of one that compiled code can't take.

    Parameters
    ----------
    symbolic : bool
        Whether its Python numbers may change between calls.
    depth : int
        The number of containers that it is in.
    """
    numbers = NUMBERS.leaf(obj, path, symbolic, depth)
    if numbers is not None:
        return numbers
    try:
        if depth == 0 and symbolic and has_many_items(obj):
            raise Whole(_too_many_items(path))
        return _part_of(obj, path, symbolic, depth)
    except Whole as whole:
        return _refused(obj, path, whole.fault)


def _part_of(obj: Any, path: str, symbolic: bool, depth: int) -> Leaf:
    """The leaf of what is in a container.

    Raises
    ------
    Whole
    """
    if depth > MOST_NESTED:
        name = path.split("[", maxsplit=1)[0]
        text = f"`{name}` is nested more than {MOST_NESTED} deep"
        raise Whole(UnsupportedError(text, "pass an array"))
    try:
        for kind in KINDS:
            leaf = kind.leaf(obj, path, symbolic, depth)
            if leaf is not None:
                return leaf
    except UnsupportedError as error:
        return _refused(obj, path, error)
    reason = f"`{path}` is an object of type {type(obj).__name__}"
    return _refused(obj, path, UnsupportedError(reason, object_hint(obj, path)))


def _refused(obj: Any, path: str, fault: UnsupportedError) -> Leaf:
    leaf = Leaf(REFUSED, path, obj)
    leaf.fault = fault
    return leaf


def taken(leaf: Leaf) -> Leaf:
    """A leaf that compiled code can take.

    Raises
    ------
    UnsupportedError
        For another one.
    """
    for part in leaf.refusals():
        raise part.fault
    return leaf


def refused_parts(leaf: Leaf, steps: tuple = ()) -> Iterator[tuple[tuple, Leaf]]:
    """An argument, attributes of it, or what dicts have at keys, where no program takes these.

    Each comes with the steps that lead there: names of attributes, and keys, each in a tuple.
    """
    if any(leaf.refusals()):
        yield steps, leaf
    if leaf.kind is OBJECT or leaf.is_open:
        known = zip(leaf.keys, leaf.children, strict=True)
        for name, part in (*known, *leaf.refused.items()):
            yield from refused_parts(part, (*steps, name if leaf.kind is OBJECT else (name,)))


def refused_text(obj: Any) -> str:
    """What an object is that no program takes, as far as that decides it."""
    text = type_text(obj)
    if isinstance(obj, np.ndarray):
        return f"{text} of {obj.dtype.str if obj.dtype.names is None else obj.dtype}"
    if type(obj) is dict:
        keys = sorted({type_text(key) for key in obj if not is_key(key)})
        return f"{text} with keys of {', '.join(keys)}"
    return text


def _too_many_items(path: str) -> UnsupportedError:
    return UnsupportedError(f"`{path}` has more than {MOST_ITEMS} items", "pass an array")


def leaf_of(
    obj: Any, path: str, symbolic: bool = True, depth: int = 0, is_open: bool = False
) -> Leaf:
    """The leaf of an argument, of an attribute, or of what is read from outside; see `any_leaf`.

    A list or dict that holds what compiled code can't take is open: what looks at all of it finds
    that. An argument of too many items is refused at once, as it is at each call.
    """
    if type(obj) not in (list, dict):
        return any_leaf(obj, path, symbolic, depth)
    if not is_open:
        leaf = any_leaf(obj, path, symbolic, depth)
        is_argument = depth == 0 and symbolic
        if not any(leaf.refusals()) or (is_argument and has_many_items(obj)):
            return leaf
    leaf = Leaf(LIST if type(obj) is list else DICT, path, obj)
    leaf.fixed = not symbolic
    leave_open(leaf)
    return leaf


def attribute_leaf(leaf: Leaf, name: str, is_open: bool = False) -> Leaf:
    """The leaf of an object's own attribute, which the object's leaf has from then on.

    Raises
    ------
    AttributeError
    UnsupportedError
        For what compiled code can't take.
    """
    if name not in leaf.keys:
        child = _attribute(leaf, name, is_open)
        if any(child.refusals()):
            leaf.refused[name] = child
            return taken(child)
        leaf.keys.append(name)
        leaf.children.append(child)
    return leaf.children[leaf.keys.index(name)]


def _attribute(leaf: Leaf, name: str, is_open: bool) -> Leaf:
    path = f"{leaf.path}.{name}"
    value = own_attribute(leaf.obj, name)
    child = leaf_of(value, path, not leaf.fixed, path.count("."), is_open)
    _refuse_converted(child, "an attribute of an object")
    return child


def open_place(path: str) -> str:
    """The place among attributes that says that a list or dict is open, with a dict's keys."""
    return f"{path}[]"


def leave_open(leaf: Leaf) -> None:
    """Have programs take a list or dict whatever it holds."""
    leaf.is_open, leaf.keys, leaf.absent, leaf.children, leaf.refused = True, [], [], [], {}


def key_leaf(leaf: Leaf, key: Any) -> Leaf | None:
    """The leaf of what an open dict has at a key, which programs look at; None if nothing is there.

    Raises
    ------
    UnsupportedError
        For what compiled code can't take.
    """
    if key not in leaf.keys:
        if key not in leaf.obj:
            leaf.absent += [] if key in leaf.absent else [key]
            return None
        child = _item(leaf, key)
        if any(child.refusals()):
            leaf.refused[key] = child
            return taken(child)
        leaf.keys.append(key)
        leaf.children.append(child)
    return leaf.children[leaf.keys.index(key)]


def _item(leaf: Leaf, key: Any) -> Leaf:
    path = f"{leaf.path}[{key!r}]"
    child = leaf_of(leaf.obj[key], path, not leaf.fixed, _depth(path))
    _refuse_converted(child, "an item of a dict")
    return child


def _depth(path: str) -> int:
    return path.count(".") + path.count("[")


def take_items(leaf: Leaf) -> None:
    """Have programs look at all of a list or dict that they have taken whatever it holds.

    Raises
    ------
    UnsupportedError
        For what compiled code can't take.
    """
    if leaf.is_open:
        _close(leaf)
    taken(leaf)


def _close(leaf: Leaf) -> None:
    """Give the leaf of an open list or dict all that it holds, also what no program takes."""
    known = any_leaf(leaf.obj, leaf.path, not leaf.fixed, _depth(leaf.path))
    if known.kind is NUMBERS:  # which stand for lists that nobody changes
        known = _refused(leaf.obj, leaf.path, _too_many_items(leaf.path))
    if known.kind is REFUSED:
        leaf.kind, leaf.fault = known.kind, known.fault
    leaf.keys, leaf.children, leaf.absent, leaf.refused = known.keys, known.children, [], {}
    leaf.is_open = False
    _refuse_converted(leaf, f"an item of a {type(leaf.obj).__name__}")


def _refuse_converted(leaf: Leaf, what: str) -> None:
    for part in leaf.leaves():
        if part.original is not None:
            part.kind, part.obj, part.original = REFUSED, part.original, None
            part.fault = UnsupportedError(
                f"`{part.path}` is unaligned or byte-swapped, and {what}",
                f"convert it first: np.array({part.path}, '{part.dtype}')",
            )


def look_at(leaf: Leaf, attributes: dict[str, list[str]]) -> None:
    """Give the objects of an argument those attributes that programs look at, by path.

    What compiled code can't take is left out: the capture that comes to it says so. Lists and dicts
    that are there by their places programs take whatever else they hold.
    """
    if leaf.kind in (LIST, DICT) and open_place(leaf.path) in attributes:
        leave_open(leaf)
        _look_at_keys(leaf, attributes[open_place(leaf.path)])
    if leaf.kind is OBJECT:
        for name in attributes.get(leaf.path, ()):
            try:
                is_open = open_place(f"{leaf.path}.{name}") in attributes
                child = None if name in leaf.keys else _attribute(leaf, name, is_open)
            except AttributeError as error:
                let_out(error)
                continue
            if child is not None and not any(child.refusals()):
                leaf.keys.append(name)
                leaf.children.append(child)
    for child in leaf.children:
        look_at(child, attributes)


def look_again(leaf: Leaf, pattern: Pattern) -> None:
    """Look at those parts of an argument that a pattern has, as a capture does."""
    pattern = NUMBERED.within(pattern)
    if pattern is None:
        return
    if leaf.kind in (LIST, DICT) and pattern[0] != REFUSED.name:
        _open_again(leaf, pattern)
    elif leaf.is_open:
        _close(leaf)
    if leaf.kind is OPAQUE and pattern[0] == OPAQUE.name:
        leaf.fixed = pattern[-1]
    elif leaf.kind is OBJECT and pattern[0] == OBJECT.name and pattern[-3] is not None:
        leaf.absent += [name for name, _ in pattern[-3] if name not in leaf.absent]
        leaf.whole = pattern[-4] is not None
        for name in pattern[-2]:
            try:
                attribute_leaf(leaf, name)
            except (AttributeError, UnsupportedError) as error:
                let_out(error)
        parts = dict(zip(pattern[-2], pattern[-1], strict=True))
        for name, child in zip(leaf.keys, leaf.children, strict=True):
            if name in parts:
                look_again(child, parts[name])
    elif leaf.is_open and pattern[0] == ENTRIES.name:
        for key, child in zip(leaf.keys, leaf.children, strict=True):
            look_again(child, dict(zip(pattern[2], pattern[3], strict=True))[repr(key)])
    elif leaf.children and len(leaf.children) == len(pattern[-1]):
        for child, part in zip(leaf.children, pattern[-1], strict=True):
            look_again(child, part)


def _open_again(leaf: Leaf, pattern: Pattern) -> None:
    """Have a list or dict be as open as a pattern says."""
    if pattern[0] == ENTRIES.name or pattern == [LIST.name, None]:
        leave_open(leaf)
        for key in map(ast.literal_eval, chain(*pattern[1:3]) if leaf.kind is DICT else ()):
            try:
                key_leaf(leaf, key)
            except UnsupportedError as error:
                let_out(error)
    elif leaf.is_open:
        _close(leaf)


def _look_at_keys(leaf: Leaf, texts: list[str]) -> None:
    for key in map(ast.literal_eval, texts):
        child = _item(leaf, key) if key in leaf.obj else None
        if child is not None and not any(child.refusals()):
            leaf.keys.append(key)
            leaf.children.append(child)


def is_plain_key(key: Any) -> bool:
    """Whether a key has a text by which it is found in any process."""
    if type(key) is tuple:
        return all(map(is_plain_key, key))
    return type(key) in (*KEYS, type(None), bytes) or (type(key) is float and not np.isnan(key))


def is_key(key: Any) -> bool:
    """Whether a key has a text, and is compared without the code of any user's."""
    if type(key) in (tuple, frozenset):
        return all(map(is_key, key))
    if isinstance(key, (*IDENTITIES, types.FunctionType, np.dtype)):
        return has_text(key)
    return is_plain_key(key) or (is_member(key) and has_text(key))


def is_written_out(key: Any) -> bool:
    """Whether a key is plain and is what its text says, as an infinity isn't."""
    if type(key) is tuple:
        return all(map(is_written_out, key))
    return is_plain_key(key) and (type(key) is not float or np.isfinite(key))


def note_attributes(leaf: Leaf, attributes: dict[str, list[str]]) -> None:
    """Note which attributes the objects of an argument have in their leaves, by path."""
    if leaf.kind is OBJECT:
        known = attributes.setdefault(leaf.path, [])
        known += [name for name in leaf.keys if name not in known]
    elif leaf.is_open:
        known = attributes.setdefault(open_place(leaf.path), [])
        known += [text for key in leaf.keys if (text := repr(key)) not in known]
    for child in leaf.children:
        note_attributes(child, attributes)


def note_pattern(pattern: Pattern, path: str, attributes: dict[str, list[str]]) -> None:
    """Note which attributes of objects a program takes, by path."""
    if pattern[0] == OBJECT.name:
        known = attributes.setdefault(path, [])
        known += [name for name in pattern[-2] if name not in known]
    elif pattern == [LIST.name, None]:
        attributes.setdefault(open_place(path), [])
    elif pattern[0] == ENTRIES.name:
        known = attributes.setdefault(open_place(path), [])
        known += [text for text in pattern[2] if text not in known]
    for at, part in BY_NAME[pattern[0]].places(pattern, path):
        note_pattern(part, at, attributes)


def has_many_items(obj: Any) -> bool:
    """Whether tuples, lists and dicts in each other have more items than programs take.

    A call that is left to NumPy for that asks this each time.
    """
    level, count = [obj], 0
    for _ in range(MOST_NESTED + 1):
        holders = level
        if not _HOLDERS.issuperset(map(type, level)):
            holders = [item for item in level if isinstance(item, (tuple, list, dict))]
        count += sum(map(len, holders))
        if count > MOST_ITEMS or not holders:
            return count > MOST_ITEMS
        level = list(chain.from_iterable(map(_items, holders)))
    return False


def _items(obj: Any) -> Any:
    return obj.values() if isinstance(obj, dict) else obj


def guard(pattern: Pattern, obj: Any, symbols: dict[str, int]) -> tuple | None:
    """The runtime's guard for `obj`, in the form that `_runtime.Specialization` takes.

    Parameters
    ----------
    symbols : dict
        Sizes bound so far, by symbol name; extended here.

    Raises
    ------
    Mismatch
    """
    return BY_NAME[pattern[0]].guard(pattern, obj, symbols)


def guard_texts(pattern: Pattern, path: str) -> list[str]:
    """A guard in words, one line for each leaf."""
    return BY_NAME[pattern[0]].guard_texts(pattern, path)


def writes_array(pattern: Pattern) -> bool:
    """Whether an array of a pattern is written."""
    return BY_NAME[pattern[0]].is_written(pattern)


def identity_pattern(obj: Any) -> Pattern:
    """The pattern of an object that is compared by identity.

    Raises
    ------
    Undescribable
    """
    return [IDENTITY.name, describe(obj)]


def portable(signature: Any, attributes: bool = True) -> Any:
    """A signature as it is in any process: without the identities of what has a text.

    Parameters
    ----------
    attributes : bool
        Whether it has those of objects, of which a process may know nothing yet.
    """
    if type(signature) is not tuple:
        return signature
    if len(signature) == 3 and signature[0] == IDENTITY.name:
        return (IDENTITY.name, signature[2])
    if len(signature) == 4 and signature[0] == FUNCTION.name:
        return (FUNCTION.name, signature[2], portable(signature[3], attributes))
    if len(signature) == 4 and signature[0] == OBJECT.name:
        return (OBJECT.name, signature[2], *(signature[3:] if attributes else ()))
    return tuple(portable(part, attributes) for part in signature)


def _has_own(obj: Any, name: str) -> bool:
    try:
        own_attribute(obj, name)
    except AttributeError:
        return False
    return True


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
