"""Python's built-in functions as captured code sees them."""

from __future__ import annotations

import builtins
from typing import Any, NoReturn

from ..signals import let_out
from ..traced.array import TracedArray
from ..traced.counted import Counted
from ..traced.iterables import Range
from ..traced.open_types import open_types_of
from ..traced.scalars import bool_of, either_of
from ..traced.tracer import Tracer, current
from ..traced.undecided import Maybe
from .class_stand_ins import Constant, StandIn, is_stand_in, lack_text
from .foreign import HIDDEN_ATTRIBUTE, IS_REFUSED, Foreign, real_class, type_checks
from .judging import check_attribute
from .memory_methods import class_of

_REFUSED = {
    "print": "print outside of the compiled function",
    "input": "read input outside of the compiled function",
    "open": "read files outside of the compiled function",
    "exec": "write the code out",
    "eval": "write the expression out",
    "compile": "write the code out",
    "locals": "name the variables that you need",
    "vars": "name the attributes that you need",
    "breakpoint": "debug the plain function: f.__wrapped__",
    "id": "compare arrays by their elements",
}

_BY_NAME = "look single names up: globals()[name]"


def builtin_functions(tracer: Tracer, rebuilder: Any) -> dict[str, Any]:
    """The ``__builtins__`` of captured code."""
    names = dict(vars(builtins))
    for name, hint in _REFUSED.items():
        names[name] = _refused(tracer, name, hint)
    names["len"] = _length
    names["super"], names["globals"] = SuperOf(), GlobalsOf(tracer)
    names["hasattr"], names["getattr"] = _attribute_readers(tracer)
    names["setattr"], names["delattr"] = SetAttribute(tracer, setattr), ChangeOf(tracer, delattr)
    names["type"] = TypeOf(tracer, "`type`", type, "")
    names["callable"] = _is_callable
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


def _is_callable(obj: Any) -> bool:
    return callable(real_class(obj))


_is_callable.__wrapped__ = callable  # type: ignore[attr-defined]


class SuperOf:
    """`super`; a call without arguments is the interpreter's, who knows the function around."""

    def __call__(self, *args: Any) -> Any:
        """What looks methods up behind a class."""
        is_users = len(args) == 2 and type(args[0]) is StandIn
        return BehindClass(*args) if is_users else super(*args)


class GlobalsOf:
    """`globals`; the interpreter hands over the names of the function around."""

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer

    def __call__(self, *args: Any) -> Any:
        """What names are looked up in."""
        if len(args) != 1 or not hasattr(args[0], "original"):
            self._tracer.fail("a call of globals() that isn't written out", _BY_NAME)
        return NamesOf(self._tracer, args[0])


class NamesOf:
    """The names of a module, which captured code looks up one by one."""

    __slots__ = ("_tracer", "_namespace")

    def __init__(self, tracer: Tracer, namespace: Any) -> None:
        self._tracer, self._namespace = tracer, namespace

    def __getitem__(self, name: Any) -> Any:
        if type(name) is not str:
            self._tracer.fail("an item of globals() by what isn't a text", _BY_NAME)
        try:
            return self._namespace[name]
        except KeyError:
            raise self._tracer.interpreter.raising(KeyError(name)) from None

    def get(self, name: Any, default: Any = None) -> Any:
        """What a name means, or something else where it means nothing."""
        if name not in self:
            return default
        return self[name]

    def __contains__(self, name: Any) -> bool:
        try:
            self._namespace[name]
        except KeyError:
            return False
        return True

    def __getattr__(self, name: str) -> NoReturn:
        self._tracer.fail(f"`.{name}` of globals()", _BY_NAME)

    def _refused(self, *args: Any) -> NoReturn:
        self._tracer.fail("globals() as a whole", _BY_NAME)

    __iter__ = __len__ = __setitem__ = __delitem__ = _refused


class BehindClass:
    """What `super` gives of the user's classes: attributes of the bases behind a class."""

    __slots__ = ("_cls", "_obj")

    def __init__(self, cls: Any, obj: Any) -> None:
        self._cls, self._obj = cls, obj

    def __getattribute__(self, name: str) -> Any:
        """An attribute; of methods Python itself finds the next one."""
        cls, obj = (object.__getattribute__(self, part) for part in ("_cls", "_obj"))
        kind = type(obj) if is_stand_in(obj) else obj
        behind = kind.__mro__[kind.__mro__.index(cls) + 1 :]
        first = next((vars(part)[name] for part in behind if name in vars(part)), None)
        if first is None or type(first) is Constant:
            for value in current().rebuilder.classes.values(kind, name, behind=cls):
                return value
        return getattr(super(cls, obj), name)


def _attribute_readers(tracer: Tracer) -> tuple[Any, Any]:
    """`hasattr` and `getattr`, where data may decide whether an object has an attribute."""

    def read(obj: Any, name: str) -> Any:
        try:
            check_attribute(getattr, obj, name)
            return getattr(obj, name)
        except AttributeError:
            tracer.rebuilder.classes.note_lack(obj, name)
            if tracer.rebuilder.hides_attributes(obj):
                tracer.fail(*HIDDEN_ATTRIBUTE)
            raise

    def has_attribute(obj: Any, name: str, /) -> Any:
        if type(obj) is TracedArray and obj.open is None and type(name) is str:
            return hasattr(obj.__class__, name) or hasattr(class_of(obj), name)
        try:
            value = read(obj, name)
        except AttributeError:
            return False
        if type(value) is not Maybe:
            return True
        *others, last = tracer.rebuilder.classes.others(obj, name)
        if type(last) is not Maybe:
            return True
        return bool_of(tracer, either_of(tracer, [other.bound for other in (*others, last)]))

    def get_attribute(obj: Any, name: str, /, *default: Any) -> Any:
        try:
            value = read(obj, name)
        except AttributeError:
            if not default:
                raise
            return default[0]
        if type(value) is not Maybe:
            return value
        if default or len(tracer.rebuilder.classes.others(obj, name)) > 1:
            tracer.fail(f"`.{name}`, which an object has where data decide so, with a default")
        tracer.check(value.bound, "AttributeError", lack_text(obj, name))
        return value.value

    has_attribute.__wrapped__, get_attribute.__wrapped__ = hasattr, getattr  # type: ignore[attr-defined]
    return has_attribute, get_attribute


class ChangeOf:
    """`delattr`, or another change of attributes that is refused where Python has no error."""

    def __init__(self, tracer: Tracer, change: Any) -> None:
        self._change = self.__wrapped__ = change
        self._refused = _refused(tracer, change.__name__, "return the value")

    def __call__(self, obj: Any, name: str, /, *value: Any) -> None:
        """Python's error, or a refusal."""
        check_attribute(self._change, obj, name)
        self._refused()


class SetAttribute(ChangeOf):
    """`setattr`; a call that is written out is the interpreter's, as an assignment is."""


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
