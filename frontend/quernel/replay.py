"""Views that captured code described, made again on real arrays."""

from __future__ import annotations

import numpy as np

from .expressions import evaluate


class Replay:
    """Makes views on a real array.

    Parameters
    ----------
    forms : list
        The JSON forms of the views.
    axes : dict
        Which axis of the array gives each symbol that the forms use.
    """

    def __init__(self, forms: list[list], axes: dict[str, int] | None = None) -> None:
        self.forms = forms
        self.axes = axes or {}

    def __call__(self, array: np.ndarray) -> np.ndarray:
        """The view of an array."""
        sizes = {name: array.shape[axis] for name, axis in self.axes.items()}
        for kind, *details in self.forms:
            parts = [[_known(item, sizes) for item in part] for part in details]
            if kind == "slice":
                array = array[tuple(map(_slice, *parts))]
            elif kind == "transpose":
                array = array.transpose(parts[0])
            elif kind == "reshape":
                array = array.reshape(parts[0])
            elif kind in ("real", "imag"):
                array = getattr(array, kind)
            else:
                array = np.broadcast_to(array, parts[0])
        return array


def _known(item: int | str, sizes: dict[str, int]) -> int:
    return item if isinstance(item, int) else evaluate(item, sizes)


def _slice(offset: int, size: int, stride: int) -> slice:
    stop = offset + size * stride
    return slice(offset, stop if stop >= 0 else None, stride)
