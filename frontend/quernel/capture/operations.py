"""Operations of the user's code, with the errors that Python and NumPy raise for them."""

from __future__ import annotations

import enum
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from .class_stand_ins import StandIn, is_stand_in
from .consumers import consumed_by
from .contents import BINDER, reached
from .enumerations import attribute_of
from .foreign import HIDDEN_ATTRIBUTE, Foreign
from .generators import Generating
from .judging import TRACED, check_attribute, numpys_error
from .unbound import METHODS

_PLAIN = (*TRACED, bool, int, float, complex, str, bytes, type(None), slice)
_FUNCTIONS = (types.FunctionType, types.MethodType)
_DEFAULTS = ("__defaults__", "__kwdefaults__")
_OF_FUNCTIONS = ("__code__", "__closure__", "__annotations__")  # ours have others
_TEXTS = (str, repr, ascii, format)
_CHANGING = (
    "add", "append", "clear", "difference_update", "discard", "extend", "insert",
    "intersection_update", "pop", "popitem", "remove", "reverse", "setdefault", "sort",
    "symmetric_difference_update", "update",
)  # fmt: skip
# Those of them that may leave it open what else is there.
_OPEN = ("append", "extend", "setdefault", "update")
_OUTSIDE = "look at it outside of the function"
_ERRORS = (AttributeError, IndexError, TypeError, ValueError)


