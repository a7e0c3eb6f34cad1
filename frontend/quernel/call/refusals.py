"""Calls that run in NumPy: remembered, so that the next one isn't captured."""

from __future__ import annotations

import types
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .. import _runtime
from ..arguments.leaf_kinds import OBJECT, has_many_items, leaf_of, refused_text
from ..arguments.leaves import Leaf, Likeness, Mismatch
from ..arguments.plain_objects import member_of, own_attribute
from ..signals import let_out
from .tiers import Tiers

# So many refusals of one kind of call are remembered with shapes and values of numbers; one more
# and the whole kind is.
_MOST_EXACT = 2
# So many kinds are remembered with the values of strings, flags and the like, and with the lengths
# of lists and what is in them; then types decide.
_MOST_KINDS = 8
_PLAIN = {np.ndarray, int, float, complex, bool, str, tuple, list, dict, type(None)}


class Refusals:
    """What is known of the calls of a function that can't be compiled.

    A refusal may be for what the call's shapes and numbers are, which nobody tells; so it holds for
    them alone at first. Where more calls that differ in nothing else are refused too, it
    holds for all such calls: capturing each again would cost more than it could gain. What no
    program takes (an attribute, an item, an array of such a dtype) is always a part of what it
    holds for, as the call was before anything ran. Programs that are there already still answer
    first.

    The runtime takes detours by itself. What its guards can't tell, a long list or an object
    outside of the function, is `looked_for` at the calls that it hasn't answered.
    """

    def __init__(self, tiers: Tiers) -> None:
        self._tiers = tiers
        self.looked_for: dict[tuple, Any] = {}
        self._kinds: Counter = Counter()

    def remember(
        self, leaves: list[Leaf], kwnames: tuple, target: Callable, read: Any = None
    ) -> None:
        """Let `target` answer the next calls with such arguments.

        Parameters
        ----------
        leaves : list of Leaf
            The arguments, as far as the capture has looked at them.
        read : Read, optional
            What the function reads from outside, where that is to blame.
        """
        if read is not None:
            self._look_for(_Outside(read, target))
            return
        kind = (kwnames, tuple(_kind(leaf) for leaf in leaves))
        by_value = kind in self._kinds or len(self._kinds) < _MOST_KINDS
        self._kinds[kind] += 1
        likeness = Likeness(by_value and self._kinds[kind] <= _MOST_EXACT, by_value)
        try:
            guards = [leaf.kind.like(leaf, likeness) for leaf in leaves]
        except Mismatch:
            for known in _arguments(leaves, kwnames, target):
                self._look_for(known)
            return
        count = len(leaves) - len(kwnames)
        detour = _runtime.Detour(target, nargs=count, kwnames=kwnames, parameters=guards)
        self._tiers.refuse(detour, leaves, kwnames)

    def _look_for(self, known: _Outside | _Argument) -> None:
        self.looked_for[known.key] = known

    def target(self, args: tuple, kwargs: dict[str, Any]) -> Callable | None:
        """What answers a call that is known to be refused by what the runtime can't tell."""
        for known in self.looked_for.values():
            if known.holds(args, kwargs):
                return known.target
        return None

    def forget(self) -> None:
        """Let `miss` answer all calls again that no program answers."""
        self._tiers.forget_refusals()
        self.looked_for.clear()


def _kind(leaf: Leaf) -> tuple:
    """What two arguments have in common that differ in shapes and numbers alone."""
    refused = ((name, _kind(child)) for name, child in leaf.refused.items())
    parts = tuple(_kind(child) for child in leaf.children)
    return (leaf.signature(set(), shapes=False), parts, *refused)


class _Outside:
    """A refusal for what a function reads from outside, as long as that is of its kind."""

    def __init__(self, read: Any, target: Callable) -> None:
        self.target = target
        self._namespace, self._name = read.namespace, read.name
        self._obj, self._text = read.obj, refused_text(read.obj)
        self.key = (id(read.namespace), read.name, self._text)

    def holds(self, args: tuple, kwargs: dict[str, Any]) -> bool:
        """Whether it is there still, or another object that is refused for the same."""
        try:
            obj = _content(self._namespace, self._name)
        except (KeyError, AttributeError, ValueError) as error:
            let_out(error)
            return False
        return obj is self._obj or _is_refused(obj, self._text)


def _content(namespace: Any, name: str) -> Any:
    """What a namespace, a class or a cell has now."""
    if type(namespace) is dict:
        return namespace[name]
    if type(namespace) is types.CellType:
        return namespace.cell_contents
    return member_of(namespace, name)


class _Argument:
    """A refusal for an argument, or an attribute of it, that holds what no program takes."""

    def __init__(self, place: int | str, leaf: Leaf, target: Callable) -> None:
        self.target = target
        self._place = place
        self._path = leaf.path.split(".")[1:]
        self._texts = {refused_text(part.obj) for part in leaf.refusals()}
        self.key = (place, leaf.path, *sorted(self._texts))

    def holds(self, args: tuple, kwargs: dict[str, Any]) -> bool:
        """Whether a call's argument holds such a thing, too."""
        try:
            obj = args[self._place] if type(self._place) is int else kwargs[self._place]
            for name in self._path:
                obj = own_attribute(obj, name)
        except (IndexError, KeyError, AttributeError):
            return False
        if not self._path and has_many_items(obj):
            return type(_first_item(obj)) in _PLAIN
        return any(_is_refused(obj, text) for text in self._texts)


def _arguments(leaves: list[Leaf], kwnames: tuple, target: Callable) -> Iterator[_Argument]:
    """What is refused in arguments."""
    count = len(leaves) - len(kwnames)
    for k, leaf in enumerate(leaves):
        place = k if k < count else kwnames[k - count]
        yield from (_Argument(place, part, target) for part in _refused_parts(leaf))


def _refused_parts(leaf: Leaf) -> Iterator[Leaf]:
    """An argument, or attributes of it, where no program takes what they hold."""
    if any(leaf.refusals()):
        yield leaf
    if leaf.kind is OBJECT:
        for part in (*leaf.children, *leaf.refused.values()):
            yield from _refused_parts(part)


def _is_refused(obj: Any, text: str) -> bool:
    """Whether no program takes what an object is, or holds, for the same reason."""
    return any(refused_text(part.obj) == text for part in leaf_of(obj, "", depth=1).refusals())


def _first_item(obj: Any) -> Any:
    """The first thing in containers that is none itself, or an empty one."""
    while type(obj) in (tuple, list, dict) and obj:
        obj = next(iter(obj.values() if type(obj) is dict else obj))
    return obj
