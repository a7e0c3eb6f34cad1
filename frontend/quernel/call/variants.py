"""Programs that differ in texts, functions and what is read from outside: there are few of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from ..arguments.calls import Call
from ..arguments.looking import portable
from ..arguments.opaque import OPAQUE, Observation, is_plain_value
from ..arguments.python_random import is_random
from ..arguments.simple_kinds import IDENTITY, VALUE
from ..errors import UnsupportedError

# So many programs are made for the values of one argument, and of all that is read from outside.
_MOST = 16
# So many where an argument is an object that has no kind: as a rule each call makes another one.
_MOST_OF_OBJECTS = 4
# And so many for what lists and dicts hold that the function changes: the next call's hold more.
_MOST_CHANGED = 8


class Variants:
    """What the programs of a function are for beside numbers and sizes.

    A text, a flag, a function and what is read from outside are always part of programs. Where
    they differ from call to call, a program for each would take longer than NumPy ever could.
    """

    def __init__(self) -> None:
        self._values: dict[tuple, set] = {}
        self._programs: Counter = Counter()
        self._objects: dict[str, set[tuple]] = {}
        self._changed: Counter = Counter()

    def check(self, call: Call) -> None:
        """See that a call may have a program of its own.

        Raises
        ------
        UnsupportedError
        """
        for place, value in _values(call):
            known = self._values.get(place, set())
            if len(known) >= _MOST and value not in known:
                path = place[1]
                raise UnsupportedError(
                    f"the value of `{path}` has to be part of the program, and there were more "
                    f"than {_MOST}",
                    f"call it with few values of `{path}`",
                )
        self._check_count(call, self._programs[_text(call)])
        for path, count in self._changed.items():
            if count >= _MOST_CHANGED:
                raise _too_many_contents(path, call)

    def note_objects(self, call: Call, program: str, guards: Iterable[Any]) -> None:
        """Note for which objects a stored program is to answer a call.

        Raises
        ------
        UnsupportedError
            Where these are others from call to call, and nothing else differs.
        """
        known, now = self._objects.setdefault(program, set()), tuple(_objects_in(guards))
        if now not in known:
            self._check_count(call, len(known))
            known.add(now)

    @staticmethod
    def _check_count(call: Call, count: int) -> None:
        most = _MOST_OF_OBJECTS if _has_opaque(call) else _MOST
        if count >= most:
            raise UnsupportedError(
                "what is read from outside, by the function or by one that it is given, has to be "
                f"part of the program, and there were more than {most} programs",
                "pass it as an argument",
            )

    def note(self, call: Call, changed: list[str]) -> None:
        """Note that a program has been compiled for a call.

        Parameters
        ----------
        changed : list of str
            The lists and dicts that it changes and is made for all items of.
        """
        self._changed.update(changed)
        for place, value in _values(call):
            self._values.setdefault(place, set()).add(value)
        self._programs[_text(call)] += 1


def _too_many_contents(path: str, call: Call) -> UnsupportedError:
    error = UnsupportedError(
        f"what `{path}` holds, which the function changes, has to be part of the program, and "
        f"there were more than {_MOST_CHANGED} programs",
        "only append to it, or set its keys",
    )
    root = path.split("[", maxsplit=1)[0]
    if any(leaf.path == root for leaf in call.parameters):
        error.argument = root
    return error


def _values(call: Call) -> list[tuple[tuple, Any]]:
    """The places of texts, flags and functions, each among calls of its form, and their values."""
    form = tuple(leaf.kind.form(leaf) for leaf in call.parameters)
    leaves = [leaf for parameter in call.parameters for leaf in parameter.leaves()]
    return [
        ((form, leaf.path), portable(leaf.signature(set())))
        for leaf in leaves
        if leaf.kind.is_constant
    ]


def _objects_in(guards: Iterable[Any]) -> Iterator[int]:
    """The identities of what guards demand by identity; the guards keep these objects."""
    for form in guards:
        if type(form) is list:  # of guards, or of names
            yield from _objects_in(form)
        if type(form) is not tuple or len(form) < 2 or type(form[0]) is not str:
            continue
        kind, given = form[:2]
        if kind == IDENTITY.name:
            yield id(given)
        elif kind == "like":
            yield id(type(given))
        elif kind != VALUE.name:
            yield from _objects_in(form)
        elif type(given) is Observation:
            yield 0 if is_plain_value(given.seen) else id(given.seen)


def _has_opaque(call: Call) -> bool:
    """Whether a program is for one object alone that an argument is, or has."""
    waiting = list(call.parameters)
    for leaf in waiting:
        if leaf.kind is OPAQUE or is_random(leaf.obj):
            return True
        waiting += leaf.children
    return False


def _text(call: Call) -> tuple:
    """All that can be seen of a call's arguments."""
    return portable(call.signature({leaf.path for leaf in call.scalars()}))
