"""Errors that what is captured raises: on a path that the program may not take, it raises them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..raised import described

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
    form = described(error)
    if form is None:
        kind = type(error).__name__
        tracer.fail(f"raising {kind} where data say so", "raise a built-in exception")
    tracer.check(condition, *form)
