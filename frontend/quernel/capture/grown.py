"""Lists that a function has filled, as its callers see them.

Within the function that fills it, a list that grows is a tuple whose uses are rewritten
(`growing.py`). Whoever called the function reads a `Grown` list: loops run over it, `len` counts
it, its items, slices and sums with others are taken, and NumPy's functions see an array. Whatever
else is done with it has the capture begin anew with Python's list.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from ..traced.counted import Counted
from ..traced.undecided import Either
from . import growing
from .growing import is_growing, stay_plain


class Grown(Counted):
    """A list that nobody changes any more.

    Parameters
    ----------
    grown : tuple
        As the function that has filled it knows it.
    """

    __slots__ = ("grown",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, grown: tuple) -> None:
        self.grown = grown

    @property
    def __class__(self) -> type:
        return list

    @property
    def count(self) -> Any:  # type: ignore[override]
        """How many items there are."""
        return growing.size_of_list(self.grown)

    @property
    def site(self) -> tuple:
        """Where the list is made."""
        return self.grown[2].site

    def item(self, k: Any) -> Any:
        """The item at a position."""
        return growing.item_of(self.site, self.grown, k)

    def as_array(self) -> Any:
        """What NumPy's functions see of it."""
        return growing.given(self.site, self.grown, np.array)

    def __getitem__(self, key: Any) -> Any:
        if type(key) is slice:
            return Grown(growing.part_of(self.site, self.grown, key))
        return self.item(key)

    def __add__(self, other: Any) -> Any:
        if type(other) is not Grown:
            stay_plain(self.site)
        return Grown(growing.joined_lists(self.grown, other.grown))

    def __len__(self) -> int:
        return self.count if type(self.count) is int else stay_plain(self.site)

    def __iter__(self) -> Any:
        return (self.item(k) for k in range(len(self)))

    def __getattr__(self, name: str) -> Any:
        if hasattr(list, name):
            stay_plain(self.site)
        raise AttributeError(f"'list' object has no attribute {name!r}", name=name, obj=self)


def _plain(self: Grown, *args: Any) -> NoReturn:
    stay_plain(self.site)


for _name in (
    "eq ne lt le gt ge bool contains setitem delitem radd iadd mul rmul imul reversed repr str "
    "format copy deepcopy reduce_ex sizeof"
).split():
    setattr(Grown, f"__{_name}__", _plain)


def handed_out(obj: Any) -> Any:
    """What a function returns, with the lists that it has filled as its callers see them."""
    if is_growing(obj):
        return Grown(obj)
    kind = type(obj)
    if kind is tuple:
        items = tuple(map(handed_out, obj))
        return obj if all(a is b for a, b in zip(items, obj, strict=True)) else items
    if kind is list:
        obj[:] = map(handed_out, obj)
    elif kind is dict:
        for key, value in obj.items():
            obj[key] = handed_out(value)
    elif kind is Either:
        for side in (obj.first, obj.second):
            if handed_out(side) is not side:
                stay_plain(_site_in(side))
    return obj


def _site_in(obj: Any) -> tuple:
    """The site of a list in what a function returns."""
    if is_growing(obj):
        return obj[2].site
    return next(_site_in(item) for item in obj if handed_out(item) is not item)
