"""Calls of one kind: what differs among them, and so can't be part of their programs."""

from __future__ import annotations

from typing import Any

from ..arguments.calls import Call
from ..arguments.leaf_kinds import ANY
from ..arguments.leaves import Place
from ..describe import describe
from ..errors import UnsupportedError
from ..options import Options

_MOST_VALUES = 8


class CallKind:
    """What is known of the calls with the same types, dtypes, ranks and layouts.

    The first call's shapes are part of its program, and so are those numbers that the function
    can't be captured without, or that prove an index. A size or number that differs at a later
    call becomes a symbol of the next program. Where a capture needs it all the same, it stays part
    of programs, for at most eight values. What programs on disk were made for counts, too,
    whichever process has made them: the values of their numbers, and those sizes that are symbols.
    Where there are more than eight values on disk, a process adds a program for one.

    Attributes
    ----------
    choices : Choices
        What captures of such calls have found out.
    takes_any_size : bool
        False once a capture with sizes that may be 0 and 1 has failed.
    """

    def __init__(self) -> None:
        from ..traced.restarts import Choices  # which a call of a known program doesn't need

        self.choices: Any = Choices()
        self.takes_any_size = True
        # What has come, and what programs on disk are for, as texts.
        self._values: dict[Place, set[str]] = {}
        self._stored: dict[Place, set[str]] = {}

    def recall(self, call: Call, entries: list[dict[str, Any]]) -> None:
        """Take note of the programs on disk for calls of the same kind as `call`."""
        for entry in entries:
            for leaf, pattern in zip(call.parameters, entry["parameters"], strict=True):
                for place, text in leaf.kind.stored(leaf, pattern):
                    self._stored.setdefault(place, set()).add(text)
        needed = {place for place, texts in self._stored.items() if texts != {ANY}}
        numbers = needed & {leaf.path for leaf in call.scalars()}
        self.choices.values |= numbers
        self.choices.varying |= {path for path in numbers if len(self._stored[path]) > 1}

    def see(self, call: Call, options: Options) -> None:
        """Take note of a call before it is captured.

        Raises
        ------
        UnsupportedError
            Where a number, a size or the strides of an array are part of programs, and have had
            too many values.
        """
        sizes = {
            (leaf.path, axis)
            for leaf in call.arrays()
            for axis, size in enumerate(leaf.shape)
            if self._note((leaf.path, axis), size)
        }
        if options.dynamic is not False:
            for path, axis in sorted(sizes & self.choices.dims):
                hint = "dynamic=False makes a program for each"
                self._check(f"size of axis {axis} of `{path}` has", (path, axis), hint)
        strided = {
            leaf.path
            for leaf in call.arrays()
            if leaf.layout != "C" and self._note(leaf.path, leaf.strides)
        }
        for path in sorted(strided & self.choices.values):
            self._check(f"strides of `{path}` have", path, f"pass np.ascontiguousarray({path})")
        new = {leaf.path for leaf in call.scalars() if self._note(leaf.path, leaf.obj)}
        varying = new & self.choices.values
        if varying and options.dynamic is not False:
            for path in sorted(varying & self.choices.fixed):
                hint = f"call it with few values of `{path}`, or use that in arithmetic only"
                self._check(f"value of `{path}` has", path, hint)
            if not varying <= self.choices.varying:
                self.choices = self.choices.again(varying)

    def _note(self, place: Place, value: Any) -> bool:
        """Whether an argument has another value, size or strides than at all earlier calls."""
        text, earlier = describe(value), self._earlier(place)
        self._values.setdefault(place, set()).add(text)
        return bool(earlier) and text not in earlier

    def _earlier(self, place: Place) -> set[str]:
        return self._values.get(place, set()) | self._stored.get(place, set())

    def _varies(self, place: Place, value: Any) -> bool:
        return not self._earlier(place) <= {describe(value)}

    def _check(self, what: str, place: Place, hint: str) -> None:
        # Where earlier processes have had too many, this one has a program for its first alone.
        stored = len(self._stored.get(place, set()) - {ANY})
        if len(self._values[place]) > (1 if stored > _MOST_VALUES else _MOST_VALUES):
            raise UnsupportedError(
                f"the {what} to be part of the program, and there were more than {_MOST_VALUES}",
                hint,
            )

    def fix(self) -> bool:
        """Make varying numbers part of programs, after a capture has failed; False: none vary."""
        if self.choices.varying <= self.choices.fixed:
            return False
        self.choices = self.choices.again(fixed=self.choices.varying)
        return True

    def fix_sizes(self, places: set[tuple[str, int]]) -> None:
        """Make sizes part of programs, after a capture has failed with symbols for them."""
        self.choices = self.choices.again(dims=places)

    def symbolic(self, call: Call, options: Options) -> set[tuple[str, int]]:
        """The dimensions of a call that should become symbols."""
        if options.dynamic is False:
            return set()
        return {
            (leaf.path, axis)
            for leaf in call.arrays()
            for axis, size in enumerate(leaf.shape)
            if size >= 2
            and (options.dynamic or self._earlier((leaf.path, axis)) - {describe(size)})
        }

    def small(self, call: Call, options: Options) -> set[tuple[str, int]]:
        """The dimensions of 0 and 1 that have had other sizes: one program takes any size there.

        A size of 0 or 1 changes what a program does (an array without elements, an axis that is
        repeated), so the programs for all other sizes don't take it.
        """
        arrays = list(call.arrays())
        is_plain = all(leaf.layout == "C" for leaf in arrays)
        if options.dynamic is False or not self.takes_any_size or not is_plain:
            return set()
        return {
            place
            for leaf in arrays
            for axis, size in enumerate(leaf.shape)
            if size < 2
            and (place := (leaf.path, axis)) not in self.choices.dims
            and (options.dynamic or self._earlier(place) - {describe(0), describe(1)})
        }
