"""`quernel.compile`."""

from __future__ import annotations

import contextlib
import functools
import types
from collections.abc import Callable
from typing import Any, TypeVar, overload

from . import _runtime
from .call.function import Dispatcher
from .call.pickling import make_picklable
from .call.sections import section
from .errors import NoCompilerError
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
    device : {None, "cpu"}
        Where it runs.
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
    face.export = dispatcher.export
    face.prepare = dispatcher.prepare_signature
    make_picklable(face, function, options, _compiled)
    for text in options.signatures:
        with contextlib.suppress(NoCompilerError):  # a call says so, where it comes to that
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

            return explain(self._dispatcher, args, kwargs)

    def lower(self, *args: Any, **kwargs: Any) -> Any:
        """A `Lowered`: the program of such a call at each stage of the compiler."""
        with section:
            from .report.lowered import lower

            return lower(self._dispatcher, args, kwargs)
