"""What stands behind a compiled function: what to do with a call that isn't known yet."""

from __future__ import annotations

import operator
import os
import threading
import types
from collections.abc import Callable, Iterator
from typing import Any

from . import _runtime, store
from .arguments import Call, portable
from .describe import Undescribable, function_digest
from .errors import UnsupportedError
from .fallback import Fallback, fallback_of, placed, warn
from .kinds import CallKind
from .options import Options
from .patterns import Mismatch
from .programs import bind, specialization
from .refusals import Refusals
from .sections import check_compiler, renew_in_children, section
from .signals import let_out


class Program:
    """A compiled program of a function, as this process knows it."""

    def __init__(self, entry: dict[str, Any], manifest: str, source: str | None) -> None:
        self.entry = entry
        self.manifest = manifest
        self.source = source


def _version(function: types.FunctionType) -> tuple:
    """What of a function may be replaced: its code and defaults."""
    return (function.__code__, function.__defaults__, function.__kwdefaults__)


class Dispatcher:
    """The slow path of one compiled function.

    Attributes
    ----------
    function : _runtime.Function
        The fast path, which asks `miss` about calls that no specialization matches.
    face : _runtime.Function
        What the user calls: `function`, or what checks it.
    plain : FunctionType
        The user's function.
    forced : set of (str, int), optional
        The dimensions that a signature names, while it is compiled.
    refusals : Refusals
        The calls that `function` hands on to NumPy by itself.
    refused : dict
        The refused calls of a function that isn't called through `function`, by signature.
    compiled_calls : list of dict
        The texts of the calls that programs were compiled for.
    whole : Split, optional
        What this is a part of.
    """

    def __init__(self, plain: types.FunctionType, options: Options, whole: Any = None) -> None:
        self.plain = plain
        self.options = options
        self.whole = whole
        self.programs: dict[tuple, Program] = {}
        self.fallbacks: list[Fallback] = []
        self.counts = {"compiles": 0, "disk_hits": 0, "fallbacks": 0}
        self.reasons: list[str] = []
        self.compiled_calls: list[dict[str, str]] = []
        self._splits: dict[tuple, Any] = {}
        self.refused: dict[tuple, UnsupportedError] = {}
        self._kinds: dict[tuple, CallKind] = {}
        self._generation = 0
        self._version = _version(plain)
        self.renew()
        renew_in_children(self)
        self.forced: set[tuple[str, int]] | None = None
        self._shared: Any = None
        self._warned = False
        self.function = self.face = _runtime.Function(plain, self.miss)
        self.refusals = Refusals(self.function)
        if options.verify:
            from .verify import Verifier

            self.face = _runtime.Function(plain, Verifier(self.function).miss)

    def renew(self) -> None:
        """Forget the other threads, which a forked child doesn't have."""
        self._lock = threading.RLock()
        self._pending: set[tuple] = set()

    def miss(self, args: tuple, kwargs: dict[str, Any]) -> Any:
        """Answer a call that no specialization and no detour has taken."""
        if any(map(operator.is_not, self._version, _version(self.plain))):
            self._forget()
        if self._shared is not None:
            answer = self._shared.again(args, kwargs)
            if answer is not NotImplemented:
                return answer
        call, error = _tried(self._prepared, args, kwargs)
        if error is not None:
            return self._instead(args, kwargs, error)
        return self._answer(call, args, kwargs)

    def _forget(self) -> None:
        """Begin anew: the user has given the function other code, or other defaults."""
        self._version = _version(self.plain)
        self.programs.clear()
        self._splits.clear()
        self.refused.clear()
        self._kinds.clear()
        self._shared = None
        self.refusals = Refusals(self.function)

    def _prepared(self, args: tuple, kwargs: dict[str, Any]) -> Call | None:
        """The call, once there is a program for it; None where NumPy answers meanwhile.

        Raises
        ------
        UnsupportedError
        Exception
            Whatever the user's function raises.
        """
        call = Call(self.plain, args, kwargs)
        generic = call.signature(set(), shapes=False)
        exact = call.signature(self._values(generic))
        if call.converted and self._is_there(call):
            return call
        if self.options.background:
            self._meanwhile(call, exact, args, kwargs)
            return None
        if self._shared is None or exact not in self._shared.seen:
            self.prepare(call, generic)
        return call

    def _answer(self, call: Call | None, args: tuple, kwargs: dict[str, Any]) -> Any:
        if call is None:
            return self.plain(*args, **kwargs)
        answer = self._retry(call)
        if answer is NotImplemented:
            answer = self._on_shared(call, args, kwargs)
        if answer is NotImplemented:
            answer = self._plainly(args, kwargs, self._unanswered(call), remember=False)
        return answer

    def prepare(self, call: Call, generic: tuple) -> None:
        """Install a specialization for a call, from disk or by compiling.

        Raises
        ------
        UnsupportedError
        Exception
            Whatever the user's function raises.
        """
        check_compiler()
        before = self._generation
        with section, self._lock:
            if before != self._generation and self._is_prepared(call, generic):
                return
            key = self._index_key(generic)
            if not self._from_disk(key, call, generic):
                self._compile_unless_refused(key, call, generic)
            self._generation += 1

    def prepare_signature(self, text: str) -> None:
        """Make the program of a signature such as ``"float64[n,2], int64"`` ready.

        Raises
        ------
        SignatureError
        UnsupportedError
        """
        from .signatures import prepare

        prepare(self, text)

    def _is_prepared(self, call: Call, generic: tuple) -> bool:
        """Whether another thread has just prepared the same kind of call."""
        return call.signature(self._values(generic)) in self.programs

    def _values(self, generic: tuple) -> set[str]:
        kind = self._kinds.get(generic)
        return kind.choices.static() if kind is not None else set()

    def _index_key(self, generic: tuple) -> str:
        try:
            text = function_digest(self.plain)
        except Undescribable as error:
            raise UnsupportedError(f"a default argument or constant is {error}") from None
        return store.index_key(text, portable(generic), self.options.key())

    # Programs from disk

    def _from_disk(self, key: str, call: Call, generic: tuple) -> bool:
        """Install a program that another process has compiled, where one answers the call."""
        for entry in store.load_entries(key):
            try:
                bound = bind(entry, self.plain, call)
            except Mismatch:
                continue
            if self.install_stored(entry, bound, call, generic):
                return True
        return False

    def install_stored(self, entry: dict, bound: Any, call: Call, generic: tuple) -> bool:
        """Install the object of an entry from the cache, where it is there and can be loaded."""
        loaded = store.objects().load(entry["object"])
        if loaded is None:
            return False
        try:
            self.install(entry, bound, call, generic, loaded, None)
        except OSError as error:
            if os.path.exists(loaded[0]):  # else others have removed it meanwhile
                store.objects().warn(str(error))
            return False
        self.counts["disk_hits"] += 1
        return True

    def install(
        self, entry: dict, bound: Any, call: Call, generic: tuple, loaded: Any, source: str | None
    ) -> None:
        """Make a program answer calls.

        Raises
        ------
        OSError
            Where the object can't be loaded.
        """
        self.check_copies(entry, call)
        made = specialization(
            entry, self.plain, bound, call, loaded, self.options.threads, self.left_to_numpy
        )
        self.programs[call.signature(self._values(generic))] = Program(entry, loaded[1], source)
        self.function.add(made)

    def check_copies(self, entry: dict, call: Call) -> None:
        """Refuse a program that writes or returns arguments where they had to be converted.

        Raises
        ------
        UnsupportedError
        """
        if call.converted and entry["aliases"]:
            raise UnsupportedError(
                f"`{call.converted[0].path}` is unaligned or byte-swapped, and the function writes "
                "or returns an argument",
                "convert it first: np.require(x, requirements='A')",
            )

    # Compiling

    def _compile_unless_refused(self, key: str, call: Call, generic: tuple) -> None:
        from . import known_refusals

        known = known_refusals.find(key, self.plain, call)
        if known is not None:
            raise known
        try:
            self._compile(key, call, generic)
        except UnsupportedError as error:
            known_refusals.keep(key, self.plain, error)
            raise

    def _compile(self, key: str, call: Call, generic: tuple) -> None:
        from .build import compile_call

        compile_call(self, key, call, generic)
        if self.whole is not None:
            self.whole.reconsider()

    def kind(self, call: Call, generic: tuple) -> CallKind:
        """What is known of the calls of the same kind as one."""
        known = self._kinds.get(generic)
        if known is None:
            known = CallKind()
            if self.options.dynamic is not False:
                known.recall(call, store.load_entries(self._index_key(generic)))
            self._kinds[generic] = known
        return known

    def symbolic(self, call: Call, generic: tuple) -> set[tuple[str, int]]:
        """The dimensions of a call that should become symbols."""
        found = self.kind(call, generic).symbolic(call, self.options)
        return found if self.forced is None else self.forced

    # Calls in NumPy

    def _is_there(self, call: Call) -> bool:
        """Whether a program is there that takes copies of arguments."""
        program = self.programs.get(self._exact(call))
        return program is not None and not program.entry["aliases"]

    def _exact(self, call: Call) -> tuple:
        """The signature of a call, with the values of the numbers that programs depend on."""
        return call.signature(self._values(call.signature(set(), shapes=False)))

    def _retry(self, call: Call) -> Any:
        if call.converted and not self._is_there(call):
            return NotImplemented
        return self.function.retry(call.args, call.kwargs)

    def _instead(
        self, args: tuple, kwargs: dict[str, Any], error: Exception, remember: bool = True
    ) -> Any:
        """Answer a call for which `_tried` has given an error, and nothing of the function has run.

        Called outside of handlers, so that what the user's function raises isn't told as raised
        during something else.
        """
        if isinstance(error, UnsupportedError):
            return self._plainly(args, kwargs, error, remember)
        return self._at_fault(args, kwargs, error)

    def _plainly(
        self, args: tuple, kwargs: dict[str, Any], error: UnsupportedError, remember: bool = True
    ) -> Any:
        """Run the plain function, or raise with ``fullgraph=True``.

        Where `remember` is set, the runtime does so by itself at the next calls like this one.
        """
        if self.options.fullgraph:
            raise placed(error, self.plain).with_traceback(None) from None
        split = self.split_around(error)
        target = self.plain if split is None else split.function
        self._note(error, split)
        if remember:
            self.refusals.remember(args, kwargs, target)
        return target(*args, **kwargs)

    def left_to_numpy(self, why: UnsupportedError, args: tuple, kwargs: dict[str, Any]) -> Any:
        """Answer a call of which a program has found out that it can't be computed like this."""
        if self.options.fullgraph:
            raise placed(why, self.plain).with_traceback(None) from None
        self._note(why)
        return self.plain(*args, **kwargs)

    def split_around(self, error: UnsupportedError) -> Any:
        """The function's parts before and after what an error names, where that is possible."""
        if error.line is None or self.options.background or self.options.verify:
            return None
        place = (error.file, error.line)
        if place not in self._splits:
            with section:
                from .split import split_at

                self._splits[place] = split_at(self, error)
        split = self._splits[place]
        return split if split is not None and split.pays else None

    def _on_shared(self, call: Call, args: tuple, kwargs: dict[str, Any]) -> Any:
        """Answer a call of which written arrays share memory with others; else NotImplemented."""
        exact = self._exact(call)
        program = self.programs.get(exact)
        if program is None or not program.entry["aliases"]:
            return NotImplemented
        if self._shared is None:
            with section:
                from .overlaps import Shared

            self._shared = Shared(self.plain, self.options)
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
            return self._instead(args, kwargs, error, remember=False)
        return bound.run()

    def _unanswered(self, call: Call) -> UnsupportedError:
        """Why the runtime refuses a call although its program is there."""
        program = self.programs.get(self._exact(call))
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
        if not self._warned and self.whole is None:
            self._warned = True
            warn(self.plain, entry, is_partial=split is not None)

    def _at_fault(self, args: tuple, kwargs: dict[str, Any], error: Exception) -> Any:
        """The capture raised: the plain function tells whose fault it is."""
        answer = self.plain(*args, **kwargs)
        refusal = UnsupportedError(
            f"{type(error).__name__} while capturing: {error}", "please report this"
        )
        if self.options.fullgraph:
            raise placed(refusal, self.plain) from error
        self._note(refusal)
        self.refusals.remember(args, kwargs, self.plain)
        return answer

    def _meanwhile(self, call: Call, exact: tuple, args: tuple, kwargs: dict[str, Any]) -> None:
        """Compile in another thread."""
        if exact not in self._pending:
            self._pending.add(exact)
            worker = threading.Thread(
                target=self._prepare_quietly, args=(call, exact, args, kwargs), daemon=True
            )
            worker.start()

    def _prepare_quietly(self, call: Call, exact: tuple, args: tuple, kwargs: dict) -> None:
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
            self.refusals.remember(args, kwargs, self.plain)
        self._pending.discard(exact)

    # What users ask

    def parts(self) -> Iterator[Dispatcher]:
        """The functions that stand for statements of this one beside those that run in NumPy."""
        for split in self._splits.values():
            if split is not None:
                yield from split.parts

    def stats(self) -> dict[str, Any]:
        """Counters of the function: calls, compiles, hits, fallbacks, reasons to compile again."""
        fast = self.function.counters()
        shared = self._shared.parts.values() if self._shared is not None else ()
        parts = [part.stats() for part in (*self.parts(), *shared)]
        return {
            "calls": self.face.counters()["calls"],
            "compiles": self.counts["compiles"] + sum(part["compiles"] for part in parts),
            "memory_hits": fast["memory_hits"],
            "disk_hits": self.counts["disk_hits"],
            "fallbacks": self.counts["fallbacks"] + fast["detoured"],
            "recompile_reasons": list(self.reasons),
        }

    def explain(self, *args: Any, **kwargs: Any) -> Any:
        """A `Report` of how a call with these arguments runs; it isn't carried out."""
        with section:
            from .report.explain import explain

            return explain(self, args, kwargs)

    def lower(self, *args: Any, **kwargs: Any) -> Any:
        """A `Lowered`: the program of such a call at each stage of the compiler."""
        with section:
            from .report.lowered import lower

            return lower(self, args, kwargs)

    def export(self, path: str, signatures: Any = (), header: str | None = None) -> None:
        """A shared library with a C header.

        Raises
        ------
        UnsupportedError
            Always: exporting isn't supported yet.
        """
        raise UnsupportedError(
            "exporting a shared library is not supported yet",
            "`quernel build FILE.py:FUNC --sig … -o DIR` fills a cache for other processes",
        )


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
