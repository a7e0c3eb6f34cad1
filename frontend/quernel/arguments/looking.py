"""What programs look at of arguments: attributes, items and keys, and what is noted of them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

import numpy as np

from ..describe import describe
from ..errors import UnsupportedError
from ..signals import let_out
from .leaf_kinds import (
    BY_NAME,
    DICT,
    ENTRIES,
    FUNCTION,
    LIST,
    NUMBERED,
    NUMBERS,
    OBJECT,
    REFUSED,
    any_leaf,
    has_many_items,
    is_plain_key,
    refused_leaf,
    taken,
    too_many_items,
)
from .leaves import Leaf, Pattern
from .opaque import OPAQUE
from .plain_objects import own_attribute
from .simple_kinds import IDENTITY


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
    return _part(leaf, name, lambda: _attribute(leaf, name, is_open))


def _part(leaf: Leaf, name: Any, make: Callable[[], Leaf]) -> Leaf:
    """What a leaf has under a name or key, from when somebody first looks at it."""
    if name not in leaf.keys:
        child = make()
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
    if key not in leaf.keys and key not in leaf.obj:
        leaf.absent += [] if key in leaf.absent else [key]
        return None
    return _part(leaf, key, lambda: _item(leaf, key))


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
        known = refused_leaf(leaf.obj, leaf.path, too_many_items(leaf.path))
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
