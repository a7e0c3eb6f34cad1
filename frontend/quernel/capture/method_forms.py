"""What NumPy's methods take: their parameters have other names and places than the functions'."""

from __future__ import annotations

import inspect
from typing import Any

_PARAMETERS = {
    "sum prod": "axis dtype out keepdims initial where",
    "min max": "axis out keepdims initial where",
    "mean": "axis dtype out keepdims *where",
    "var std": "axis dtype out ddof keepdims *where *mean",
    "any all": "axis dtype out keepdims *where",  # the dtype has no part in what is documented
    "argmin argmax": "axis out *keepdims",
    "clip": "min max out *where *casting *order *subok *dtype *signature",
    "round": "decimals out",
    "ravel": "order",
    "squeeze": "axis",
    "repeat": "repeats axis",
    "diagonal": "offset axis1 axis2",
    "trace": "offset axis1 axis2 dtype out",
    "dot": "b out",
    "cumsum cumprod": "axis dtype out",
    "nonzero": "",
    "take": "indices axis out mode",
    "put": "indices values mode",
    "choose": "choices out mode",
    "searchsorted": "v side sorter",
    "argsort": "axis kind order *stable",
    "argpartition": "kth axis kind order",
}
_POSITIONAL = {"swapaxes", "transpose"}  # these take no keywords
_FUNCTIONS_NAMES = {"put": {"indices": "ind", "values": "v"}}


def _form(text: str) -> inspect.Signature:
    """A signature; all may be left out, as the function says what it needs."""
    kinds = inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
    return inspect.Signature(
        inspect.Parameter(name.lstrip("*"), kinds[name[0] != "*"], default=None)
        for name in text.split()
    )


_FORMS = {name: _form(text) for names, text in _PARAMETERS.items() for name in names.split()}
NAMES = (*_FORMS, *_POSITIONAL)


def function_arguments(
    name: str, args: tuple, kwargs: dict[str, Any]
) -> tuple[tuple, dict[str, Any]]:
    """The arguments, behind the array, of the function of a method's name.

    Raises
    ------
    TypeError
        Where the method doesn't take them; the text isn't NumPy's.
    """
    if name not in _POSITIONAL:
        names = _FUNCTIONS_NAMES.get(name, {})
        given = _FORMS[name].bind(*args, **kwargs).arguments
        return (), {names.get(key, key): value for key, value in given.items()}
    if kwargs:
        raise TypeError(f"{name}() takes no keyword arguments")
    if name == "transpose" and (len(args) > 1 or (args and isinstance(args[0], int))):
        args = (args,)
    return args, {}
