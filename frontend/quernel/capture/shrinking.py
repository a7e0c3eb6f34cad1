"""Arrays that get shorter from turn to turn of a rolled loop: the beginning of a longer one."""

from __future__ import annotations

from typing import Any

from ..traced.array import TracedArray, fresh
from ..traced.bounds import integer, is_nonnegative
from ..traced.doubts import CUT
from ..traced.memory import storages_of
from ..traced.numbers import DATA, graph_dim, is_dynamic
from ..traced.restarts import Restart
from ..traced.views import SliceView, same_dims
from .carried import Entered
from .state import Retype


class ShrinkingArrays:
    """The part of a rolled loop that hands on arrays whose first size data decide.

    Assumes the attributes of `Rolled`. Such an array is a copy: writes to it are refused where
    somebody else may see its memory.
    """

    def _enter_counts(self) -> None:
        """How many entries the arrays have that get shorter from turn to turn."""
        self.counts: dict[int, tuple[Any, Any]] = {}
        for path, group in self.facts.shrinks.items():
            if group not in self.counts:
                size = self.begun[path].obj.shape[0]
                self.counts[group] = self.graph.enter(integer(self.tracer, size)), size

    def _enter_shrinking(self) -> None:
        """Such an array is the beginning of one that has the size from before the loop."""
        for path, group in self.facts.shrinks.items():
            entry = self.entered[path]
            entry.obj = self._shortened(entry.marker, *self.counts[group])
            self._keep_apart(entry)
            self.slots[path].put(entry.obj)

    def _keep_apart(self, entry: Entered) -> None:
        """Refuse writes to an array that gets shorter, and to one that it was a part of."""
        old = entry.before.obj
        if not self._is_shared(old, entry.path):
            return

        def written() -> None:
            CUT.check(self.tracer)

        entry.obj.storage.frozen = CUT
        for storage in storages_of(old):
            self.tracer.watched[-1][storage] = written

    def _shortened(self, buffer: Any, count: Any, most: Any) -> TracedArray:
        tracer = self.tracer
        size = tracer.symbol_of(count, 0, most, "count", frozenset([DATA]))
        rest = tracer.shape(buffer)[1:]
        return fresh(tracer, _beginning(size, rest).read(tracer, buffer))

    def _find_shrinking(self) -> None:
        """Note the arrays that a turn makes shorter; those that it cuts alike share a count."""
        groups: dict[tuple[Any, Any], int] = {}
        for slot in self.head.changed_slots():
            begun, now = self.begun.get(slot.key), slot.get()
            if begun is None or slot.key in self.facts.shrinks or not _is_cut(begun.obj, now):
                continue
            if not is_nonnegative(self.tracer, begun.obj.shape[0] - now.shape[0]):
                continue
            sizes = graph_dim(begun.obj.shape[0]), graph_dim(now.shape[0])
            self.facts.shrinks[slot.key] = groups.setdefault(sizes, len(groups))
            self.facts.detached.add(slot.key)
        if groups:
            raise Retype

    def _shrunk(self, entry: Entered, now: TracedArray) -> Any:
        """An array that gets shorter: its entries go to the beginning of the longer one."""
        tracer, group = self.tracer, self.facts.shrinks[entry.path]
        length = graph_dim(now.shape[0])
        count, most = self.counts[group]
        if group not in self.counted:
            self.counted[group] = length, self._carry(count, integer(tracer, now.shape[0]))
        if self.counted[group][0] != length or now.dtype != entry.before.obj.dtype:
            raise Restart(unroll=[self.key])
        view = _beginning(now.shape[0], now.shape[1:])
        index = self._carry(entry.marker, view.write(tracer, entry.marker, now.value))
        size = self.counted[group][1]
        old = entry.before.obj
        freeze = storages_of(old) if self._is_shared(old, entry.path) else []
        return lambda results: self._frozen(
            self._shortened(results[index], results[size], most), freeze
        )


def _is_cut(before: Any, now: Any) -> bool:
    """Whether an array is like another one but for a first axis whose size depends on data."""
    if type(before) is not TracedArray or type(now) is not TracedArray or not now.ndim:
        return False
    if before.ndim != now.ndim or before.dtype != now.dtype or same_dims(before.shape, now.shape):
        return False
    return is_dynamic(now.shape[0]) and same_dims(before.shape[1:], now.shape[1:])


def _beginning(size: Any, rest: tuple) -> SliceView:
    sizes = [size, *rest]
    return SliceView([0] * len(sizes), sizes, [1] * len(sizes))
