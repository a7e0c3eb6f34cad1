"""Exceptions that data decide and that the user's own code sees: handlers, `finally`, contexts.

Such an exception is a branch. Its condition is that of the check, and its sides are those of the
`try` statement, which are captured apart from each other as those of other branches are
(`forks.py`): on one side the check has passed, on the other one the exception is raised while the
capture goes on, and a handler catches it there.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from ..errors import UnsupportedError
from ..raised import raised, restored
from ..signals import let_out
from ..traced.tracer import Tracer
from .forks import Forks
from .texts import text_of_form


class Watcher:
    """A statement that sees what is raised in a part of it.

    Attributes
    ----------
    statement : UnderWay
    sees : callable
        Whether an exception is caught there, or has other statements carried out.
    loops : int
        How many loops of the program there were when it began.
    """

    __slots__ = ("statement", "sees", "loops")

    def __init__(self, statement: Any, sees: Callable[[Exception], bool], loops: int) -> None:
        self.statement, self.sees, self.loops = statement, sees, loops


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
    """

    tracer: Tracer

    def __init__(self) -> None:
        super().__init__()
        self.watchers: list[Watcher] = []
        self.handling = 0
        self.chained: list[Exception] = []

    def watcher_of(self, error: Exception) -> Watcher | None:
        """The innermost statement that sees an exception."""
        callers = self.tracer.callers
        place = callers.location, callers.within  # those of what raises, not of a handler's classes
        try:
            return next((item for item in reversed(self.watchers) if item.sees(error)), None)
        finally:
            callers.location, callers.within = place

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

    def split_for(self, error: Exception, places: list[tuple]) -> None:
        """Begin anew with both sides of a branch captured apart, of which one raises an error.

        Nothing is done where nobody sees the error, and where the statement that sees it can't be
        carried out once for each side: it is outside of a loop or branch of the program that is
        captured, or has run a loop of the program, which would run once more.

        Parameters
        ----------
        places : list
            Where the sides can be captured apart (`Forks.fork_places`).

        Raises
        ------
        Restart
        """
        watcher = self.watcher_of(error)
        if watcher is not None and watcher.loops == self.tracer.loops:
            self.apart_at([place for place in places if place[0] == watcher.statement.key])

    def passes(self, condition: Any, name: str, text: str, values: list[Any]) -> bool | None:
        """Whether a check has passed on the side that is captured; None where nobody sees it.

        Parameters
        ----------
        condition, name, text, values
            Those of `Tracer.check`.

        Returns
        -------
        bool or None
            False where the statement that sees the exception can't be captured apart.

        Raises
        ------
        Restart
        Exception
            That of the check, on the side where the program raises it.
        """
        like = _like(name, text)
        if self.watcher_of(like) is None:
            return None
        self.path.append(self.numbered("check"))
        try:
            decided = self.decided(condition)
            if decided is None:
                self.split_for(like, self.fork_places())
                return False
        finally:
            self.path.pop()
        if decided:
            return True
        raise self.raising(_error_of(self.tracer, name, text, values))


def _like(name: str, text: str) -> Exception:
    """An exception of the class of a check's, which is all that a handler chooses by."""
    kind, _, types = name.partition("(")
    made = restored(kind, text)
    return made.__new__(made) if types and isinstance(made, type) else raised(kind, text)


def _error_of(tracer: Tracer, name: str, text: str, values: list[Any]) -> Exception:
    """The exception of a check, as the capture raises it.

    What a check of ours has in its text is an integer or a real number.
    """
    kind, _, types = name.partition("(")
    if not types:
        return raised(name, text)
    shown = text_of_form(tracer, types.rstrip(")").split(", "), text, values)
    return restored(kind, text)(shown)
