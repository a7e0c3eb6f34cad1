"""Errors that what is captured raises: on a path that the program may not take, it raises them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..raised import class_name, described
from .texts import Text

# What operations on arrays and numbers, and names, raise as in NumPy and Python.
_OF_OPERATIONS = (
    IndexError, KeyError, NameError, OverflowError, UnboundLocalError, ValueError,
    StopIteration, ZeroDivisionError, np.exceptions.AxisError, np.linalg.LinAlgError,
)  # fmt: skip
# A TypeError with one of these in its text is about an object of ours, or a call by us.
_OWN = (
    "Tracer", "TracedArray", "Symbolic", "Storage", "Either", "Maybe", "NoneType",
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


def raise_unless(tracer: Any, condition: Any, error: Exception) -> None:
    """Have the program raise an error where a condition doesn't hold.

    Raises
    ------
    UnsupportedError
        For an exception that is neither Python's nor NumPy's own.
    """
    text = text_with_numbers(error)
    form = described(error) if text is None else (class_name(type(error)), "")
    if form is None or form[0] is None:
        kind = type(error).__name__
        tracer.fail(f"raising {kind} where data say so", "raise a built-in exception")
    if text is None:
        tracer.check(condition, *form)
        return
    types, message, values = text.form()
    tracer.check(condition, f"{form[0]}({types})", message, values)


def text_with_numbers(error: Exception) -> Text | None:
    """The text of an exception that has numbers of the program in it."""
    return error.args[0] if len(error.args) == 1 and type(error.args[0]) is Text else None
