"""From a call to a compiled program: capture, compile, store, install."""

from __future__ import annotations

import functools
import json
import types
from typing import Any

from ..arguments.calls import Call, call_texts
from ..arguments.leaves import Mismatch
from ..cache import store
from ..capture.trace import Captured, capture
from ..errors import UnsupportedError, no_compiler, no_nvrtc
from ..numpy import hooks  # noqa: F401  (what captured code calls in place of NumPy's functions)
from ..signals import let_out
from ..traced.effort import Effort
from .call_kinds import CallKind
from .code_lines import described
from .programs import bind
from .stage_times import StageTimes

#: What to do where a program calls what its target doesn't have.
OTHER_DEVICE = (
    "call it outside of compiled functions, or compile this one for the other kind of device: "
    "with device='cuda', or with arrays on a device, for a kernel"
)


@functools.lru_cache(maxsize=1)
def compiler() -> Any:
    """The `_compiler` extension module, loaded when something must be compiled.

    Raises
    ------
    NoCompilerError
        Where this installation has no compiler.
    """
    try:
        from .. import _compiler
    except ImportError as error:
        if isinstance(error.__cause__ or error.__context__, KeyboardInterrupt):
            raise KeyboardInterrupt from None  # Ctrl-C while the module was set up
        raise no_compiler(error) from None
    return _compiler


def timed_capture(
    dispatcher: Any, call: Call, generic: tuple, times: StageTimes
) -> tuple[Captured, tuple]:
    """Capture a call, and note how long that takes; the first time the compiler is loaded, too.

    The call's signature comes back with what the capture has found out of its objects.
    """
    compiler()
    times.lap("loading the compiler")
    captured = captured_call(dispatcher, call, generic)
    times.lap("capture")
    return captured, dispatcher.note_captured(call, generic)


def captured_call(dispatcher: Any, call: Call, generic: tuple) -> Captured:
    """Capture a call: with symbols for what has changed since earlier ones, else exactly."""
    symbolic = dispatcher.symbolic(call, generic)
    kind = dispatcher.kind(call, generic)
    kind.see(call, dispatcher.options)
    kind.note_wide(call, dispatcher.options, dispatcher.forced is not None)
    budget, is_whole = dispatcher.budget, dispatcher.whole is None
    effort = Effort(dispatcher.options.compile_limit, budget.seconds(is_whole))
    kind.choices.effort = effort
    captured = None
    try:
        captured = _captured_on_paths(dispatcher, call, kind, symbolic)
        return captured
    except UnsupportedError as error:
        if effort.error is not None and effort.is_short:
            error.demands = None  # another process may have more time for it
        raise
    finally:
        taken = effort.taken(0 if captured is None else captured.operations)
        budget.spend(taken, is_whole, captured is None)


def _captured_on_paths(dispatcher: Any, call: Call, kind: CallKind, symbolic: set) -> Captured:
    """Capture all of a call; where that can't be, without paths that data may not take."""
    dispatcher.variants.check(call)
    before, any_size = kind.choices.again(), kind.takes_any_size
    try:
        return _captured_by_sizes(dispatcher, call, kind, symbolic)
    except UnsupportedError as error:
        if not error.is_on_path or before.leaves_paths or dispatcher.takes_all_paths:
            raise
        refusal, failed = error, kind.choices
    kind.choices, kind.takes_any_size = before, any_size
    before.leaves_paths = True
    try:
        return _captured_by_sizes(dispatcher, call, kind, symbolic)
    except Exception as error:
        let_out(error)
        kind.choices = failed
    raise refusal


def _captured_by_sizes(dispatcher: Any, call: Call, kind: CallKind, symbolic: set) -> Captured:
    small = kind.small(call, dispatcher.options)
    if small:
        captured = captured_for_any_size(dispatcher, call, kind, symbolic | small)
        if captured is not None:
            return captured
    if symbolic - kind.choices.dims:
        try:
            return _captured(dispatcher, call, kind, symbolic)
        except (UnsupportedError, ValueError, TypeError) as error:
            let_out(error)
            kind.fix_sizes(symbolic)  # the exact shapes may still do
    return _captured(dispatcher, call, kind, set())


def captured_for_any_size(
    dispatcher: Any, call: Call, kind: CallKind, places: set[tuple[str, int]]
) -> Captured | None:
    """Capture a call with symbols at some places that may be 0 and 1, too.

    None where that fails, or takes the value of a number that other programs don't need. Other
    captures of the kind learn nothing of it but that it isn't to be tried again.
    """
    known, kind.choices = kind.choices, kind.choices.again(any_size=True)
    try:
        captured = _captured(dispatcher, call, kind, places)
        if kind.choices.values <= known.values:
            return captured
    except (UnsupportedError, ValueError, TypeError) as error:
        let_out(error)
    finally:
        kind.choices = known
    kind.takes_any_size = False
    return None


