"""Which floating-point warnings a program may have to give, and `np.errstate` in captured code.

A program warns of what its operations meet while the state isn't "ignore" for that kind. What the
state is outside of the function, the call knows; inside, captured code may set it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..raised import EVENTS

if TYPE_CHECKING:
    from .tracer import Tracer

_ALL = sum(EVENTS.values())
_DIVIDE, _OVER, _UNDER, _INVALID = (EVENTS[kind] for kind in ("divide", "over", "under", "invalid"))
# What moves, selects or compares elements doesn't compute.
_QUIET = {
    "argreduce", "assume_shape", "bitcast", "broadcast_to", "compress", "concatenate", "constant",
    "copy", "dim", "empty", "enter", "full", "gather", "iota", "reshape", "size", "slice", "symbol",
    "transpose", "update_slice", "where",
    "bitwise_and", "bitwise_or", "bitwise_xor", "complex", "conjugate", "copysign", "equal", "fmax",
    "fmin", "greater", "greater_equal", "imag", "invert", "isfinite", "isinf", "isnan",
    "left_shift", "less", "less_equal", "logical_and", "logical_not", "logical_or", "logical_xor",
    "maximum", "minimum", "negative", "not_equal", "positive", "real", "right_shift", "signbit",
}  # fmt: skip
# What compares floats, which sets the flag of invalid values for NaN; NumPy forgets that flag.
_COMPARING = {
    "argreduce", "fmax", "fmin", "greater", "greater_equal", "less", "less_equal", "maximum",
    "minimum", "routine", "sign",
}  # fmt: skip
# What NumPy's loops for real floats may meet; others may meet anything.
_OF_FLOATS = {
    "absolute": 0, "ceil": 0, "floor": 0, "rint": 0, "sign": 0, "trunc": 0,
    "add": _OVER | _INVALID, "subtract": _OVER | _INVALID,
    "arccos": _INVALID, "arccosh": _INVALID, "arcsin": _INVALID | _UNDER,
    "arctanh": _DIVIDE | _INVALID | _UNDER,
    "cos": _INVALID, "sin": _INVALID | _UNDER, "tan": _INVALID | _UNDER,
    "exp": _OVER | _UNDER, "exp2": _OVER | _UNDER, "expm1": _OVER | _UNDER,
    "cosh": _OVER, "sinh": _OVER | _UNDER, "tanh": _UNDER,
    "log": _DIVIDE | _INVALID, "log2": _DIVIDE | _INVALID, "log10": _DIVIDE | _INVALID,
    "multiply": _OVER | _UNDER | _INVALID, "square": _OVER | _UNDER | _INVALID,
    "sqrt": _INVALID,
}  # fmt: skip
# Vector functions that set the flag of invalid values where NumPy divides by zero.
_ALSO_DIVIDE = {"arctanh", "log", "log10", "log1p", "log2"}
_OF_INTEGERS = {"floor_divide": _DIVIDE | _OVER, "remainder": _DIVIDE, "fmod": _DIVIDE}


class FloatStates:
    """What a capture finds out about floating-point warnings.

    Attributes
    ----------
    outer, inner : int
        Kinds that operations may meet where the state outside of the function decides, and where
        the function itself has set it to something else than "ignore".
    always : int
        Kinds that NumPy has met while the function was captured, among numbers that are known.
    means : dict
        What kinds each flag may stand for.
    doubtful : int
        Kinds whose flags may stand for nothing that NumPy warns of.
    """

    def __init__(self) -> None:
        self.outer = self.inner = self.always = self.doubtful = 0
        self.means = {number: number for number in EVENTS.values()}
        self._set: list[dict[str, str]] = []  # by errstate around: the modes of kinds

    def meet(self, kinds: int) -> None:
        """Note that an operation here may meet these kinds."""
        for kind, number in EVENTS.items():
            if kinds & number:
                mode = self._mode(kind)
                self.outer |= number if mode is None else 0
                self.inner |= number if mode not in (None, "ignore") else 0
                self.doubtful |= number if mode == "filtered" else 0

    def _mode(self, kind: str) -> str | None:
        return next((modes[kind] for modes in reversed(self._set) if kind in modes), None)

    def enter_filters(self) -> None:
        """Begin a block with filters of its own, which only the plain function's run has.

        So what is met there is asked of NumPy each time, and may be nothing to warn of.
        """
        self._set.append({kind: "filtered" for kind in EVENTS if self._mode(kind) != "ignore"})

    def heard(self, _: str, kinds: int) -> None:
        """Take note of events that NumPy has met while capturing; a callback for `np.errstate`."""
        self.always |= kinds & _ALL
        self.meet(kinds)

    def warned(self) -> None:
        """Take note of what NumPy warns of otherwise: it answers each call once more."""
        self.always |= _INVALID
        self.inner |= _INVALID

    def add(self, name: str, operands: list[Any], value: Any) -> None:
        """Note an operation of the graph."""
        dtypes = {item.dtype for item in (*operands, value)}
        if name in _COMPARING and any(dtype.startswith(("float", "complex")) for dtype in dtypes):
            self.doubtful |= _INVALID
        if name == "where":  # whose sides are both computed
            self.doubtful = _ALL
        if name in _QUIET:
            return
        self.meet(_kinds_of(name, dtypes))
        if name in _ALSO_DIVIDE:
            self.means[_INVALID] |= _DIVIDE

    def meet_as_overflow(self, name: str) -> None:
        """Note a function whose divisions by zero the flag of an overflow stands for, too."""
        kinds = _OF_FLOATS.get(name, _ALL)
        self.meet(kinds)
        if kinds & _DIVIDE:
            self.means[_OVER] |= _DIVIDE

    def described(self) -> list[Any]:
        """All of this for an entry of the cache."""
        return [self.outer, self.inner, self.always, list(self.means.values()), self.doubtful]

    def listening(self) -> Any:
        """A context in which NumPy tells `heard` of what it meets."""
        return np.errstate(all="call", call=self.heard)

    def enter(self, modes: dict[str, str]) -> None:
        """Begin an `np.errstate` of the function."""
        self._set.append(modes)

    def leave(self) -> None:
        """End the innermost one, or the innermost such block."""
        self._set.pop()


def _kinds_of(name: str, dtypes: set[str]) -> int:
    if any(dtype.startswith("complex") for dtype in dtypes):
        return _ALL
    if any(dtype.startswith("float") for dtype in dtypes):
        return _OF_FLOATS.get(name, _ALL)
    return _OF_INTEGERS.get(name, 0)


def error_state(tracer: Tracer) -> Any:
    """What stands for `np.errstate`."""

    class ErrorState:
        """`np.errstate`: NumPy's state while the function is captured, and that of operations."""

        def __init__(self, **states: Any) -> None:
            self._states = states
            given = {name: mode for name, mode in states.items() if isinstance(mode, str)}
            every = given.pop("all", None)
            self._modes = dict.fromkeys(EVENTS, every) if every is not None else {}
            self._modes.update({kind: mode for kind, mode in given.items() if kind in EVENTS})
            self._real: Any = None

        def __enter__(self) -> None:
            with np.errstate(**self._states):  # which raises where NumPy would
                pass
            told = {k: m if m == "ignore" else "call" for k, m in self._modes.items()}
            self._real = np.errstate(**told)
            self._real.__enter__()
            tracer.floats.enter(self._modes)

        def __exit__(self, *details: object) -> None:
            self.abandon()

        def catches(self, error: Exception) -> bool:
            """It ends for one exception as for another."""
            return False

        def abandon(self) -> None:
            """End it, also where the capture begins anew."""
            tracer.floats.leave()
            self._real.__exit__(None, None, None)

        def __call__(self, function: Any) -> Any:
            def inner(*args: Any, **kwargs: Any) -> Any:
                with ErrorState(**self._states):
                    return function(*args, **kwargs)

            return inner

    return ErrorState
