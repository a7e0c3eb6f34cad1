"""Sequences of the program that aren't Python's own: lists that it fills, and ranges."""

from __future__ import annotations

from typing import Any


class Sequence:
    """A sequence that NumPy's functions and indices see as an array."""

    __slots__ = ()

    def as_array(self) -> Any:
        """What they see of it.

        Raises
        ------
        Restart
        """
        raise NotImplementedError


class Counted(Sequence):
    """A list whose items are in arrays of the program: loops run over it, and `len` counts it.

    Attributes
    ----------
    count : int or number of the program
    """

    count: Any
    has_table = computes = False

    def item(self, k: Any) -> Any:
        """The item at a position that is known to be inside."""
        raise NotImplementedError
