"""The arguments of a call as the compiler sees them: a tree of leaves for each."""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any

import numpy as np

from .. import _runtime
from ..errors import UnsupportedError
from .leaf_kinds import DICT, LIST, OBJECT
from .leaves import Leaf
from .long_lists import as_given
from .looking import leaf_of, look_at, open_place
from .simple_kinds import ARRAY, DEVICE_ARRAY, NUMBER, STREAM, bits_of


class Call:
    """One call's arguments, classified.

    Attributes
    ----------
    args, kwargs : tuple, dict
        As they can be handed to compiled code: arrays that it can't read in place are copies, and
        so are long lists of numbers.
    converted, copies : list of Leaf
        What has been converted, and the arrays among that: programs may not see their memory.
    parameters : list of Leaf
        One for each passed argument, in the order of the call.
    refusal : UnsupportedError, optional
        Why no program takes the call, where one of these is to blame.
    """

    def __init__(
        self,
        function: types.FunctionType,
        args: tuple,
        kwargs: dict[str, Any],
        attributes: dict[str, list[str]],
    ) -> None:
        """Classify arguments.

        Parameters
        ----------
        attributes : dict
            The attributes that programs of the function look at, by the path of an object.
        """
        names = parameter_names(function, len(args))
        self.kwnames = tuple(kwargs)
        given = [*zip(names, args, strict=True), *kwargs.items()]
        self.parameters = [
            leaf_of(obj, name, is_open=open_place(name) in attributes) for name, obj in given
        ]
        self.refusal = self._refusal()
        self.look_at(attributes)
        self.converted = [
            leaf
            for parameter in self.parameters
            for leaf in parameter.leaves()
            if leaf.original is not None
        ]
        self.copies = [leaf for leaf in self.converted if isinstance(leaf.original, np.ndarray)]
        self.args, self.kwargs = args, kwargs
        if self.converted:
            values = [leaf.rebuilt() for leaf in self.parameters]
            self.args = tuple(values[: len(args)])
            self.kwargs = dict(zip(self.kwnames, values[len(args) :], strict=True))
        self.nargs = len(args)

    def _refusal(self) -> UnsupportedError | None:
        for parameter in self.parameters:
            for leaf in parameter.refusals():
                # Of `*args` the whole.
                leaf.fault.argument = parameter.path.split("[", maxsplit=1)[0]
                return leaf.fault
        return None

    def look_at(self, attributes: dict[str, list[str]]) -> None:
        """Take those attributes of objects that programs look at for a part of the call."""
        for parameter in self.parameters:
            look_at(parameter, attributes)

    def may_be_open(self) -> bool:
        """Whether an argument is an object of the user's, a list or a dict, or holds one.

        Programs may take it without looking at all that it has.
        """
        waiting = list(self.parameters)
        for leaf in waiting:
            if leaf.kind in (OBJECT, LIST, DICT):
                return True
            waiting += leaf.children
        return False

    def signature(self, static: set[str], shapes: bool = True) -> tuple:
        """A hashable form of the whole call; see `Leaf.signature`."""
        parts = tuple(leaf.signature(static, shapes) for leaf in self.parameters)
        return (self.nargs, self.kwnames, parts)

    def scalars(self) -> Iterator[Leaf]:
        """The leaves of all the arguments that are numbers, in order."""
        for parameter in self.parameters:
            for leaf in parameter.leaves():
                if leaf.kind is NUMBER:
                    yield leaf

    def arrays(self) -> Iterator[Leaf]:
        """The array leaves of all the arguments, in order."""
        for parameter in self.parameters:
            for leaf in parameter.leaves():
                if leaf.kind in (ARRAY, DEVICE_ARRAY):
                    yield leaf

    def devices(self) -> dict[str, Leaf]:
        """The devices that arrays among the arguments are on, each with one of these."""
        return {
            leaf.obj.device: leaf
            for parameter in self.parameters
            for leaf in parameter.leaves()
            if leaf.kind is DEVICE_ARRAY
        }

    def stream_twice(self) -> Leaf | None:
        """A random generator whose bits an earlier argument has, too; None where there is none."""
        seen: set[int] = set()
        for parameter in self.parameters:
            for leaf in parameter.leaves():
                if leaf.kind is STREAM:
                    bits = id(bits_of(leaf))
                    if bits in seen:
                        return leaf
                    seen.add(bits)
        return None


def call_texts(call: Call) -> dict[str, str]:
    """What a call was like, in words: by path, arrays as ``float64[3, 4]``, all else as it is."""
    leaves = [leaf for parameter in call.parameters for leaf in parameter.leaves()]
    return {leaf.path: leaf.kind.text(leaf) for leaf in leaves}


def parameter_names(function: types.FunctionType, count: int) -> list[str]:
    """Names of the first `count` positional arguments, those taken by ``*args`` included."""
    code = function.__code__
    names = list(code.co_varnames[: code.co_argcount])
    variadic = "args"
    if code.co_flags & 0x04:
        variadic = code.co_varnames[code.co_argcount + code.co_kwonlyargcount]
    extra = range(count - len(names))
    return (names + [f"{variadic}[{k}]" for k in extra])[:count]


def given_to(function: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
    """What a function gives for a call's arguments, long lists as they were given."""
    named = {name: as_given(obj) for name, obj in kwargs.items()}
    return function(*map(as_given, args), **named)


def handed_over(function: types.FunctionType, args: tuple, kwargs: dict[str, Any]) -> Any:
    """What has the binding call the plain function with the arguments of a call."""
    if all(as_given(obj) is obj for obj in (*args, *kwargs.values())):
        return _runtime.HandOver(function)
    return _runtime.HandOver(lambda *args, **kwargs: given_to(function, args, kwargs))
