"""Calls and operators that make texts, where a number in the text is one of the program.

``"{}".format(i)``, ``"%d" % i``, ``str(i)`` and ``", ".join(texts)`` give what an f-string gives
(`texts.py`). Anything else is Python's own, which asks for the numbers.
"""

from __future__ import annotations

import re
import string
import types
from typing import Any

import numpy as np

from ..traced.scalars import number_type
from ..traced.tracer import Tracer
from .texts import Text, formatted, is_unknown_number, text_of

_PLAIN = (int, float, bool, complex, str, type(None))
_CONVERSIONS = {str: "s", repr: "r", ascii: "a"}
_PLACEHOLDER = re.compile(
    r"%(?:%|(?:\((?P<name>[^()]*)\))?(?P<flags>[#0\- +]*)(?P<width>\d*)(?:\.(?P<digits>\d*))?"
    r"[hlL]?(?P<kind>[a-zA-Z]))"
)


def called_text(
    tracer: Tracer, function: Any, args: list[Any], kwargs: dict[str, Any], is_message: bool
) -> Any:
    """The text that a call of Python's gives; NotImplemented where it has no number of the program.

    Parameters
    ----------
    is_message : bool
        As `formatted` takes it.
    """
    owner = function.__self__ if type(function) is types.BuiltinMethodType else None
    if type(owner) is str:
        if function.__name__ == "join" and len(args) == 1 and not kwargs:
            return _joined(tracer, owner, args[0])
        if function.__name__ == "format" and _are_numbers([*args, *kwargs.values()]):
            return _formatted(tracer, owner, args, kwargs, is_message)
    if kwargs or not _are_numbers(args):
        return NotImplemented
    conversion = next((how for kind, how in _CONVERSIONS.items() if function is kind), "")
    if conversion and len(args) == 1:
        return text_of(tracer, [formatted(tracer, args[0], conversion, "", is_message)])
    if function is format and type(args[-1]) is str:
        spec = args[1] if len(args) == 2 else ""
        return text_of(tracer, [formatted(tracer, args[0], "", spec, is_message)])
    return NotImplemented


def _are_numbers(parts: list[Any]) -> bool:
    """Whether parts of a text are numbers and texts, and not all of them known."""
    others = [part for part in parts if not is_number_or_text(part)]
    is_plain = all(type(part) in _PLAIN or isinstance(part, np.generic) for part in others)
    return is_plain and len(others) < len(parts)


def _joined(tracer: Tracer, between: str, parts: Any) -> Any:
    if type(parts) not in (list, tuple) or not any(type(part) is Text for part in parts):
        return NotImplemented
    if not all(type(part) in (str, Text) for part in parts):
        return NotImplemented
    found = [between] * (2 * len(parts) - 1)
    found[::2] = parts
    return text_of(tracer, found)


def _formatted(
    tracer: Tracer, template: str, args: list[Any], kwargs: dict[str, Any], is_message: bool
) -> Any:
    """What ``template.format(...)`` gives; NotImplemented where Python has to say it."""
    formatter, count, found = string.Formatter(), 0, []
    for literal, field, spec, conversion in formatter.parse(template):
        found.append(literal)
        if field is None:
            continue
        if "{" in (spec or ""):
            return NotImplemented
        number = ""
        if not field or field[0] in ".[":
            number, count = str(count), count + 1
        try:
            value, _ = formatter.get_field(number + field, args, kwargs)
        except (LookupError, AttributeError):
            return NotImplemented
        found.append(formatted(tracer, value, conversion or "", spec or "", is_message))
    return text_of(tracer, found)


def percent_text(tracer: Tracer, template: str, values: Any, is_message: bool) -> Any:
    """The text of ``template % values``; NotImplemented as for `called_text`.

    What ``%`` does with a number, a format of `format` does, apart from some rare flags.
    """
    parts = list(values) if type(values) is tuple else [values]
    if not _are_numbers(parts):
        return NotImplemented
    left, found, end = iter(parts), [], 0
    for match in _PLACEHOLDER.finditer(template):
        found.append(template[end : match.start()])
        end = match.end()
        if match[0] == "%%":
            found.append("%")
            continue
        value = next(left, NotImplemented)
        how = NotImplemented if value is NotImplemented else _as_format(match, value)
        if how is NotImplemented:
            return NotImplemented
        found.append(formatted(tracer, value, *how, is_message))
    rest = template[end:]
    if "%" in rest or next(left, NotImplemented) is not NotImplemented:
        return NotImplemented
    return text_of(tracer, [*found, rest])


def _as_format(match: re.Match, value: Any) -> Any:
    """The conversion and the format of a placeholder of ``%``; NotImplemented where it has none."""
    kind, flags, digits = match["kind"], match["flags"], match["digits"]
    if match["name"] is not None or "#" in flags:
        return NotImplemented
    align = "<" if "-" in flags else ">"
    precision = "" if digits is None else f".{digits or 0}"
    if kind in "sra":
        width = align + match["width"] if match["width"] else ""
        return kind, width + precision
    if not _takes(kind, value) or (kind in "diuxX" and digits is not None):
        return NotImplemented
    sign = "+" if "+" in flags else " " * (" " in flags)
    zeros = "0" if "0" in flags and align == ">" and match["width"] else ""
    width = match["width"] and (align * (not zeros) + sign + zeros + match["width"])
    return "", f"{width or sign}{precision}{'d' if kind in 'iu' else kind}"


def _takes(kind: str, value: Any) -> bool:
    """Whether `format` takes a number by a letter of ``%``, and gives the same."""
    number = number_type(value)
    is_whole = number is int or (isinstance(number, np.dtype) and number.kind in "iu")
    is_real = number is float or (isinstance(number, np.dtype) and number.kind == "f")
    return is_whole if kind in "diuxX" else kind in "eEfFgG" and (is_whole or is_real)


def is_number_or_text(obj: Any) -> bool:
    """Whether an object is a number of the program, or a text with one."""
    return type(obj) is Text or is_unknown_number(obj)
