"""Arrays of more than 2³¹ elements."""

from __future__ import annotations

import numpy as np

import quernel as qn


def test_positions_beyond_32_bits() -> None:
    @qn.compile(fullgraph=True)
    def f(x):
        return x.any(), np.argmax(x), x[2**31 :].sum(), x[::-1][:3]

    x = np.zeros(2**31 + 16, bool)
    x[-2] = True
    found, where, beyond, last = f(x)
    assert found
    assert where == 2**31 + 14
    assert beyond == 1
    assert last.tolist() == [False, True, False]
