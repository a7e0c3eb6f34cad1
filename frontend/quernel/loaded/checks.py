"""What is said of calls that don't fit, by functions and by captured calls of them alike."""

from __future__ import annotations

from typing import Any

import numpy as np

from .signatures import Part, Signature

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")


def place_of(part: Part) -> str:
    """An argument as texts name it."""
    if part.number < len(_ORDINALS):
        return f"the {_ORDINALS[part.number]} argument"
    return f"argument {part.number + 1}"


def count_error(name: str, signature: Signature, given: int) -> TypeError:
    """The error of a call with another number of arguments."""
    count = len(signature.parameters)
    plural = "" if count == 1 else "s"
    return TypeError(f"{name}() takes {count} argument{plural}, {given} given: {signature.text}")


def argument_error(name: str, part: Part, what: str) -> TypeError:
    """The error of an argument that isn't what the signature says."""
    return TypeError(f"{name}() takes {part} as {place_of(part)}, which {what}")


def status_error(name: str, status: int) -> RuntimeError:
    """The error of a function that says it has failed."""
    return RuntimeError(status_text(name).format(status))


def status_text(name: str) -> str:
    """The text of that error."""
    return f"{name}() has returned {{0}}"


def fits(given: Any, dtype: str) -> bool:
    """Whether a number of a type of Python's, or of a dtype, is one of a dtype without loss."""
    wanted = np.dtype(dtype)
    if isinstance(given, type):
        return "biufc".index(wanted.kind) >= {bool: 0, int: 1, float: 3, complex: 4}[given]
    return np.can_cast(given, wanted, "safe")


def negative_error() -> ValueError:
    """The error of a result with a size below 0, which is NumPy's."""
    return ValueError("negative dimensions are not allowed")


class Sizes:
    """The sizes of a call, by their names.

    Attributes
    ----------
    known : dict
        What each name is; the axis that has said it is that of the first argument with it.
    """

    def __init__(self, name: str, signature: Signature) -> None:
        self._name, self._signature = name, signature
        self.known: dict[str, Any] = {}
        self._shapes: list[tuple[Part, tuple]] = []

    def take(self, part: Part, shape: tuple) -> None:
        """Take the shape of an argument, of which the rank fits."""
        self._shapes.append((part, shape))
        for size, own in zip(part.sizes or (), shape, strict=True):
            if size.name is not None:
                self.known.setdefault(size.name, own)

    def differences(self) -> Any:
        """The sizes that have to be equal: an axis, what it has to be, and the error if it isn't.

        The error's text has places for both.
        """
        for part, shape in self._shapes:
            for axis, (size, own) in enumerate(zip(part.sizes or (), shape, strict=True)):
                wanted = size.value(self.known)
                text = (
                    f"{self._name}() takes {part} as {place_of(part)}, of which axis {axis} has "
                    f"{{0}} elements, not {{1}}"
                )
                yield own, wanted, ValueError(text)

    def check(self) -> None:
        """Compare the sizes of an actual call.

        Raises
        ------
        ValueError
        """
        for own, wanted, error in self.differences():
            if own != wanted:
                raise ValueError(str(error).format(own, wanted))

    def shape(self, part: Part) -> tuple:
        """The shape of a result."""
        return tuple(size.value(self.known) for size in part.sizes or ())
