"""Functions and classes whose calls can't be captured; `isinstance` may be asked about classes."""

from __future__ import annotations

import abc
import types
import typing
from typing import Any

from ..arguments.plain_objects import has_member
from ..traced.array import TracedArray
from ..traced.numbers import isinstance_symbolic
from ..traced.open_types import open_types_of
from ..traced.tracer import Tracer
from .class_stand_ins import is_stand_in
from .memory_methods import is_instance_of

IS_REFUSED = "is_refused"  # what has that attribute can't be called
HIDDEN_ATTRIBUTE = (
    "an attribute of a function that isn't compiled",
    "look at it outside of the function",
)
_INSTANCE_CHECKS = (type.__instancecheck__, abc.ABCMeta.__instancecheck__)


class Foreign:
    """What captured code gets in place of a class that isn't Python's or NumPy's own.

    Parameters
    ----------
    what : str
        The class for a message.
    obj : type or function
        The class itself.
    is_rare : bool
        Whether programs call it seldom.

    Attributes
    ----------
    is_refused : bool
        Whether its calls can't be captured.
    """

    is_refused = True

    def __init__(
        self, tracer: Tracer, what: str, obj: Any, hint: str, is_rare: bool = False
    ) -> None:
        self._tracer, self._what, self._hint = tracer, what, hint
        self._obj, self._is_rare = obj, is_rare

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Give the capture up."""
        self._tracer.fail(f"a call of {self._what}", self._hint, is_rare=self._is_rare)

    def __getattr__(self, name: str) -> Any:
        self._tracer.fail(f"`.{name}` of {self._what}", "bind it to a variable outside")

    def __getitem__(self, key: Any) -> Any:
        self._tracer.fail(f"an item of {self._what}", self._hint)

    def __eq__(self, other: Any) -> Any:
        return self._obj == real_class(other)

    def __hash__(self) -> int:
        return hash(self._obj)

    def __or__(self, other: Any) -> Any:
        return self._obj | real_class(other)

    def __ror__(self, other: Any) -> Any:
        return real_class(other) | self._obj


def is_refused(function: Any) -> bool:
    """Whether calls of a function can't be captured, whatever the arguments are."""
    if issubclass(type(function), Foreign):
        return type(function).is_refused
    return type(function) is types.FunctionType and IS_REFUSED in vars(function)


def named(obj: Any) -> str:
    """An object as a refusal names it."""
    if isinstance(obj, Foreign):
        return obj._what
    if isinstance(obj, type):
        return f"the class {obj.__name__}"
    return f"a {type(obj).__name__}"


def real_class(obj: Any) -> Any:
    """The classes that an object of captured code stands for: one, a tuple, or a union."""
    if issubclass(type(obj), Foreign):
        return object.__getattribute__(obj, "_obj")
    return tuple(map(real_class, obj)) if type(obj) is tuple else obj


def type_checks(tracer: Tracer) -> dict[str, Any]:
    """What captured code gets in place of `isinstance` and `issubclass`."""

    def is_instance(obj: Any, classes: Any) -> bool:
        classes = real_class(classes)
        if issubclass(type(obj), Foreign):
            return isinstance(real_class(obj), tracer.rebuilder.classes.outside(classes))
        answers = {issubclass(kind, classes) for kind in open_types_of(obj)}
        if len(answers) > 1:
            tracer.decide(obj.value)
            tracer.fail(f"the type of a number, which data decide: {obj.open.text()}")
        if answers:
            return answers.pop()
        if type(obj) is not TracedArray and not isinstance_symbolic(obj):
            return isinstance(obj, classes) or _is_taken_for(tracer, obj, classes)
        if not all(map(_goes_by_type, _flat(classes))):
            tracer.fail(
                "isinstance() of a class that has its own __instancecheck__",
                "ask about NumPy's or Python's types",
            )
        # By the type that the user's code sees: a class may look at methods, and ours has others.
        if type(obj) is TracedArray:
            return is_instance_of(obj, classes)
        return issubclass(obj.__class__, classes)

    def is_subclass(kind: Any, classes: Any) -> bool:
        return issubclass(real_class(kind), real_class(classes))

    return {"isinstance": is_instance, "issubclass": is_subclass}


def _is_taken_for(tracer: Tracer, obj: Any, classes: Any) -> bool:
    """Whether an object of the user's counts as one of another class: a protocol, or registered."""
    outside = tracer.rebuilder.classes.outside
    for kind in map(outside, _flat(classes) if is_stand_in(obj) else ()):
        if not isinstance(kind, type) or type(kind) is type:
            continue
        if getattr(kind, "_is_protocol", False):
            if not getattr(kind, "_is_runtime_protocol", False):
                isinstance(None, kind)  # which raises
            names = typing._get_protocol_attrs(kind)  # type: ignore[attr-defined]
            if all(has_member(outside(type(obj)), name) or hasattr(obj, name) for name in names):
                return True
        elif _goes_by_type(kind) and issubclass(outside(type(obj)), kind):
            return True
    return False


def _flat(classes: Any) -> list[Any]:
    if type(classes) is tuple:
        return [kind for part in classes for kind in _flat(part)]
    return list(classes.__args__) if isinstance(classes, types.UnionType) else [classes]


def _goes_by_type(kind: Any) -> bool:
    if not isinstance(kind, type):
        return type(kind).__module__ in ("typing", "types")
    return type(kind).__instancecheck__ in _INSTANCE_CHECKS
