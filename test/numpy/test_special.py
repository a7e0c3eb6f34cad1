"""Functions of `scipy.special`, against SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from support import check, sample

special = pytest.importorskip("scipy.special")
X = sample("float64", (5, 4))
P = np.abs(X) / 5

CASES = {
    "logistic": lambda x, p: (special.expit(x), special.logit(p), special.log_expit(x)),
    "entropy": lambda x, p: (
        special.xlogy(p, p),
        special.xlog1py(p, p),
        special.entr(p),
        special.rel_entr(p, p[::-1]),
    ),
    "numbers": lambda x, p: (special.expit(x[0, 0]), special.expit((x * 9).astype(int))),
    "near zero": lambda x, p: (special.cosm1(x), special.expm1(x), special.log1p(p)),
    "powers": lambda x, p: (special.exp10(x), special.exp2(x), special.cbrt(x)),
    "softmax": lambda x, p: (
        special.softmax(x, axis=1),
        special.logsumexp(x),
        special.logsumexp(x, axis=0, keepdims=True),
        special.log_softmax(x, axis=0),
    ),
    "normal": lambda x, p: (special.erf(x), special.erfc(x), special.ndtr(x)),
}


@pytest.mark.parametrize("name", CASES)
def test_function(name: str) -> None:
    check(CASES[name], X, P, scale=1e-14)


def test_float32_stays() -> None:
    check(lambda x, p: special.expit(x), X.astype("f4"), P, scale=3e-7)