class Operations:
    """The part of a frame that carries out operations on traced values.

    Assumes the attributes of `Frame`. An error that Python raises for a traced value names our
    types, or can't be told from a fault of the capture. So the operation is asked again with
    values as the user's code has them: where that raises too, it is the user's error.
    """

    def carried_out(self, operation: Callable[..., Any], *operands: Any) -> Any:
        """What an operation gives."""
        try:
            return operation(*operands)
        except _ERRORS as error:
            raise self._users(error, operation, operands, {}) from None

    def attribute(self, owner: Any, name: str) -> Any:
        """An attribute that the user's code asks for."""
        if name == "__dict__" and StandIn in (type(owner), type(type(owner))):
            what = "an object" if is_stand_in(owner) else "a class"
            self.tracer.fail(f"`.__dict__` of {what}", "name the attributes that you need")
        if owner is object and name == "__new__":
            return self.interpreter.rebuilder.classes.bare
        if issubclass(type(owner), enum.Enum):
            return self._of_member(owner, name)
        binder = vars(owner).get(BINDER) if isinstance(owner, types.FunctionType) else None
        if binder is not None and name in _DEFAULTS:
            return getattr(binder, name)
        if binder is not None and name in _OF_FUNCTIONS:
            self.tracer.fail(f"`.{name}` of a function", _OUTSIDE)
        check_attribute(getattr, owner, name)
        try:
            return self.interpreter.rebuilder.classes.guarded(owner, name, getattr(owner, name))
        except AttributeError as error:
            if error.name != name:
                raise
            if issubclass(type(owner), Foreign):  # of which every look is a read
                raise self.interpreter.raising(error) from None
            plain = getattr(owner, "__wrapped__", None)  # what a function of ours stands for
            if plain is not None and (text := _lacks(plain, name)):
                users = AttributeError(text, name=name, obj=plain)
                raise self.interpreter.raising(users) from None
            self.interpreter.rebuilder.classes.note_lack(owner, name)
            if self._is_compiled(owner):
                if name == "__wrapped__":
                    return owner  # which stands for both
                self.tracer.fail(f"`.{name}` of a compiled function", _OUTSIDE)
            if self._hides_attributes(owner):
                self.tracer.fail(*HIDDEN_ATTRIBUTE)
            self.interpreter.raising(error)
            raise

    def _of_member(self, member: enum.Enum, name: str) -> Any:
        try:
            return attribute_of(member, name)
        except AttributeError as error:
            raise self.interpreter.raising(error) from None

    def _is_compiled(self, owner: Any) -> bool:
        """Whether an object stands for a compiled function."""
        is_function = isinstance(owner, types.FunctionType)
        return is_function and owner in self.interpreter.rebuilder.compiled

    def _hides_attributes(self, owner: Any) -> bool:
        """Whether an object may lack attributes that the one has for which it stands."""
        if not isinstance(owner, _FUNCTIONS):
            return False
        function = getattr(owner, "__func__", owner)
        return BINDER not in vars(function) or self.interpreter.rebuilder.hides_attributes(owner)

    def called(self, function: Any, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """What a call gives.

        Parameters
        ----------
        name : str
            Of the attribute that the function is, if it is one.
        """
        if any(type(arg) is Generating or is_stand_in(arg) for arg in args):
            answer = consumed_by(self.tracer, function, args, kwargs)
            if answer is not NotImplemented:
                return answer
        if name in _CHANGING:
            owner = getattr(function, "__self__", None)
            self.tracer.note_change(owner, is_open=name in _OPEN)
            if name == "sort" and type(owner) is list and not args:
                owner[:] = self.interpreter.stand_in(sorted)(owner, **kwargs)
                return None
        if any(function is text for text in _TEXTS):
            self.refuse_functions([*args, *kwargs.values()])
        try:
            return self.interpreter.stand_in(function)(*args, **kwargs)
        except _ERRORS as error:
            if issubclass(type(function), Foreign):
                raise
            owner = getattr(function, "__self__", None)
            if type(owner) in TRACED and name:
                method = lambda owner, *args, **kwargs: getattr(owner, name)(*args, **kwargs)  # noqa: E731
                raise self._users(error, method, (owner, *args), kwargs) from None
            if not callable(function) or _is_pythons(function, owner):
                plain = getattr(function, "__wrapped__", function)
                raise self._users(error, _call, (plain, *args), kwargs) from None
            raise

    def refuse_functions(self, parts: list[Any]) -> None:
        """See that no text is made of a function: ours has another one than the user's."""
        if any(isinstance(obj, _FUNCTIONS) for _, obj in reached([((), part) for part in parts])):
            self.tracer.fail("the text of a function", "use its name: f.__name__")

    def _users(
        self, error: Exception, operation: Callable[..., Any], operands: tuple, kwargs: dict
    ) -> Exception:
        """The error of the same operation on plain values, or ours where there is none."""
        if all(map(_is_plain, (*operands, *kwargs.values()))):
            return numpys_error(error, operation, operands, kwargs, _named(operation, operands))
        return error


def _lacks(obj: Any, name: str) -> str:
    """What Python says of an attribute that isn't there."""
    try:
        getattr(obj, name)
    except AttributeError as error:
        return str(error)
    return ""


def _call(function: Any, *args: Any, **kwargs: Any) -> Any:
    return function(*args, **kwargs)


def _named(operation: Callable[..., Any], operands: tuple) -> str:
    """An operation as a refusal names it."""
    function = operands[0] if operation is _call else operation
    if type(function) in TRACED:
        return "a call"
    name = getattr(function, "__qualname__", "").rpartition(".<locals>.")[2]
    return f"{name}()" if name.isidentifier() or "." in name else "an operation"


def _is_pythons(function: Any, owner: Any) -> bool:
    """Whether a function is Python's own and changes nothing."""
    plain = getattr(function, "__wrapped__", function)
    if isinstance(plain, type):
        return plain.__module__ == "builtins"
    if type(plain) in (*METHODS, types.MethodWrapperType):
        return True
    owner = getattr(plain, "__self__", owner)
    return type(plain) is types.BuiltinFunctionType and isinstance(owner, types.ModuleType)


def _is_plain(obj: Any) -> bool:
    """Whether something of the same kind can stand for an object, and be changed."""
    kind = type(obj)
    if kind in (tuple, list, set):
        return all(map(_is_plain, obj))
    if kind is dict:
        return all(map(_is_plain, obj.values()))
    return kind in (*_PLAIN, *METHODS) or isinstance(
        obj, np.generic | type | types.BuiltinFunctionType | types.MethodWrapperType
    )


def unpacked(value: Any) -> list[Any]:
    """The items of what is assigned to several targets."""
    if not hasattr(type(value), "__iter__"):
        kind = type(value)
        name = (
            kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"
        )
        raise TypeError(f"cannot unpack non-iterable {name} object")
    return list(value)


def check_count(want: int, got: int, qualifier: str) -> None:
    """See that there are as many items as targets.

    Raises
    ------
    ValueError
    """
    if got < want:
        raise ValueError(f"not enough values to unpack (expected {qualifier}{want}, got {got})")
    if got > want:
        raise ValueError(f"too many values to unpack (expected {want})")