def _captured(dispatcher: Any, call: Call, kind: CallKind, symbolic: set) -> Captured:
    """Capture with varying numbers as data; where that fails, with their values."""
    given = (dispatcher.plain, call, dispatcher.options)
    is_part = dispatcher.whole is not None
    try:
        return capture(*given, kind.choices, symbolic, compiler(), is_part)
    except UnsupportedError:
        if not kind.fix():
            raise
    return capture(*given, kind.choices, symbolic, compiler(), is_part)


def compile_call(dispatcher: Any, index: store.Index, call: Call, generic: tuple) -> None:
    """Compile a call's program, store it and install it.

    Raises
    ------
    UnsupportedError
    Exception
        Whatever the user's function raises.
    """
    times = StageTimes()
    captured, generic = timed_capture(dispatcher, call, generic, times)
    entry = entry_of(dispatcher.plain, captured, index, _reason(dispatcher, call))
    places = [read.found() for read, _ in captured.reads]
    try:
        bound = bind(entry, dispatcher.plain, call, places)
    except Mismatch:
        raise UnsupportedError(
            "what the function reads from outside changes while it is captured",
            "pass what changes as an argument",
        ) from None
    dispatcher.check_copies(entry, call)
    dispatcher.check_devices(bound)
    if captured.storable and dispatcher.install_stored(entry, bound, call, generic, times):
        store.add_entry(index, entry)
        return
    made = compiled(captured, dispatcher.options)
    times.add(made.times)
    dispatcher.counts["compiles"] += 1
    if entry["why"]:
        dispatcher.reasons.append(entry["why"])
    dispatcher.variants.note(call, captured.changed)
    dispatcher.compiled_calls.append(call_texts(call))
    if captured.storable:
        store.keep(index, entry, made.object, made.manifest)
        times.lap("store")
    try:
        dispatcher.install(
            entry, bound, call, generic, (made.object, made.manifest), times, made.source
        )
    except OSError as error:
        let_out(error)
        raise UnsupportedError(f"the compiled program can't be loaded: {error}") from None


def compiled(captured: Captured, options: Any) -> Any:
    """The compiler's result for a captured program.

    Raises
    ------
    UnsupportedError
        Where the compiler fails, which is its own fault.
    """
    try:
        target = options.target()
        return compiler().compile(captured.graph, target, options.compiler(target))
    except NotImplementedError as error:
        raise UnsupportedError(str(error), OTHER_DEVICE) from None
    except RuntimeError as error:
        let_out(error)
        if str(error).startswith("NVRTC is not installed"):
            raise no_nvrtc(str(error)) from None
        raise UnsupportedError(f"the compiler failed: {error}", "please report this") from None


def entry_of(
    function: types.FunctionType, captured: Captured, index: store.Index, why: str = ""
) -> dict[str, Any]:
    """The JSON entry of a captured program, and why it was made, if not for the first call."""
    reads = [[read.place(), pattern] for read, pattern in captured.reads]
    lines = described(function, [read for read, _ in captured.reads])
    entry = {
        "parameters": captured.parameters,
        "reads": reads,
        "symbols": captured.symbols,
        "outputs": captured.outputs,
        "result": captured.result,
        "floats": captured.floats,
        "callers": captured.callers,
        "lines": lines,
        "aliases": sorted(captured.aliases),
        "leaves_paths": captured.leaves_paths,
        "object": store.program_key(index, captured.parameters, [*reads, lines]),
        "target": index.target,
        "why": why,
    }
    return json.loads(json.dumps(entry))


_SHOWN = 8  # differences of a call


def _reason(dispatcher: Any, call: Call) -> str:
    """Why a function that has a program gets another one: what the nearest earlier call was."""
    now = call_texts(call)
    earlier = dispatcher.compiled_calls
    if not earlier:
        return ""
    near = min(earlier, key=lambda before: _difference(before, now))
    names = [name for name in now.keys() | near.keys() if now.get(name) != near.get(name)]
    rest = [f"and {len(names) - _SHOWN} more"] if len(names) > _SHOWN else []
    texts = [
        f"{name} was {near.get(name, 'not given')}, is {now.get(name, 'not given')}"
        for name in sorted(names)[:_SHOWN]
    ]
    return "; ".join(texts + rest) or "what the function reads from outside"


def _difference(a: dict[str, str], b: dict[str, str]) -> int:
    return sum(a.get(name) != b.get(name) for name in a.keys() | b.keys())
