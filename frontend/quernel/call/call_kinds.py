"""Calls of one kind: what differs among them, and so can't be part of their programs."""

from __future__ import annotations

from typing import Any

from ..arguments.calls import Call
from ..arguments.leaves import Leaf, Place
from ..arguments.simple_kinds import ANY, MOST_SMALL
from ..describe import describe
from ..errors import UnsupportedError
from ..options import Options

_MOST_VALUES = 8
_TRIVIAL = {describe(0), describe(1)}


class CallKind:
    """What is known of the calls with the same types, dtypes, ranks and layouts.

    The first call's shapes are part of its program, and so are those numbers that the function
    can't be captured without, or that prove an index. A size or number that differs at a later
    call becomes a symbol of the next program. Where a capture needs it all the same, it stays part
    of programs, for at most eight values; so do small sizes of inner axes, before they are symbols.
    A size of 0 or 1 has programs of its own, and says nothing of others.

    What programs on disk were made for counts, too, whichever process has made them: the values of
    their numbers, and those sizes that are symbols. Where there are more than eight values on disk,
    a process adds a program for one.

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
        self._inner: set[tuple] = set()
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
            if self._note((leaf.path, axis), size) and size > 1
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

    def _check(self, what: str, place: Place, hint: str) -> None:
        # Where earlier processes have had too many, this one has a program for its first alone.
        stored = len(self._stored.get(place, set()) - {ANY})
        trivial = _TRIVIAL if type(place) is tuple else set()
        if len(self._values[place] - trivial) > (1 if stored > _MOST_VALUES else _MOST_VALUES):
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
        sizes = {
            (leaf.path, axis): size
            for leaf in call.arrays()
            for axis, size in enumerate(leaf.shape)
            if size > 1
            and (options.dynamic or self._earlier((leaf.path, axis)) - {describe(size), *_TRIVIAL})
        }
        return set(sizes) if options.dynamic else set(sizes) - self._exact_first(call, sizes)

    def _exact_first(self, call: Call, varying: dict[Place, int]) -> set[Place]:
        """Those of the sizes that vary which stay part of programs, as there are few such programs.

        That is small sizes of inner axes, and others that are the same as one of these: a loop over
        few elements is unrolled, and vectorised along another axis, where their number is known.
        """
        inner = {
            varying[leaf.path, axis]
            for leaf in call.arrays()
            for axis in _inner_axes(leaf)
            if varying.get((leaf.path, axis), MOST_SMALL + 1) <= MOST_SMALL
        }
        kept = {place: size for place, size in varying.items() if size in inner}
        if not kept:
            return set()
        sizes = tuple(sorted(kept.items()))
        if len(self._inner) < _MOST_VALUES:
            self._inner.add(sizes)
        return set(kept) if sizes in self._inner else set()

    def note_wide(self, call: Call, options: Options, is_forced: bool) -> None:
        """Note the sizes of inner axes that symbols don't stand for unless they are large.

        The small ones have exact programs first. Once there are too many, one program is for all.
        """
        self.choices.wide = {
            (leaf.path, axis)
            for leaf in (() if options.dynamic or is_forced else call.arrays())
            for axis in _inner_axes(leaf)
            if leaf.shape[axis] > MOST_SMALL
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
            and (options.dynamic or self._earlier(place) - _TRIVIAL)
        }


def _inner_axes(leaf: Leaf) -> set[int]:
    """The axes of an array but for the outermost one in memory."""
    axes = tuple(range(len(leaf.shape)))
    order = leaf.layout[1] if type(leaf.layout) is tuple else axes
    return set(axes) - set(order[:1])
