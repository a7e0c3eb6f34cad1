"""What `inspect` says of the functions that captured code has: their signatures."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable
from typing import Any

from ..traced.tracer import current
from .contents import BINDER
from .foreign import Foreign

_HINT = "look at it outside of the function"
_CHANGED = ("__signature__", "__wrapped__")  # attributes of functions by which `inspect` goes


def stand_in(function: Any) -> Callable[..., Any] | None:
    """What captured code calls in place of a function of `inspect`'s; None for most."""
    return {inspect.signature: signature, inspect.getfullargspec: full_arg_spec}.get(function)


def signature(obj: Any, **options: Any) -> inspect.Signature:
    """`inspect.signature`; what parameters are by default is what stands for it."""
    if options:
        current().fail("inspect.signature with options", _HINT)
    if type(obj) is types.MethodType:
        whole = signature(obj.__func__)
        return whole.replace(parameters=list(whole.parameters.values())[1:])
    followed = _followed(obj)
    if followed is not obj:
        return signature(followed)
    made, notes = inspect.signature(_binder(obj)), _annotations(obj)
    parameters = [
        part.replace(annotation=notes.get(name, part.annotation))
        for name, part in made.parameters.items()
    ]
    returned = notes.get("return", inspect.Signature.empty)
    return made.replace(parameters=parameters, return_annotation=returned)


def full_arg_spec(func: Any) -> inspect.FullArgSpec:
    """`inspect.getfullargspec`, which looks behind no decorator."""
    obj = func.__func__ if type(func) is types.MethodType else func
    if _followed(obj, "__signature__") is not obj:
        current().fail("the signature of a function that has been given another one", _HINT)
    return inspect.getfullargspec(_binder(obj))._replace(annotations=_annotations(obj))


def _binder(obj: Any) -> types.FunctionType:
    """A function of the same parameters as one of captured code's."""
    if isinstance(obj, Foreign) or not isinstance(obj, types.FunctionType):
        current().fail("the signature of what isn't a function of Python's", _HINT)
    plain = vars(obj).get("__wrapped__")
    if BINDER not in vars(obj) and (getattr(plain, "__module__", None) or "").startswith("numpy"):
        return plain  # which the function stands for
    if BINDER not in vars(obj):
        current().fail("the signature of a function that isn't captured", _HINT)
    return vars(obj)[BINDER]


def _followed(obj: Any, *names: str) -> Any:
    """What `inspect` looks at in a function's place; what it goes by is guarded."""
    rebuilder = current().rebuilder
    known = rebuilder.originals.get(obj) if isinstance(obj, types.FunctionType) else None
    if known is None:
        return obj
    original, way = known
    for name in names or _CHANGED:
        if name in vars(original) and name == "__wrapped__":
            return rebuilder.read(way, "attr", name, vars(original), vars(original)[name])
        if name in vars(original):
            current().fail("the signature of a function that has been given another one", _HINT)
        rebuilder.note_nothing(way, "attr", name, vars(original))
    return obj


def _annotations(obj: Any) -> dict[str, Any]:
    """The annotations of a function, as captured code has them."""
    rebuilder = current().rebuilder
    original, _ = rebuilder.originals.get(obj, (None, None))
    if original is None and vars(obj).get(BINDER) and getattr(obj, "__annotations__", None):
        return dict(obj.__annotations__)
    notes = {} if original is None else original.__annotations__
    return {name: rebuilder.replaced(note, None, name, None) for name, note in notes.items()}
