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

from ..describe import Undescribable, code_digest, describe, has_text, is_member, type_text
from ..errors import UnsupportedError
from .carried import MOST_ITEMS, PARTS, parts_of, reaches_itself
from .hints import object_hint
from .leaves import (
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
from .plain_objects import class_text, has_member, is_plain_object, own_attribute, own_names
from .python_random import is_random
from .sets import SetKind
from .simple_kinds import ANY, ARRAY, DEVICE_ARRAY, IDENTITIES, IDENTITY, NUMBER, STREAM, VALUE

MOST_NESTED = 32


# Of dicts that programs take.
KEYS = (str, int, bool)


_HOLDERS = {tuple, list, dict}


class Whole(Exception):
    """What an object holds can't be told apart: no program takes it as a whole."""

    def __init__(self, fault: UnsupportedError) -> None:
        super().__init__()
        self.fault = fault


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
        leaf.fixed = not symbolic and not is_random(obj)  # its number changes with its draws
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


OBJECT = ObjectKind()
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
            raise Whole(too_many_items(path))
        return _part_of(obj, path, symbolic, depth)
    except Whole as whole:
        return refused_leaf(obj, path, whole.fault)


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
        return refused_leaf(obj, path, error)
    reason = f"`{path}` is an object of type {type(obj).__name__}"
    return refused_leaf(obj, path, UnsupportedError(reason, object_hint(obj, path)))


def refused_leaf(obj: Any, path: str, fault: UnsupportedError) -> Leaf:
    """The leaf of an object that no program takes, with why."""
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


def refused_text(obj: Any) -> str:
    """What an object is that no program takes, as far as that decides it."""
    text = type_text(obj)
    if isinstance(obj, np.ndarray):
        return f"{text} of {obj.dtype.str if obj.dtype.names is None else obj.dtype}"
    if type(obj) is dict:
        keys = sorted({type_text(key) for key in obj if not is_key(key)})
        return f"{text} with keys of {', '.join(keys)}"
    return text


def too_many_items(path: str) -> UnsupportedError:
    """Why an argument of so many items isn't taken."""
    return UnsupportedError(f"`{path}` has more than {MOST_ITEMS} items", "pass an array")


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


def _has_own(obj: Any, name: str) -> bool:
    try:
        own_attribute(obj, name)
    except AttributeError:
        return False
    return True
