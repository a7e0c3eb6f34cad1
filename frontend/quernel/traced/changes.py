"""What memory was before it changed: it is put back without a copy of all that there is."""

from __future__ import annotations

from typing import Any, NamedTuple


class Change(NamedTuple):
    """What a storage was before something of it changed: its attributes of these names."""

    storage: Any
    value: Any
    taken: Any
    known: Any
    frozen: Any
    written: bool


class Changes:
    """The changes of memory that was there when somebody last noted a point of the capture.

    Attributes
    ----------
    entries : list of Change
        In the order in which they happened. Whoever puts memory back as it was at a point removes
        those since then.
    """

    def __init__(self) -> None:
        self.entries: list[Change] = []
        self._tick = 0
        self._point = 0

    def begin(self, tick: int) -> int:
        """Note the changes from here on of memory made before a tick; how many there were."""
        self._tick, self._point = tick, len(self.entries)
        return self._point

    def note(self, storage: Any) -> None:
        """Note what a storage is, before something of it changes."""
        if storage.born > self._tick:
            return  # no point of the capture has to do with it
        entries = self.entries
        if len(entries) > self._point and entries[-1].storage is storage:
            return  # since the last point it has been noted already
        entries.append(storage.as_it_is())
