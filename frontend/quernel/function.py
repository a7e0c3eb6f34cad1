"""What stands behind a compiled function: what to do with a call that isn't known yet."""

from __future__ import annotations

import threading
import types
from typing import Any

from . import _runtime, store
from .arguments import Call
from .describe import Undescribable, function_digest
from .errors import UnsupportedError
from .fallback import Fallback, fallback_of, placed, warn
from .options import Options
from .patterns import Mismatch
from .programs import bind, specialization


class Program:
    """A compiled program of a function, as this process knows it."""

    def __init__(self, entry: dict[str, Any], manifest: str, source: str | None) -> None:
        self.entry = entry
        self.manifest = manifest
        self.source = source


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
    """

    def __init__(self, plain: types.FunctionType, options: Options) -> None:
        self.plain = plain
        self.options = options
        self.programs: dict[tuple, Program] = {}
        self.fallbacks: list[Fallback] = []
        self.counts = {"compiles": 0, "disk_hits": 0, "fallbacks": 0}
        self.reasons: list[str] = []
        self._splits: dict[tuple, Any] = {}
        self._refused: dict[tuple, UnsupportedError] = {}
        self._choices: dict[tuple, Any] = {}
        self._shapes: dict[tuple, list[dict[tuple[str, int], int]]] = {}
        self._lock = threading.RLock()
        self._generation = 0
        self._pending: set[tuple] = set()
        self.forced: set[tuple[str, int]] | None = None
        self._shared: Any = None
        self._warned = False
        self.function = self.face = _runtime.Function(plain, self.miss)
        if options.verify:
            from .verify import Verifier

            self.face = _runtime.Function(plain, Verifier(self.function).miss)

    def miss(self, args: tuple, kwargs: dict[str, Any]) -> Any:
        """Answer a call that no specialization has matched."""
        try:
            call = Call(self.plain, args, kwargs)
        except UnsupportedError as error:
            return self._plainly(args, kwargs, error)
        if call.converted:
            answer = self._retry(call)
            if answer is not NotImplemented:
                return answer
        generic = call.signature(set(), shapes=False)
        exact = call.signature(self._values(generic))
        refused = self._refused.get(exact)
        if refused is not None:
            return self._plainly(args, kwargs, refused)
        if self.options.background:
            return self._meanwhile(call, generic, exact, args, kwargs)
        if self._shared is not None and exact in self._shared.seen:
            answer = self._on_shared(call, exact, args, kwargs)
            if answer is not NotImplemented:
                return answer
        try:
            self.prepare(call, generic)
        except UnsupportedError as error:
            self._refused[call.signature(self._values(generic))] = error
            return self._plainly(args, kwargs, error)
        except Exception as error:
            return self._at_fault(args, kwargs, error)
        answer = self._retry(call)
        if answer is NotImplemented:
            exact = call.signature(self._values(generic))
            answer = self._on_shared(call, exact, args, kwargs)
        if answer is NotImplemented:
            return self._plainly(args, kwargs, self._unanswered(call))
        return answer

    def prepare(self, call: Call, generic: tuple) -> None:
        """Install a specialization for a call, from disk or by compiling.

        Raises
        ------
        UnsupportedError
        Exception
            Whatever the user's function raises.
        """
        before = self._generation
        with self._lock:
            if before != self._generation and self._is_prepared(call, generic):
                return
            key = self._index_key(generic)
            if not self._from_disk(key, call, generic):
                self._compile(key, call, generic)
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
        choices = self._choices.get(generic)
        return choices.values if choices is not None else set()

    def _index_key(self, generic: tuple) -> str:
        try:
            text = function_digest(self.plain)
        except Undescribable as error:
            raise UnsupportedError(f"a default argument or constant is {error}") from None
        return store.index_key(text, generic, self.options.key())

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
            store.warn_once(f"a compiled program in the cache can't be loaded: {error}")
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
        made = specialization(entry, self.plain, bound, call, loaded, self.options.threads)
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

    def _compile(self, key: str, call: Call, generic: tuple) -> None:
        from .build import compile_call

        compile_call(self, key, call, generic)

    def choices(self, generic: tuple) -> Any:
        """What captures of this kind of call have found out."""
        from .capture.tracer import Choices

        return self._choices.setdefault(generic, Choices())

    def symbolic(self, call: Call, generic: tuple) -> set[tuple[str, int]]:
        """The dimensions of a call that should become symbols."""
        sizes = {
            (leaf.path, axis): size
            for leaf in call.arrays()
            for axis, size in enumerate(leaf.shape)
        }
        seen = self._shapes.setdefault(generic, [])
        earlier = list(seen)
        if sizes not in seen:
            seen.append(sizes)
        if self.forced is not None:
            return self.forced
        if self.options.dynamic is False:
            return set()
        if self.options.dynamic:
            return {place for place, size in sizes.items() if size >= 2}
        return {
            place
            for place, size in sizes.items()
            if size >= 2 and any(old[place] != size for old in earlier)
        }

    # Calls in NumPy

    def _retry(self, call: Call) -> Any:
        if call.converted:
            program = self.programs.get(
                call.signature(self._values(call.signature(set(), shapes=False)))
            )
            if program is None or program.entry["aliases"]:
                return NotImplemented
        return self.function.retry(call.args, call.kwargs)

    def _plainly(self, args: tuple, kwargs: dict[str, Any], error: UnsupportedError) -> Any:
        """Run the plain function, or raise with ``fullgraph=True``."""
        if self.options.fullgraph:
            raise placed(error, self.plain).with_traceback(None) from None
        answer = self._around(error)(*args, **kwargs)
        self._note(error)
        return answer

    def _around(self, error: UnsupportedError) -> types.FunctionType:
        """The function, compiled before and after what an error names, where that is possible."""
        if error.line is None or self.options.background or self.options.verify:
            return self.plain
        place = (error.file, error.line)
        if place not in self._splits:
            from .split import split_at

            self._splits[place] = split_at(self.plain, self.options, error)
        split = self._splits[place]
        return split.function if split is not None and split.pays else self.plain

    def _on_shared(self, call: Call, exact: tuple, args: tuple, kwargs: dict[str, Any]) -> Any:
        """Answer a call of which written arrays share memory with others; else NotImplemented."""
        program = self.programs.get(exact)
        if program is None or not program.entry["aliases"]:
            return NotImplemented
        if self._shared is None:
            from .overlaps import Shared

            self._shared = Shared(self.plain, self.options)
        self._shared.seen.add(exact)
        try:
            bound = self._shared.bound(call)
        except UnsupportedError as error:
            return self._plainly(args, kwargs, error)
        answer = bound.run() if bound is not None else NotImplemented
        if bound is None or answer is not NotImplemented:
            return answer
        try:
            bound.prepare()
        except UnsupportedError as error:
            return self._plainly(args, kwargs, error)
        except Exception as error:
            return self._at_fault(args, kwargs, error)
        return bound.run()

    def _unanswered(self, call: Call) -> UnsupportedError:
        """Why the runtime refuses a call although its program is there."""
        program = self.programs.get(call.signature(self._values(call.signature(set(), False))))
        if program is not None and not program.entry["aliases"]:
            return UnsupportedError("the program doesn't take the call", "please report this")
        names = ", ".join(leaf.path for leaf in call.arrays())
        return UnsupportedError(
            f"arguments that are written share memory with others (among {names})",
            "pass arrays that don't overlap",
        )

    def _note(self, error: UnsupportedError) -> None:
        self.counts["fallbacks"] += 1
        entry = fallback_of(error, self.plain)
        if entry not in self.fallbacks:
            self.fallbacks.append(entry)
        if not self._warned:
            self._warned = True
            warn(self.plain, entry)

    def _at_fault(self, args: tuple, kwargs: dict[str, Any], error: Exception) -> Any:
        """The capture raised: the plain function tells whose fault it is."""
        answer = self.plain(*args, **kwargs)
        refusal = UnsupportedError(
            f"{type(error).__name__} while capturing: {error}", "please report this"
        )
        if self.options.fullgraph:
            raise placed(refusal, self.plain) from error
        self._note(refusal)
        return answer

    def _meanwhile(
        self, call: Call, generic: tuple, exact: tuple, args: tuple, kwargs: dict[str, Any]
    ) -> Any:
        """Compile in another thread; NumPy answers this call."""
        if exact not in self._pending:
            self._pending.add(exact)
            worker = threading.Thread(
                target=self._prepare_quietly, args=(call, generic, exact), daemon=True
            )
            worker.start()
        return self.plain(*args, **kwargs)

    def _prepare_quietly(self, call: Call, generic: tuple, exact: tuple) -> None:
        try:
            self.prepare(call, generic)
        except UnsupportedError as error:
            self._refused[exact] = error
        except Exception as error:
            self._refused[exact] = UnsupportedError(f"{type(error).__name__}: {error}")
        finally:
            self._pending.discard(exact)

    # What users ask

    def stats(self) -> dict[str, Any]:
        """Counters of the function: calls, compiles, hits, fallbacks, reasons to compile again."""
        fast = self.function.counters()
        splits = [split for split in self._splits.values() if split is not None]
        shared = self._shared.parts.values() if self._shared is not None else ()
        parts = [part.stats() for part in (*(p for s in splits for p in s.parts), *shared)]
        return {
            "calls": self.face.counters()["calls"],
            "compiles": self.counts["compiles"] + sum(part["compiles"] for part in parts),
            "memory_hits": fast["memory_hits"],
            "disk_hits": self.counts["disk_hits"],
            "fallbacks": self.counts["fallbacks"],
            "recompile_reasons": list(self.reasons),
        }

    def explain(self, *args: Any, **kwargs: Any) -> Any:
        """A `Report` of how a call with these arguments runs; it isn't carried out."""
        from .report.explain import explain

        return explain(self, args, kwargs)

    def lower(self, *args: Any, **kwargs: Any) -> Any:
        """A `Lowered`: the program of such a call at each stage of the compiler."""
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
