"""Calls that run in NumPy: remembered, so that the next one isn't captured."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from .. import _runtime
from ..arguments.leaf_kinds import (
    MOST_ITEMS,
    MOST_NESTED,
    NUMBERS,
    any_leaf,
    has_many_items,
    refused_text,
)
from ..arguments.leaves import Blamed, Leaf, Likeness, Mismatch
from ..arguments.long_lists import as_sort
from ..arguments.looking import refused_parts
from ..arguments.plain_objects import own_attribute
from ..arguments.simple_kinds import STREAM
from ..signals import let_out
from .programs import found
from .tiers import Tiers

# So many refusals of one kind of call are remembered with shapes and values of numbers; one more
# and the whole kind is.
_MOST_EXACT = 2
# So many kinds are remembered with the values of strings, flags and the like, and with the items
# of lists and dicts; then types decide.
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
        self, leaves: list[Leaf], kwnames: tuple, target: Callable, read: Blamed | None = None
    ) -> None:
        """Let `target` answer the next calls with such arguments; see `kept`."""
        self.kept(leaves, kwnames, target, read)()

    def kept(
        self, leaves: list[Leaf], kwnames: tuple, target: Callable, read: Blamed | None = None
    ) -> Callable[[], None]:
        """What lets `target` answer the next calls with such arguments as these are now.

        Parameters
        ----------
        leaves : list of Leaf
            The arguments, as far as the capture has looked at them.
        read : Blamed, optional
            What the function reads from outside, where that is to blame.
        """
        guards, are_told = self._guards(leaves, kwnames)
        if not are_told:
            found = [(known.key, known) for known in _arguments(leaves, kwnames, target)]
            return functools.partial(self.looked_for.update, found)
        form = {"nargs": len(leaves) - len(kwnames), "kwnames": kwnames, "parameters": guards}
        is_long = any(leaf.kind is NUMBERS for leaf in leaves)
        if read is None and not is_long:
            detour = _runtime.Detour(target, **form)
            return functools.partial(self._tiers.refuse, detour, leaves, kwnames)
        known = _LongLists(target) if read is None else _Outside(read, target)
        detour = _runtime.Detour(_yes, **form)
        return lambda: self.looked_for.setdefault(known.key, known).calls.add(detour)

    def _guards(self, leaves: list[Leaf], kwnames: tuple) -> tuple[list[tuple], bool]:
        """The runtime's guards for such arguments, and whether these tell them from others."""
        kind = (kwnames, tuple(_kind(leaf) for leaf in leaves))
        by_value = kind in self._kinds or len(self._kinds) < _MOST_KINDS
        self._kinds[kind] += 1
        likeness = Likeness(by_value and self._kinds[kind] <= _MOST_EXACT, by_value)
        if any(_is_again(leaf, leaves) for leaf in leaves):
            return [], False
        try:
            return [leaf.kind.like(leaf, likeness) for leaf in leaves], True
        except Mismatch:
            return [], False

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


class _Held:
    """What no program takes: some attributes of an object, or the object itself.

    An argument is also refused for how much it holds.
    """

    def __init__(self, parts: Iterable[tuple[tuple, Leaf]], is_argument: bool) -> None:
        self._parts = [
            (
                steps,
                {refused_text(item.obj) for item in part.refusals()},
                is_argument and part.fault is not None and type(part.obj) in (tuple, list, dict),
            )
            for steps, part in parts
        ]
        self.key = tuple((*steps, *sorted(texts)) for steps, texts, _ in self._parts)

    def is_in(self, obj: Any) -> bool:
        """Whether an object has the like of one of them."""
        for steps, texts, is_whole in self._parts:
            try:
                found = functools.reduce(_part, steps, obj)
            except (AttributeError, KeyError) as error:
                let_out(error)
                continue
            if _is_too_much(found) if is_whole and not steps else _is_refused(found, texts):
                return True
        return False


def _part(obj: Any, step: str | tuple) -> Any:
    """What a step of `refused_parts` leads to."""
    if type(step) is str:
        return own_attribute(obj, step)
    if type(obj) is not dict:
        raise KeyError(step[0])
    return obj[step[0]]


def _is_too_much(obj: Any) -> bool:
    """Whether an argument is a container with too many items for a program, or too deep."""
    if type(obj) not in (tuple, list, dict):
        return False
    is_too_much = _depth(obj) > MOST_NESTED or has_many_items(obj)
    return is_too_much and type(_first_item(obj)) in _PLAIN


