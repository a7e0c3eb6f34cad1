"""One call of a function in NumPy and as Quernel compiles it, and how the two differ.

Compared are results (type, dtype, shape, value), arguments afterwards, the bytes around them, which
arrays are the same object or share memory, strides and flags of views, and exceptions. Values of
integers and bools are equal, those of floats too where the program has exact operations only (see
`exactness`), NaN where NaN is. Else an element may differ by WIDE, NARROW, or HALF, of the greatest
magnitude in its array (at least 1): sums in another order, functions within a few units in the last
place of what their operands are, of which some may be of single precision.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .arguments import Arguments

WIDE, NARROW, HALF = 1e-12, 2e-5, 4e-3
# What a call may do wrong, the worst first. Those from "exception" on leave all values right.
DIFFERENCES = ("wrong", "exception", "lost", "alias", "type", "warning")


@dataclass
class Observed:
    """What a call did: its result or exception, its arguments afterwards, its warnings."""

    result: Any
    error: Exception | None
    arguments: Arguments
    warned: list[str]


@dataclass(frozen=True)
class Difference:
    """A difference of a kind in DIFFERENCES."""

    kind: str
    text: str


def observe(function: Callable[..., Any], arguments: Arguments) -> Observed:
    """Call a function; what Quernel itself raises is passed on."""
    from quernel.errors import QuernelError

    result, error = None, None
    with np.errstate(all="warn"), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = function(*arguments.values)
        except QuernelError:
            raise
        except Exception as raised:
            error = raised.with_traceback(None)
    warned = sorted({f"{note.category.__name__}: {note.message}" for note in caught})
    return Observed(result, error, arguments, [w for w in warned if "Fallback" not in w])


def differences(
    want: Observed, got: Observed, bound: float | None, with_warnings: bool
) -> list[Difference]:
    """How Quernel's call differs from NumPy's; `bound` is that of `are_near`."""
    found = []
    if not got.arguments.are_guards_whole():
        found.append(Difference("wrong", "bytes around an argument were written"))
    if error_text(want.error) != error_text(got.error):
        text = f"{error_text(want.error)} in NumPy, {error_text(got.error)} compiled"
        found.append(Difference("exception", text))
    pairs = list(zip(want.arguments.values, got.arguments.values, strict=True))
    for place, (theirs, ours) in enumerate(pairs):
        for kind, text in value_differences(theirs, ours, bound):
            is_lost = want.error is not None and kind == "wrong"
            found.append(Difference("lost" if is_lost else kind, f"argument {place}: {text}"))
    if want.error is None and got.error is None:
        found += [Difference(k, f"result{t}") for k, t in result_differences(want, got, bound)]
    if with_warnings and want.warned != got.warned:
        found.append(Difference("warning", f"{want.warned} in NumPy, {got.warned} compiled"))
    return sorted(found, key=lambda difference: DIFFERENCES.index(difference.kind))


def error_text(error: Exception | None) -> str:
    """Type and text of an exception."""
    return "no exception" if error is None else f"{type(error).__name__}: {error}"


def result_differences(want: Observed, got: Observed, bound: float | None) -> list[tuple[str, str]]:
    """Differences of values first; memory is compared where the results have one structure."""
    found = tree_differences(want.result, got.result, bound)
    if any(kind == "wrong" for kind, _ in found):
        return found
    theirs, ours = leaves(want.result), leaves(got.result)
    if len(theirs) != len(ours):
        return found
    return found + memory_differences(
        [*theirs, *want.arguments.values], [*ours, *got.arguments.values], len(theirs)
    )


def leaves(result: Any) -> list[Any]:
    """The arrays and numbers of a result, in order."""
    if isinstance(result, dict):
        return [leaf for item in result.values() for leaf in leaves(item)]
    if isinstance(result, (tuple, list)):
        return [leaf for item in result for leaf in leaves(item)]
    return [result]


def tree_differences(want: Any, got: Any, bound: float | None) -> list[tuple[str, str]]:
    """Differences of two results that may be nested."""
    if isinstance(want, (tuple, list, dict)):
        if type(want) is not type(got) or len(want) != len(got):
            return [("wrong", f": {describe(want)} in NumPy, {describe(got)} compiled")]
        if isinstance(want, dict):
            if list(want) != list(got):
                return [("wrong", f": keys {list(want)} in NumPy, {list(got)} compiled")]
            want, got = list(want.values()), list(got.values())
        pairs = enumerate(zip(want, got, strict=True))
        return [
            (kind, f"[{place}]{text}")
            for place, (x, y) in pairs
            for kind, text in tree_differences(x, y, bound)
        ]
    return [(kind, f": {text}") for kind, text in value_differences(want, got, bound)]


def value_differences(want: Any, got: Any, bound: float | None) -> list[tuple[str, str]]:
    """Differences of two arrays or numbers: "wrong", or "type" for a number's type alone."""
    text = f"{describe(want)} in NumPy, {describe(got)} compiled"
    if isinstance(want, np.ndarray) or isinstance(got, np.ndarray):
        if type(want) is not type(got) or want.dtype != got.dtype or want.shape != got.shape:
            return [("wrong", text)]
        return [] if are_near(want, got, bound) else [("wrong", text)]
    if not is_number(want) or not is_number(got):
        return [] if type(want) is type(got) and want == got else [("wrong", text)]
    if not is_same_number(want, got, bound):
        return [("wrong", text)]
    return [] if type(want) is type(got) else [("type", text)]


