"""What the captures of one call may take together: of a function, and of its parts.

A function that can't be captured as a whole is cut into parts, which are captured in their turn
while it runs, and these may be cut again. All of them share one budget, so that a first call ends
about when a single compile would have to.
"""

from __future__ import annotations

from collections.abc import Callable

from ..errors import UnsupportedError

_OF_REFUSED = 2  # times the seconds of a part that is refused count, as of the next ones many are
_FOR_PARTS = 0.2  # of the limit is left for the parts of what has used up more in vain


class Budget:
    """What the captures of a function and of its parts may take.

    What is refused goes for nothing. Where that was most of what a call might take, later calls
    may take half as much, so that all of them together take no more than two of them.

    Parameters
    ----------
    limit : float or None
        Seconds for one call; None where nothing is too long.
    calls : callable
        Says how often the function has been called.
    """

    def __init__(self, limit: float | None, calls: Callable[[], int]) -> None:
        self._limit, self._calls = limit, calls
        self._call = -1
        self._most = self._seconds = limit or 0.0
        self._vain = 0.0

    def seconds(self, is_whole: bool) -> float | None:
        """What a capture may take now: of the function as a whole, or of a part.

        Raises
        ------
        UnsupportedError
            Where nothing is left.
        """
        if self._limit is None:
            return None
        if is_whole or self._calls() != self._call:
            self._begin()
        if self._seconds <= 0:
            raise UnsupportedError(
                f"other compiles of the call have used up its {self._limit:g} s",
                "allow longer ones: compile_limit=",
            )
        return self._seconds

    def _begin(self) -> None:
        """Begin with another call."""
        if self._vain > self._most / 2:
            self._most /= 2
        self._call, self._seconds, self._vain = self._calls(), self._most, 0.0

    def spend(self, seconds: float, is_whole: bool, is_vain: bool) -> None:
        """Note what a capture has taken, and whether it was refused."""
        least = self._most * _FOR_PARTS if is_whole else 0.0
        counted = seconds * _OF_REFUSED if is_vain and not is_whole else seconds
        self._seconds = max(self._seconds - counted, least)
        if is_vain:
            self._vain += seconds
