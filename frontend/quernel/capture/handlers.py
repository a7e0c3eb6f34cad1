"""Exceptions that data decide and that the user's own code sees: handlers, `finally`, contexts.

One that is caught is a branch. Its condition is that of the check, and its sides are those of the
`try` statement, which are captured apart from each other as those of other branches are
(`forks.py`): on one side the check has passed, on the other one the exception is raised while the
capture goes on, and a handler catches it there. One that goes through a `finally`, or a context, is
raised by the plain function.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from ..errors import UnsupportedError
from ..raised import IN_NUMPY, RAISED_IN_NUMPY, raised, restored
from ..signals import let_out
from ..traced.tracer import Tracer
from .forks import Forks
from .paths import general_block
from .texts import text_of_form

_MOST_SPLITS = 6  # of one statement, which is captured once more for each


class Watcher:
    """A statement that sees what is raised in a part of it.

    Attributes
    ----------
    statement : UnderWay
    catches : callable or None
        Whether an exception ends there; None where any goes on from there, after a `finally` or a
        context's own function.
    loops : int
        How many loops of the program there were when it began.
    """

    __slots__ = ("statement", "catches", "loops")

    def __init__(
        self, statement: Any, catches: Callable[[Exception], bool] | None, loops: int
    ) -> None:
        self.statement, self.catches, self.loops = statement, catches, loops


class Handlers(Forks):
    """The part of an interpreter that knows who sees an exception.

    Attributes
    ----------
    watchers : list of Watcher
        The innermost one last.
    handling : int
        In how many handlers the capture is. What is raised there has another exception behind it.
    chained : list of Exception
        Those that were raised so, or have gone through a `finally`.
    is_raising : bool
        Whether what is carried out ends by raising an exception, and its texts are messages.
    """

    tracer: Tracer

    def __init__(self) -> None:
        super().__init__()
        self.watchers: list[Watcher] = []
        self.handling = 0
        self.chained: list[Exception] = []
        self.is_raising = False

    def catcher_of(self, error: Exception) -> Watcher | None:
        """The innermost statement that catches an exception."""
        callers = self.tracer.callers
        place = callers.location, callers.within  # those of what raises, not of a handler's classes
        catching = (item for item in reversed(self.watchers) if item.catches is not None)
        try:
            return next((item for item in catching if item.catches(error)), None)
        finally:
            callers.location, callers.within = place

    def how_left(self, error: Exception) -> str:
        """How an exception is left to NumPy; empty where nobody sees it.

        Where the plain function raises it, or just runs its `finally`, nothing is told. One that is
        caught is no error, and the call is told to have run in NumPy.
        """
        if self.catcher_of(error) is not None:
            return IN_NUMPY
        return RAISED_IN_NUMPY if any(item.catches is None for item in self.watchers) else ""

    @contextlib.contextmanager
    def handles(self) -> Iterator[None]:
        """What is carried out because of an exception: what can't be captured there is rare."""
        self.handling += 1
        try:
            yield
        except UnsupportedError as refusal:
            refusal.is_rare = True
            raise
        except Exception as error:
            let_out(error)
            self.chained.append(error)
            raise
        finally:
            self.handling -= 1

    @contextlib.contextmanager
    def raises_next(self, does: bool = True) -> Iterator[None]:
        """What ends by raising an exception, if it `does`."""
        around, self.is_raising = self.is_raising, self.is_raising or does
        try:
            yield
        finally:
            self.is_raising = around

    def split_for(self, error: Exception, places: list[tuple]) -> None:
        """Begin anew with both sides of a branch captured apart, of which one raises an error.

        Nothing is done where nobody catches the error, and where the statement that does can't be
        carried out once for each side: it is outside of a loop or branch of the program that is
        captured, has run a loop of the program, which would run once more, or has been split often.

        Parameters
        ----------
        places : list
            Where the sides can be captured apart (`Forks.fork_places`).

        Raises
        ------
        Restart
        """
        catcher = self.catcher_of(error)
        if catcher is None or catcher.loops != self.tracer.loops:
            return
        path, node = catcher.statement.key
        where = general_block(path), node
        if sum(fork[0] == where for fork in self.tracer.choices.forks) < _MOST_SPLITS:
            self.apart_at([place for place in places if place[0] == catcher.statement.key])

    def how_seen(self, condition: Any, name: str, text: str, values: list[Any]) -> str | None:
        """How the exception of a check, with `Tracer.check`'s arguments, is left to NumPy.

        Returns
        -------
        str or None
            As `how_left`; None on the side that is captured apart because the check passes there.

        Raises
        ------
        Restart
        Exception
            That of the check, on the side on which the program raises it.
        """
        if not self.watchers:
            return ""
        like = _like(name, text)
        if self.catcher_of(like) is None:
            return self.how_left(like)
        self.path.append(self.numbered("check"))
        try:
            decided = self.decided(condition)
            if decided is None:
                self.split_for(like, self.fork_places())
        finally:
            self.path.pop()
        if decided is False:
            raise self.raising(_error_of(self.tracer, name, text, values))
        return None if decided else IN_NUMPY


def _like(name: str, text: str) -> Exception:
    """An exception of the class of a check's, which is all that a handler chooses by."""
    kind, _, types = name.partition("(")
    made = restored(kind, text)
    return made.__new__(made) if types and isinstance(made, type) else raised(kind, text)


def _error_of(tracer: Tracer, name: str, text: str, values: list[Any]) -> Exception:
    """The exception of a check, as the capture raises it.

    What a check of ours has in its text is an integer, where no type is named, or a real number.
    """
    kind, _, types = name.partition("(")
    if not values:
        return raised(name, text)
    kinds = types.rstrip(")").split(", ") if types else ["int"] * len(values)
    return restored(kind, text)(text_of_form(tracer, kinds, text, values))
