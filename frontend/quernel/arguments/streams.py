"""Random generators as arguments."""

from __future__ import annotations

from typing import Any

from .. import _runtime
from .leaves import Leaf, LeafKind, Mismatch, Pattern, ProgramFacts, Wrapper

# The kinds of random streams, by the runtime's numbers.
STREAMS = ("PCG64", "PCG64DXSM", "Philox", "SFC64", "MT19937", "RandomState")


class StreamKind(LeafKind):
    """NumPy's random generators, whose state is an array of words that programs write.

    The pattern has the number of the input and the runtime's number of the kind of generator.
    """

    name = "stream"

    def leaf(self, obj: Any, path: str, symbolic: bool, depth: int) -> Leaf | None:
        if not type(obj).__module__.startswith("numpy.random"):  # which few programs have loaded
            return None
        found = _runtime.stream_kind(obj)
        if found is None:
            return None
        leaf = Leaf(self, path, obj, "uint64")
        leaf.shape = (found[1],)
        leaf.layout, leaf.strides, leaf.writeable = "C", (1,), True
        leaf.keys = [found[0]]
        return leaf

    def signature(self, leaf: Leaf, static: set[str], shapes: bool) -> tuple:
        return (self.name, *leaf.keys)

    def form(self, leaf: Leaf) -> tuple:
        return (self.name, *leaf.keys)

    def wrapped(self, leaf: Leaf, to: Wrapper) -> Any:
        return to.stream(leaf)

    def pattern(self, leaf: Leaf, captured: ProgramFacts) -> Pattern:
        index = captured.index(leaf)
        return [self.name, -1 if index is None else index, *leaf.keys]

    def guard(self, pattern: Pattern, obj: Any, symbols: dict[str, int]) -> tuple:
        found = _runtime.stream_kind(obj)
        if found is None or found[0] != pattern[2]:
            raise Mismatch
        return tuple(pattern)

    def guard_texts(self, pattern: Pattern, path: str) -> list[str]:
        return [f"{path}: any random stream of a {STREAMS[pattern[2]]}, written"]


def bits_of(leaf: Leaf) -> Any:
    """The bit generator of a random generator, which several may have."""
    return getattr(leaf.obj, "_bit_generator", None) or leaf.obj.bit_generator
