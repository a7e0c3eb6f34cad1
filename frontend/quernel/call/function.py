"""What stands behind a compiled function: what to do with a call that isn't known yet."""

from __future__ import annotations

import operator
import re
import threading
import types
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from .. import _runtime
from ..arguments.calls import Call, handed_over
from ..arguments.leaves import Leaf
from ..devices.selection import CPU, asked_for
from ..errors import DeviceError, UnsupportedError
from ..options import Options
from ..signals import let_out
from .fallback import Fallback, fallback_of, warn
from .fallback import placed as with_place
from .preparing import Preparing
from .refusals import Refusals
from .sections import renew_in_children, section
from .siblings import Elsewhere, Siblings, placed
from .variants import Variants


def _version(function: types.FunctionType) -> tuple:
    """What of a function may be replaced: its code and defaults."""
    return (function.__code__, function.__defaults__, function.__kwdefaults__)


_CLEARED_AT_MOST = 16  # times that other threads may clear a function amid one call


class Dispatcher(Preparing):
    """The slow path of one compiled function: `miss` answers what no specialization does.

    Where the user's function is to answer, the answer is a `HandOver`: so that no frame of ours is
    around that function, which may look at frames, as `warnings.warn` does.

    Attributes
    ----------
    face : _runtime.Function
        What the user calls: `function`, or what checks it.
    refusals : Refusals
        The calls that `function` hands on to NumPy by itself.
    refused : dict
        The refused calls of a function that isn't called through `function`, by signature.
    """

    def __init__(self, plain: types.FunctionType, options: Options, whole: Any = None) -> None:
        super().__init__(plain, options, whole)
        self.fallbacks: list[Fallback] = []
        self._splits: dict[tuple, Any] = {}
        self.siblings = Siblings(self._sibling)
        self.function.follows_blocks = options.device is None
        self.refused: dict[tuple, UnsupportedError] = {}
        self._version = _version(plain)
        self.renew()
        renew_in_children(self)
        self._shared: Any = None
        self._told_of: set[tuple] = set()
        self._left = 0  # calls that have come to a path that their program doesn't have
        self.face = self.function
        self.refusals = Refusals(self.tiers)
        if options.verify:
            from .verify import Verifier

            self.face = _runtime.Function(plain, Verifier(self.function).miss)

    def renew(self) -> None:
        """Forget the other threads, which a forked child doesn't have."""
        super().renew()
        self._pending: set[tuple] = set()

    def miss(self, args: tuple, kwargs: dict[str, Any]) -> Any:
        """Answer a call that no specialization and no detour has taken."""
        if self.refusals.looked_for and self._runs_here():
            target = self.refusals.target(args, kwargs)
            if target is not None:
                self.counts["fallbacks"] += 1
                return _runtime.HandOver(target)
        where = placed(args, kwargs)
        if self.options.device is None or where.is_changed:
            sibling = self.siblings.of(where.device) if self.options.device is None else self
            if where.is_changed and sibling is not None:
                return sibling.face(*where.args, **where.kwargs)
            if sibling is not None:
                return _runtime.HandOver(sibling.face)
        self.options.check_device()
        if self._is_replaced():
            self._forget()
        if self._shared is not None:
            answer = self._shared.again(args, kwargs)
            if answer is not NotImplemented:
                return answer
        call, error = _tried(self.call_of, args, kwargs)
        if error is None and call.converted and not call.copies:
            answer = self.tiers.retry(call.args, call.kwargs)
            if answer is not NotImplemented:
                return answer
        is_ready = False
        if error is None:
            is_ready, error = _tried(self._is_ready, call)
        if isinstance(error, Elsewhere) and self.options.device is None:
            return _runtime.HandOver(self.siblings.on(error.device).face)
        if error is not None:
            leaves = getattr(error, "leaves", None) if call is None else call.parameters
            return self._instead(args, kwargs, error, leaves)
        return self._answer(call, args, kwargs) if is_ready else _runtime.HandOver(self.plain)

    def _is_replaced(self) -> bool:
        """Whether the user has given the function other code, or other defaults."""
        return any(map(operator.is_not, self._version, _version(self.plain)))

    def _runs_here(self) -> bool:
        """Whether nothing asks for a device, and the function is as it was."""
        asked = self.options.device or asked_for()
        return asked in (None, CPU) and not self._is_replaced()

    def _sibling(self, device: str) -> Dispatcher:
        """The function for a device."""
        made = Dispatcher(self.plain, self.options.on(device), self.whole)
        made.elder = None if self.options.verify else self.tiers
        return made

    def standing_for(self, args: tuple, kwargs: dict[str, Any]) -> Dispatcher:
        """The function that answers a call: this one, or its sibling for a device."""
        if self.options.device is not None:
            return self
        return self.siblings.of(placed(args, kwargs).device) or self

    def _forget(self) -> None:
        """Begin anew with another code, or other defaults."""
        self._version = _version(self.plain)
        self.programs.clear()
        self.tiers.clear()
        self._splits.clear()
        self.refused.clear()
        self._kinds.clear()
        self.attributes.clear()
        self.variants = Variants()
        self._shared = None
        self.refusals = Refusals(self.tiers)

    def _is_ready(self, call: Call) -> bool:
        """Make the program of a call ready; False where NumPy answers meanwhile.

        Raises
        ------
        UnsupportedError
        Exception
            Whatever the user's function raises.
        """
        generic = call.signature(set(), shapes=False)
        exact = call.signature(self._values(generic))
        if call.converted and self._is_there(call):
            return True
        if self.options.background and not call.devices():
            self._meanwhile(call, exact)
            return False
        if self._shared is None or exact not in self._shared.seen:
            self.prepare(call, generic)
        return True

    def _answer(self, call: Call, args: tuple, kwargs: dict[str, Any]) -> Any:
        answer = self._retry(call)
        for _ in range(_CLEARED_AT_MOST):
            if answer is not NotImplemented or not self._was_cleared(call):
                break
            _, error = _tried(self.prepare, call, call.signature(set(), shapes=False))
            if error is not None:
                return self._instead(args, kwargs, error, call.parameters)
            answer = self._retry(call)
        if answer is NotImplemented:
            answer = self._on_shared(call, args, kwargs)
        if answer is NotImplemented and self._shared is not None:
            # Its arrays don't overlap, though those of another call of these sizes have.
            self._shared.seen.discard(self._exact(call))
            _, error = _tried(self.prepare, call, call.signature(set(), shapes=False))
            if error is not None:
                return self._instead(args, kwargs, error, call.parameters)
            answer = self._retry(call)
        if answer is NotImplemented:
            answer = self._plainly(args, kwargs, self._unanswered(call))
        return answer

    def _was_cleared(self, call: Call) -> bool:
        """Whether another thread has cleared the function since the call's program was installed.

        Nothing else keeps the runtime from a program that is there and sees no argument's memory.
        """
        program = self.program_of(call)
        is_there = program is not None and not program.entry["aliases"]
        return is_there and call.stream_twice() is None

    def prepare_signature(self, text: str, small: bool = False) -> None:
        """Make the program of a signature such as ``"float64[n,2], int64"`` ready.

        With `small` also that for calls in which such a size is 0 or 1.

        Raises
        ------
        SignatureError
        UnsupportedError
        DeviceError
        """
        from .signatures import prepare

        prepare(self, text, small)

    # Calls in NumPy

    def _is_there(self, call: Call) -> bool:
        """Whether a program is there that takes copies of arguments."""
        program = self.program_of(call)
        return program is not None and not (call.copies and program.entry["aliases"])

    def _retry(self, call: Call) -> Any:
        if call.copies and not self._is_there(call):
            return NotImplemented
        return self.tiers.retry(call.args, call.kwargs)

    def _instead(
        self,
        args: tuple,
        kwargs: dict[str, Any],
        error: Exception,
        leaves: list[Leaf] | None = None,
    ) -> Any:
        """Answer a call for which `_tried` has given an error, and nothing of the function has run.

        Called outside of handlers, so that what the user's function raises isn't told as raised
        during something else. Where the call's leaves are given, the next calls like it are
        answered so without being captured.
        """
        if isinstance(error, DeviceError):
            raise error.with_traceback(None) from None
        if isinstance(error, UnsupportedError):
            return self._plainly(args, kwargs, error, leaves)
        return self._at_fault(args, kwargs, error, leaves)

    def _plainly(
        self,
        args: tuple,
        kwargs: dict[str, Any],
        error: UnsupportedError,
        leaves: list[Leaf] | None = None,
    ) -> Any:
        """Run the plain function, or raise with ``fullgraph=True``."""
        if self.options.fullgraph:
            raise with_place(error, self.plain).with_traceback(None) from None
        split = self.split_around(error)
        if split is None:
            self._refuse_on_device(error, args, kwargs)
        target = self.plain if split is None else split.function
        self._note(error, split)
        if leaves is not None:
            self.refusals.remember(leaves, tuple(kwargs), target, error.read)
        return _runtime.HandOver(target)

    def _refuse_on_device(self, why: UnsupportedError, args: tuple, kwargs: dict[str, Any]) -> None:
        """Refuse a call that NumPy would have to answer, where its arrays are on a device.

        Raises
        ------
        DeviceError
        """
        device = placed(args, kwargs).device
        if device is not None:
            text = f"{self.plain.__qualname__} can't run on {device}: "
            raise DeviceError(text + str(fallback_of(why, self.plain))) from None

    def left_to_numpy(self, why: UnsupportedError, args: tuple, kwargs: dict[str, Any]) -> Any:
        """Answer a call of which a program has found out that it can't be computed like this."""
        if self.options.fullgraph:
            raise with_place(why, self.plain).with_traceback(None) from None
        self._refuse_on_device(why, args, kwargs)
        self._note(why)
        return handed_over(self.plain, args, kwargs)

    def left_on_path(self, why: UnsupportedError, args: tuple, kwargs: dict[str, Any]) -> Any:
        """The same of a program that doesn't have all paths.

        Where more than half of the calls come to such paths, they are no rare ones: the function is
        refused, or in parts, from then on.
        """
        self._left += 1
        if self.options.fullgraph or 2 * self._left <= self.function.counters()["calls"]:
            return self.left_to_numpy(why, args, kwargs)
        self.takes_all_paths = True
        self._forget()
        self.function.clear()
        return self.miss(args, kwargs)

    def split_around(self, error: UnsupportedError) -> Any:
        """The function's parts before and after what an error names, where that is possible."""
        has_place = error.line is not None or error.argument is not None
        if not has_place or self.options.background or self.options.verify:
            return None
        place = (error.file, error.line, error.argument, error.call_line)
        if place not in self._splits:
            with section:
                from .function_parts import split_at

                self._splits[place] = split_at(self, error)
        split = self._splits[place]
        if split is not None and split.vain:
            with section:
                split = self._splits[place] = self._cut_anew(split, error)
        # On a device the plain function is no other way.
        is_needed = self.options.device_number() is not None
        return split if split is not None and (split.pays or is_needed) else None

    def _cut_anew(self, split: Any, error: UnsupportedError) -> Any:
        """A split without the parts that aren't worth their calls; its programs count on."""
        from .function_parts import split_at

        self.counts["compiles"] += sum(part.stats()["compiles"] for part in split.parts)
        return split_at(self, error, split.left | split.vain)

    def _on_shared(self, call: Call, args: tuple, kwargs: dict[str, Any]) -> Any:
        """Answer a call of which written arrays share memory with others; else NotImplemented."""
        exact = self._exact(call)
        program = self.programs.get(exact)
        if program is None or not program.entry["aliases"] or program.assigns:
            return NotImplemented  # what is assigned would be views that stand for the arrays
        if self._shared is None:
            try:
                with section:
                    from .overlaps import Shared
            except ModuleNotFoundError:  # there is no compiler
                return NotImplemented
            self._shared = Shared(self.plain, self.options, Dispatcher)
        self._shared.seen.add(exact)
        bound, error = _tried(self._shared.bound, call)
        if error is None and bound is None:
            return NotImplemented
        if error is None:
            answer = bound.run()
            if answer is not NotImplemented:
                return answer
            _, error = _tried(bound.prepare)
        if error is not None:
            return self._instead(args, kwargs, error)
        return bound.run()

    def _unanswered(self, call: Call) -> UnsupportedError:
        """Why the runtime refuses a call although its program is there."""
        twice = call.stream_twice()
        if twice is not None:
            return UnsupportedError(
                f"`{twice.path}`, a random generator that is there twice", "pass it once"
            )
        program = self.program_of(call)
        if program is not None and not program.entry["aliases"]:
            return UnsupportedError("the program doesn't take the call", "please report this")
        names = ", ".join(leaf.path for leaf in call.arrays())
        return UnsupportedError(
            f"arguments that are written share memory with others (among {names})",
            "pass arrays that don't overlap",
        )

    def _note(self, error: UnsupportedError, split: Any = None) -> None:
        self.counts["fallbacks"] += 1
        entry = fallback_of(error, self.plain)
        if entry not in self.fallbacks:
            self.fallbacks.append(entry)
        # Texts of the same kind may have another number in them at each call.
        kind = (entry.file, entry.line, re.sub(r"\d+", "", entry.reason))
        if self.whole is not None:
            self.whole.reconsider()
        elif kind not in self._told_of:
            self._told_of.add(kind)
            warn(self.plain, entry, is_partial=split is not None)

    def _at_fault(
        self,
        args: tuple,
        kwargs: dict[str, Any],
        error: Exception,
        leaves: list[Leaf] | None,
    ) -> Any:
        """The capture raised: the plain function tells whose fault it is."""
        if placed(args, kwargs).device is not None:
            self._raise_on_device(args, kwargs, error)
        keep = None
        if leaves is not None:  # as they are now: the function may change the arguments
            keep = self.refusals.kept(leaves, tuple(kwargs), self.plain)
        answer = self.plain(*args, **kwargs)
        refusal = UnsupportedError(
            f"{type(error).__name__} while capturing: {error}", "please report this"
        )
        if self.options.fullgraph:
            raise with_place(refusal, self.plain) from error
        self._note(refusal)
        if keep is not None:
            keep()
        return answer

    def _raise_on_device(self, args: tuple, kwargs: dict[str, Any], error: Exception) -> NoReturn:
        """Raise what the capture raised, once what the plain function writes before that is there.

        On the arrays themselves the plain function would come back here. Where it doesn't raise the
        same on copies of them, as what it reads from outside is on a device too, they stay.
        """
        from .host_copies import HostCopies

        copies = HostCopies()
        try:
            self.plain(*copies.of(args), **copies.of(kwargs))
        except Exception as raised:
            let_out(raised)
            if (type(raised), str(raised)) == (type(error), str(error)):
                copies.write_back()
                raise
        raise error.with_traceback(None) from None

    def _meanwhile(self, call: Call, exact: tuple) -> None:
        """Compile in another thread."""
        if exact not in self._pending:
            self._pending.add(exact)
            worker = threading.Thread(target=self._prepare_quietly, args=(call, exact), daemon=True)
            worker.start()

    def _prepare_quietly(self, call: Call, exact: tuple) -> None:
        try:
            self.prepare(call, call.signature(set(), shapes=False))
        except UnsupportedError as error:
            refusal = error
        except Exception as error:
            refusal = UnsupportedError(f"{type(error).__name__} while capturing: {error}")
        else:
            refusal = None
        if refusal is not None:
            self._note(refusal)
            self.refusals.remember(call.parameters, call.kwnames, self.plain, refusal.read)
        self._pending.discard(exact)

    # What users ask

    def parts(self) -> Iterator[Dispatcher]:
        """The functions that stand for statements of this one beside those that run in NumPy."""
        for split in self._splits.values():
            if split is not None:
                yield from split.parts

    @property
    def works(self) -> bool:
        """False where nothing that is compiled of it does more than with a few numbers."""
        if self.programs:
            return any(program.works for program in self.programs.values())
        parts = list(self.parts())
        return any(part.works for part in parts) if parts else not self.counts["fallbacks"]

    @property
    def is_left(self) -> bool:
        """Whether all calls so far have run in NumPy, and all of them there."""
        is_compiled = self.programs or not self.counts["fallbacks"]
        return not is_compiled and all(part.is_left for part in self.parts())

    def stats(self) -> dict[str, Any]:
        """Counters of the function: calls, compiles, hits, fallbacks, reasons to compile again."""
        hits = self.tiers.hits()
        shared = self._shared.parts.values() if self._shared is not None else ()
        parts = [part.stats() for part in (*self.parts(), *shared)]
        elsewhere = [sibling.stats() for sibling in self.siblings]
        parts += elsewhere
        return {
            "calls": self.face.counters()["calls"],
            "compiles": self.counts["compiles"] + sum(part["compiles"] for part in parts),
            "memory_hits": sum(hits) + sum(one["memory_hits"] for one in elsewhere),
            "disk_hits": self.counts["disk_hits"] + sum(one["disk_hits"] for one in elsewhere),
            "fallbacks": self.counts["fallbacks"]
            + self.tiers.detoured()
            + sum(one["fallbacks"] for one in elsewhere),
            "recompile_reasons": sum((one["recompile_reasons"] for one in elsewhere), self.reasons),
            "programs": sum((one["programs"] for one in elsewhere), self._told(hits)),
        }

    def _told(self, hits: list[int]) -> list[dict[str, Any]]:
        """Its programs in the order of trial; some that are alike in it share a number of hits."""
        levels = [(program, self.tiers.level(program.loose)) for program in self.in_order()]
        return [{**program.told(), "order": k, "hits": hits[k]} for program, k in levels]


def _tried(work: Callable, *args: Any) -> tuple[Any, Exception | None]:
    """What work of ours gives, and None; or None and what it raises.

    Nothing of the user's program may run in it. What a handler of a signal raises goes out.
    """
    try:
        with section:
            return work(*args), None
    except Exception as error:
        let_out(error)
        return None, error
