"""The flags behind functions of vectors: those of what NumPy warns of, and no others."""

from __future__ import annotations

import numpy as np
import pytest

import quernel as qn
from quernel.call.float_warnings import FloatWarnings
from quernel.raised import EVENTS

HEARD = EVENTS["divide"] | EVENTS["over"] | EVENTS["invalid"]
FUNCTIONS = """
arcsin arccos arcsinh arccosh arctanh cosh sinh tanh expm1 log1p exp exp2 tan cbrt log log2 log10
""".split()
SHARED = {"log", "log2", "log10", "log1p", "arctanh"}  # one flag stands for two kinds
ONE = EVENTS["divide"] | EVENTS["invalid"]
# Exponentials in single precision aren't looked at above, and NaN and infinity only where that is
# free.
BOUNDS = {("exp", "f4"): 88, ("exp2", "f4"): 127, ("tan", "f8"): 1e308, ("cbrt", "f8"): 1e308}


@pytest.fixture
def asked(monkeypatch):
    """The kinds that the runtime has asked about."""
    kinds = []
    ask = FloatWarnings.__call__
    monkeypatch.setattr(
        FloatWarnings,
        "__call__",
        lambda self, met, *rest: kinds.append(met) or ask(self, met, *rest),
    )
    return kinds


def specials(dtype):
    limits = np.finfo(dtype)
    sizes = [0, limits.smallest_subnormal, limits.tiny, 1e-30, 0.5, 1, np.nextafter(1, 2), 2, 80]
    sizes += [89, 130, 710, 1030, 1e4, 1e9, 1e10, limits.max, np.inf]
    return np.array([*sizes, *(-np.array(sizes)), np.nan]).astype(dtype)


def numpys_kinds(function, x):
    met = []
    with np.errstate(all="call", call=lambda text, kinds: met.append(kinds)):
        function(x)
    return (
        sum({number for number in EVENTS.values() if any(kinds & number for kinds in met)}) & HEARD
    )


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_flags_are_of_what_numpy_warns_of(name, dtype, asked):
    ufunc = getattr(np, name)
    bound = BOUNDS.get((name, dtype), np.inf)
    compiled = qn.compile(lambda x: ufunc(x), fullgraph=True)  # noqa: PLW0108
    for value in specials(dtype):
        is_exponential = (name, dtype) in (("exp", "f4"), ("exp2", "f4"))
        if not (value if is_exponential else abs(value)) <= bound and bound < np.inf:
            continue
        for size in (1, 33):
            x = np.full(size, 0.75, dtype)
            x[size // 2] = value
            want = numpys_kinds(ufunc, x)
            asked.clear()
            with np.errstate(all="warn", under="ignore"):
                np.testing.assert_array_max_ulp(compiled(x), ufunc(x), 4)
            met = sum({kind for kind in EVENTS.values() if any(kinds & kind for kinds in asked)})
            if name in SHARED:
                met, want = (kinds | ONE if kinds & ONE else kinds for kinds in (met, want))
            assert met == want, (value, size)
            compiled = qn.compile(lambda x: ufunc(x), fullgraph=True)  # noqa: PLW0108
