"""Long lists of numbers among the arguments, as captured code sees them.

The program gets an array, of any length. Loops run over the list, `len` counts it, items and slices
are taken, and NumPy's functions and indices see an array; whatever else is done with it is refused.
"""

from __future__ import annotations

from typing import Any, NoReturn

from ..arguments.carried import MOST_ITEMS
from ..primitives.operands import python_number
from ..traced.array import TracedArray, fresh
from ..traced.counted import Counted
from ..traced.numbers import SymbolicNumber
from ..traced.tracer import current
from .growing import check, resolved


class GivenList(Counted):
    """A list of Python's numbers of one type, which nobody changes.

    Parameters
    ----------
    kind : type
        That of the numbers.
    path : str
        The name of the argument.
    """

    __slots__ = ("_array", "_kind", "_path")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, array: TracedArray, kind: type, path: str) -> None:
        self._array, self._kind, self._path = array, kind, path

    @property
    def __class__(self) -> type:
        return list

    @property
    def count(self) -> Any:  # type: ignore[override]
        """How many items there are."""
        return self._array.shape[0]

    def item(self, k: Any) -> SymbolicNumber:
        """The item at a position."""
        return python_number(self._array[k], self._kind)

    def as_array(self) -> TracedArray:
        """What NumPy's functions see of it: a new array."""
        return fresh(self._array.tracer, self._array.value)

    def __getitem__(self, key: Any) -> Any:
        if type(key) is slice:
            return GivenList(self._array[key], self._kind, self._path)
        if getattr(key, "dtype", None) is None and not isinstance(key, int):
            self.known()
        place = resolved(key, self.count)
        for inside in (place >= 0, place < self.count):
            check(self._array.tracer, inside, "IndexError", "list index out of range")
        return self.item(place)

    def __len__(self) -> int:
        return self.count if type(self.count) is int else self.known()

    def __bool__(self) -> bool:
        return bool(self.count > 0)

    def __iter__(self) -> Any:
        if type(self.count) is not int or self.count > MOST_ITEMS:
            self.known()
        return (self.item(k) for k in range(self.count))

    def __getattr__(self, name: str) -> Any:
        if hasattr(list, name):
            self.known()
        raise AttributeError(f"'list' object has no attribute {name!r}", name=name, obj=self)

    def known(self, *args: Any) -> NoReturn:
        """Refuse what needs the list itself."""
        current().fail(f"`{self._path}` has more than {MOST_ITEMS} items", "pass an array")


for _name in (
    "eq ne lt le gt ge contains setitem delitem add radd iadd mul rmul imul reversed repr str "
    "format copy deepcopy reduce_ex sizeof"
).split():
    setattr(GivenList, f"__{_name}__", GivenList.known)
