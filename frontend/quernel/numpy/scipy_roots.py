"""What stands for SciPy's compiled functions that look for roots: the same steps, in Python."""

from __future__ import annotations

import numpy as np

from .sources import in_place_of, leave_unless, refuse


@in_place_of("scipy.optimize._zeros_py._wrap_nan_raise")
def without_nan(f):
    """A function whose values are numbers; SciPy says which argument has NaN."""

    def checked(x, *args):
        found = f(x, *args)
        if np.ndim(found) != 0:
            refuse("functions with roots that give arrays")
        leave_unless(not np.isnan(found), "functions with roots that are NaN")
        return found

    return checked


def _floats(a, b, xtol, rtol, full_output, disp):
    if full_output or not disp:
        refuse("full_output= and disp= of functions that look for roots")
    if np.ndim(a) != 0 or np.ndim(b) != 0:
        refuse("intervals with roots that are arrays")
    return float(a), float(b), float(xtol), float(rtol)


def _ends(f, a, b, args):
    """The function at the ends of an interval, where it has different signs."""
    at_a, at_b = float(f(a, *args)), float(f(b, *args))
    if at_a != 0 and at_b != 0 and np.signbit(at_a) == np.signbit(at_b):
        raise ValueError("f(a) and f(b) must have different signs")
    return at_a, at_b


def _not_found(maxiter):
    raise RuntimeError(f"Failed to converge after {maxiter} iterations.")


@in_place_of("scipy.optimize._zeros._bisect")
def bisect(f, a, b, xtol, rtol, maxiter, args, full_output, disp):
    """A root by halves of an interval."""
    a, b, xtol, rtol = _floats(a, b, xtol, rtol, full_output, disp)
    at_a, at_b = _ends(f, a, b, args)
    if at_a == 0:
        return a
    if at_b == 0:
        return b
    width = b - a
    for _ in range(maxiter):
        width = width * 0.5
        x = a + width
        found = float(f(x, *args))
        if np.signbit(found) == np.signbit(at_a):
            a = x
        if found == 0 or abs(width) < xtol + rtol * abs(x):
            return x
    _not_found(maxiter)


@in_place_of("scipy.optimize._zeros._brentq")
def brentq(f, a, b, xtol, rtol, maxiter, args, full_output, disp):
    """A root by Brent's method, with inverse quadratic extrapolation."""
    before, x, xtol, rtol = _floats(a, b, xtol, rtol, full_output, disp)
    at_before, found = _ends(f, before, x, args)
    if at_before == 0:
        return before
    if found == 0:
        return x
    other, at_other, last, step = 0.0, 0.0, 0.0, 0.0
    for _ in range(maxiter):
        if at_before != 0 and found != 0 and np.signbit(at_before) != np.signbit(found):
            other, at_other = before, at_before
            last = step = x - before
        if abs(at_other) < abs(found):
            before, x, other = x, other, x
            at_before, found, at_other = found, at_other, found
        delta = (xtol + rtol * abs(x)) / 2
        half = (other - x) / 2
        if found == 0 or abs(half) < delta:
            return x
        attempt, bound = 0.0, -1.0
        if abs(last) > delta and abs(found) < abs(at_before):
            bound = min(abs(last), 3 * abs(half) - delta)
            if before == other:
                attempt = -found * (x - before) / (found - at_before)
            else:
                slope = (at_before - found) / (before - x)
                other_slope = (at_other - found) / (other - x)
                attempt = (
                    -found
                    * (at_other * other_slope - at_before * slope)
                    / (other_slope * slope * (at_other - at_before))
                )
        if 2 * abs(attempt) < bound:
            last, step = step, attempt
        else:
            last = step = half
        before, at_before = x, found
        x = x + (step if abs(step) > delta else delta if half > 0 else -delta)
        found = float(f(x, *args))
    _not_found(maxiter)
