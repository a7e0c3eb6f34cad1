"""Specializations made from entries: the objects of this process put into a stored program."""

from __future__ import annotations

import functools
import importlib
import json
import math
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .. import _runtime
from ..arguments.calls import Call, handed_over
from ..arguments.leaf_kinds import NO_OBJECT, guard, writes_array
from ..arguments.leaves import NOTHING, Mismatch
from ..arguments.named_tuples import with_classes
from ..arguments.opaque import Observation
from ..arguments.plain_objects import function_of, member_of
from ..arguments.simple_kinds import DEVICE_ARRAY, IDENTITY, VALUE, symbol_of
from ..cache.libraries import preload
from ..describe import defaults_of, file_name
from ..errors import UnsupportedError
from ..raised import IN_NUMPY, RAISED_IN_NUMPY, TOO_WIDE, WIDE_HINT, restored
from ..signals import let_out
from .code_lines import Places, code_of, moved
from .float_warnings import FloatWarnings

# Additions that are over before another thread would notice that it waits.
_QUIET = 1 << 16


class Bound:
    """The guards of an entry for the objects of this process."""

    def __init__(self, parameters: list[tuple], extras: list[tuple]) -> None:
        self.parameters = parameters
        self.extras = extras

    def guards(self) -> Iterator[Any]:
        """All of them, in the runtime's forms."""
        yield from self.parameters
        yield from (form for _, _, form in self.extras)


def bind(
    entry: dict[str, Any],
    function: types.FunctionType,
    call: Call,
    places: list[tuple[Any, Any, Any]] | None = None,
) -> Bound:
    """The guards of an entry.

    Parameters
    ----------
    places : list of (namespace, name, object), optional
        What the function reads from outside; found by the entry's own paths where not given.

    Raises
    ------
    Mismatch
        Where the call, or what the function reads, isn't what the entry demands.
    """
    symbols: dict[str, int] = {}
    values = (*call.args, *call.kwargs.values())
    parameters = [guard(p, v, symbols) for p, v in zip(entry["parameters"], values, strict=True)]
    extras = []
    for k, (place, pattern) in enumerate(entry["reads"]):
        if places is not None:
            namespace, name, obj = places[k]
        elif pattern[0] == NO_OBJECT.name:
            namespace, name, obj = lacking(function, *place)
        else:
            namespace, name, obj = found(function, *place)
        extras.append((namespace, name, guard(pattern, obj, symbols)))
    sizes = [(symbol_of(name)[1], size) for name, size in symbols.items() if type(name) is str]
    if sizes and min(sizes)[0] < 2 <= min(size for _, size in sizes):
        raise Mismatch  # a program that knows more takes such calls
    return Bound(parameters, extras)


def devices_in(guards: Iterable[Any]) -> Iterator[int]:
    """The numbers of the devices that guards demand arrays on."""
    for form in guards:
        if type(form) in (tuple, list):
            if len(form) > 1 and form[0] == DEVICE_ARRAY.name and type(form[1]) is int:
                yield form[1]
            elif not form or form[0] not in (VALUE.name, IDENTITY.name):
                yield from devices_in(form)


