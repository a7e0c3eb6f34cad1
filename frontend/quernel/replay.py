"""Views that captured code described, made again on real arrays."""

from __future__ import annotations

import numpy as np


class Replay:
    """Makes the views of a JSON list on a real array."""

    def __init__(self, forms: list[list]) -> None:
        self.forms = forms

    def __call__(self, array: np.ndarray) -> np.ndarray:
        for kind, *details in self.forms:
            if kind == "slice":
                array = array[tuple(map(_slice, *details))]
            elif kind == "transpose":
                array = array.transpose(details[0])
            elif kind == "reshape":
                array = array.reshape(details[0])
            else:
                array = np.broadcast_to(array, details[0])
        return array


def _slice(offset: int, size: int, stride: int) -> slice:
    stop = offset + size * stride
    return slice(offset, stop if stop >= 0 else None, stride)
