"""Merge sorts as loops over elements: captured as a user's own functions are.

They read nothing from outside of themselves, so that a program that sorts may be kept on disk.
"""

from __future__ import annotations

from typing import Any


def sort_rows(keys: Any, spare: Any) -> None:
    """Sort each row in place, NaN last; `spare` is a row of memory to work in."""
    count = keys.shape[1]
    for row in range(keys.shape[0]):
        width = 1
        while width < count:
            low = 0
            while low < count:
                middle = min(low + width, count)
                high = min(low + 2 * width, count)
                left = low
                right = middle
                for place in range(low, high):
                    first = left < middle
                    if first and right < high:
                        x = keys[row, left]
                        y = keys[row, right]
                        first = not (y < x or (x != x and y == y))  # noqa: PLR0124
                    if first:
                        spare[place] = keys[row, left]
                        left += 1
                    else:
                        spare[place] = keys[row, right]
                        right += 1
                low += 2 * width
            keys[row] = spare
            width *= 2


def sort_rows_with_places(keys: Any, places: Any, spare: Any, spare_places: Any) -> None:
    """Sort each row in place, NaN last and ties in order, and its places with it."""
    count = keys.shape[1]
    for row in range(keys.shape[0]):
        width = 1
        while width < count:
            low = 0
            while low < count:
                middle = min(low + width, count)
                high = min(low + 2 * width, count)
                left = low
                right = middle
                for place in range(low, high):
                    first = left < middle
                    if first and right < high:
                        x = keys[row, left]
                        y = keys[row, right]
                        first = not (y < x or (x != x and y == y))  # noqa: PLR0124
                    if first:
                        spare[place] = keys[row, left]
                        spare_places[place] = places[row, left]
                        left += 1
                    else:
                        spare[place] = keys[row, right]
                        spare_places[place] = places[row, right]
                        right += 1
                low += 2 * width
            keys[row] = spare
            places[row] = spare_places
            width *= 2