def specialization(
    entry: dict[str, Any],
    function: types.FunctionType,
    bound: Bound,
    call: Call,
    loaded: tuple[bytes, str],
    options: Any,
    instead: Callable[..., Any],
) -> Any:
    """The runtime's specialization of an entry.

    Parameters
    ----------
    function : FunctionType
        The user's function, which errors name.
    loaded : (bytes, str)
        The object and its manifest.
    instead : callable
        Answers a call that the program leaves to NumPy: why, the arguments as a tuple and a dict.

    Raises
    ------
    OSError
        Where the object can't be loaded, or is of another version of the kernel ABI.
    """
    preload()
    code, manifest = loaded
    described = json.loads(manifest)
    if described["abi"] != _runtime.abi_version:
        raise OSError(
            f"the program has version {described['abi']} of the kernel ABI, "
            f"not {_runtime.abi_version}"
        )
    places = _moved(entry, function)
    is_on_device = next(devices_in(bound.guards()), None) is not None
    program = _runtime.Program.from_bytes(code, described["entry"], described["shapes"])
    return _runtime.Specialization(
        program,
        nargs=call.nargs,
        kwnames=call.kwnames,
        parameters=bound.parameters,
        extras=bound.extras,
        symbols=entry["symbols"],
        outputs=[
            (dtype, tuple(shape), *map(tuple, axes)) for dtype, shape, *axes in entry["outputs"]
        ],
        result=with_classes(entry["result"]),
        errors=[
            error_form(error, function, instead, entry["callers"], places)
            for error in described.get("errors", ())
        ],
        checked=[k for k, out in enumerate(described["outputs"]) if out.get("checked")],
        loops=described.get("loops", False) or _is_long(described),
        threads=options.threads or 0,
        device=options.device_number(),
        floats=None if is_on_device else _floats(entry, function, described.get("loops", False)),
    )


def _floats(entry: dict[str, Any], function: types.FunctionType, is_long: bool) -> tuple | None:
    """How the runtime learns of the floating-point warnings of a program; None: there are none."""
    outer, inner, always, means, doubtful = entry["floats"]
    if not outer | inner:
        return None
    patterns = (*entry["parameters"], *(pattern for _, pattern in entry["reads"]))
    writes = any(map(writes_array, patterns))
    warner = FloatWarnings(function, inner, doubtful, writes, is_long)
    return (outer, inner, always, means, warner)