def is_number(value: Any) -> bool:
    return isinstance(value, (bool, int, float, complex, np.generic))


def is_same_number(want: Any, got: Any, bound: float | None) -> bool:
    """Whether two numbers have one value, whatever their types are."""
    if type(want) is type(got) and isinstance(want, np.generic):
        return are_near(np.asarray(want), np.asarray(got), bound)
    if isinstance(want, (bool, int, np.integer, np.bool_)) and isinstance(
        got, (bool, int, np.integer, np.bool_)
    ):
        return int(want) == int(got)
    return are_near(np.asarray(complex(want)), np.asarray(complex(got)), bound)


def are_near(want: np.ndarray, got: np.ndarray, bound: float | None) -> bool:
    """Whether two arrays of one dtype and shape are equal.

    With a bound of None zeros have to have the same sign; above 0 floats may differ by that much of
    the greatest.
    """
    if want.dtype.kind not in "fc":
        return bool((want == got).all())
    if want.dtype.kind == "c":
        return are_near(want.real, got.real, bound) and are_near(want.imag, got.imag, bound)
    with np.errstate(all="ignore"):
        near = (want == got) | (np.isnan(want) & np.isnan(got))
        if bound is None:
            near &= (want != 0) | (np.signbit(want) == np.signbit(got))
        if bound and want.size:
            want, got = (x.astype(np.float64) if x.itemsize == 2 else x for x in (want, got))
            least = {2: HALF, 4: NARROW}.get(want.itemsize, WIDE)
            greatest = np.abs(want[np.isfinite(want)]).max(initial=1)
            near |= np.abs(got - want) <= max(bound, least) * greatest
    return bool(near.all())


def describe(value: Any) -> str:
    """A value in a line."""
    if isinstance(value, np.ndarray):
        text = np.array2string(value, threshold=12, edgeitems=5).replace("\n", "")
        return f"{value.dtype}{list(value.shape)} {text[:120]}"
    if isinstance(value, (tuple, list)):
        return f"{type(value).__name__} of {len(value)}"
    return f"{type(value).__name__} {value!r}"[:120]


def memory_differences(want: list[Any], got: list[Any], results: int) -> list[tuple[str, str]]:
    """Whether the first `results` values are the objects, and the memory, that they should be."""
    found = []
    for i in range(results):
        if not isinstance(want[i], np.ndarray):
            continue
        for j in range(i + 1, len(want)):
            if not isinstance(want[j], np.ndarray):
                continue
            what = f"[{i}] and " + (f"[{j}]" if j < results else f"argument {j - results}")
            for test in (is_same_object, shares_memory):
                theirs, ours = test(want[i], want[j]), test(got[i], got[j])
                if theirs != ours:
                    text = "are not" if theirs else "are"
                    found.append(("alias", f" {what} {text} {test.__doc__}"))
        if (layout := layout_of(want[i])) != (mine := layout_of(got[i])):
            found.append(("alias", f"[{i}] {layout} in NumPy, {mine} compiled"))
    return found


def is_same_object(x: np.ndarray, y: np.ndarray) -> bool:
    """one object"""
    return x is y


def shares_memory(x: np.ndarray, y: np.ndarray) -> bool:
    """in one memory"""
    return bool(x.size and y.size and np.shares_memory(x, y))


def layout_of(array: np.ndarray) -> str:
    """Strides of the axes that have any effect, and flags."""
    steps = [s for s, n in zip(array.strides, array.shape, strict=True) if n > 1 and array.size]
    flags = array.flags
    return f"strides {steps} C {flags.c_contiguous} F {flags.f_contiguous} W {flags.writeable}"
