"""Errors that what is captured raises: on a path that the program may not take, it raises them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import UnsupportedError
from ..raised import IN_NUMPY, RAISED_IN_NUMPY, class_name, described
from .contents import reached
from .formats import is_number_or_text
from .texts import Text

# What operations on arrays and numbers, and names, raise as in NumPy and Python.
_OF_OPERATIONS = (
    IndexError, KeyError, NameError, OverflowError, UnboundLocalError, ValueError,
    StopIteration, ZeroDivisionError, np.exceptions.AxisError, np.linalg.LinAlgError,
)  # fmt: skip
# A TypeError with one of these in its text is about an object of ours, or a call by us.
_OWN = (
    "Tracer", "TracedArray", "Symbolic", "Storage", "Either", "Maybe", "NoneType", "Appended",
    "Keyed",
    "positional argument", "keyword argument",
)  # fmt: skip


def is_of_operation(error: Exception) -> bool:
    """Whether NumPy or Python raises an error for what the user's code does."""
    if type(error) is AttributeError:
        return type(getattr(error, "obj", None)) in (bool, int, float, complex, str)
    if isinstance(error, TypeError):
        text = str(error)
        return described(error) is not None and not any(part in text for part in _OWN)
    return type(error) in _OF_OPERATIONS


class LeftToNumpy(Exception):
    """Stands for what a rare side would do: something of it can't be captured.

    Attributes
    ----------
    refusal : UnsupportedError
    """

    def __init__(self, refusal: UnsupportedError) -> None:
        super().__init__()
        self.refusal = refusal


def why_left(tracer: Any, error: Exception) -> str:
    """Why a program leaves it to NumPy to raise an error; empty where it raises it itself."""
    if type(error) is LeftToNumpy:
        return error.refusal.reason
    if type(error) is StopIteration and tracer.interpreter.generating:
        return "raising StopIteration in a generator"
    if any(item is error for item in tracer.interpreter.chained):
        return f"raising {type(error).__name__} behind another exception"
    return "" if _form(error) else f"raising {type(error).__name__}"


def _form(error: Exception) -> tuple[str, str] | None:
    """The name and the text for the manifest; None where it has no form there.

    Classes that aren't Python's or NumPy's have none, nor have numbers of the program among several
    arguments, of which the class makes the text.
    """
    if text_with_numbers(error) is None:
        parts = reached([((), error.args)], paths=False)
        return None if any(is_number_or_text(part) for _, part in parts) else described(error)
    name = class_name(type(error))
    return None if name is None else (name, "")


def raise_unless(tracer: Any, condition: Any, error: Exception) -> None:
    """Have the program raise an error where a condition doesn't hold, or NumPy in its place."""
    text, why = text_with_numbers(error), why_left(tracer, error)
    if not why and text is not None and not text.has_form:
        why = f"raising {type(error).__name__}"
    if why:
        how = IN_NUMPY
        if type(error) is not LeftToNumpy:
            how = tracer.interpreter.how_left(error) or RAISED_IN_NUMPY
            why = f"{type(error).__name__} inside of try" if how == IN_NUMPY else why
        tracer.check(condition, how, why, undoes=True)
        return
    form = _form(error)
    if text is None:
        tracer.check(condition, *form)
        return
    types, message, values = text.form()
    tracer.check(condition, f"{form[0]}({types})", message, values)


def text_with_numbers(error: Exception) -> Text | None:
    """The text of an exception that has numbers of the program in it."""
    return error.args[0] if len(error.args) == 1 and type(error.args[0]) is Text else None
