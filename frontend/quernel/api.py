"""`quernel.compile`."""

from __future__ import annotations

import contextlib
import functools
import os
import pathlib
import types
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar, overload

from . import _runtime
from .cache.target import USUAL_TARGETS
from .call.function import Dispatcher
from .call.pickling import make_picklable
from .call.sections import section
from .errors import DeviceError, NoCompilerError, no_compiler
from .options import Options

F = TypeVar("F", bound=Callable[..., Any])


@overload
def compile(function: F, /, **options: Any) -> F: ...
@overload
def compile(function: None = None, /, **options: Any) -> Callable[[F], F]: ...


def compile(function: Any = None, /, **options: Any) -> Any:
    """Compile a NumPy function when it is called.

    Parameters
    ----------
    function : function
        A plain Python function; also a bound method, a `functools.partial`, or an object with
        ``__call__``. Without it, a decorator with the given options is returned.
    device : {None, "cpu", "cuda", "cuda:N"} or Device
        Where it runs. None: where the arrays among its arguments are, or where
        ``with quernel.device(…)`` says.
    fullgraph : bool
        Whether what can't be compiled is an error; otherwise it runs in NumPy.
    dynamic : bool or None
        None: exact shapes first, a shape-generic program at the second shape; True: always;
        False: never.
    default_float : {None, "float32", "float64"}
        What creation functions and Python floats give.
    fastmath : bool
        Allow contraction, reassociation and approximate division.
    threads : int or None
        Threads of this function; None: the process's.
    background : bool
        NumPy answers while the program is compiled.
    verify : bool
        Each call runs NumPy too, and a difference beyond the bounds raises `VerificationError`.
    compile_limit : float or None
        Seconds of the processor that a compile may take; what would take longer runs in NumPy, with
        a warning. None: there is no limit.
    signatures : sequence of str
        Compile ahead of time, for example ``"float64[n,2], float64[k,2]"``.

    Returns
    -------
    function
        Called like the plain one, with plain NumPy arrays in and out. It has ``stats``,
        ``explain``, ``lower``, ``export`` and ``__wrapped__``.

    Raises
    ------
    TypeError
        For what isn't a Python function, or is made of none, and for unknown options.
    DeviceError
        For what names no device; a call raises it where the function can't run on the device.
    """
    chosen = Options(**options)
    if function is None:
        return lambda wrapped: _compiled(wrapped, chosen)
    return _compiled(function, chosen)


def _compiled(function: Any, options: Options) -> Any:
    if not isinstance(function, types.FunctionType):
        return _bound(function, options)
    dispatcher = Dispatcher(function, options)
    face = dispatcher.face
    reports = _Reports(dispatcher)
    face.stats = dispatcher.stats
    face.explain = reports.explain
    face.lower = reports.lower
    face.export = reports.export
    face.prepare = dispatcher.prepare_signature
    make_picklable(face, function, options, _compiled)
    for text in options.signatures:
        # A call says so, where it comes to that.
        with contextlib.suppress(NoCompilerError, DeviceError):
            dispatcher.prepare_signature(text)
    return face


def _bound(function: Any, options: Options) -> Any:
    """What calls a compiled function with arguments that are there already."""
    args, named, inner = (), {}, None
    if isinstance(function, functools.partial):
        inner, args, named = function.func, function.args, function.keywords
    elif isinstance(function, types.MethodType):
        inner, args = function.__func__, (function.__self__,)
    elif isinstance(method := vars(type(function)).get("__call__"), types.FunctionType):
        inner, args = method, (function,)
    if inner is None:
        raise TypeError(f"quernel.compile takes a Python function, not {type(function).__name__}")
    face = inner if isinstance(inner, _runtime.Function) else _compiled(inner, options)
    made = functools.partial(face, *args, **named)
    made.stats, made.export, made.prepare = face.stats, face.export, face.prepare
    made.explain = functools.partial(face.explain, *args, **named)
    made.lower = functools.partial(face.lower, *args, **named)
    made.__wrapped__ = function
    return made


class _Reports:
    """What users ask about the programs of a function; the modules that answer are loaded then."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        self._dispatcher = dispatcher

    def explain(self, *args: Any, **kwargs: Any) -> Any:
        """A `Report` of how a call with these arguments runs; it isn't carried out."""
        with section:
            from .report.explain import explain

            return explain(self._dispatcher.standing_for(args, kwargs), args, kwargs)

    def lower(self, *args: Any, **kwargs: Any) -> Any:
        """A `Lowered`: the program of such a call at each stage of the compiler."""
        with section:
            from .report.lowered import lower

            return lower(self._dispatcher.standing_for(args, kwargs), args, kwargs)

    def export(
        self,
        path: str | os.PathLike[str],
        signatures: str | Iterable[str] | Mapping[str, str] = (),
        header: str | os.PathLike[str] | None = None,
        targets: Iterable[str] = USUAL_TARGETS,
    ) -> list[pathlib.Path]:
        """Write a library that has the function for C and C++, with neither Python nor LLVM in it.

        Beside the library are its headers for C and C++, what it needs of vector mathematics, and
        a CMake package. The C++ compiler that the variable ``CXX`` names, else ``c++``, makes it,
        with the flags of ``CXXFLAGS``: loops run in the threads of that compiler's OpenMP.

        Parameters
        ----------
        path : path
            ``libNAME.so``, or ``libNAME.a`` for a static library.
        signatures : str, sequence of str, or mapping of str to str
            As those of `quernel.compile`, which are taken where none are given: sizes with names
            vary, numbers that are written are part of the program. Each makes a function of C:
            with the name that a mapping gives it, else the function's own; several are numbered.
        header : path, optional
            The C header; by default ``NAME.h`` beside the library. The C++ one is called ``.hpp``.
        targets : sequence of str
            Levels of x86-64 that the library has programs for; it runs the best one that the
            processor has.

        Returns
        -------
        list of pathlib.Path
            What was written; the library comes first.

        Raises
        ------
        SignatureError
            Where a signature can't be read, or the function can't be called like that.
        UnsupportedError
            Where the function can't be compiled, or does what only Python can.
        ValueError
            Where a name or a target won't do, or there is no signature.
        ExportError
            Where there is no C++ compiler, it fails, or the library can't be written.
        """
        with section:
            try:
                from .export import export
            except ModuleNotFoundError as error:
                raise no_compiler(error) from None
            return export(self._dispatcher, path, signatures, header, targets)
