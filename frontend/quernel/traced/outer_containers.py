"""Lists and dicts from outside: what stands for each, and what captured code has changed of it."""

from __future__ import annotations

from typing import Any

Items = list[tuple[Any, Any]]


class OuterContainer:
    """A list or dict of an argument, or one that is read from outside.

    Parameters
    ----------
    leaf : Leaf
        The first that has led to it.
    obj : list or dict
        What stands for it, which only captured code has.

    Attributes
    ----------
    shown : object
        What captured code gets: `obj`, or what stands for it in turn where it doesn't look at all
        that is there (`open_containers.py`); then `obj` has what is new alone.
    loaded : dict
        Of a dict that is open in this way: what has been read of it.
    """

    def __init__(self, leaf: Any, obj: Any) -> None:
        self.leaf, self.obj = leaf, obj
        self.shown: Any = obj
        self.loaded: dict[Any, Any] = {}
        # The items themselves, since the identity of one that is gone may become another's.
        self.before = items_of(obj)

    @property
    def is_open(self) -> bool:
        """Whether captured code doesn't look at all that is there."""
        return self.shown is not self.obj

    @property
    def is_changed(self) -> bool:
        """Whether it holds something else by now."""
        return has_changed(self.obj, self.before)

    def content(self) -> list[Any]:
        """What it held, as `content_of` has it."""
        return self.before if type(self.obj) is dict else [item for _, item in self.before]


def items_of(container: Any) -> Items:
    """The keys or places of a dict, list or set, with what is there."""
    return list(container.items() if type(container) is dict else enumerate(container))


def has_changed(container: Any, before: Items) -> bool:
    """Whether a list, dict or set has other keys, or another object somewhere, than it had."""
    if len(container) != len(before):
        return True
    if type(container) is not dict:
        return any(item is not known for item, (_, known) in zip(container, before, strict=True))
    return any(
        key is not place or item is not known
        for (key, item), (place, known) in zip(container.items(), before, strict=True)
    )


def only_gets(container: OuterContainer) -> bool:
    """Whether a list or dict has got items, and keeps all that it had in its place."""
    if type(container.obj) is list:
        low, high, _ = list_change(container)
        return low == high == len(container.before)
    gone, _ = dict_change(container)
    return not gone


def list_change(container: OuterContainer) -> tuple[int, int, list[Any]]:
    """The places of a list from one to another, and the items that come in their stead."""
    old, new = [item for _, item in container.before], container.obj
    low, most = 0, min(len(old), len(new))
    while low < most and old[low] is new[low]:
        low += 1
    end = 0
    while end < most - low and old[-1 - end] is new[-1 - end]:
        end += 1
    return low, len(old) - end, new[low : len(new) - end]


def dict_change(container: OuterContainer) -> tuple[list[Any], dict[Any, Any]]:
    """The keys that a dict loses, and what it gets after that, in this order.

    A key that has moved to the end loses its place first.
    """
    places = {id(key): (k, key, item) for k, (key, item) in enumerate(container.before)}
    gone = dict(container.before)
    last, is_moved, new = -1, False, {}
    for key, item in container.obj.items():
        place, _, known = places.get(id(key), (-1, None, None))
        is_moved = is_moved or place <= last
        if is_moved:
            new[key] = item
            continue
        last = place
        del gone[key]
        if item is not known:
            new[key] = item
    return list(gone), new
