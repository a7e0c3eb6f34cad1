"""What a tracer knows of numbers of which data decide the type."""

from __future__ import annotations

from typing import Any


class NumberTypes:
    """The part of a tracer that knows numbers of several types.

    Assumes the tracer's `interpreter`.
    """

    interpreter: Any

    def __init__(self) -> None:
        self._alternatives: dict[int, tuple[Any, Any, bool]] = {}  # by value of a number
        self._tags: dict[int, tuple[Any, Any, list[Any]]] = {}  # by value of a number
        self._widened: dict[int, tuple[Any, list[Any]]] = {}  # by value of a number
        self._numbers: dict[int, tuple[Any, Any, list[Any]]] = {}  # by value of a number
        self._origin_values: dict[int, tuple[Any, Any]] = {}  # by marker

    def alternative(self, value: Any, either: Any, exact: bool = True) -> None:
        """Note of a number whose type data decide which numbers it is one of.

        Parameters
        ----------
        exact : bool
            Whether it is one of the two; else it is computed from one of them.
        """
        self._alternatives[id(value)] = (value, either, exact)

    def alternative_of(self, value: Any, exact: bool = False) -> Any:
        """The two numbers that a number is one of, or is computed from; None where nobody knows."""
        _, either, is_exact = self._alternatives.get(id(value), (None, None, False))
        return either if is_exact or not exact else None

    def tag(self, value: Any, tag: Any, kinds: list[Any]) -> None:
        """Note which of some types a number has, as a graph value that counts them."""
        self._tags[id(value)] = (value, tag, kinds)

    def tag_of(self, value: Any) -> tuple[Any, list[Any]]:
        """The tag of a number and the types that it counts; None and none where nobody knows."""
        return self._tags.get(id(value), (None, None, []))[1:]

    def stands_for(self, marker: Any, value: Any) -> None:
        """Let what is known of a number's types go for another graph value of it, too."""
        self._origin_values[id(marker)] = (marker, self.origin(value))
        for table in (self._tags, self._alternatives, self._widened):
            if id(value) in table and not value.shape:
                table[id(marker)] = (marker, *table[id(value)][1:])  # type: ignore[index]

    def origin(self, value: Any) -> Any:
        """The value that a loop's marker stands for, as long as no turn has changed it."""
        return self._origin_values.get(id(value), (None, value))[1]

    def widened(self, value: Any, places: list[Any]) -> None:
        """Note of a number where the paths part on which it has other types."""
        self._widened[id(value)] = (value, places)

    def places_of(self, value: Any) -> list[Any]:
        """Where the paths part on which a number has other types."""
        either = self.alternative_of(value)
        return [
            *(either.places if either is not None else ()),
            *self._widened.get(id(value), (None, ()))[1],
        ]

    def note_number(self, number: Any, places: list[Any]) -> None:
        """Note of a number whose type data decide where its types can be captured apart."""
        self._numbers[id(number.value)] = (number.value, number, places)

    def inherit(self, value: Any, operands: Any) -> None:
        """Note that a number is computed from others, whose types data may decide."""
        parts = (self._numbers.get(id(getattr(x, "value", None))) for x in operands)
        for _, number, places in filter(None, parts):
            self._numbers[id(value)] = (value, number, places)
        loops = (self._widened.get(id(getattr(x, "value", None))) for x in operands)
        for _, places in filter(None, loops):
            self.widened(value, places)
        found = (self.alternative_of(getattr(x, "value", None)) for x in operands)
        either = next((item for item in found if item is not None), None)
        if either is not None:
            self.alternative(value, either, exact=False)

    def decide(self, value: Any) -> None:
        """Capture both ways where the type of a number matters, if that can be done.

        Raises
        ------
        Restart
        """
        if self.interpreter is not None:
            self.interpreter.apart_at(self.places_of(value))
            _, number, places = self._numbers.get(id(value), (None, None, []))
            self.interpreter.apart_by_type(number, places)
