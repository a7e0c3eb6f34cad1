"""The attributes of arguments' objects: leaves that come to be when a program looks at them."""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import UnsupportedError
from ..signals import let_out
from .leaf_kinds import BY_NAME, OBJECT, REFUSED, leaf_of, taken
from .leaves import Leaf, Pattern
from .plain_objects import own_attribute


def attribute_leaf(leaf: Leaf, name: str) -> Leaf:
    """The leaf of an object's own attribute, which the object's leaf has from then on.

    Raises
    ------
    AttributeError
    UnsupportedError
        For what compiled code can't take.
    """
    if name not in leaf.keys:
        child = _attribute(leaf, name)
        if any(child.refusals()):
            leaf.refused[name] = child
            return taken(child)
        leaf.keys.append(name)
        leaf.children.append(child)
    return leaf.children[leaf.keys.index(name)]


def _attribute(leaf: Leaf, name: str) -> Leaf:
    path = f"{leaf.path}.{name}"
    child = leaf_of(own_attribute(leaf.obj, name), path, not leaf.fixed, path.count("."))
    for part in child.leaves():
        if part.original is not None:
            part.kind, part.obj, part.original = REFUSED, part.original, None
            part.fault = UnsupportedError(
                f"`{part.path}` is unaligned or byte-swapped, and an attribute of an object",
                f"convert it first: np.array({part.path}, '{part.dtype}')",
            )
    return child


def look_at(leaf: Leaf, attributes: dict[str, list[str]]) -> None:
    """Give the objects of an argument those attributes that programs look at, by path.

    What compiled code can't take is left out: the capture that comes to it says so.
    """
    if leaf.kind is OBJECT:
        for name in attributes.get(leaf.path, ()):
            try:
                child = None if name in leaf.keys else _attribute(leaf, name)
            except AttributeError as error:
                let_out(error)
                continue
            if child is not None and not any(child.refusals()):
                leaf.keys.append(name)
                leaf.children.append(child)
    for child in leaf.children:
        look_at(child, attributes)


def look_again(leaf: Leaf, pattern: Pattern) -> None:
    """Look at those attributes of an argument's objects that a pattern has, as a capture does."""
    if leaf.kind is OBJECT and pattern[0] == OBJECT.name and pattern[3] is not None:
        leaf.absent += [name for name in pattern[3] if name not in leaf.absent]
        for name in pattern[4]:
            try:
                attribute_leaf(leaf, name)
            except (AttributeError, UnsupportedError) as error:
                let_out(error)
        parts = dict(zip(pattern[4], pattern[5], strict=True))
        for name, child in zip(leaf.keys, leaf.children, strict=True):
            if name in parts:
                look_again(child, parts[name])
    elif leaf.children and len(leaf.children) == len(pattern[-1]):
        for child, part in zip(leaf.children, pattern[-1], strict=True):
            look_again(child, part)


def note_attributes(leaf: Leaf, attributes: dict[str, list[str]]) -> None:
    """Note which attributes the objects of an argument have in their leaves, by path."""
    if leaf.kind is OBJECT:
        known = attributes.setdefault(leaf.path, [])
        known += [name for name in leaf.keys if name not in known]
    for child in leaf.children:
        note_attributes(child, attributes)


def note_pattern(pattern: Pattern, path: str, attributes: dict[str, list[str]]) -> None:
    """Note which attributes of objects a program takes, by path."""
    if pattern[0] == OBJECT.name:
        known = attributes.setdefault(path, [])
        known += [name for name in pattern[4] if name not in known]
    for at, part in BY_NAME[pattern[0]].places(pattern, path):
        note_pattern(part, at, attributes)


def refused_parts(leaf: Leaf) -> Iterator[Leaf]:
    """An argument, or attributes of it, where no program takes what they hold."""
    if any(leaf.refusals()):
        yield leaf
    for part in (*leaf.children, *leaf.refused.values()) if leaf.kind is OBJECT else ():
        yield from refused_parts(part)