def _is_refused(obj: Any, texts: set[str]) -> bool:
    """Whether an object is, or holds, what no program takes, of a kind with one of these texts."""
    if type(obj) not in (tuple, list, dict):
        if refused_text(obj) in texts:
            return True
    elif len(obj) > MOST_ITEMS and _holds_refused(_first_item(obj)):
        return True
    return any(refused_text(part.obj) in texts for part in any_leaf(obj, "", depth=1).refusals())


def _holds_refused(obj: Any) -> bool:
    return any(any_leaf(obj, "", depth=1).refusals())


def _first_item(obj: Any) -> Any:
    """The first thing in containers that is none itself, or an empty one."""
    for _ in range(MOST_NESTED + 1):
        if type(obj) not in (tuple, list, dict) or not obj:
            break
        obj = next(iter(obj.values() if type(obj) is dict else obj))
    return obj


def _depth(obj: Any) -> int:
    """How deep the first thing in containers is, if it isn't deeper than programs take."""
    depth = 0
    while type(obj) in (tuple, list) and obj and depth <= MOST_NESTED:
        obj, depth = obj[0], depth + 1
    return depth


class _LongLists:
    """A refusal of calls with long lists of numbers, of which programs get arrays.

    Attributes
    ----------
    calls : _runtime.Function
        Says of such arguments whether the refusal is for them.
    """

    def __init__(self, target: Callable) -> None:
        self.target = target
        self.calls = _runtime.Function(_yes, _no)
        self.key = ("long", id(target))

    def holds(self, args: tuple, kwargs: dict[str, Any]) -> bool:
        """Whether there are such lists among the arguments, and the rest is as it was."""
        return self.calls(*map(as_sort, args), **{k: as_sort(v) for k, v in kwargs.items()})


class _Outside:
    """A refusal for what a function reads from outside, as long as that is of its kind.

    Attributes
    ----------
    calls : _runtime.Function
        Says of arguments whether the refusal is for calls with such.
    """

    def __init__(self, read: Blamed, target: Callable) -> None:
        self.target = target
        self.calls = _runtime.Function(_yes, _no)
        self._function, self._place = read.function, read.place
        self._held = _Held(refused_parts(read.leaf), is_argument=False)
        self.key = (repr(read.place), self._held.key)

    def holds(self, args: tuple, kwargs: dict[str, Any]) -> bool:
        """Whether it is there still, or another object that is refused for the same."""
        named = {name: as_sort(value) for name, value in kwargs.items()}
        if not self.calls(*map(as_sort, args), **named):
            return False
        try:
            obj = found(self._function, *self._place)[2]
        except Mismatch:
            return False
        return self._held.is_in(obj)


def _yes(*args: Any, **kwargs: Any) -> bool:
    return True


def _no(args: tuple, kwargs: dict[str, Any]) -> bool:
    return False


class _Twice:
    """A refusal for a random generator that is there twice: the program would draw from two."""

    def __init__(self, places: list[int | str], target: Callable) -> None:
        self.target = target
        self.key = tuple(places)

    def holds(self, args: tuple, kwargs: dict[str, Any]) -> bool:
        """Whether the same generator is there again."""
        found = [_at(place, args, kwargs) for place in self.key]
        return found[0] is not None and all(other is found[0] for other in found)


def _at(place: int | str, args: tuple, kwargs: dict[str, Any]) -> Any:
    """An argument of a call; None where there is none."""
    if type(place) is int:
        return args[place] if place < len(args) else None
    return kwargs.get(place)


class _Argument:
    """A refusal for an argument, or an attribute of it, that holds what no program takes."""

    def __init__(self, place: int | str, part: tuple[tuple, Leaf], target: Callable) -> None:
        self.target = target
        self._place = place
        self._held = _Held([part], is_argument=True)
        self.key = (place, self._held.key)

    def holds(self, args: tuple, kwargs: dict[str, Any]) -> bool:
        """Whether a call's argument holds such a thing, too."""
        return self._held.is_in(_at(self._place, args, kwargs))


def _arguments(leaves: list[Leaf], kwnames: tuple, target: Callable) -> Iterator[Any]:
    """What is refused in arguments, and told by no guard."""
    places = [*range(len(leaves) - len(kwnames)), *kwnames]
    same = [place for place, leaf in zip(places, leaves, strict=True) if _is_again(leaf, leaves)]
    if same:
        yield _Twice(same, target)
        return
    for place, leaf in zip(places, leaves, strict=True):
        yield from (_Argument(place, part, target) for part in refused_parts(leaf))


def _is_again(leaf: Leaf, leaves: list[Leaf]) -> bool:
    """Whether an argument is a random generator that is another argument, too."""
    return leaf.kind is STREAM and sum(other.obj is leaf.obj for other in leaves) > 1
