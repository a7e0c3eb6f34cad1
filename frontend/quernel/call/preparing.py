"""How a compiled function gets the programs of its calls: from disk, or by compiling them."""

from __future__ import annotations

import functools
import json
import os
import threading
import types
from typing import Any

from .. import _runtime
from ..arguments.calls import Call
from ..arguments.leaf_kinds import guard_texts
from ..arguments.leaves import Mismatch
from ..arguments.looking import note_attributes, note_pattern, portable
from ..cache import store
from ..describe import function_digest
from ..errors import DeviceError, NoCompilerError, UnsupportedError
from ..options import Options
from ..signals import let_out
from .budgets import Budget
from .builder import builder
from .call_kinds import CallKind
from .examples import example_of
from .programs import Bound, bind, devices_in, specialization
from .progress import announced
from .sections import check_compiler, section
from .siblings import Elsewhere
from .stage_times import StageTimes
from .tiers import Tiers, by_looseness, looseness
from .variants import Variants
from .warm_up import warm_up

# Operations that Python is as fast with as a call of compiled code.
_FEW = 16
_MOST_EXACT = 8  # programs on disk that a process loads before calls of their sizes come
_RECORD = os.environ.get("QUERNEL_RECORD")  # where `quernel record` wants to know of programs


class Program:
    """A compiled program of a function, as this process knows it; one from disk has no source.

    Attributes
    ----------
    loose : int
        By which it is tried before others or after them.
    form : tuple
        How many arguments its calls have, and the names of those that are given by name.
    """

    def __init__(
        self,
        entry: dict[str, Any],
        call: Call,
        manifest: str,
        times: StageTimes,
        source: str | None,
    ) -> None:
        self.entry = entry
        self.loose = looseness(entry, call.parameters)
        self.form = (call.nargs, call.kwnames)
        self._paths = [leaf.path for leaf in call.parameters]
        self.manifest = manifest
        self.times = times
        self.source = source

    def told(self) -> dict[str, Any]:
        """What calls it is for, and why it was made."""
        pairs = zip(self.entry["parameters"], self._paths, strict=True)
        texts = sum((guard_texts(pattern, path) for pattern, path in pairs), [])
        return {"for": "; ".join(texts), "why": self.entry.get("why") or "the first call"}

    @functools.cached_property
    def works(self) -> bool:
        """Whether it computes more than a few numbers."""
        return _works(json.loads(self.manifest))

    @property
    def assigns(self) -> bool:
        """Whether it changes objects, lists or dicts from outside."""
        kind, *parts = self.entry["result"]
        return (parts[-1][0] if kind == "let" else kind) == "assign"


def _works(described: dict[str, Any]) -> bool:
    """Whether a program does more than `_FEW` operations and accesses of memory."""
    if described["library_calls"] or described.get("loops"):
        return True
    moved = sum(kernel["bytes_read"] + kernel["bytes_written"] for kernel in described["kernels"])
    return sum(kernel["flops"] for kernel in described["kernels"]) + moved // 8 > _FEW


