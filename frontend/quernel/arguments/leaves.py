"""What an argument is to the compiler: a tree of leaves, each of a kind.

The kinds themselves are in `leaf_kinds.py`.
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

Pattern = list
Place = str | tuple[str, int]  # a path, or an axis of one


class Mismatch(Exception):
    """An object isn't what the pattern demands."""


# Of what compiled code takes as arrays: memmaps compute what plain arrays do.
ARRAY_TYPES = (np.ndarray, np.memmap)


class Leaf:
    """One argument or a part of one.

    Attributes
    ----------
    kind : LeafKind
    path : str
        How to name it to the user: ``x``, ``x[1]``.
    obj : object
        The object itself; for an array that had to be converted, the converted copy.
    dtype : str
        Of an array its dtype; of a number its kind as the runtime names it.
    layout : "C", "strided" or tuple
        Of an array: how its elements lie; see `strides_layout`.
    strides : tuple of int
        Of an array: in elements, 0 along axes of at most one.
    keys : list
        Of a dict its keys, or those that programs look at; of an object the attributes that
        programs look at, as far as known; of a function the names of its parts.
    absent : list
        The attributes or keys that a program has looked for, and that an object hasn't of its own,
        or a dict hasn't.
    refused : dict
        Of an object, or an open dict: the leaves of attributes, or of what it has at keys, that
        were looked at, and that no program takes.
    fault : UnsupportedError, optional
        Of what no program takes: why.
    whole : bool
        Of an object: whether it may have no other attributes in its dict than it has.
    fixed : bool
        Of an object, a list or a dict: whether the numbers in it are part of programs. Of a
        function, or an object that has no kind: whether it is itself part of programs.
    is_open : bool
        Of a list: whether programs take it whatever it holds; the leaf has no items then. Of a
        dict: whether they take it whatever else it holds than the keys that they look at.
    """

    __slots__ = (
        "kind",
        "path",
        "obj",
        "dtype",
        "shape",
        "layout",
        "strides",
        "writeable",
        "original",
        "children",
        "keys",
        "absent",
        "refused",
        "fault",
        "whole",
        "fixed",
        "is_open",
    )

    def __init__(
        self, kind: LeafKind, path: str, obj: Any, dtype: str = "", children: Any = ()
    ) -> None:
        self.kind = kind
        self.path = path
        self.obj = obj
        self.dtype = dtype
        self.children: list[Leaf] = list(children)
        self.keys: list[Any] = []
        self.absent: list[Any] = []
        self.refused: dict[Any, Leaf] = {}
        self.fault: Any = None
        self.whole = self.fixed = self.is_open = False
        self.original = None

    def leaves(self) -> Iterator[Leaf]:
        """This leaf, or all the leaves below it."""
        if self.kind.is_container:
            for child in self.children:
                yield from child.leaves()
        else:
            yield self

    def refusals(self) -> Iterator[Leaf]:
        """Those of the leaves that are objects which no program takes."""
        return (leaf for leaf in self.leaves() if leaf.fault is not None)

    def signature(self, static: set[str], shapes: bool = True) -> tuple:
        """A hashable text-like form.

        Numbers whose path is in `static` appear with their values, arrays with their strides.
        """
        return self.kind.signature(self, static, shapes)

    def known_layout(self) -> Any:
        """The layout of an array whose strides are part of the program."""
        if self.layout == "C" or self.layout[0] == "dense":
            return self.layout
        axes = tuple(range(len(self.shape))) if self.layout == "strided" else self.layout[1]
        return ("strides", axes, self.strides)

    def rebuilt(self) -> Any:
        """The argument with its converted arrays put in; itself, which may be changed, without."""
        if all(leaf.original is None for leaf in self.leaves()):
            return self.obj
        return self.kind.rebuilt(self, [child.rebuilt() for child in self.children])


class Blamed(NamedTuple):
    """What a function reads from outside, where that holds what no program takes.

    Attributes
    ----------
    place : list
        The way there, as entries of the cache have it.
    """

    function: Any
    place: list[Any]
    leaf: Leaf


class Likeness:
    """How much another call must be like a refused one for the refusal to hold for it, too.

    Attributes
    ----------
    exact : bool
        Whether its shapes and numbers count.
    by_value : bool
        Whether texts, flags and functions count, and what is in lists and dicts; else types do.
    """

    def __init__(self, exact: bool, by_value: bool) -> None:
        self.exact, self.by_value = exact, by_value
        self._numbers: dict[int, int] = {}

    def number(self, obj: Any) -> tuple[int, bool]:
        """The number of an object or a function, and whether it is there for the first time."""
        known = len(self._numbers)
        number = self._numbers.setdefault(id(obj), known)
        return number, number == known


class ProgramFacts:
    """What a pattern says of an argument beside what its leaf does, as a capture has found out."""

    def index(self, leaf: Leaf) -> int | None:
        """The number of the program's input that an argument is; None where it is none."""
        raise NotImplementedError

    def sizes(self, leaf: Leaf) -> list[int | str]:
        """The sizes of an array, with the names of those that are symbols."""
        raise NotImplementedError

    def is_written(self, leaf: Leaf) -> bool:
        """Whether the program writes to an array."""
        raise NotImplementedError

    def has_strides(self, leaf: Leaf) -> bool:
        """Whether the strides of an array are part of the program."""
        raise NotImplementedError

    def flags(self, leaf: Leaf) -> int:
        """The flags of an array that are part of the program, by `FLAGS`."""
        raise NotImplementedError

    def instance(self, leaf: Leaf) -> tuple[int, bool]:
        """The number of an object, and whether this leaf is the first that leads to it."""
        raise NotImplementedError

    def opaque(self, leaf: Leaf) -> int:
        """The number of an object that has no kind."""
        raise NotImplementedError

    def container(self, leaf: Leaf) -> tuple[int, bool] | None:
        """The same for a list or dict; None where the program doesn't number them."""
        raise NotImplementedError


