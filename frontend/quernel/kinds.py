"""Calls of one kind: what differs among them, and so can't be part of their programs."""

from __future__ import annotations

from typing import Any

from .arguments import Call
from .errors import UnsupportedError
from .options import Options

_MOST_VALUES = 8


class CallKind:
    """What is known of the calls with the same types, dtypes, ranks and layouts.

    The first call's shapes are part of its program, and so are those numbers that the function
    can't be captured without, or that prove an index. A size or number that differs at a later
    call becomes a symbol of the next program. Where a capture needs it all the same, it stays part
    of programs, for at most eight values.

    Attributes
    ----------
    choices : Choices
        What captures of such calls have found out.
    """

    def __init__(self) -> None:
        from .capture.tracer import Choices

        self.choices: Any = Choices()
        self._shapes: list[dict[tuple[str, int], int]] = []
        # By path, and axis: the values that have come.
        self._values: dict[str | tuple[str, int], dict[str, None]] = {}

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

    def _note(self, path: str | tuple[str, int], value: Any) -> bool:
        """Whether an argument has another value, size or strides than at all earlier calls."""
        values, text = self._values.setdefault(path, {}), repr(value)
        is_new = bool(values) and text not in values
        values[text] = None
        return is_new

    def _check(self, what: str, path: str | tuple[str, int], hint: str) -> None:
        if len(self._values[path]) > _MOST_VALUES:
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
        sizes = {
            (leaf.path, axis): size
            for leaf in call.arrays()
            for axis, size in enumerate(leaf.shape)
        }
        earlier = list(self._shapes)
        if sizes not in self._shapes:
            self._shapes.append(sizes)
        if options.dynamic is False:
            return set()
        return {
            place
            for place, size in sizes.items()
            if size >= 2 and (options.dynamic or any(old[place] != size for old in earlier))
        }
