"""Why calls of docs/coverage.md are slower than in NumPy, by patterns of their text."""

from __future__ import annotations

import re

_CHAIN = (
    "each step waits for the one before; the library's vector function has no shorter way for one "
    "number, where that of C returns at once for infinities and ones"
)
_SELECT = "NumPy's partition of one line in place; ours copies it first, and back"
_BYTES = "bytes of wider elements are computed by shifts, not read as memory"
_TABLE = "NumPy marks integers in a table, or hashes them; ours sorts"
_CHOICE = "the sort is NumPy's own in both; what follows it takes a pass more"
_COPY = "a copy: both wait for memory"
_SCIPY = "SciPy's transform of one long line of float64 is the faster one; ours is NumPy's"

REASONS: list[tuple[str, str]] = [
    (r"np\.\w+\(m, where=", "no element is computed in NumPy here; ours computes, and selects"),
    (r"(power|pow|logaddexp2?|hypot)\.(reduce|accumulate|reduceat)", _CHAIN),
    (r"(divide|mod|gcd|lcm|remainder|fmod)\.", "divisions, of which each waits for the last"),
    (r"\.reduceat\(", "one run has nearly all elements: a scan of one thread"),
    (r"\.accumulate\(", "a scan of each row, which waits for its last step"),
    (r"partition\(", _SELECT),
    (r"setfield|view\(np\.uint8\)|packbits|unpackbits", _BYTES),
    (r"isin|in1d|unique_counts", _TABLE),
    (r"unique|union1d|intersect1d|setdiff1d|setxor1d|sort", _CHOICE),
    (r"np\.(delete|insert|compress|extract|copy|resize|roll|append)\(", _COPY),
    (r"scipy\.(fft|signal)", _SCIPY),
    (r"linalg\.", "the same routine of LAPACK, and some microseconds around it"),
    (r"logit", "both ways to compute it are computed, and one is selected"),
    (r"vecdot|np\.(vdot|dot|inner)\(", "the same routine of BLAS"),
    (r"cumulative|cumsum|cumprod", "a scan; both wait for memory"),
    (r"np\.(less|equal|greater|signbit|amax|any|all|max|min)", "both wait for memory"),
]


def reason(expression: str) -> str:
    """Why a call may be slower; a question mark where that isn't known."""
    return next((why for pattern, why in REASONS if re.search(pattern, expression)), "?")
