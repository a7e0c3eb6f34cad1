"""Lists of the program that captured code reads: what loops run over, and `len` counts."""

from __future__ import annotations

from typing import Any


class Counted:
    """A list whose items are in arrays of the program.

    Attributes
    ----------
    count : int or number of the program
    """

    count: Any
    has_table = False

    def item(self, k: Any) -> Any:
        """The item at a position that is known to be inside."""
        raise NotImplementedError

    def as_array(self) -> Any:
        """What NumPy's functions see of it.

        Raises
        ------
        Restart
        """
        raise NotImplementedError
