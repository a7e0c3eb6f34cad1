"""Captures that begin anew, and what they know then."""

from __future__ import annotations

from typing import Any

from .effort import Effort


class Restart(BaseException):
    """The capture has to begin anew, with more known at its start.

    Parameters
    ----------
    values : set of str
        Paths of numbers whose value, and of arrays whose strides, become part of the program.
    dims : set of (str, int)
        Dimensions, as path and axis, whose size becomes part of the program.
    unroll : set of tuple
        Loops whose turns have to be captured one by one.
    peel : set of tuple
        Turns of loops of which the first one has to be captured by itself.
    forks : set of (Fork, tuple)
        Statements from which on the two sides of a branch have to be captured apart, and the path
        of the branch.
    pools : set of str
        Of ``"all"``: loops hand on memory that several names may have as such, not as copies.
    objects : set of str
        Of ``"all"``: the program numbers the views that its turns make.
    growing : set of tuple
        What is known about lists that the program fills (`growing.py`).
    changed : set of str
        Paths of lists and dicts from outside that the function changes.
    looked : set of str
        Those among them of which it looks at all that they hold.
    apart : set of tuple
        Branches, by path, and what they choose of two lists that have to stay two: one is changed.
    conditions : set of (str, int)
        Files and lines of `while` loops whose conditions become a part of the body.
    rolled : set of tuple
        Those whose end data decide, so that they aren't unrolled though they look items up.
    """

    def __init__(
        self,
        values: Any = (),
        dims: Any = (),
        unroll: Any = (),
        forks: Any = (),
        fixed: Any = (),
        peel: Any = (),
        pools: Any = (),
        objects: Any = (),
        growing: Any = (),
        apart: Any = (),
        changed: Any = (),
        looked: Any = (),
        conditions: Any = (),
        rolled: Any = (),
    ) -> None:
        super().__init__()
        self.values, self.dims = set(values), set(dims)
        self.unroll, self.forks = set(unroll), set(forks)
        self.fixed, self.peel, self.pools = set(fixed), set(peel), set(pools)
        self.objects, self.growing = set(objects), set(growing)
        self.apart = set(apart)
        self.changed, self.looked = set(changed), set(looked)
        self.conditions, self.rolled = set(conditions), set(rolled)


class Unsafe(BaseException):
    """A check was met in what is computed although Python may not compute it."""


class Choices:
    """What earlier attempts to capture this kind of call have found out.

    Attributes
    ----------
    values : set of str
        The numbers, by path, that are part of the program, unless they vary.
    varying : set of str
        The numbers among them that have differed between calls: for the capture they are data.
    fixed : set of str
        Those that can't be data.
    decided : set of str
        The numbers, by path, that have become part of the program in the attempt that goes on.
    wanted : set of tuple
        What lists that grow have to know at their beginning, as this attempt finds out.
    written : set of str
        Paths of arrays that the function writes.
    wide : set of (str, int)
        Sizes of inner axes that, where they are symbols, stand for more than a few elements.
    effort : Effort
        What the compile may take.
    any_size : bool
        Whether sizes that are symbols may be 0 and 1, too.
    leaves_paths : bool
        Whether calls are left to NumPy that come to what can't be captured where data decide.
    looked_up : set of tuple
        The `while` loops by whose numbers items of lists are looked up.
    """

    def __init__(self) -> None:
        self.values: set[str] = set()
        self.varying: set[str] = set()
        self.fixed: set[str] = set()
        self.dims: set[tuple[str, int]] = set()
        self.written: set[str] = set()
        self.unroll: set[tuple] = set()
        self.peel: set[tuple] = set()
        self.forks: set[tuple] = set()
        self.pools: set[str] = set()
        self.objects: set[str] = set()
        self.growing: set[tuple] = set()
        self.apart: set[tuple] = set()
        self.wide: set[tuple[str, int]] = set()
        self.changed: set[str] = set()
        self.looked: set[str] = set()
        self.conditions: set[tuple[str, int]] = set()
        self.rolled: set[tuple] = set()
        self.looked_up: set[tuple] = set()
        self.decided: set[str] = set()
        self.wanted: set[tuple] = set()
        self.effort = Effort(None)
        self.any_size = self.leaves_paths = False
        self.work = 0  # operations of all attempts of a capture
        self.hints: dict[tuple, Any] = {}  # what they have found out, by path of a loop or branch

    def end(self) -> None:
        """Note the end of an attempt: what it has decided stays so in the next ones."""
        self.values |= self.decided
        self.growing |= self.wanted
        self.decided.clear()
        self.wanted.clear()

    def learn(self, restart: Restart) -> bool:
        """Take over what a restart says; whether anything of it is new.

        Sizes that may be any are never part of the program.
        """
        if self.any_size and restart.dims:
            return False
        before = self._size()
        for name in vars(restart):
            getattr(self, name).update(getattr(restart, name))
        return self._size() > before

    def give_up_growing(self) -> bool:
        """Have all lists be Python's: the capture has failed; whether any of them wasn't."""
        sites = {note[1] for note in self.growing if note[0] in ("use", "loop")}
        plain = {("plain", site) for site in sites}
        is_new = not plain <= self.growing
        self.growing |= plain
        return is_new

    def give_up_appending(self) -> bool:
        """Have the items of all lists be looked at: the capture has failed; whether any weren't."""
        is_new = not self.changed <= self.looked
        self.looked |= self.changed
        return is_new

    def static(self) -> set[str]:
        """The numbers that are part of the program."""
        return self.values - self.varying | self.values & self.fixed

    def again(
        self, varying: Any = (), fixed: Any = (), dims: Any = (), any_size: bool = False
    ) -> Choices:
        """What holds too where more numbers vary, or can't be data, or sizes can't be symbols."""
        made = Choices()
        made.any_size = self.any_size or any_size
        made.effort = self.effort
        made.leaves_paths = self.leaves_paths
        made.dims, made.wide = self.dims | set(dims), set(self.wide)
        made.values, made.written = set(self.values), set(self.written)
        made.varying, made.fixed = self.varying | set(varying), self.fixed | set(fixed)
        return made

    def _size(self) -> int:
        return sum(len(part) for part in vars(self).values() if type(part) is set)
