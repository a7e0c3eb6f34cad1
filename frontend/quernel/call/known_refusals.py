"""Refusals on disk: a new process needn't capture a call to learn that it can't be compiled.

Beside the index of a function and a kind of call stands one of refusals. As a program's entry,
a refusal says what it demands of the arguments and of what the function reads from outside. It also
holds for these source files alone, since any change of them may end it.
"""

from __future__ import annotations

import types
from typing import Any

from ..arguments.calls import Call
from ..arguments.leaves import Blamed, Mismatch
from ..arguments.looking import leaf_of, look_again
from ..cache import store
from ..describe import digest, type_text
from ..errors import UnsupportedError
from ..files import state_of
from .programs import bind, found


def find(index: store.Index, function: types.FunctionType, call: Call) -> UnsupportedError | None:
    """The refusal of a call that a process has noted.

    Parameters
    ----------
    index : Index
        That of the function and the kind of call.
    """
    for entry in store.load_entries(index.beside("refusals")):
        if _holds(entry, function, call):
            reason, hint, *place, call_line = entry["error"]
            named = dict(zip(("file", "line", "function"), place, strict=True))
            error = UnsupportedError(reason, hint, **named)
            error.call_line = call_line
            for leaf, pattern in zip(call.parameters, entry["parameters"], strict=True):
                look_again(leaf, pattern)
            if entry.get("blamed") is not None:
                error.read = _read(entry, function)
            return error
    return None


def keep(index: store.Index, function: types.FunctionType, error: UnsupportedError) -> None:
    """Note a refusal, if it is known what it depends on."""
    demands = error.demands
    if demands is None:
        return
    paths = {function.__code__.co_filename, error.file or "", *demands["files"]} - {""}
    files = [_state(path) for path in sorted(paths)]
    if None in files:
        return
    place = (error.file, error.line, error.function, error.call_line)
    told = [error.reason, error.hint, *place]
    entry = {**demands, "files": files, "error": told}
    entry["object"] = digest(repr(entry))
    store.add_entry(index.beside("refusals"), entry)


def _read(entry: dict[str, Any], function: types.FunctionType) -> Blamed:
    """What a function reads from outside that is to blame."""
    place, pattern = entry["reads"][entry["blamed"]]
    leaf = leaf_of(found(function, *place)[2], str(place[2]), symbolic=False)
    look_again(leaf, pattern)
    return Blamed(function, place, leaf)


def _holds(entry: dict[str, Any], function: types.FunctionType, call: Call) -> bool:
    if any(_state(state[0]) != state for state in entry["files"]):
        return False
    try:
        bind(entry, function, call)
        return all(type_text(found(function, *place)[2]) == text for place, text in entry["types"])
    except Mismatch:
        return False


def _state(path: str) -> list[Any] | None:
    """What tells whether a file has changed; None where there is none."""
    state = state_of(path)
    return None if state is None else [path, state.st_mtime_ns, state.st_size]