class Wrapper:
    """Makes what captured code gets in place of arguments."""

    def array(self, leaf: Leaf) -> Any:
        """A traced array."""
        raise NotImplementedError

    def number(self, leaf: Leaf) -> Any:
        """A number of the program, or the number itself where that is part of the program."""
        raise NotImplementedError

    def stream(self, leaf: Leaf) -> Any:
        """What stands for a random generator, of which the program draws."""
        raise NotImplementedError

    def instance(self, leaf: Leaf) -> Any:
        """What stands for an object of a class of the user's."""
        raise NotImplementedError

    def numbers(self, leaf: Leaf, kind: type) -> Any:
        """A long list of numbers of a type, of which the program gets an array."""
        raise NotImplementedError

    def watched(self, container: Any, path: str) -> Any:
        """A set, which nobody may change."""
        raise NotImplementedError

    def container(self, leaf: Leaf, make: Callable[[], Any]) -> Any:
        """What stands for a list or dict: one object, which is made for the first leaf of it."""
        raise NotImplementedError

    def object(self, leaf: Leaf) -> Any:
        """What stands for a type, a function of NumPy or the like."""
        raise NotImplementedError

    def opaque(self, leaf: Leaf) -> Any:
        """What stands for an object that has no kind."""
        raise NotImplementedError

    def key(self, key: Any) -> Any:
        """What stands for a key of a dict, or an item of a set."""
        raise NotImplementedError

    def function(self, leaf: Leaf, parts: Callable[[], dict[str, Any]]) -> Any:
        """What stands for a function of the user's, of which the parts are made when asked for."""
        raise NotImplementedError

    def refused(self, leaf: Leaf) -> Any:
        """What no program takes.

        Raises
        ------
        UnsupportedError
        """
        raise NotImplementedError

    def value(self, obj: Any) -> Any:
        """A value that is part of the program."""
        raise NotImplementedError


class LeafKind:
    """One kind of arguments.

    Attributes
    ----------
    name : str
        What its patterns and the runtime's guards begin with.
    is_container : bool
        Whether its leaves have others below them.
    is_constant : bool
        Whether its objects are always part of programs.
    """

    name = ""
    is_container = False
    is_constant = False

    def leaf(self, obj: Any, path: str, symbolic: bool, depth: int) -> Leaf | None:
        """The leaf of an object; None for an object of another kind. See `classify`."""
        raise NotImplementedError

    def signature(self, leaf: Leaf, static: set[str], shapes: bool) -> tuple:
        """See `Leaf.signature`."""
        raise NotImplementedError

    def form(self, leaf: Leaf) -> tuple:
        """What calls have in common that differ in values and shapes alone."""
        return (self.name, type(leaf.obj))

    def text(self, leaf: Leaf) -> str:
        """What an argument was like, in words."""
        return reprlib.repr(leaf.obj)

    def rebuilt(self, leaf: Leaf, children: list[Any]) -> Any:
        """The argument, of which the parts may have been converted."""
        return leaf.obj

    def wrapped(self, leaf: Leaf, to: Wrapper) -> Any:
        """What captured code gets in its place."""
        raise NotImplementedError

    def pattern(self, leaf: Leaf, captured: ProgramFacts) -> Pattern:
        """What the program that has been captured demands of such an argument."""
        raise NotImplementedError

    def guard(self, pattern: Pattern, obj: Any, symbols: dict[str, int]) -> tuple | None:
        """See `guard`."""
        raise NotImplementedError

    def like(self, leaf: Leaf, likeness: Likeness) -> tuple:
        """The runtime's guard for arguments for which a refusal of this one holds, too.

        Raises
        ------
        Mismatch
            Where no guard tells them from others.
        """
        return ("like", leaf.obj if leaf.original is None else leaf.original, likeness.exact)

    def guard_texts(self, pattern: Pattern, path: str) -> list[str]:
        """A guard in words, one line for each leaf."""
        raise NotImplementedError

    def places(self, pattern: Pattern, path: str) -> Iterable[tuple[str, Pattern]]:
        """The paths and the patterns of an argument's parts."""
        return ()

    def is_written(self, pattern: Pattern) -> bool:
        """Whether a program writes to an array of a pattern."""
        return False

    def stored(self, leaf: Leaf, pattern: Pattern) -> Iterator[tuple[Place, str]]:
        """What a program on disk tells of the sizes and numbers in an argument.

        A size that it is made for isn't told: that two processes have two sizes, each with a
        program of its own, is better than one that is slower for both. Nor are those of a program
        for sizes of 0 and 1.
        """
        yield from ()


class _Nothing:
    """What stands for what a function has looked for outside of itself, and not found."""

    def __repr__(self) -> str:
        return "NOTHING"


NOTHING = _Nothing()


class NothingKind(LeafKind):
    """`NOTHING`, which no argument is."""

    name = "nothing"

    def leaf(self, obj: Any, path: str, symbolic: bool, depth: int) -> Leaf | None:
        """None."""
        return None

    def guard(self, pattern: Pattern, obj: Any, symbols: dict[str, int]) -> tuple | None:
        """None, which is the runtime's guard for what must not be there."""
        if obj is not NOTHING:
            raise Mismatch
        return None

    def guard_texts(self, pattern: Pattern, path: str) -> list[str]:
        """See `LeafKind`."""
        return [f"{path}: there is none"]
