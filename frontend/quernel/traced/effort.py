"""How much time a compile may take: known before it is spent, as far as that can be."""

from __future__ import annotations

from collections.abc import Iterable
from time import thread_time
from typing import Any

from ..errors import UnsupportedError

OPERATIONS_A_SECOND = 1000  # that the compiler lowers, at least
_SHARE = 1.5  # times as much is allowed for what follows if the loops around are all alike
_EVERY = 64  # calls between two looks at the clock
_HINT = "use array operations, or allow a longer compile: compile_limit="


class Effort:
    """What the captures of one compile may take, in seconds of the processor.

    Attributes
    ----------
    operations : float
        How many the graph may have.
    is_short : bool
        Whether less than the limit is left.
    error : UnsupportedError or None
        What has been refused: whatever is tried after that is refused for the same.

    Parameters
    ----------
    limit : float or None
        Seconds for a call; None where nothing is too long.
    seconds : float, optional
        Those that are left of it.
    """

    def __init__(self, limit: float | None, seconds: float | None = None) -> None:
        self.limit = limit
        seconds = seconds if seconds is not None else float("inf") if limit is None else limit
        self.is_short = limit is not None and seconds < limit
        self._begun = thread_time()
        self._end = self._begun + seconds
        self.operations = seconds * OPERATIONS_A_SECOND
        self.error: UnsupportedError | None = None
        self._calls = 0

    def check(self, tracer: Any) -> None:
        """See that there is time left; to be called often.

        Raises
        ------
        UnsupportedError
        """
        if self.error is not None:
            raise self.error
        self._calls += 1
        if self._calls % _EVERY == 0 and thread_time() > self._end:
            self.refuse(tracer, "what is captured here takes too long")

    def allows(self, seconds: float) -> bool:
        """Whether there is so much time left."""
        return thread_time() + seconds <= self._end

    def taken(self, operations: float) -> float:
        """The seconds of all captures by now, and of a compile of so many operations."""
        return max(thread_time() - self._begun, operations / OPERATIONS_A_SECOND)

    def refuse(self, tracer: Any, why: str) -> None:
        """Give the compile up.

        Raises
        ------
        UnsupportedError
        """
        try:
            tracer.fail(f"{why}: compiling it would take more than {self.limit:g} s", _HINT)
        except UnsupportedError as error:
            self.error = error
            raise


class Unrolling:
    """A loop that is captured iteration by iteration, and what that takes.

    Parameters
    ----------
    count : int
        How many iterations there are; 0 where nobody knows.
    """

    def __init__(self, count: int) -> None:
        self._count, self._begun = count, thread_time()
        self._operations = 0.0
        self._done = 0

    def check(self, tracer: Any, done: int, around: Iterable[Unrolling] = ()) -> None:
        """See that all iterations can be captured, of which some have been.

        The first one may have more operations than the others, which find some of them.

        Parameters
        ----------
        around : iterable of Unrolling
            The loops around, the innermost one first, whose iterations may all have this one in
            them; they needn't, so more is allowed for them.

        Raises
        ------
        UnsupportedError
        """
        self._done = done
        before, self._operations = self._operations, tracer.operations
        if not 0 < done < self._count:
            return
        effort = tracer.choices.effort
        seconds = (thread_time() - self._begun) / done
        operations = tracer.operations - before if done > 1 else 0.0
        left, again = self._count - done, self._count
        turns = float(left)
        for loop in around:
            turns += again * max(loop._count - loop._done - 1, 0)
            again *= max(loop._count, 1)
        for rest, share in ((left, 1), (turns, _SHARE)):
            is_long = not effort.allows(seconds * rest / share)
            if is_long or tracer.operations + operations * rest / share > effort.operations:
                why = f"a loop of {self._count} iterations that are captured one by one"
                effort.refuse(tracer, why)
