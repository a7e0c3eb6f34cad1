"""What captured code reads from outside of itself: where that stands, and what was there."""

from __future__ import annotations

from typing import Any

from ..arguments.leaves import Leaf
from ..describe import defaults_of


class Place:
    """Where something stands outside of the compiled function.

    Two places are equal where they are one name in one namespace, whichever way leads there.

    Attributes
    ----------
    owner : tuple of steps, or None
        The way from the compiled function to the namespace; None where there is no such way.
        The first step may be ``"module"``, with the name of one.
    kind, name : str
        ``"global"``, ``"cell"``, ``"attr"``, ``"default"`` for what a parameter is where no
        argument is given, of a class ``"member"``; of an observation ``"seen"``, and of what it
        shows ``"sight"``; and the name there: of an observation how somebody looks, and what is
        asked.
    namespace : dict, cell, class, or function that has a default
    """

    __slots__ = ("owner", "kind", "name", "namespace")

    def __init__(self, owner: Any, kind: str, name: str, namespace: Any) -> None:
        self.owner, self.kind, self.name, self.namespace = owner, kind, name, namespace

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Place)
            and self.namespace is other.namespace
            and (self.kind, self.name) == (other.kind, other.name)
        )

    def __hash__(self) -> int:
        return hash((id(self.namespace), self.kind, str(self.name)))


class Read(Place):
    """Something that a function reads from outside.

    Attributes
    ----------
    obj : object
        What was there; NOTHING where the name had to be looked for elsewhere.
    leaf : Leaf, optional
        Of data.
    is_refused : bool
        Whether it is of a kind that no program takes.
    """

    __slots__ = ("obj", "leaf", "is_refused")

    def __init__(self, owner: Any, kind: str, name: str, namespace: Any, obj: Any) -> None:
        super().__init__(owner, kind, name, namespace)
        self.obj = obj
        self.leaf: Leaf | None = None
        self.is_refused = False

    @property
    def label(self) -> str:
        """What it is called in a report."""
        return self.name if type(self.name) is str else self.leaf.path if self.leaf else "it"

    def place(self) -> list[Any]:
        """The way there, for an entry of the cache."""
        return [[list(step) for step in self.owner or ()], self.kind, self.name]

    def found(self) -> tuple[Any, Any, Any]:
        """The namespace that a guard looks into, the key there, and what was there."""
        if self.kind in ("cell", "seen", "sight"):
            return self.namespace, None, self.obj
        names = defaults_of(self.namespace) if self.kind == "default" else self.namespace
        return names, self.name, self.obj

    def parts(self) -> list[Leaf]:
        """The leaves of data, containers and objects included."""
        found = [] if self.leaf is None else [self.leaf]
        for leaf in found:
            found += leaf.children
        return found