class Preparing:
    """The programs of one compiled function.

    Attributes
    ----------
    function : _runtime.Function
        The fast path, which asks `miss` about calls that no specialization matches.
    plain : FunctionType
        The user's function.
    tiers : Tiers
        Its programs and detours, in the order in which they are tried.
    programs : dict
        By the signatures of calls.
    counts : dict of int
    reasons : list of str
        Why programs were made beside the first.
    compiled_calls : list of dict
        The texts of the calls that programs were compiled for.
    variants : Variants
        What they differ in beside numbers and sizes.
    budget : Budget
        What captures may take; a part has that of the whole.
    attributes : dict
        The attributes that programs look at, by the path of an object among the arguments.
    forced : set of (str, int), optional
        The dimensions that a signature names, while it is compiled.
    whole : Split, optional
        What this is a part of.
    elder : Tiers, optional
        Of the function that names no device, of which this is the sibling for one. It gets the
        programs that demand arrays on the device, so that it answers such calls by itself.
    takes_all_paths : bool
        Whether a program has to have all paths: one without some has left most calls to NumPy.
    """

    def __init__(self, plain: types.FunctionType, options: Options, whole: Any) -> None:
        self.plain = plain
        self.options = options
        self.whole = whole
        self.function = _runtime.Function(plain, self.miss)
        self.tiers = Tiers(self.function, lambda: _runtime.Function(plain, self.miss))
        self.programs: dict[tuple, Program] = {}
        self.counts = {"compiles": 0, "disk_hits": 0, "fallbacks": 0}
        self.reasons: list[str] = []
        self.compiled_calls: list[dict[str, str]] = []
        self.attributes: dict[str, list[str]] = {}
        self.forced: set[tuple[str, int]] | None = None
        self._kinds: dict[tuple, CallKind] = {}
        self.variants = Variants()
        self.budget = Budget(options.compile_limit, lambda: self.function.counters()["calls"])
        if whole is not None:
            self.budget = whole.whole.budget
        self._generation = 0
        self._have_exact: set[tuple] = set()
        self.elder: Any = None
        self.takes_all_paths = False

    def renew(self) -> None:
        """Forget the other threads, which a forked child doesn't have."""
        self._lock = threading.RLock()

    def miss(self, args: tuple, kwargs: dict[str, Any]) -> Any:
        """Answer a call that no specialization has taken."""
        raise NotImplementedError

    def left_to_numpy(self, why: UnsupportedError, args: tuple, kwargs: dict[str, Any]) -> Any:
        """Answer a call of which a program has found out that it can't be computed like this."""
        raise NotImplementedError

    def left_on_path(self, why: UnsupportedError, args: tuple, kwargs: dict[str, Any]) -> Any:
        """The same of a program that doesn't have all paths."""
        raise NotImplementedError

    def call_of(self, args: tuple, kwargs: dict[str, Any]) -> Call:
        """A call of the function.

        Raises
        ------
        UnsupportedError
            Where no program takes one of the arguments.
        DeviceError
        """
        call = Call(self.plain, args, kwargs, self.attributes)
        if call.refusal is not None:
            call.refusal.leaves = call.parameters
            raise call.refusal
        for device, leaf in call.devices().items():
            if device != self.options.device:
                raise Elsewhere(f"`{leaf.path}`", device, self.options.device)
        return call

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
            index = self._index(generic)
            generic = self._recalled(index, call, generic)
            if not self._from_disk(index, call, generic):
                with store.compiling(index) as is_compiled:
                    if not is_compiled or not self._from_disk(index, call, generic):
                        self._compile_unless_refused(index, call, generic)
            self._generation += 1
            generic = call.signature(set(), shapes=False)
            program = self.program_of(call)
            if program is not None and program.entry["symbols"] and generic not in self._have_exact:
                self._install_exact(index, call, generic)

    def _is_prepared(self, call: Call, generic: tuple) -> bool:
        """Whether another thread has just prepared the same kind of call."""
        return call.signature(self._values(generic)) in self.programs

    def _values(self, generic: tuple) -> set[str]:
        kind = self._kinds.get(generic)
        return kind.choices.static() if kind is not None else set()

    def program_of(self, call: Call) -> Program | None:
        """The program that was made for calls of exactly these shapes, if one was."""
        return self.programs.get(self._exact(call))

    def in_order(self) -> list[Program]:
        """The programs in the order in which they are tried."""
        known = {id(program): program for program in self.programs.values()}
        return sorted(known.values(), key=lambda program: program.loose)

    def answering(self, call: Call) -> Program | None:
        """The program that answers a call, where one does."""
        for program in self.in_order():
            if program.form != (call.nargs, call.kwnames):
                continue
            try:
                bind(program.entry, self.plain, call)
            except Mismatch:
                continue
            return program
        return None

    def _exact(self, call: Call) -> tuple:
        """The signature of a call, with the values of the numbers that programs depend on."""
        return call.signature(self._values(call.signature(set(), shapes=False)))

    def kind(self, call: Call, generic: tuple) -> CallKind:
        """What is known of the calls of the same kind as one."""
        known = self._kinds.get(generic)
        if known is None:
            known = CallKind()
            if self.options.dynamic is not False:
                known.recall(call, store.load_entries(self._index(generic)))
            self._kinds[generic] = known
        return known

    def symbolic(self, call: Call, generic: tuple) -> set[tuple[str, int]]:
        """The dimensions of a call that should become symbols."""
        found = self.kind(call, generic).symbolic(call, self.options)
        return found if self.forced is None else self.forced

    def _recalled(self, index: store.Index, call: Call, generic: tuple) -> tuple:
        """The signature of a call with those attributes that programs on disk look at."""
        if not call.may_be_open():
            return generic
        for entry in store.load_entries(index):
            for leaf, pattern in zip(call.parameters, entry["parameters"], strict=True):
                note_pattern(pattern, leaf.path, self.attributes)
        call.look_at(self.attributes)
        return call.signature(set(), shapes=False)

    def note_captured(self, call: Call, generic: tuple) -> tuple:
        """Note what attributes a capture of a call has looked at; the call's signature with them.

        What is known of the calls of its kind holds for it as before.
        """
        if not call.may_be_open():
            return generic
        for leaf in call.parameters:
            note_attributes(leaf, self.attributes)
        now = call.signature(set(), shapes=False)
        if now != generic:
            self._kinds[now] = self._kinds[generic]
            self._kinds[now].see(call, self.options)
        return now

    def _index(self, generic: tuple) -> store.Index:
        text = function_digest(self.plain)
        target, options = self.options.target(), self.options.key()
        return store.index_of(target, text, portable(generic, attributes=False), options)

    # Programs from disk

    def _from_disk(self, index: store.Index, call: Call, generic: tuple) -> bool:
        """Install a program that another process has compiled, where one answers the call."""
        return self._installed(store.load_entries(index), call, generic)

    def _installed(self, entries: list[dict[str, Any]], call: Call, generic: tuple) -> bool:
        for entry in by_looseness(entries, call.parameters):
            if entry["leaves_paths"] and self.takes_all_paths:
                continue
            try:
                bound = bind(entry, self.plain, call)
            except Mismatch:
                continue
            if self.install_stored(entry, bound, call, generic, StageTimes()):
                return True
        return False

    def _install_exact(self, index: store.Index, call: Call, generic: tuple) -> None:
        """Install the programs on disk that are more exact than one that takes their calls, too.

        The runtime would never ask for them. Nothing is done for a call's kind a second time.
        """
        self._have_exact.add(generic)
        entries = by_looseness(store.load_entries(index), call.parameters)
        for entry in entries[:_MOST_EXACT]:
            try:
                args, kwargs = example_of(entry, call)
                other = self.call_of(args, kwargs)
                bound = bind(entry, self.plain, other)
            except (Mismatch, UnsupportedError):
                continue
            if not self._is_prepared(other, generic):
                self.install_stored(entry, bound, other, generic, StageTimes(), is_asked=False)

    def install_stored(
        self,
        entry: dict,
        bound: Any,
        call: Call,
        generic: tuple,
        times: StageTimes,
        is_asked: bool = True,
    ) -> bool:
        """Install the object of an entry from the cache, where it is there and can be loaded."""
        loaded = store.load_program(entry["object"])
        if loaded is None:
            return False
        if is_asked:
            self.variants.note_objects(call, entry["object"], bound.guards())
        try:
            self.install(entry, bound, call, generic, loaded, times)
        except OSError as error:
            let_out(error)
            store.own().drop("program", entry["object"], str(error))
            return False
        self.counts["disk_hits"] += is_asked
        return True

    def install(
        self,
        entry: dict,
        bound: Any,
        call: Call,
        generic: tuple,
        loaded: Any,
        times: StageTimes,
        source: str | None = None,
    ) -> None:
        """Make a program answer calls.

        Raises
        ------
        OSError
            Where the object can't be loaded.
        """
        self.check_copies(entry, call)
        self.check_devices(bound)
        instead = self.left_on_path if entry["leaves_paths"] else self.left_to_numpy
        made = specialization(entry, self.plain, bound, call, loaded, self.options, instead)
        times.lap("load")
        program = Program(entry, call, loaded[1], times, source)
        self.programs[call.signature(self._values(generic))] = program
        where = (program.loose, call.parameters, call.kwnames)
        self.tiers.add(made, *where)
        if self.elder is not None and next(devices_in(bound.guards()), None) is not None:
            self.elder.add(made, *where)
        if self.whole is not None:
            self.whole.reconsider()
        elif _RECORD:
            from ..cache.recording import note

            note(_RECORD, self.plain, entry, call.kwnames)

    def check_devices(self, bound: Bound) -> None:
        """Refuse a program for arrays on another device than the function runs on.

        Raises
        ------
        DeviceError
        """
        for number in devices_in(bound.guards()):
            if number != self.options.device_number():
                raise Elsewhere("an array that it reads", f"cuda:{number}", self.options.device)

    def check_copies(self, entry: dict, call: Call) -> None:
        """Refuse a program that sees memory of arguments where they had to be converted.

        Raises
        ------
        UnsupportedError
        """
        if call.copies and entry["aliases"]:
            leaf = call.copies[0]
            raise UnsupportedError(
                f"`{leaf.path}` is unaligned or byte-swapped, and the function writes "
                "or returns an argument, or looks at its bytes",
                f"convert it first: np.array({leaf.path}, '{leaf.dtype}')",
            )

    # Compiling

    def _compile_unless_refused(self, index: store.Index, call: Call, generic: tuple) -> None:
        from . import known_refusals

        known = known_refusals.find(index, self.plain, call)
        if known is not None:
            raise known
        try:
            self._compile(index, call, generic)
        except NoCompilerError:
            if not self._installed(store.load_others(index), call, generic):
                self._refuse_device(index)
                raise
        except UnsupportedError as error:
            if call.stream_twice() is None:  # which no pattern says
                known_refusals.keep(index, self.plain, error)
            raise

    def _refuse_device(self, index: store.Index) -> None:
        """Refuse a device that none of the function's programs runs on, where there are some.

        Raises
        ------
        DeviceError
        """
        there = store.targets_of(index)
        if there:
            raise DeviceError(
                f"{self.options.device} is a device for {index.target}, and the programs of "
                f"{self.plain.__name__}() for such a call were compiled for {', '.join(there)}: "
                f"build them for {index.target}, too (`quernel build --target {index.target}`), "
                "or install the compiler"
            )

    def _compile(self, index: store.Index, call: Call, generic: tuple) -> None:
        with announced(self.plain):
            warm_up()
            builder().compile_call(self, index, call, generic)
