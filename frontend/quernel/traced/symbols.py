"""Sizes of the program: the symbols that they are made of, and what is known about those."""

from __future__ import annotations

from typing import Any, NoReturn

from .numbers import DATA, SymbolicSize, graph_dim, is_dynamic

_MOST = 2**47  # bytes that a process can address


class Symbols:
    """The part of a tracer that knows sizes.

    Assumes the tracer's `graph`, `callers`, `symbolic`, `choices`, `place` and `fail`, and its
    regions (`_made`, `_known`): a symbol of a number of the program can be used in the region that
    it is made in.

    Attributes
    ----------
    symbols : dict
        By size of an argument's dimensions, of 0 and 1 by path and axis: the number and the graph
        dimension of its symbol.
    symbol_dims : list of set
        By number of such a symbol: the dimensions that it stands for, as path and axis.
    bounding : dict
        By loop: what its bounds come from.
    assumed : list
        Graph dimensions that aren't negative, as the conditions around say.
    """

    def __init__(self) -> None:
        self.symbols: dict[Any, tuple[int, Any]] = {}
        self.symbol_dims: list[set[tuple[str, int]]] = []
        self.bounding: dict[tuple, frozenset] = {}
        self.assumed: list[Any] = []
        self._origins: dict[int, frozenset] = {}  # by number of any symbol
        self._statements: dict[int, tuple] = {}  # by number of a symbol of data, who has made it
        self._counts: dict[int, tuple] = {}  # by identity of a graph value, which is kept
        self._claims: dict[int, tuple[Any, list, list]] = {}  # by identity, likewise
        self._behind: dict[int, tuple[Any, frozenset]] = {}  # by identity, likewise

    def size(self, dim: Any) -> Any:
        """A dimension of the graph as the user's code sees it: an int, or a symbolic one."""
        return dim if isinstance(dim, int) else SymbolicSize(self, dim)

    def shape(self, value: Any) -> tuple:
        """The shape of a value as the user's code sees it."""
        return tuple(self.size(dim) for dim in value.shape)

    def symbol_of(self, value: Any, lower: Any, upper: Any, name: str, origins: frozenset) -> Any:
        """A size, or an index, that is a 0-d int64 of the program; the bounds are a promise."""
        if lower is None and upper is None:
            _, lower, upper = self._counts.get(id(value), (None, None, None))
        key = ("symbol", id(value))  # one symbol for a number, whoever asks first
        known = self._known(key)
        if known is None:
            now = self.parameter_leaf(value)
            hint = None if now is None else int(now.obj)
            bounds = graph_dim(lower), graph_dim(upper)
            dim = self.graph.symbol_of(value, *bounds, identifier(name), hint)
            self.mark(dim, origins)
            known = self._made[-1][key] = (dim, value)
            calls = self.callers.places
            place = calls[-1] if calls else self.place()
            self._statements.update(dict.fromkeys(dim.symbols, place))
        elif upper is not None:
            self.graph.limit(known[0], graph_dim(upper))
        return SymbolicSize(self, known[0])

    def refuse_size(self, sizes: Any, reason: str, hint: str) -> NoReturn:
        """Give the capture up at the statement of the function that first made one of some sizes.

        So that statement runs in NumPy, and what follows is a program that gets the size.
        """
        found = {
            n for size in sizes if is_dynamic(size) for n in getattr(size, "dim", size).symbols
        }
        made = sorted(found & self._statements.keys())
        self.fail(reason, hint, self._statements[made[0]] if made else None)

    def value_of_symbol(self, number: int) -> Any:
        """The graph value that a symbol of data is, where it can be used here; else None."""
        for made in self._made:
            for key, known in made.items():
                if key[0] == "symbol" and known[0].symbols == (number,):
                    return known[1]
        return None

    def note_count(self, value: Any, most: Any) -> None:
        """Remember that a graph value counts some of as many things as a size says."""
        self._counts[id(value)] = (value, 0, most)

    def most(self, size: Any) -> Any:
        """A size, the same for the whole call, that another one never exceeds, or None."""
        if type(size) is int:
            return size
        bound = self.graph.most(size.dim)
        bound = None if bound is None else self.size(bound)
        says_nothing = is_dynamic(bound) or (type(bound) is int and bound > _MOST)
        return None if says_nothing else bound

    def claim(self, condition: Any, if_true: list[Any], if_false: list[Any]) -> None:
        """Note which dimensions aren't negative where a condition holds, and where it doesn't."""
        self._claims[id(condition)] = (condition, if_true, if_false)

    def claimed(self, condition: Any, holds: bool) -> list[Any]:
        """The dimensions that aren't negative where a condition holds, or doesn't."""
        return self._claims.get(id(condition), (None, [], []))[1 if holds else 2]

    def comes_from(self, value: Any, origins: frozenset) -> None:
        """Note what a graph value is computed from, where no array of the call is among it."""
        self._behind[id(value)] = (value, origins)

    def note_behind(self, value: Any, name: str, operands: list[Any], attributes: dict) -> None:
        """The same for the value of an operation."""
        if name == "dim":
            dim = attributes["dim"]
            found = frozenset() if isinstance(dim, int) else self.origins_of(dim)
            if DATA not in found:
                self.comes_from(value, found)
        elif operands and all(id(operand) in self._behind for operand in operands):
            parts = (self._behind[id(operand)][1] for operand in operands)
            self.comes_from(value, frozenset().union(*parts))

    def carries(self, marker: Any, before: Any, loop: tuple) -> None:
        """Note the same for a number that the turns of a loop hand on, as far as it is known."""
        if id(before) in self._behind:
            self.comes_from(marker, self._behind[id(before)][1] | {("loop", loop)})

    def behind(self, values: Any) -> frozenset:
        """The parameters and sizes that graph values are computed from; nothing where data are."""
        if not all(id(value) in self._behind for value in values):
            return frozenset()
        return frozenset().union(*(self._behind[id(value)][1] for value in values))

    def is_of_call(self, value: Any) -> bool:
        """Whether a graph value is computed from parameters and sizes alone."""
        found = self.behind([value])
        return bool(found) and all(origin[0] in ("value", "varying", "dim") for origin in found)

    def parameters_of(self, origins: frozenset) -> set[str]:
        """The parameters that something comes from, bounds of loops included."""
        found: set[str] = set()
        pending, seen = list(origins), set(origins)
        while pending:
            origin = pending.pop()
            if origin[0] == "value":
                found.add(origin[1])
            new = self.bounding.get(origin, frozenset()) - seen
            seen |= new
            pending.extend(new)
        return found

    def is_symbolic(self, path: str, axis: int, size: int) -> bool:
        """Whether the size of an argument's axis is a symbol."""
        return (path, axis) in self.symbolic and (size >= 2 or self.choices.any_size)

    def symbol(self, path: str, axis: int, size: int) -> tuple[int, Any]:
        """Number and graph dimension of an argument's symbol; equal sizes share one.

        That two sizes are 0 or 1 doesn't say that they are equal at other calls.
        """
        key = size if size >= 2 else (path, axis)
        if key not in self.symbols:
            number = len(self.symbols)
            dim = self.graph.symbol(f"n{number}", size, self.choices.any_size)
            self.symbols[key] = (number, dim)
            self.symbol_dims.append(set())
        number, dim = self.symbols[key]
        self.symbol_dims[number].add((path, axis))
        self.mark(dim, frozenset(("dim", *place) for place in self.symbol_dims[number]))
        return number, dim

    def mark(self, dim: Any, origins: frozenset) -> None:
        """Say where a new symbol of the graph comes from."""
        (number,) = dim.symbols
        self._origins[number] = origins

    @property
    def symbol_count(self) -> int:
        """A number above those of all symbols so far."""
        return max(self._origins, default=-1) + 1

    def origins_of(self, dim: Any) -> frozenset:
        """What the symbols of a graph dimension come from; those that nobody knows from data."""
        unknown = frozenset([DATA])
        found: frozenset = frozenset()
        for number in dim.symbols:
            found |= self._origins.get(number, unknown)
        return found


def identifier(path: str) -> str:
    """A name or path as a C identifier: ``p['w']`` becomes ``p_w``.

    Reserved words are no matter here: the compiler, which knows them, renames what they would name.
    """
    text = "".join(c if c.isalnum() and c.isascii() else "_" for c in path)
    while "__" in text:
        text = text.replace("__", "_")
    text = text.strip("_") or "value"
    return f"v{text}" if text[0].isdigit() else text