def _is_long(described: dict[str, Any]) -> bool:
    """Whether a program works for long although its arguments may be small.

    Kernels that the threads share give Python's lock back by themselves; others, and calls of
    libraries, don't.
    """
    shapes = [memory["shape"] for memory in described["temporaries"]]
    if described["library_calls"] and any("?" in s or math.prod(s) > _QUIET for s in shapes):
        return True
    work = sum(kernel["flops"] + kernel["bytes_read"] // 8 for kernel in described["kernels"])
    return work > _QUIET and not described["symbols"]


def error_form(
    error: dict[str, Any],
    function: types.FunctionType,
    instead: Callable[..., Any],
    callers: list[list] | None = None,
    places: Places | None = None,
) -> tuple:
    """The runtime's form of an error in a manifest: exception, message, file, function, line.

    The exception is a class, or makes one; or a tuple of what answers the call. Behind the line
    are the calls around, as capture has described them, where there are any.

    Parameters
    ----------
    places : dict, optional
        Where the places that the manifest and the callers name are now.

    Raises
    ------
    ValueError
        Where neither Python nor NumPy has an exception of that name.
    """

    def place_of(name: str, line: int) -> tuple[str, int]:
        return (places or {}).get((name, line)) or (_path(name, function), line)

    (file, line), where, calls = place_of(error["file"], error["line"]), function.__name__, []
    if error.get("callers"):
        where, *calls = (callers or [])[error["callers"] - 1]
        around = [(place_of(name, number), caller) for name, caller, number in calls]
        calls = [(path, caller, number) for (path, number), caller in around]
    if error["exception"] == IN_NUMPY:
        place = {"file": file, "line": line, "function": where}
        hint = WIDE_HINT if error["message"] == TOO_WIDE else ""
        why = UnsupportedError(error["message"], hint, **place)
        return ((functools.partial(instead, why),), error["message"], file, where, line)
    if error["exception"] == RAISED_IN_NUMPY:
        return ((functools.partial(_handed_over, function),), error["message"], file, where, line)
    exception = restored(error["exception"], error["message"])
    form = (exception, error["message"], file, where, line)
    return (*form, calls) if calls else form


def _handed_over(function: types.FunctionType, args: tuple, kwargs: dict[str, Any]) -> Any:
    """What the binding has the plain function do, which raises where the program has stopped."""
    return handed_over(function, args, kwargs)


def _moved(entry: dict[str, Any], function: types.FunctionType) -> Places:
    """Where the places that an entry knows are now, as far as its functions are found."""
    codes = []
    for place, *_ in entry["lines"]:
        try:
            codes.append(code_of(function if place is None else found(function, *place)[2]))
        except Mismatch:
            codes.append(None)
    return moved(entry["lines"], codes)


def _path(file: str, function: types.FunctionType) -> str:
    """The path of a file of which a program knows the name, so that tracebacks show its lines."""
    found = function.__code__.co_filename
    if file == file_name(found):
        return found
    for item in list(function.__globals__.values()):
        path = item.__code__.co_filename if isinstance(item, types.FunctionType) else None
        if isinstance(item, types.ModuleType):
            path = vars(item).get("__file__")
        if isinstance(path, str) and file_name(path) == file:
            return path
    return file


def found(function: types.FunctionType, owner: list, kind: str, name: str) -> tuple[Any, Any, Any]:
    """A namespace that a function reads from, the name in it, and the object there.

    Raises
    ------
    Mismatch
        Where there is nothing.
    """
    return _namespace(_holder(function, owner), kind, name)


def lacking(
    function: types.FunctionType, owner: list, kind: str, name: str
) -> tuple[Any, Any, Any]:
    """The same of a namespace in which a name must not be: there is NOTHING.

    Raises
    ------
    Mismatch
        Where there is something, or no namespace.
    """
    holder = _holder(function, owner)
    try:
        _namespace(holder, kind, name)
    except Mismatch:
        return _whole_namespace(holder, kind), name, NOTHING
    raise Mismatch


def _holder(function: types.FunctionType, owner: list) -> Any:
    """What a way leads to from a function."""
    holder: Any = function
    for step, step_name in owner:
        if step == "wrapped":
            holder = getattr(holder, "__wrapped__", None)
        elif step == "pyfunc":
            holder = getattr(holder, "pyfunc", None)
        elif step == "module":
            holder = _imported(step_name)
        elif step == "member":
            holder = function_of(_namespace(holder, step, step_name)[2])
        elif step == "setter":
            holder = getattr(_namespace(holder, "member", step_name)[2], "fset", None)
        else:
            holder = _namespace(holder, step, step_name)[2]
    return holder


def _imported(name: str) -> Any:
    """A module that the function itself imports, or that a call hands it."""
    try:
        return importlib.import_module(name)
    except Exception as error:
        let_out(error)
        raise Mismatch from None


def _seen(holder: Any, kind: str, name: list[Any]) -> tuple[Any, Any, Any]:
    """An observation of an object, or what it shows."""
    found: Any = Observation(holder, *name)
    if kind == "sight":
        try:
            found = found.now()
        except Exception as error:  # of the user's code
            let_out(error)
            raise Mismatch from None
    return {None: found}, None, found


def _namespace(holder: Any, kind: str, name: Any) -> tuple[Any, Any, Any]:
    """Where a function or module keeps a name: the namespace, the key there, and the object."""
    if kind in ("seen", "sight"):
        return _seen(holder, kind, name)
    try:
        if kind == "global":
            return holder.__globals__, name, holder.__globals__[name]
        if kind == "member":
            return holder, name, member_of(holder, name)
        if kind == "default":
            defaults = defaults_of(holder)
            return defaults, name, defaults[name]
        if kind == "attr":
            return holder.__dict__, name, getattr(holder, name)
        cell = holder.__closure__[holder.__code__.co_freevars.index(name)]
        return cell, None, cell.cell_contents
    except (KeyError, AttributeError, ValueError, TypeError, IndexError) as error:
        let_out(error)
        raise Mismatch from None


def _whole_namespace(holder: Any, kind: str) -> Any:
    """The globals of a function, a class, or the names of a module.

    Raises
    ------
    Mismatch
    """
    if kind == "member" and isinstance(holder, type):
        return holder
    names = getattr(holder, "__globals__" if kind == "global" else "__dict__", None)
    if type(names) is not dict:
        raise Mismatch
    return names
