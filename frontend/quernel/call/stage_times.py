"""How long the stages of making a program ready took."""

from __future__ import annotations

from collections.abc import Mapping
from time import perf_counter


class StageTimes:
    """The stages of one program, noted one after the other.

    Attributes
    ----------
    seconds : dict of float
        By the names of stages, in their order.
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = perf_counter()

    @property
    def is_compiled(self) -> bool:
        """Whether the compiler ran; else the program was found on disk."""
        return "link" in self.seconds

    def lap(self, stage: str) -> None:
        """A stage that began where the one before ended is over."""
        now = perf_counter()
        self.seconds[stage] = now - self._last
        self._last = now

    def add(self, stages: Mapping[str, float]) -> None:
        """Stages that were timed elsewhere since the last one are over."""
        self.seconds.update(stages)
        self._last = perf_counter()
