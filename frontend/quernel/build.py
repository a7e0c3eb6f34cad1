"""From a call to a compiled program: capture, compile, store, install."""

from __future__ import annotations

import functools
import json
from typing import Any

from . import store
from .arguments import Call
from .capture.trace import Captured, capture
from .errors import UnsupportedError
from .patterns import guard_text
from .programs import bind
from .target import host_target


@functools.lru_cache(maxsize=1)
def compiler() -> Any:
    """The `_compiler` extension module, loaded when something must be compiled.

    Raises
    ------
    UnsupportedError
        Where this installation has no compiler.
    """
    try:
        from . import _compiler
    except ImportError as error:
        raise UnsupportedError(
            f"this installation has no compiler ({error})",
            "use a cache folder that `quernel build` has filled",
        ) from None
    return _compiler


def captured_call(dispatcher: Any, call: Call, generic: tuple) -> Captured:
    """Capture a call: with symbols where shapes have changed, else with exact shapes."""
    choices = dispatcher.choices(generic)
    symbolic = dispatcher.symbolic(call, generic)
    arguments = (dispatcher.plain, call, dispatcher.options, choices)
    if symbolic:
        try:
            return capture(*arguments, symbolic, compiler())
        except (UnsupportedError, ValueError, TypeError):
            pass  # the exact shapes may still do
    return capture(*arguments, set(), compiler())


def compile_call(dispatcher: Any, key: str, call: Call, generic: tuple) -> None:
    """Compile a call's program, store it and install it.

    Raises
    ------
    UnsupportedError
    Exception
        Whatever the user's function raises.
    """
    captured = captured_call(dispatcher, call, generic)
    entry = entry_of(captured, key)
    places = [(read.namespace, _name(read), read.obj) for read, _ in captured.reads]
    bound = bind(entry, dispatcher.plain, call, places)
    dispatcher.check_copies(entry, call)
    if captured.storable and dispatcher.install_stored(entry, bound, call, generic):
        store.add_entry(key, entry)
        return
    made = compiled(captured, dispatcher.options)
    dispatcher.counts["compiles"] += 1
    _note_reason(dispatcher, call, entry)
    path = store.keep(entry["object"], made.object, made.manifest, captured.storable)
    if captured.storable:
        store.add_entry(key, entry)
    try:
        dispatcher.install(entry, bound, call, generic, (path, made.manifest), made.source)
    except OSError as error:
        raise UnsupportedError(f"the compiled program can't be loaded: {error}") from None


def _name(read: Any) -> Any:
    return None if read.kind == "cell" else read.name


def compiled(captured: Captured, options: Any) -> Any:
    """The compiler's result for a captured program.

    Raises
    ------
    UnsupportedError
        Where the compiler fails, which is its own fault.
    """
    try:
        return compiler().compile(captured.graph, host_target(), options.compiler())
    except RuntimeError as error:
        raise UnsupportedError(f"the compiler failed: {error}", "please report this") from None


def entry_of(captured: Captured, key: str) -> dict[str, Any]:
    """The JSON entry of a captured program."""
    reads = [
        [[[list(step) for step in read.owner or ()], read.kind, read.name], pattern]
        for read, pattern in captured.reads
    ]
    entry = {
        "parameters": captured.parameters,
        "reads": reads,
        "symbols": captured.symbols,
        "outputs": captured.outputs,
        "result": captured.result,
        "aliases": sorted(captured.aliases),
        "object": store.object_key(key, captured.parameters, reads),
    }
    return json.loads(json.dumps(entry))


def _note_reason(dispatcher: Any, call: Call, entry: dict[str, Any]) -> None:
    """Say why a function that has a program got another one."""
    if dispatcher.counts["compiles"] < 2:
        return
    names = [leaf.path for leaf in call.parameters]
    texts = [guard_text(p, name) for p, name in zip(entry["parameters"], names, strict=True)]
    dispatcher.reasons.append("no program yet for " + ", ".join(sum(texts, [])))
