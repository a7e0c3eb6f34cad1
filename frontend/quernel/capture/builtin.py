"""Python's built-in functions as captured code sees them."""

from __future__ import annotations

import builtins
from typing import Any, NoReturn

from ..signals import let_out
from ..traced.array import TracedArray
from ..traced.counted import Counted
from ..traced.iterables import Range
from ..traced.open_types import open_types_of
from ..traced.scalars import bool_of
from ..traced.tracer import Tracer
from ..traced.undecided import Maybe
from .classes import is_stand_in
from .foreign import IS_REFUSED, Foreign, type_checks
from .judging import check_attribute
from .memory_methods import class_of

_REFUSED = {
    "print": "print outside of the compiled function",
    "input": "read input outside of the compiled function",
    "open": "read files outside of the compiled function",
    "exec": "write the code out",
    "eval": "write the expression out",
    "compile": "write the code out",
    "globals": "name the variables that you need",
    "locals": "name the variables that you need",
    "vars": "name the attributes that you need",
    "breakpoint": "debug the plain function: f.__wrapped__",
    "id": "compare arrays by their elements",
}


def builtin_functions(tracer: Tracer, rebuilder: Any) -> dict[str, Any]:
    """The ``__builtins__`` of captured code."""
    names = dict(vars(builtins))
    for name, hint in _REFUSED.items():
        names[name] = _refused(tracer, name, hint)
    names["len"] = _length
    names["super"] = SuperOf()
    names["hasattr"], names["getattr"] = _attribute_readers(tracer)
    for change in (setattr, delattr):
        names[change.__name__] = _attribute_changer(tracer, change)
    names["type"] = TypeOf(tracer, "`type`", type, "")
    names.update(type_checks(tracer))
    names["__import__"] = _importer(rebuilder)
    return names


def _refused(tracer: Tracer, name: str, hint: str) -> Any:
    def call(*args: Any, **kwargs: Any) -> Any:
        tracer.fail(f"{name}() has an effect that compiled code can't have", hint)

    vars(call)[IS_REFUSED] = True
    return call


def _length(obj: Any) -> Any:
    if type(obj) is TracedArray and obj.shape:
        return obj.shape[0]  # `len` itself would insist on an int
    if issubclass(type(obj), Counted):
        return obj.count
    if isinstance(obj, Range):
        count = obj.count
        return max(count, 0) if type(count) is int else count
    return len(obj)


_length.__wrapped__ = len


class SuperOf:
    """`super`; a call without arguments is the interpreter's, who knows the function around."""

    def __call__(self, *args: Any) -> Any:
        """What looks methods up behind a class."""
        return super(*args)


def _attribute_readers(tracer: Tracer) -> tuple[Any, Any]:
    """`hasattr` and `getattr`, where data may decide whether an object has an attribute."""

    def has_attribute(obj: Any, name: str, /) -> Any:
        if is_stand_in(obj) and type(vars(obj).get(name)) is Maybe:
            return bool_of(tracer, vars(obj)[name].bound)
        return not _lacks(obj, name) and hasattr(obj, name)

    def get_attribute(obj: Any, name: str, /, *default: Any) -> Any:
        if default and is_stand_in(obj) and type(vars(obj).get(name)) is Maybe:
            tracer.fail(f"`.{name}`, which an object has where data decide so, with a default")
        if default and _lacks(obj, name):
            return default[0]
        check_attribute(getattr, obj, name)
        return getattr(obj, name, *default)

    has_attribute.__wrapped__, get_attribute.__wrapped__ = hasattr, getattr  # type: ignore[attr-defined]
    return has_attribute, get_attribute


def _lacks(obj: Any, name: str) -> bool:
    """Whether an array or number lacks an attribute that what stands for it may have."""
    try:
        check_attribute(getattr, obj, name)
    except AttributeError:
        return True
    return False


def _attribute_changer(tracer: Tracer, change: Any) -> Any:
    """`setattr` or `delattr`, which are refused where Python has no error."""
    refused = _refused(tracer, change.__name__, "return the value")

    def call(obj: Any, name: str, /, *value: Any) -> None:
        check_attribute(change, obj, name)
        refused()

    return call


class TypeOf(Foreign):
    """`type`; of a traced object it is the type that the user's code would see."""

    is_refused = False

    def __call__(self, *args: Any) -> Any:
        """The type of the one argument."""
        if len(args) == 1 and open_types_of(args[0]):
            self._tracer.decide(args[0].value)
            self._tracer.fail(f"the type of a number, which data decide: {args[0].open.text()}")
        if len(args) == 3:
            self._tracer.fail("a class made inside of the function", "define it outside")
        return class_of(args[0]) if len(args) == 1 else type(*args)


def _importer(rebuilder: Any) -> Any:
    def load(
        name: str,
        globals: Any = None,
        locals: Any = None,
        fromlist: Any = (),
        level: int = 0,
    ) -> Any:
        source = getattr(globals, "original", globals)
        try:
            module = __import__(name, source, locals, fromlist, level)
        except Exception as error:
            let_out(error)
            refuse_import(rebuilder.tracer, name)
        return rebuilder.module(module, None)

    return load


def refuse_import(tracer: Tracer, name: str) -> NoReturn:
    """A failed import may be caught; later, when no guard knows, it may not fail."""
    tracer.fail(f"an import that fails, of {name}", "import it outside of the function")
