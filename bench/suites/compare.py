"""Whether two outcomes of a call are the same: type, dtype, shape and value of everything."""

from __future__ import annotations

from typing import Any

import numpy as np

# Allowed error of an array, as a share of its greatest finite element.
TOLERANCE = {"float16": 1e-2, "float32": 1e-4, "float64": 1e-9}
PARTS = {"complex64": "float32", "complex128": "float64"}


def difference(got: Any, want: Any, where: str, scale: float = 1.0) -> str:
    """What differs first, in words; nothing where `got` is as `want` should be."""
    if type(got) is not type(want):
        return f"{where} is {_kind(got)}, not {_kind(want)}"
    if isinstance(want, (tuple, list)):
        if len(got) != len(want):
            return f"{where} has {len(got)} items, not {len(want)}"
        pairs = enumerate(zip(got, want, strict=True))
        return _first(difference(*pair, f"{where}[{k}]", scale) for k, pair in pairs)
    if isinstance(want, dict):
        if got.keys() != want.keys():
            return f"{where} has other keys"
        return _first(difference(got[k], want[k], f"{where}[{k!r}]", scale) for k in want)
    if isinstance(want, (np.ndarray, np.generic)):
        if got.dtype != want.dtype:
            return f"{where} is {got.dtype}, not {want.dtype}"
        if got.shape != want.shape:
            return f"{where} has shape {got.shape}, not {want.shape}"
        return _values(np.asarray(got), np.asarray(want), where, scale)
    if isinstance(want, (float, complex)):
        return _values(np.asarray(got), np.asarray(want), where, scale)
    return "" if got == want else f"{where} is {got!r:.40}, not {want!r:.40}"


def near(got: Any, want: Any, scale: float = 1.0) -> bool:
    """Whether two arrays are as long, and within a thousandth of the greatest element."""
    one, other = np.ravel(got), np.ravel(want)
    if one.size != other.size:
        return False
    return error(one, other.astype(np.result_type(other, np.float64))) <= 1e-3 * scale


def arrays(tree: Any) -> list[np.ndarray]:
    """All values of a result that may be nested; None and functions are none."""
    if isinstance(tree, dict):
        tree = tuple(tree.values())
    if isinstance(tree, (tuple, list)):
        return [leaf for item in tree for leaf in arrays(item)]
    return [] if tree is None or callable(tree) else [np.asarray(tree)]


def _values(got: np.ndarray, want: np.ndarray, where: str, scale: float) -> str:
    name = PARTS.get(want.dtype.name, want.dtype.name)
    if name not in TOLERANCE:
        wrong = np.count_nonzero(got != want)
        return f"{where}: {wrong} of {want.size} elements differ" if wrong else ""
    worst = error(got, want)
    if worst <= TOLERANCE[name] * scale:
        return ""
    return f"{where}: error {worst:.1e} of the greatest element"


def error(got: np.ndarray, want: np.ndarray) -> float:
    """The greatest difference as a share of the greatest element; inf where nan or inf differ."""
    finite = np.isfinite(want)
    with np.errstate(all="ignore"):
        if not np.array_equal(got[~finite], want[~finite], equal_nan=True):
            return np.inf
        if not finite.any():
            return 0.0
        worst = float(np.abs(got[finite] - want[finite]).max())
        greatest = float(np.abs(want[finite]).max())
    if worst == 0:
        return 0.0
    # Against nothing but zeros any error is too much.
    return np.inf if np.isnan(worst) or not greatest else worst / greatest


def _kind(value: Any) -> str:
    return "None" if value is None else type(value).__name__


def _first(messages: Any) -> str:
    return next((message for message in messages if message), "")
